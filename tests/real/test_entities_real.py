"""Entities of the real benchmark, and of the published Japanese one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from review_app.core.localize.gathered import calls
from review_app.store import Store
from review_app.workflows.localization import entities, entity_files
from review_app.workflows.review import glossary, import_domain
from review_app.workflows.review.import_domain import ImportRequest


@pytest.fixture
def airline(store: Store, shared: Path) -> Store:
    import_domain.import_domain(store, ImportRequest(shared / "tau2", "airline"))
    with store.write("test"):
        store.terms.add(glossary.shipped_terms(store))
    return store


def arguments(tasks, name):
    for call in calls(tasks):
        given = call.get("arguments") or {}
        if name in given:
            yield given[name]


def test_the_published_people_come_out_of_the_published_tasks(airline: Store, crew, shared: Path):
    file = shared / "jtau" / "airline_ja" / "tasks.json"
    found = entity_files.infer(airline, "airline", entity_files.read_tasks(file))
    assert tuple(map(str, found.problems)) == (
        "'Olivia Gonzalez' and 'Ethan Martin' are both '山本 幹': only 'Ethan Martin' is",
    )
    entity_files.import_entities(airline, crew.m, "airline", found.rows)
    mapped = entities.entity_map(airline, "airline")
    source = json.loads((shared / "tau2/domains/airline/tasks.json").read_text("utf-8"))
    published = json.loads(file.read_text("utf-8"))
    ids = set(arguments(source, "user_id"))
    assert len(ids) >= 16
    assert set(arguments(published, "user_id")) == {mapped.value("user_id", one) for one in ids}
    names = {
        (one["first_name"], one["last_name"])
        for passengers in arguments(source, "passengers")
        for one in passengers
    }
    assert len(names) == 13
    assert {mapped.name(*pair) for pair in names} == {
        (one["first_name"], one["last_name"])
        for passengers in arguments(published, "passengers")
        for one in passengers
    }


def test_the_whole_database_is_counted_in_two_seconds(airline: Store):
    rows = entities.rows(airline, "airline")
    start = time.perf_counter()
    index = entities.index(airline, "airline")
    assert time.perf_counter() - start < 4  # two on an idle machine
    assert [row.source for row in rows if (row.kind, row.source) not in index] == []
