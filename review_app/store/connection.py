"""One connection to the review database: pragmas, migrations, write transactions, backup."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review_app.errors import BadInput, NotFound, ReviewError
from review_app.notices import Notice
from review_app.store.schema import migrations

APPLICATION_ID = 0x4A544155
"""Written into the file's header: tells a review database from another program's."""

BUSY_S = 30.0
"""How long a writer waits for another one."""


def now() -> str:
    """The time as ISO-8601 UTC with milliseconds and `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the file with WAL and foreign keys on, and every migration applied.

    Raises:
        NotFound: there is no such file and `create` is false.
        BadInput: the file is no SQLite database, or was made by a newer version of this app.
    """
    if not create and not path.is_file():
        raise NotFound(
            "database.missing",
            "no review database at {path}: import a domain first, or name one with --db",
            path=str(path),
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, cached_statements=256)
    except (OSError, sqlite3.Error) as error:
        raise BadInput(_not_opened(error), str(path)) from error
    db.row_factory = sqlite3.Row
    try:
        _require_own(db, path, create=create)
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = NORMAL")
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            db.execute("PRAGMA journal_mode = WAL")
        _migrate(db, path)
    except sqlite3.DatabaseError as error:
        db.close()
        raise BadInput(_not_opened(error), str(path)) from error
    except BaseException:
        db.close()
        raise
    return db


def _require_own(db: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """Refuse a database of another program before anything is written into it."""
    if db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
        return
    if create and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        return
    problem = Notice("database.of_another_program", "is no review database: name another file")
    raise BadInput(problem, str(path))


def _not_opened(error: Exception) -> Notice:
    return Notice(
        "database.not_opened", "cannot be opened as a review database ({detail})", detail=str(error)
    )


def _applied(db: sqlite3.Connection) -> int:
    count: int = db.execute("PRAGMA user_version").fetchone()[0]
    return count


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    known = len(migrations.MIGRATIONS)
    if _applied(db) == known:
        return
    if _applied(db) > known:
        problem = Notice(
            "database.newer", "was made by a newer version of this app: update the app"
        )
        raise BadInput(problem, str(path))
    from sqlite_utils import Database  # takes two seconds: it brings pandas along

    db.execute("BEGIN IMMEDIATE")
    try:
        for migration in migrations.MIGRATIONS[_applied(db) :]:
            migration(Database(db))
        db.execute(f"PRAGMA user_version = {known}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


@contextmanager
def write_lock(db: sqlite3.Connection, actor: str) -> Iterator[None]:
    """Hold the write lock from the first statement to the commit.

    A plain BEGIN that reads first fails at once when another writer is ahead.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("UPDATE actor SET name = ? WHERE name <> ?", (actor, actor))
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def back_up(db: sqlite3.Connection, target: Path) -> None:
    """Write a consistent copy of the database to a new file."""
    if target.exists():
        problem = Notice("database.backup_exists", "exists already: name a new file for the backup")
        raise BadInput(problem, str(target))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        db.execute("VACUUM INTO ?", (str(target),))
    except (OSError, sqlite3.Error) as error:
        problem = Notice("database.not_written", "cannot be written ({detail})", detail=str(error))
        raise BadInput(problem, str(target)) from error


def copy(source: Path, target: Path) -> None:
    """Replace the content of `target` by that of `source`, as one transaction."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            closing(sqlite3.connect(source)) as old,
            closing(sqlite3.connect(target, timeout=BUSY_S)) as new,
        ):
            old.backup(new)
    except (OSError, sqlite3.Error) as error:
        problem = Notice(
            "database.not_copied",
            "cannot be copied to {target} ({detail})",
            target=str(target),
            detail=str(error),
        )
        raise BadInput(problem, str(source)) from error


def examine(db: sqlite3.Connection) -> list[Notice]:
    """What is wrong with the database; empty if it is sound."""
    problems: list[Notice] = []
    try:
        problems += [
            _not_integral(row[0]) for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"
        ]
        problems += [
            Notice(
                "database.foreign_key",
                "foreign key: {table} row {row} points to a missing row of {other}",
                table=table,
                row=row,
                other=other,
            )
            for table, row, other, _ in db.execute("PRAGMA foreign_key_check")
        ]
        for what, query in ORPHANS:
            problems += [
                Notice("database.orphan", "{what}: {row}", what=what, row=row[0])
                for row in db.execute(query)
            ]
    except sqlite3.DatabaseError as error:
        problems.append(_not_integral(str(error)))
    return [problem.in_one_line() for problem in problems]


def _not_integral(detail: str) -> Notice:
    return Notice("database.integrity", "integrity: {detail}", detail=detail)


ORPHANS = (
    (
        Notice("database.no_revision", "segment whose current version has no revision"),
        """
        SELECT id FROM segments WHERE version > 0 AND NOT EXISTS (
            SELECT 1 FROM revisions r WHERE r.segment_id = segments.id
                AND r.version = segments.version AND r.target = segments.target)""",
    ),
    (
        Notice("database.no_document", "segment of a document that is no longer there"),
        """
        SELECT s.id FROM segments s JOIN documents d ON d.id = s.document_id
            WHERE s.active AND NOT d.active""",
    ),
    (
        Notice("database.version_gap", "versions with a gap"),
        """
        SELECT segment_id FROM revisions GROUP BY segment_id
            HAVING max(version) <> count(*) OR min(version) <> 1""",
    ),
    (
        Notice("database.no_version", "decision on a version that does not exist"),
        """
        SELECT d.segment_id FROM decisions d LEFT JOIN revisions r
            ON r.segment_id = d.segment_id AND r.version = d.version WHERE r.id IS NULL""",
    ),
    (
        Notice("database.no_decision", "answer without its decision"),
        """
        SELECT a.segment_id FROM answers a WHERE NOT EXISTS (
            SELECT 1 FROM decisions d WHERE d.segment_id = a.segment_id
                AND d.person_id = a.person_id AND d.verdict = a.verdict)""",
    ),
    (
        Notice("database.search_index_old", "search index older than the texts"),
        """
        SELECT 'segments beyond ' || through FROM search_state
            WHERE through > (SELECT coalesce(max(number), 0) FROM segments)""",
    ),
)
"""What no foreign key would catch, and the query that finds such rows."""


Parameters = Sequence[Any] | Mapping[str, Any]


class Table:
    """A family of tables seen through one connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def _rows(self, query: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        return self._db.execute(query, parameters).fetchall()

    def _row(self, query: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._db.execute(query, parameters).fetchone()
        return row

    def _insert(self, query: str, parameters: Sequence[Any] = ()) -> int:
        row = self._db.execute(query, parameters).lastrowid
        if row is None:
            raise ReviewError("database.nothing_inserted", "nothing was inserted")
        return row
