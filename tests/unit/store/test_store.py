"""One SQLite file: migrations, write lock, append-only history, audit by trigger, doctor."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from review_app.errors import BadInput, NotFound
from review_app.models import Term
from review_app.records.project import Project
from review_app.store import Store, connection
from review_app.store.schema import migrations
from review_app.workflows.review import answers, remarks

SEGMENT = "tasks.json#0/user_scenario/instructions/reason_for_call"


def execute(path, *statements, foreign_keys=False):
    """Change a database behind the app's back."""
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")
        for statement in statements:
            db.execute(statement)
        db.commit()


def rows(path, query):
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()


# -- opening -----------------------------------------------------------------------------------


def test_no_module_of_the_store_imports_the_core_before_a_row_becomes_a_record():
    folder = Path(connection.__file__).parent
    paths = [path.relative_to(folder.parent.parent) for path in folder.rglob("*.py")]
    names = [".".join(path.with_suffix("").parts) for path in paths]
    code = f"""
import importlib, sys
for name in {names!r}: importlib.import_module(name)
print([name for name in sys.modules if name.startswith("review_app.core")])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_a_new_database_is_migrated_once_and_is_sound(tmp_path):
    path = tmp_path / "deep" / "new.db"
    Store(path).close()
    assert rows(path, "PRAGMA user_version") == [(len(migrations.MIGRATIONS),)]
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]
    again = Store(path, create=False)
    assert again.problems() == []
    again.close()


def test_a_new_project_has_no_name_and_goes_from_english_to_japanese(store):
    assert store.people.project() == Project("", "en", "ja")
    named = Project("Benchmark", "en", "de")
    with store.write("Mio"):
        store.people.put_project(named)
    assert store.people.project() == named


def test_a_missing_database_is_not_made_by_reading(tmp_path):
    with pytest.raises(NotFound, match="import a domain first"):
        Store(tmp_path / "no.db", create=False)
    assert not (tmp_path / "no.db").exists()


def test_what_is_no_review_database_is_refused_and_left_alone(tmp_path):
    text, foreign, empty = (tmp_path / name for name in ("text.db", "foreign.db", "empty.db"))
    text.write_text("not a database at all, but long enough to look like one")
    execute(foreign, "CREATE TABLE books(title)", "PRAGMA user_version = 7")
    empty.touch()
    for path in (text, foreign):
        before = path.read_bytes()
        for create in (True, False):
            with pytest.raises(BadInput, match="review database"):
                Store(path, create=create)
        assert path.read_bytes() == before
    with pytest.raises(BadInput, match="no review database"):
        Store(empty, create=False)
    with pytest.raises(BadInput, match="cannot be opened"):
        Store(tmp_path)
    with pytest.raises(BadInput, match="cannot be opened"):
        Store(text / "inside.db")


def test_a_database_of_a_newer_app_is_refused(store):
    execute(store.path, "PRAGMA user_version = 99")
    with pytest.raises(BadInput, match="newer version"):
        Store(store.path)


def test_two_can_open_a_new_database_at_once(tmp_path):
    failures = []

    def open_it():
        try:
            Store(tmp_path / "new.db").close()
        except Exception as error:  # noqa: BLE001 - shown by the assertion
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# -- transactions ------------------------------------------------------------------------------


def test_a_write_that_fails_leaves_nothing(store):
    with pytest.raises(RuntimeError), store.write("me"):
        store.people.add("Aki", "annotator")
        raise RuntimeError("stop")
    assert store.people.all() == []
    with store.write("me"):
        store.people.add("Ben", "annotator")
    assert [p.name for p in store.people.all()] == ["Ben"]


def test_a_reader_sees_one_state_while_others_write(store):
    other = Store(store.path)
    with store.read():
        assert store.people.all() == []
        with other.write("me"):
            other.people.add("Aki", "annotator")
        assert store.people.all() == []
    assert len(store.people.all()) == 1
    other.close()


# -- history -----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["revisions", "decisions", "dismissals", "audit"])
@pytest.mark.parametrize("change", ["UPDATE {} SET id = id + 100", "DELETE FROM {}"])
def test_history_cannot_be_changed(imported, crew, table, change):
    segment = imported.segments.at("airline", SEGMENT)
    answers.edit(imported, segment.id, crew.a, target="訳", expected_version=1)
    execute(
        imported.path,
        f"""INSERT INTO dismissals(segment_id, code, fingerprint, person_id, reason, created_at)
        VALUES ('{segment.id}', 'X', 'f', 1, 'r', '2026')""",
    )
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        execute(imported.path, change.format(table))


def test_every_change_leaves_an_audit_row_with_who_and_what(imported, crew):
    segment = imported.segments.at("airline", SEGMENT)
    answers.edit(imported, segment.id, crew.a, target="訳", expected_version=1)
    comment = remarks.comment(imported, segment.id, crew.b, "良い")
    remarks.resolve_comment(imported, comment, crew.m, resolved=True)
    with imported.write("Mio"):
        imported.terms.add([Term("gate", "搭乗口")])
    made = {
        table: (
            imported.people.history(table, row)[0].actor,
            imported.people.history(table, row)[0].op,
        )
        for table, row in (
            ("decisions", segment.id),
            ("revisions", segment.id),
            ("segments", segment.id),
            ("comments", str(comment)),
            ("terms", None),
            ("domains", "airline"),
            ("people", None),
            ("documents", "policy.md"),
            ("projects", None),
        )
    }
    assert made == {
        "decisions": ("Aki", "insert"),
        "revisions": ("Aki", "insert"),
        "segments": ("Aki", "update"),
        "comments": ("Mio", "update"),
        "terms": ("Mio", "insert"),
        "domains": ("import", "update"),
        "people": ("setup", "insert"),
        "documents": ("import", "insert"),
        "projects": ("import", "insert"),
    }
    states = imported.people.history("segments", segment.id)
    assert '"state":"draft"' in states[-2].old and '"state":"in_review"' in states[0].new


def test_the_audit_tells_a_dismissal_from_its_withdrawal(imported, crew):
    segment = imported.segments.at("airline", SEGMENT)
    for withdraw in (False, True):
        with imported.write("Aki"):
            imported.findings.dismiss(
                segment.id, "X", "f", person=crew.a.id, reason="", withdraw=withdraw
            )
    withdrawal, dismissal = imported.people.history("dismissals", segment.id)
    assert '"withdrawn":0' in dismissal.new and '"withdrawn":1' in withdrawal.new


def test_a_deleted_row_is_audited_with_what_it_held(imported, crew):
    segment = imported.segments.at("airline", SEGMENT)
    comment = remarks.comment(imported, segment.id, crew.b, "良い")
    execute(imported.path, f"DELETE FROM comments WHERE id = {comment}")
    deleted = imported.people.history("comments", str(comment))[0]
    assert (deleted.op, deleted.new) == ("delete", None)
    assert '"body":"良い"' in deleted.old


def test_what_becomes_of_a_job_is_audited_under_its_table(imported):
    with imported.write("Aki"):
        number = imported.jobs.create("check", "airline", {}, None)
    (added,) = imported.people.history("jobs", str(number))
    assert (added.actor, added.op, added.old) == ("Aki", "insert", None)
    assert '"state":"waiting"' in added.new and '"kind":"check"' in added.new


def test_changes_behind_the_apps_back_are_audited_too(imported):
    before = len(imported.people.history("people"))
    execute(imported.path, "UPDATE people SET role = 'maintainer' WHERE id = 1")
    after = imported.people.history("people")
    assert len(after) == before + 1
    assert '"role":"annotator"' in after[0].old and '"role":"maintainer"' in after[0].new


# -- doctor ------------------------------------------------------------------------------------

ID = "(SELECT id FROM segments LIMIT 1)"
BROKEN = {
    "foreign key: answers": "INSERT INTO answers VALUES ('nobody', 1, 'approve')",
    "foreign key: comments": f"""INSERT INTO comments(segment_id, person_id, body, created_at)
        VALUES ({ID}, 77, 'of nobody', '')""",
    "current version has no revision": "UPDATE segments SET target = 'x' WHERE number = 1",
    "current version has no revision:": "UPDATE segments SET version = 9 WHERE number = 1",
    "versions with a gap": f"""INSERT INTO revisions(segment_id, version, base, target, origin,
        source_hash, created_at) VALUES ({ID}, 5, 1, 'x', 'edit', 'h', '')""",
    "decision on a version that does not exist": f"""INSERT INTO decisions(segment_id, person_id,
        verdict, version, source_hash, created_at) VALUES ({ID}, 1, 'approve', 8, 'h', '')""",
    "answer without its decision": f"INSERT INTO answers VALUES ({ID}, 1, 'approve')",
    "document that is no longer there": "UPDATE documents SET active = 0 WHERE kind = 'policy'",
    "search index older than the texts": "UPDATE search_state SET through = 9999",
}


@pytest.mark.parametrize(("problem", "statement"), BROKEN.items(), ids=BROKEN)
def test_doctor_finds_a_broken_row(imported, problem, statement):
    assert imported.problems() == []
    execute(imported.path, statement)
    assert any(problem in line for line in map(str, imported.problems()))


def test_doctor_finds_a_damaged_file(imported):
    path = Path(imported.path)
    imported.close()
    execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    blob = bytearray(path.read_bytes())
    page = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = 'revisions'")[0][0]
    size = rows(path, "PRAGMA page_size")[0][0]
    start = (page - 1) * size
    blob[start + 100 : start + size] = b"\xff" * (size - 100)
    path.write_bytes(blob)
    with closing(Store(path, create=False)) as store:
        integrity = [line for line in map(str, store.problems()) if line.startswith("integrity")]
    assert integrity and all(len(line) > len("integrity: None") for line in integrity)


# -- people ------------------------------------------------------------------------------------


def test_an_unknown_person_is_refused_with_those_who_are_there(store):
    with pytest.raises(NotFound, match="no person 'Ren'; there are: nobody yet"):
        store.people.named("Ren")
    with store.write("test"):
        store.people.add("Aki", "annotator")
    with pytest.raises(NotFound, match="no person 'Ren'; there are: 'Aki'"):
        store.people.named("Ren")
