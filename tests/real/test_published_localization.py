"""Localizing gives the gold actions and expected strings of the published Japanese airline."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_app.store import Store
from review_app.workflows import administering, comparing, exchanging, importing, packing
from review_app.workflows.deriving import Choice, Derived
from review_app.workflows.importing import ImportRequest


@pytest.fixture(scope="module")
def published(tmp_path_factory, shared: Path) -> tuple[Store, list]:
    """Airline with the people that are read off the published tasks, and these tasks."""
    store = Store(tmp_path_factory.mktemp("published") / "airline.db")
    importing.import_domain(store, ImportRequest(shared / "tau2", "airline"))
    mio = administering.add_person(store, "Mio", "maintainer")
    packing.apply_pack(store, mio)
    file = shared / "jtau" / "airline_ja" / "tasks.json"
    found = exchanging.infer(store, "airline", exchanging.read_tasks(file))
    exchanging.import_entities(store, mio, "airline", found.rows)
    return store, comparing.read_tasks(file)


def test_all_published_airline_tasks_come_out(published):
    store, tasks = published
    found = comparing.compare(Derived(store, "airline"), tasks)
    assert (found.tasks, found.agreeing, found.unlike) == (50, 50, ())


def test_without_the_fixes_the_repaired_tasks_differ_and_say_so(published):
    store, tasks = published
    found = comparing.compare(Derived(store, "airline", Choice(fixes=False)), tasks)
    assert (found.tasks, found.agreeing) == (50, 48)
    assert {each.task_id for each in found.unlike} == {"7", "44"}
    assert all("Table 10" in each.why for each in found.unlike)
    assert all(each.line().startswith(f"task {each.task_id}, ") for each in found.unlike)
