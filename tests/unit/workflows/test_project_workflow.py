"""People, the sample project, backup and restore."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from tiny_benchmark import add_crew, dump

from review_app.errors import BadInput, ReviewError
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.review import answers, checks, import_domain, queue


def test_people_have_distinct_names(store, crew):
    with pytest.raises(ReviewError, match="there already"):
        project.add_person(store, " Aki ", "maintainer")
    with pytest.raises(ReviewError, match="needs a name"):
        project.add_person(store, "  ", "annotator")
    assert [(p.name, p.role) for p in store.people.all()] == [
        ("Aki", "annotator"),
        ("Ben", "annotator"),
        ("Chie", "annotator"),
        ("Mio", "maintainer"),
    ]


def test_somebody_who_left_keeps_the_history_and_gives_the_seat_away(imported, crew):
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.answer(imported, segment.id, crew.a, verdict="approve", expected_version=1)
    changed = project.change_person(imported, crew.a, role="maintainer", active=False)
    assert imported.people.get(crew.a.id) == changed
    assert imported.segments.get(segment.id).answered == 1
    starts = [queue.next_segment(imported, p, QueueFilter()) for p in (crew.b, crew.c)]
    assert len(set(starts)) == 2


def test_a_backup_is_taken_while_others_write_and_holds_everything(imported, crew, tmp_path):
    target = tmp_path / "kept" / "backup.db"
    committed = dump(imported.path)
    with imported.write("somebody"):
        imported.people.add("Not yet", "annotator")
        other = Store(imported.path)
        project.back_up(other, target)
        other.close()
    assert dump(target) == committed
    assert project.examine(target) == []


def test_a_backup_never_overwrites_a_file(imported, tmp_path):
    (tmp_path / "old.db").write_text("old")
    with pytest.raises(BadInput, match="exists already"):
        project.back_up(imported, tmp_path / "old.db")
    with pytest.raises(BadInput, match="cannot be written"):
        project.back_up(imported, tmp_path / "old.db" / "inside.db")
    assert (tmp_path / "old.db").read_text() == "old"


def test_a_restore_brings_the_backup_back_and_keeps_the_state_before(imported, crew, tmp_path):
    backup = tmp_path / "backup.db"
    project.back_up(imported, backup)
    saved, blob = dump(imported.path), backup.read_bytes()
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    answers.edit(imported, segment.id, crew.a, target="- 後。", expected_version=1)
    changed = dump(imported.path)
    before = project.restore(imported.path, backup)
    assert dump(imported.path) == saved
    assert dump(before) == changed
    assert backup.read_bytes() == blob
    assert imported.segments.get(segment.id).version == 1  # an open connection sees it
    again = project.restore(imported.path, before)
    assert again != before and dump(imported.path) == changed
    assert imported.problems() == []


def test_a_restore_makes_a_database_where_there_is_none(imported, tmp_path):
    project.back_up(imported, tmp_path / "backup.db")
    new = tmp_path / "elsewhere" / "new.db"
    assert project.restore(new, tmp_path / "backup.db") is None
    assert dump(new) == dump(imported.path)


@pytest.mark.parametrize("damage", ["missing", "text", "empty", "cut", "orphan", "foreign"])
def test_a_damaged_backup_is_refused_and_nothing_changes(imported, crew, tmp_path, damage):
    backup = tmp_path / "backup.db"
    project.back_up(imported, backup)
    blob = backup.read_bytes()
    if damage == "missing":
        backup.unlink()
    elif damage == "orphan":
        _execute(backup, "UPDATE segments SET version = 9 WHERE number = 1")
    elif damage == "foreign":
        backup.unlink()
        _execute(backup, "CREATE TABLE books(title)")
    else:
        backup.write_bytes(
            {"text": b"x" * 5000, "empty": b"", "cut": blob[: len(blob) // 2]}[damage]
        )
    before = dump(imported.path)
    with pytest.raises(BadInput, match=r"backup\.db"):
        project.restore(imported.path, backup)
    assert dump(imported.path) == before
    assert list(tmp_path.glob("*before-restore*")) == []


def _execute(path, statement):
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        db.commit()


def test_the_sample_fills_an_empty_database_only(store, sample):
    project.load_sample(store)
    assert {info.name for info in store.documents.domains()} == {
        "airline",
        "retail",
        "telecom",
        "user_simulator",
    }
    names = [entry["name"] for entry in json.loads((sample / "people.json").read_text())]
    assert [person.name for person in store.people.all()] == names
    assert store.people.project().name == "Sample"
    assert checks.refresh(store) == 0
    assert store.queue.count(QueueFilter(search="airline")) > 0
    assert store.problems() == []
    with pytest.raises(ReviewError, match="empty"):
        project.load_sample(store)


def test_an_interrupted_sample_leaves_nothing_and_can_be_made_again(store, tmp_path):
    project.add_person(store, "Rei", "maintainer")
    before = dump(store.path)

    def interrupt(done, total, what):
        if str(what) == "checks":
            raise KeyboardInterrupt

    for path in (store.path, tmp_path / "deep" / "new.db"):
        with pytest.raises(KeyboardInterrupt):
            project.make_sample(path, progress=interrupt)
    assert dump(store.path) == before
    assert not (tmp_path / "deep").exists()
    project.make_sample(store.path)
    assert store.people.named("Rei").role == "maintainer"
    assert len(store.documents.domains()) == 4 and store.problems() == []
    full = dump(store.path)
    with pytest.raises(ReviewError, match="empty"):
        project.make_sample(store.path)
    assert dump(store.path) == full


def test_people_may_be_there_before_the_import(store, tiny):
    add_crew(store)
    import_domain.import_domain(store, tiny.request())
    assert len(store.people.all()) == 4
    assert store.people.project().name != ""
