"""How long the installed command takes to start, against a bare interpreter.

All are run in turn; the bound is on the ratio of the medians of `jtau-review --help` and
`python -c pass`. Run: `python benchmarks/bench_cli_start.py [--turns N]` with the interpreter that
the command is installed for. Prints JSON; exits 1 if the ratio is over the bound.
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

BOUND = 4.0
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
    ratios = {f"{n}_ratio": round(medians[n] / medians["bare"], 2) for n in ("help", "status")}
    load = [round(x, 2) for x in os.getloadavg()]
    print(json.dumps(result | ratios | {"bound": BOUND, "load": load}))
    broken = ratios["help_ratio"] > BOUND
    print(f"over {BOUND}" if broken else "within the bound", file=sys.stderr)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
