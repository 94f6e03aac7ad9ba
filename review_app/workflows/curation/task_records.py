"""The database records that a task's text talks about: its user, and what it names by id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from review_app.models import Segment
from review_app.store import Store
from review_app.workflows.benchmark import environments

MOST = 6
"""Records shown at once."""
PEOPLE = ("users", "customers")


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One record of a database: `users`, `mei_brown_7075`, its fields."""

    table: str
    id: str
    fields: Mapping[str, Any]


def records(store: Store, segment: Segment) -> list[TaskRecord]:
    """The records that the whole task names, people first; none for other kinds of text.

    A record is found by its id, a person also by full name or phone number, in the source text.
    """
    if segment.kind != "task":
        return []
    text = "\n".join(part.source for part in store.segments.section(segment))
    words = set(re.findall(r"#?[\w-]+", text))
    named = [
        record
        for record in _all(environments.database(store, segment.domain))
        if record.id in words or (record.table in PEOPLE and _is_named(record.fields, text))
    ]
    return sorted(named, key=lambda record: record.table not in PEOPLE)[:MOST]


def _all(database: Mapping[str, Any]) -> Iterator[TaskRecord]:
    for table, content in database.items():
        if isinstance(content, dict):
            for key, fields in content.items():
                if isinstance(fields, dict):
                    yield TaskRecord(table, str(key), fields)
        elif isinstance(content, list):
            for fields in content:
                if isinstance(fields, dict) and fields:
                    yield TaskRecord(table, str(next(iter(fields.values()))), fields)


def _is_named(fields: Mapping[str, Any], text: str) -> bool:
    name = fields.get("name")
    if isinstance(name, dict):
        full = " ".join(str(part) for part in name.values())
    else:
        full = str(fields.get("full_name", ""))
    phone = str(fields.get("phone_number", ""))
    return any(len(value) > 4 and value in text for value in (full, phone))
