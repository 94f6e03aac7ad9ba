"""Entities and settings as rows."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from review_app.errors import NotFound, StaleEdit
from review_app.models import Entity
from review_app.store import Store

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")


def add(store: Store, *rows: Entity, domain: str = "airline", locale: str = "ja") -> None:
    with store.write("Mio"):
        store.entities.add(domain, locale, rows)


def test_an_entity_is_read_as_it_was_added(store: Store):
    add(store, replace(MIA, origin="file", draw=3, locked=True))
    [row] = store.entities.of("airline", "ja")
    assert replace(row, id=0, version=0) == replace(MIA, origin="file", draw=3, locked=True)
    assert store.entities.get(row.id) == row
    assert store.entities.home(row.id) == ("airline", "ja")


def test_domains_and_locales_keep_apart(store: Store):
    add(store, MIA)
    add(store, replace(MIA, target="x"), domain="retail")
    add(store, replace(MIA, target="y"), locale="de")
    assert [row.target for row in store.entities.of("airline", "ja")] == ["木村 千代"]


def test_a_second_writer_of_the_same_version_is_refused(store: Store):
    add(store, MIA)
    [row] = store.entities.of("airline", "ja")
    with store.write("Aki"):
        store.entities.put(replace(row, target="木村 花"))
    with pytest.raises(StaleEdit) as caught, store.write("Ben"):
        store.entities.put(replace(row, target="木村 葵"))
    assert (caught.value.theirs, caught.value.version) == ("木村 花", 2)
    assert store.entities.get(row.id).target == "木村 花"


def test_history_says_who_changed_what(store: Store):
    add(store, MIA)
    [row] = store.entities.of("airline", "ja")
    with store.write("Aki"):
        changed = store.entities.put(replace(row, target="木村 花", locked=True))
    newest, added = store.entities.history(row.id)
    assert (newest.actor, newest.old, newest.new) == ("Aki", row, changed)
    assert (added.actor, added.old, added.new) == ("Mio", None, row)


def test_every_change_of_an_entity_makes_another_edition(store: Store):
    before = store.entities.edition()
    add(store, MIA)
    assert store.entities.edition() != before


def test_an_entity_that_is_not_there_is_not_found(store: Store):
    with pytest.raises(NotFound, match="no entity 7"):
        store.entities.get(7)


def test_two_thousand_rows_are_added_in_no_time(store: Store):
    rows = [replace(MIA, source=f"Mia Li {n}", target=f"{n}") for n in range(2000)]
    start = time.perf_counter()
    add(store, *rows)
    assert time.perf_counter() - start < 1
    assert len(store.entities.of("airline", "ja")) == 2000


def test_a_setting_has_its_default_until_somebody_sets_it(store: Store):
    assert store.settings.get("entity_seed", "1") == "1"
    with store.write("Mio"):
        store.settings.put("entity_seed", "7")
    assert store.settings.get("entity_seed", "1") == "7"
    [change] = store.people.history("settings", "entity_seed")
    assert change.actor == "Mio"
