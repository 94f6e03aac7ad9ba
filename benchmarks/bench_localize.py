"""Speed and memory of localizing and proving whole domains. Exits 1 if a bound is broken.

Run `python benchmarks/bench_localize.py`. It measures on the real files in ../shared beside the
checkout, recorded calls included; where they are absent it says so and measures the sample.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from review_app.config import recorded_folder
from review_app.core.formats.structured import parse_structured
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import proof
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "tau2"
SAMPLE = ROOT / "data" / "sample" / "tau2"
DOMAINS = ("airline", "retail", "telecom")

MAX_SECONDS = 60
"""By the clock, on two cores: what the project promises."""
MAX_TIMES_REPLAY = 80
"""A proof replays everything twice, records too, and looks at every value and text."""
MAX_MB = 500


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Processor time and time by the clock of some work, in seconds."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def parse_databases(store: Store, domain: str) -> None:
    """Read a domain's databases, nothing else: what no localization can do without."""
    for document in store.documents.of(domain):
        if document.file in (*environments.DATABASES, *environments.USER_DATABASES):
            parse_structured(document.file, store.documents.texts(document.id)[0])


def derive(store: Store, domain: str) -> None:
    """Localize database and texts."""
    made = Derived(store, domain)
    assert made.database and made.texts


def main() -> int:
    real = SHARED.is_dir()
    if not real:
        print("no ../shared beside this checkout: the bounds are for it; measuring the sample")
    broken = []

    def check(ok: bool, text: str) -> None:
        print(("ok      " if ok else "BROKEN  ") + text)
        if not ok:
            broken.append(text)

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "bench.db")
        for domain in DOMAINS:
            import_domain.import_domain(store, ImportRequest(SHARED if real else SAMPLE, domain))
        records = recorded_folder() if real else None
        spent = {"parse": 0.0, "replay": 0.0, "derive": 0.0, "prove": 0.0}
        clock = 0.0
        for domain in DOMAINS:
            environments.load(store, domain)  # loaded and indexed once, as a server does
            works: dict[str, Callable[[], object]] = {
                "parse": lambda: parse_databases(store, domain),  # noqa: B023
                "replay": lambda: environments.replay_domain(store, domain),  # noqa: B023
                "derive": lambda: derive(store, domain),  # noqa: B023
                "prove": lambda: proof.verify(store, domain, records=records),  # noqa: B023
            }
            for name, work in works.items():
                took, by_clock = measured(work)
                spent[name] += took
                clock += by_clock if name == "prove" else 0.0
            print(f"        {domain}: done")
        for name, took in spent.items():
            print(
                f"        {name}: {took:.2f} s of processor time, "
                f"{took / spent['parse']:.1f} x parsing the databases"
            )
        times = spent["prove"] / spent["replay"]
        check(
            times < MAX_TIMES_REPLAY or not real,
            f"deriving and proving take {times:.1f} x replaying all gold actions once "
            f"(bound {MAX_TIMES_REPLAY})",
        )
        check(clock < MAX_SECONDS, f"all three by the clock: {clock:.1f} s (bound {MAX_SECONDS})")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    check(peak < MAX_MB, f"most memory this process had: {peak:.0f} MB (bound {MAX_MB})")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
