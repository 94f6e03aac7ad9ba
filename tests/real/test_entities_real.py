"""Entities of the real benchmark, and of the published Japanese one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from review_app.core.localize.gathering import calls
from review_app.store import Store
from review_app.workflows import adapting, exchanging, importing, localizing
from review_app.workflows.importing import ImportRequest


@pytest.fixture
def airline(store: Store, shared: Path) -> Store:
    importing.import_domain(store, ImportRequest(shared / "tau2", "airline"))
    with store.write("test"):
        store.terms.add(localizing.shipped_terms(store))
    return store


def arguments(tasks, name):
    for call in calls(tasks):
        given = call.get("arguments") or {}
        if name in given:
            yield given[name]


def test_the_published_people_come_out_of_the_published_tasks(airline: Store, crew, shared: Path):
    file = shared / "jtau" / "airline_ja" / "tasks.json"
    found = exchanging.infer(airline, "airline", exchanging.read_tasks(file))
    assert found.problems == (
        "'Olivia Gonzalez' and 'Ethan Martin' are both '山本 幹': only 'Ethan Martin' is",
    )
    exchanging.import_entities(airline, crew.m, "airline", found.rows)
    mapped = adapting.entity_map(airline, "airline")
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
    rows = adapting.rows(airline, "airline")
    start = time.perf_counter()
    index = adapting.index(airline, "airline")
    assert time.perf_counter() - start < 4  # two on an idle machine
    assert [row.source for row in rows if (row.kind, row.source) not in index] == []
