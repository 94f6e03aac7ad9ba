"""The real repairs as patches for upstream, and the published Japanese data as a project."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.curation import packs
from review_app.workflows.release import build, reopening
from review_app.workflows.release.build import BuildOrder
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

REPAIRED = {"airline": 6, "retail": 12}
"""Table 12: tasks with a repair, `both` included."""
UPSTREAM_HAS = {"retail": 3}
"""Repairs that the source has already: nothing is left to apply."""


@pytest.fixture(scope="module")
def edition(tmp_path_factory, shared: Path) -> Path:
    folder = tmp_path_factory.mktemp("edition")
    store = Store(folder / "p.db")
    for domain in REPAIRED:
        import_domain.import_domain(store, ImportRequest(shared / "tau2", domain))
    mio = project.add_person(store, "Mio", "maintainer")
    packs.apply_pack(store, mio)
    order = BuildOrder("en", folder, variant="tau-repaired", allow_incomplete=True)
    build.build(store, mio, order)
    store.close()
    return folder / "en"


@pytest.mark.parametrize("domain", list(REPAIRED))
def test_every_repair_applies_to_the_imported_file(edition, shared, tmp_path, domain):
    if shutil.which("git") is None:
        pytest.skip("git is not there")
    place = f"data/tau2/domains/{domain}/tasks.json"
    copy = tmp_path / place
    copy.parent.mkdir(parents=True)
    shutil.copy(shared / "tau2" / "domains" / domain / "tasks.json", copy)
    listed = sorted((edition / "upstream" / domain).glob("*.patch"))
    assert len(listed) == REPAIRED[domain] - UPSTREAM_HAS.get(domain, 0)
    for path in listed:
        for words in (["--check"], [], ["-R"]):
            subprocess.run(["git", "apply", *words, path], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", *listed], cwd=tmp_path, check=True)
    assert copy.read_bytes() == (edition / place).read_bytes()


def test_the_edition_repairs_the_tasks_of_table_10_and_no_other(edition, shared):
    for domain, count in REPAIRED.items():
        place = Path("domains") / domain / "tasks.json"
        before, after = (
            json.loads((root / place).read_text("utf-8"))
            for root in (shared / "tau2", edition / "data" / "tau2")
        )
        changed = [t["id"] for t, now in zip(before, after, strict=True) if t != now]
        repairs = [p for p in tasks_in_force.shipped(domain, "ja") if p.layer == "repair"]
        assert changed == [
            t["id"] for t in before if t["id"] in {p.task_id for p in repairs if p.operations}
        ]
        assert len({p.task_id for p in repairs}) == count


def test_the_published_airline_opens_with_its_texts_as_drafts(shared, tmp_path):
    report = reopening.open_release(
        shared / "jtau", tmp_path / "ja.db", shared / "tau2", person="Mio"
    )
    store = Store(tmp_path / "ja.db")
    texts = [text for text in store.segments.all("airline") if text.target is not None]
    assert {text.state for text in texts} == {"draft"}
    assert {text.kind for text in texts} >= {"policy", "task"}
    tasks = [text for text in store.segments.all("airline") if text.kind == "task"]
    drafted = [text for text in tasks if text.target is not None]
    assert len(drafted) > 0.95 * len(tasks)
    said = "\n".join(map(str, report.notes))
    assert "telecom: tasks.json: has no draft" in said
    assert "airline/policy.md#reservation/" in said and "has no counterpart" in said
    for part in ("glossary", "entities", "patches", "review record"):
        assert f"{part}: the release has none" in said
    store.close()
