"""How long the installed command takes to start, against a bare interpreter.

All are run in turn; the bounds are on the ratios of the medians of `jtau-review --help` and
`jtau-review status` to that of `python -c pass`. They hold with and without bytecode, which Python
keeps unless PYTHONDONTWRITEBYTECODE is set. Run: `python benchmarks/bench_cli_start.py [--turns N]`
with the interpreter that the command is installed for. Prints JSON; exits 1 if a ratio is over its
bound.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUNDS = {"help": 4.0, "status": 10.0}
COMMAND = Path(sys.executable).with_name("jtau-review")


def seconds(words: list[str], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def make_database(path: Path) -> None:
    """A project with no domain yet: made before the clock starts."""
    from review_app.store import Store

    Store(path).close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    turns = parser.parse_args().turns
    if not COMMAND.exists():
        print(f"{COMMAND} is not there: install the project first", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "review.db"
        make_database(db)
        commands = {
            "bare": [sys.executable, "-c", "pass"],
            "help": [str(COMMAND), "--help"],
            "status": [str(COMMAND), "status", "--db", str(db)],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(turns + 2):
            for name, words in commands.items():
                elapsed = seconds(words, folder)
                if turn >= 2:  # the first turns fill the caches
                    times[name].append(elapsed)
    medians = {name: statistics.median(values) for name, values in times.items()}
    result = {f"{name}_ms": round(value * 1000, 1) for name, value in medians.items()}
    ratios = {name: round(medians[name] / medians["bare"], 2) for name in BOUNDS}
    result |= {f"{name}_ratio": ratio for name, ratio in ratios.items()}
    load = [round(x, 2) for x in os.getloadavg()]
    setting = {"bounds": BOUNDS, "bytecode": not sys.dont_write_bytecode, "load": load}
    print(json.dumps(result | setting))
    broken = [f"{name} over {bound}" for name, bound in BOUNDS.items() if ratios[name] > bound]
    print(", ".join(broken) or "within the bounds", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
