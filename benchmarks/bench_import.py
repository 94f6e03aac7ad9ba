"""Importing domains against reading, parsing and inserting the same as plain rows.

Both sides run in turn, in one process, into new SQLite files that are set up before the clock
starts (making the review database brings pandas along, once in its life). The bound is on
processor time, which others at work on the machine disturb least: the median over the turns of the
import's time divided by the baseline's in the same turn. Times by the clock stand beside it. Search
index and checks come after an import, with progress, and are told apart.

Run: `python benchmarks/bench_import.py [--segments N] [--turns N] [--only SIZE/DRAFT]`.
Prints JSON; exits 1 if a ratio is over the bound.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from unittest import mock

from review_app.store import Store
from review_app.workflows.benchmark import files
from review_app.workflows.review import checks as review_checks
from review_app.workflows.review import import_domain

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
DOMAINS = ("airline", "retail", "telecom")
BOUND = 5.0

Draft = Literal["none", "same", "japanese"]
"""No draft, the English files as their own draft, or the Japanese files that there are."""

_fields = files.domain_fields
# A copy is called `retail_1`: without this its database would be one that no fields are known for.
files.domain_fields = lambda domain: _fields(domain.partition("_")[0])


@dataclass(frozen=True)
class Part:
    """One domain to import."""

    name: str
    folder: Path
    draft: Path | None = None

    def paths(self) -> list[Path]:
        """The files that an import reads."""
        folders = [self.folder, self.draft] if self.draft else [self.folder]
        return [
            path
            for folder in folders
            for path in sorted(folder.iterdir())
            if path.name.endswith(files.SUFFIXES)
        ]


def parts(draft: Draft, copies: int) -> list[Part]:
    """Every domain once, then the same under other names; the guidelines have only one name."""
    real = (SHARED / "tau2").is_dir()
    base = SHARED / "tau2" if real else ROOT / "data" / "sample" / "tau2"
    found = [Part("user_simulator", base / "user_simulator")]
    for copy in range(copies):
        for domain in DOMAINS:
            found.append(Part(f"{domain}_{copy}" if copy else domain, base / "domains" / domain))
    japanese = SHARED / "jtau" if real else ROOT / "data" / "sample" / "draft_ja"
    return [Part(one.name, one.folder, _draft_of(one, draft, japanese)) for one in found]


def _draft_of(part: Part, draft: Draft, japanese: Path) -> Path | None:
    if draft == "same":
        return part.folder
    for folder in (japanese / f"{part.folder.name}_ja", japanese / part.folder.name):
        if draft == "japanese" and folder.is_dir():
            return folder
    return None


def parse(path: Path) -> Any:
    blob = path.read_bytes()
    if path.suffix == ".gz":
        blob = gzip.decompress(blob)
    text = blob.decode("utf-8")
    name = path.name.removesuffix(".gz")
    if name.endswith(".json"):
        return json.loads(text)
    return tomllib.loads(text) if name.endswith(".toml") else text


Row = tuple[str, str, str | None]
"""Address, source, target."""


@contextmanager
def plain_database(path: Path) -> Iterator[sqlite3.Connection]:
    """A database of one table, as durable as the app's."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(
            "CREATE TABLE texts(id INTEGER PRIMARY KEY, address TEXT, source TEXT, target TEXT)"
        )
        yield db


def baseline(db: sqlite3.Connection, wanted: list[Part], rows: list[Row]) -> None:
    for part in wanted:
        for path in part.paths():
            parse(path)
    db.execute("BEGIN")
    db.executemany("INSERT INTO texts(address, source, target) VALUES (?, ?, ?)", rows)
    db.execute("COMMIT")


def import_all(store: Store, wanted: list[Part]) -> None:
    for part in wanted:
        request = import_domain.ImportRequest(part.folder, part.name, draft=part.draft)
        with (
            mock.patch.object(review_checks, "refresh"),
            mock.patch.object(review_checks, "index_search"),
        ):  # timed in `afterwards`
            import_domain.import_domain(store, request)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of processor time and by the clock."""
    gc.collect()
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock


def rows_of(db: Path) -> list[Row]:
    with closing(sqlite3.connect(db)) as opened:
        return opened.execute("SELECT address, source, target FROM segments").fetchall()


def measure(draft: Draft, copies: int, turns: int, scratch: Path) -> dict[str, Any]:
    """Medians of one draft and size; the import that tells the rows is not counted."""
    wanted = parts(draft, copies)
    name = f"{draft}-{copies}"
    model = scratch / f"{name}.db"
    with closing(Store(model)) as store:
        import_all(store, wanted)
    rows = rows_of(model)
    plains: list[tuple[float, float]] = []
    imports: list[tuple[float, float]] = []
    for turn in range(turns):
        table, review = scratch / f"{name}-{turn}-plain.db", scratch / f"{name}-{turn}.db"
        with plain_database(table) as db:
            plains.append(timed(lambda: baseline(db, wanted, rows)))
        with closing(Store(review)) as store:
            imports.append(timed(lambda: import_all(store, wanted)))
        for path in (table, review):
            path.unlink()
    result: dict[str, Any] = {
        "segments": len(rows),
        "targets": sum(target is not None for _, _, target in rows),
    }
    for clock, what in enumerate(("", "clock_")):
        plain, own = ([turn[clock] for turn in side] for side in (plains, imports))
        ratios = [one / other for one, other in zip(own, plain, strict=True)]
        result |= {
            f"{what}baseline_s": round(statistics.median(plain), 3),
            f"{what}import_s": round(statistics.median(own), 3),
            f"{what}ratio": round(statistics.median(ratios), 2),
        }
    return result


def afterwards(db: Path) -> dict[str, float]:
    """What comes after an import with progress: the search index, and the checks of one domain."""
    with closing(Store(db)) as store:
        index = timed(lambda: review_checks.index_search(store))
        counted = 0

        def check() -> None:
            nonlocal counted
            counted = review_checks.refresh(store, "airline")

        checks = timed(check)
    return {
        "search_index_s": round(index[1], 3),
        "checks_airline_s": round(checks[1], 3),
        "checks_airline_segments": counted,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=50_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="", help="once/none, once/japanese, many/none, ...")
    arguments = parser.parse_args()
    result: dict[str, Any] = {"bound": BOUND, "load": [round(x, 2) for x in os.getloadavg()]}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        once = measure("none", 1, 1, scratch)
        print(f"{once['segments']} segments in all domains", file=sys.stderr)
        copies = -(-arguments.segments // max(once["segments"], 1))
        runs: list[tuple[str, int, Draft, int]] = [
            ("once", 1, "none", arguments.turns),
            ("once", 1, "same", arguments.turns),
            ("once", 1, "japanese", arguments.turns),
            ("many", copies, "none", min(arguments.turns, 2)),
            ("many", copies, "same", 1),
        ]
        for size, many, draft, turns in runs:
            if f"{size}/{draft}".startswith(arguments.only):
                result[f"{size}/{draft}"] = measure(draft, many, turns, scratch)
        if not arguments.only:
            result["afterwards"] = {
                "once": afterwards(scratch / "same-1.db"),
                "many": afterwards(scratch / f"same-{copies}.db"),
            }
    print(json.dumps(result, indent=2))
    broken = [name for name, one in result.items() if "/" in name and one["ratio"] > BOUND]
    print("within the bound" if not broken else f"over {BOUND}: {broken}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
