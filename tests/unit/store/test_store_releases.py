"""Releases, signatures and side files as rows."""

from __future__ import annotations

import sqlite3

import pytest

from review_app.records.release import NewRelease, ProjectRevision, SideFile


def new(person, **more):
    values = {
        "name": "v1",
        "note": "",
        "revision": 3,
        "recipe": {"variant": "j-tau", "seed": 1},
        "domains": ("a", "b"),
        "manifest_hash": "0",
        "complete": True,
        "folder": "out/v1",
        "built_by": person.id,
    }
    return NewRelease(**values | more)


def test_a_release_comes_back_as_it_was_added(store, crew):
    with store.write("test"):
        number = store.releases.add(new(crew.m))
        store.releases.sign(number, crew.m.id)
    (release,) = store.releases.all()
    assert release == store.releases.named("v1") and release.id == number
    assert release.recipe == {"variant": "j-tau", "seed": 1} and release.domains == ("a", "b")
    assert [signature.person_id for signature in release.signatures] == [crew.m.id]
    assert release.complete and not release.signed and release.built_at.endswith("Z")
    assert store.releases.named("v2") is None


def test_the_newest_of_a_name_counts_and_the_newest_is_listed_first(store, crew):
    with store.write("test"):
        numbers = [store.releases.add(new(crew.m, manifest_hash=str(n))) for n in range(3)]
    assert store.releases.named("v1").manifest_hash == "2"
    assert [release.id for release in store.releases.all()] == numbers[::-1]


def test_nobody_signs_twice_and_nothing_is_changed_afterwards(store, crew):
    with store.write("test"):
        number = store.releases.add(new(crew.m))
        store.releases.sign(number, crew.m.id)
    with pytest.raises(sqlite3.IntegrityError), store.write("test"):
        store.releases.sign(number, crew.m.id)
    for statement in ("UPDATE releases SET note = 'x'", "DELETE FROM release_signatures"):
        with sqlite3.connect(store.path) as db, pytest.raises(sqlite3.DatabaseError, match="only"):
            db.execute(statement)
        db.close()


def test_the_revision_is_the_newest_change_of_what_is_released(store, crew):
    before = store.releases.revision()
    assert before.number > 0 and before.at
    with store.write("test"):
        number = store.releases.add(new(crew.m))
        store.releases.sign(number, crew.m.id)
        store.jobs.create("check", "", {}, None)
    assert store.releases.revision() == before
    with store.write("test"):
        store.people.add("Zoe", "annotator")
    assert store.releases.revision().number > before.number
    assert store.people.history("releases")[0].actor == "test"


def test_before_there_is_anything_the_revision_is_nought(store):
    with sqlite3.connect(store.path) as db:
        db.execute("DROP TRIGGER audit_no_delete")
        db.execute("DELETE FROM audit")
    db.close()
    assert store.releases.revision() == ProjectRevision(0, "")


def test_side_files_are_replaced_as_a_whole_and_the_same_is_not_written(store):
    def file(place, digest, role="side"):
        return SideFile(domain="a", place=place, role=role, hash=digest)

    with store.write("test"):
        store.side_files.put("a", [(file("x", "1"), b"\xff"), (file("x", "2", "licence"), b"L")])
        store.side_files.put("b", [])
    changes = len(store.people.history("side_files"))
    with store.write("test"):
        store.side_files.put("a", [(file("x", "1"), b"\xff"), (file("y", "3"), b"")])
    assert [(f.role, f.place) for f in store.side_files.of("a")] == [("side", "x"), ("side", "y")]
    assert store.side_files.content(file("x", "1")) == b"\xff"
    assert len(store.people.history("side_files")) == changes + 2
