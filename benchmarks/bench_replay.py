"""Speed and memory of replay, against the bounds the project promises. Exits 1 if one is broken.

Run `python benchmarks/bench_replay.py`. It measures on the real databases in ../shared beside the
checkout; where they are absent it says so and measures the project's small sample.
"""

from __future__ import annotations

import gc
import gzip
import json
import sys
import time
import tracemalloc
from pathlib import Path

from review_app.core.envs import calculator, environment_class, open_environment
from review_app.core.locale.pack import parse_pack
from review_app.core.tasks.replay import replay_task

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "tau2" / "domains"
SAMPLE = ROOT / "data" / "sample" / "tau2" / "domains"

MIN_TASKS_PER_S = 135
MAX_LIVE_MB = 300
MAX_OPEN_US = 100
MAX_REFUSAL_MS = 10
HOSTILE = {
    "9**9**9": "9**9**9",
    "10,000 characters": "1+" * 4_999 + "10",
    "5,000 parentheses": "(" * 5_000 + "1" + ")" * 5_000,
    "400 signs": "-" * 400 + "1",
    "power chain": "2**" * 300 + "2",
    "products of powers": "*".join(["9**999"] * 100),
}


def database_text(folder: Path) -> str:
    packed = folder / "db.json.gz"
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode()
    return (folder / "db.json").read_text("utf-8")


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> int:
    real = SHARED.is_dir()
    base = SHARED if real else SAMPLE
    if not real:
        print("no ../shared beside this checkout: the bounds are for it; measuring the sample")
    broken = []

    def check(ok: bool, text: str) -> None:
        print(("ok      " if ok else "BROKEN  ") + text)
        if not ok:
            broken.append(text)

    loaded, tasks, texts = {}, {}, {}
    for domain in ("airline", "retail"):
        locale = ROOT / "data" / "locales" / "en" / f"{domain}.toml"
        pack = parse_pack({locale.name: locale.read_text("utf-8")})
        texts[domain] = database_text(base / domain)
        tasks[domain] = json.loads((base / domain / "tasks.json").read_text("utf-8"))
        started = time.perf_counter()
        state = environment_class(domain).load(json.loads(texts[domain]), pack)
        assert state.hashes.pristine
        loaded[domain] = (state, pack)
        took = time.perf_counter() - started
        print(f"        {domain}: loaded and indexed in {took:.2f} s, once")

    started = time.perf_counter()
    for text in texts.values():
        json.loads(text)
    reading = time.perf_counter() - started

    rates = []
    for _ in range(3):
        count, started = 0, time.perf_counter()
        for domain, (state, pack) in loaded.items():
            for task in tasks[domain]:
                done = replay_task(open_environment(domain, state, pack), task)
                assert done.initial[0].hash and done.agent_db_hash
                count += 1
        rates.append(count / (time.perf_counter() - started))
    rate = sorted(rates)[1]
    took = count / rate
    check(
        rate >= MIN_TASKS_PER_S or not real,
        f"replay: {count} tasks with hashes at {rate:.0f} tasks/s (median of 3; bound "
        f"{MIN_TASKS_PER_S}); all take {took / reading:.1f} x json.loads of the two databases",
    )

    state, pack = loaded["retail"]
    gc.collect()
    before = resident_mb()
    tracemalloc.start()
    live = [open_environment("retail", state, pack) for _ in range(1_000)]
    for at, environment in enumerate(live):
        for action in tasks["retail"][at % len(tasks["retail"])]["evaluation_criteria"]["actions"]:
            environment.call(action["name"], action["arguments"])
    gc.collect()
    grown, allocated = resident_mb() - before, tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    check(
        max(grown, allocated) < MAX_LIVE_MB,
        f"1,000 live retail environments, each with a task replayed: {allocated:.1f} MB allocated, "
        f"resident memory {grown:+.0f} MB (bound {MAX_LIVE_MB})",
    )
    total = resident_mb()
    check(total < MAX_LIVE_MB or not real, f"this whole process: {total:.0f} MB")
    del live

    started = time.perf_counter()
    for _ in range(1_000):
        open_environment("retail", state, pack)
    opening = (time.perf_counter() - started) * 1_000
    check(opening < MAX_OPEN_US, f"opening an environment: {opening:.1f} us (bound {MAX_OPEN_US})")

    for name, expression in HOSTILE.items():
        started = time.perf_counter()
        try:
            calculator.calculate(expression)
            refused = False
        except ValueError:
            refused = True
        took = (time.perf_counter() - started) * 1_000
        check(refused and took < MAX_REFUSAL_MS, f"calculator refuses {name}: {took:.2f} ms")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
