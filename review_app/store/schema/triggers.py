"""Triggers that keep the audit, and that hold append-only tables to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database

Audited = Mapping[str, tuple[str, tuple[str, ...]]]
"""Table to (the column that names a row, the columns that the audit keeps)."""


def _audit_triggers(audited: Audited, append_only: Sequence[str]) -> Iterator[str]:
    """Yield one trigger for each audited table and operation."""
    for table, (key, columns) in audited.items():
        watched = f"UPDATE OF {', '.join(columns)}"
        for op, event in (("insert", "INSERT"), ("update", watched), ("delete", "DELETE")):
            if table in append_only and op != "insert":
                continue
            row = "OLD" if op == "delete" else "NEW"
            old = _as_json("OLD", columns) if op != "insert" else "NULL"
            bulk = op == "insert" and table in ("segments", "revisions")
            new = "NULL" if op == "delete" or bulk else _as_json("NEW", columns)
            yield f"""CREATE TRIGGER audit_{table}_{op} AFTER {event} ON {table} BEGIN
                INSERT INTO audit(at, actor, "table", row, op, old, new) VALUES (
                    strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), (SELECT name FROM actor),
                    '{table}', CAST({row}.{key} AS TEXT), '{op}', {old}, {new}); END"""


def _as_json(row: str, columns: tuple[str, ...]) -> str:
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in columns)
    return f"json_object({pairs})"


def _append_only_triggers(append_only: Sequence[str]) -> Iterator[str]:
    for table in append_only:
        for event in ("UPDATE", "DELETE"):
            yield f"""CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} BEGIN
                SELECT RAISE(ABORT, '{table} are append-only'); END"""


def add_triggers(db: Database, audited: Audited, append_only: Sequence[str]) -> None:
    """Let changes of these columns leave audit rows, and refuse changes of append-only tables."""
    for trigger in (*_audit_triggers(audited, append_only), *_append_only_triggers(append_only)):
        db.execute(trigger)
