"""A release of the real benchmark: the paper's tables, every gold action, and nothing left over."""

from __future__ import annotations

import json
import re

import pytest

from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import packs
from review_app.workflows.release import build, verify
from review_app.workflows.release.build import BuildOrder
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

TABLE_9 = {
    "airline": {"6", "7", "15", "24", "39"},
    "retail": {
        *map(str, range(5, 15)),
        "35",
        "39",
        *map(str, range(45, 49)),
        *map(str, range(56, 59)),
        *map(str, range(67, 70)),
    },
    "telecom": set(),
}
TABLE_10 = {
    "airline": {"7", "29", "32", "33", "39", "44"},
    "retail": {*("18", "25", "26", "28", "38", "64", "91", "99", "104", "105", "107", "110")},
    "telecom": set(),
}
TABLE_12 = {
    "airline": (50, 41, 4, 2, 3),
    "retail": (114, 80, 12, 0, 22),
    "telecom": (114, 114, 0, 0, 0),
}


@pytest.fixture(scope="module")
def released(shared, tmp_path_factory):
    """The benchmark imported, the paper's patches applied, and a release of it."""
    folder = tmp_path_factory.mktemp("real")
    store = Store(folder / "real.db")
    maintainer = project.add_person(store, "Mio", "maintainer")
    for domain in ("airline", "retail", "telecom", "user_simulator"):
        import_domain.import_domain(store, ImportRequest(shared / "tau2", domain))
    packs.apply_pack(store, maintainer)
    order = BuildOrder("real", folder / "out", allow_incomplete=True)
    done = build.build(store, maintainer, order)
    yield folder / "out" / "real", store, done
    store.close()


def numbers(text):
    """Task ids of one table."""
    ids = set()
    for cell in re.findall(r"^\| ([0-9–, ]+) \|", text, re.MULTILINE):
        for part in cell.split(", "):
            first, _, last = part.partition("–")
            ids |= {str(number) for number in range(int(first), int(last or first) + 1)}
    return ids


def test_only_texts_that_nobody_approved_block_it(released):
    _, _, done = released
    assert set(done.check.counts) == {"pending"}


def test_the_changed_tasks_are_those_of_tables_9_and_10(released):
    folder, _, _ = released
    text = (folder / "TASK_CHANGES_EN.md").read_text("utf-8")
    for part in text.split("\n## ")[1:]:
        domain = part.split("_", 1)[0]
        localized, repaired = part.split("### ")[1:]
        assert localized.startswith("Modified due to localization")
        assert (numbers(localized), numbers(repaired)) == (TABLE_9[domain], TABLE_10[domain])


def test_the_statistics_are_table_12(released):
    folder, _, _ = released
    text = (folder / "STATISTICS.md").read_text("utf-8")
    for domain, counts in TABLE_12.items():
        assert f"| {domain}_ja | {' | '.join(map(str, counts))} |" in text


def test_it_verifies_clean_with_every_gold_action(released):
    folder, store, _ = released
    done = verify.verify(folder, store)
    assert done.ok and all(
        check.not_checked is None for check in done.checks if check.name != "plugin"
    )
    outcomes = json.loads((folder / "outcomes.json").read_text("utf-8"))
    assert sum(map(len, outcomes.values())) == 278


def test_the_sources_licence_comes_with_it(released, shared):
    folder, _, _ = released
    assert (folder / "LICENSE").read_bytes() == (shared / "tau2" / "LICENSE").read_bytes()
    assert 'license: "mit"' in (folder / "README.md").read_text("utf-8")
