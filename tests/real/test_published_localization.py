"""Localizing gives the gold actions and expected strings of the published Japanese airline."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import packs
from review_app.workflows.localization import entity_files
from review_app.workflows.localization import published as localization_published
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest


@pytest.fixture(scope="module")
def published(tmp_path_factory, shared: Path) -> tuple[Store, list]:
    """Airline with the people that are read off the published tasks, and these tasks."""
    store = Store(tmp_path_factory.mktemp("published") / "airline.db")
    import_domain.import_domain(store, ImportRequest(shared / "tau2", "airline"))
    mio = project.add_person(store, "Mio", "maintainer")
    packs.apply_pack(store, mio)
    file = shared / "jtau" / "airline_ja" / "tasks.json"
    found = entity_files.infer(store, "airline", entity_files.read_tasks(file))
    entity_files.import_entities(store, mio, "airline", found.rows)
    return store, localization_published.read_tasks(file)


def test_all_published_airline_tasks_come_out(published):
    store, tasks = published
    found = localization_published.compare(Derived(store, "airline"), tasks)
    assert (found.tasks, found.agreeing, found.unlike) == (50, 50, ())


def test_without_the_fixes_the_repaired_tasks_differ_and_say_so(published):
    store, tasks = published
    found = localization_published.compare(
        Derived(store, "airline", DerivationChoice(fixes=False)), tasks
    )
    assert (found.tasks, found.agreeing) == (50, 48)
    assert {each.task_id for each in found.unlike} == {"7", "44"}
    assert all("Table 10" in each.why for each in found.unlike)
    assert all(each.line().startswith(f"task {each.task_id}, ") for each in found.unlike)
