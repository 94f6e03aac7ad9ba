"""Patches as rows: decided once, in force in the order of their approval, never lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from review_app.core.tasks.operations import Operation
from review_app.core.tasks.patches import Patch
from review_app.errors import BadInput, StaleEdit
from review_app.records.curation import NewPatch
from review_app.store.curation import patches as patches_table


def add(store, person, number, layer="repair", locale="", inverts=None):
    """A proposed patch; returns its id."""
    patch = Patch(
        id=f"airline/0/{layer}/{number}",
        domain="airline",
        task_id="0",
        layer=layer,
        kind="wrong_gold",
        base_hash="0" * 64,
        operations=(Operation("add", "/ticket", f"Text {number}"),),
        reason="for the test",
        source="test",
    )
    with store.write(person.name):
        return store.patches.add(NewPatch(patch, locale, person.id, inverts=inverts))


def decide(store, person, number, state, *, version=1, note=""):
    with store.write("Mio"):
        return store.patches.decide(
            number, state, person=person and person.id, note=note, expected_version=version
        )


def names(store, locale="ja"):
    return [stored.patch.id for stored in store.patches.in_force("airline", locale)]


def test_a_second_decision_about_the_same_version_is_refused_with_both_states(store, crew):
    number = add(store, crew.a, 1)
    decided = decide(store, crew.m, number, "approved", note="right")
    assert (decided.state, decided.version) == ("approved", 2)
    with pytest.raises(StaleEdit) as caught:
        decide(store, crew.b, number, "rejected", note="wrong")
    assert (caught.value.base, caught.value.theirs, caught.value.version) == (
        "rejected",
        "approved",
        2,
    )
    assert store.patches.get(number) == decided


def test_a_patch_that_was_taken_back_keeps_who_approved_it_when_and_why(store, crew, monkeypatch):
    number, other = add(store, crew.a, 1), add(store, crew.a, 2)
    approved = decide(store, crew.m, number, "approved", note="right")
    kept = decide(store, crew.b, other, "approved")
    monkeypatch.setattr(patches_table, "now", lambda: "2099-01-01T00:00:00.000Z")
    inverse = add(store, crew.b, "back", inverts=number)
    done = decide(store, crew.c, inverse, "approved", note="not needed")
    inverted = decide(store, None, number, "inverted", version=2)
    assert (approved.approver_id, approved.note) == (crew.m.id, "right") and approved.decided_at
    assert inverted == replace(approved, state="inverted", version=3)
    assert (done.approver_id, done.note, done.inverts) == (crew.c.id, "not needed", number)
    assert done.decided_at == done.created_at == "2099-01-01T00:00:00.000Z"
    assert (approved.in_force, inverted.in_force, done.in_force) == (True, False, False)
    assert names(store) == [kept.patch.id]


def test_patches_are_in_force_in_the_order_of_their_approval(store, crew, monkeypatch):
    first, second, third = (add(store, crew.a, n, "localization", "ja") for n in (1, 2, 3))
    german, repair = add(store, crew.a, 4, "localization", "de"), add(store, crew.a, 5)
    for hour, number in enumerate((repair, third, first, german)):
        monkeypatch.setattr(patches_table, "now", lambda hour=hour: f"2026-01-01T0{hour}")
        decide(store, crew.m, number, "approved")
    decide(store, crew.m, second, "rejected")
    assert names(store) == [
        "airline/0/repair/5",
        "airline/0/localization/3",
        "airline/0/localization/1",
    ]
    assert names(store, "de") == ["airline/0/repair/5", "airline/0/localization/4"]
    assert store.patches.in_force("retail", "ja") == []


def test_the_edition_changes_with_patches_and_with_nothing_else(store, crew):
    editions = [store.patches.edition()]
    number = add(store, crew.a, 1)
    editions.append(store.patches.edition())
    decide(store, crew.m, number, "approved")
    editions.append(store.patches.edition())
    decide(store, None, number, "inverted", version=2)
    editions.append(store.patches.edition())
    assert len(set(editions)) == len(editions)
    with store.write("Mio"):
        store.people.add("Dora", "annotator")
    assert store.people.edition() != editions[-1] == store.patches.edition()


def test_a_stored_patch_that_cannot_be_read_is_named(store, crew):
    number = add(store, crew.a, 1)
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("""UPDATE patches SET operations = '[{"op": "copy"}]'""")
        db.commit()
    with pytest.raises(BadInput, match="^patches#airline/0/repair/1/operations: an operation must"):
        store.patches.get(number)
