"""Nothing of the source country is to be read in localized domains, by a scan of another kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from review_app.store import Store
from review_app.workflows.localization import domain_files, undecided
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "leftover_hits.py"


def hits(source: Path, export: Path, domain: str) -> list[tuple[str, str, str]]:
    """Kind, what is read and place of every hit that nothing explains."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(source), str(export), domain],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [(row[1], row[2], row[3]) for row in rows if len(row) == 5]


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_an_independent_gazetteer_finds_nothing(domain, shared, tmp_path):
    store = Store(tmp_path / "review.db")
    import_domain.import_domain(store, ImportRequest(shared / "tau2", domain))
    assert undecided.undecided(store, domain) == []
    domain_files.write(store, [domain], tmp_path / "ja", allow_incomplete=True)
    assert hits(shared / "tau2", tmp_path / "ja", domain) == []


def test_that_gazetteer_sees_the_source(shared):
    kinds = {kind for kind, _, _ in hits(shared / "tau2", shared / "tau2", "retail")}
    assert {"state", "city", "city, nickname", "zip of a record", "street", "given name"} <= kinds
