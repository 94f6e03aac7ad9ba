"""What differs between two moments of an environment, by record and field.

Only records that were touched are looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from review_app import json_paths
from review_app.core.envs.base import States
from review_app.core.envs.state import State
from review_app.json_types import JsonPath
from review_app.notices import Notice

Side = Literal["agent", "user"]
ChangeKind = Literal["added", "removed", "changed"]
StateValueChange = tuple[JsonPath, ChangeKind, Any, Any]
"""Pointer, kind, old and new value."""

_LONGEST = 80


@dataclass(frozen=True, slots=True)
class StateChange:
    """One value of a database that was added, removed or replaced."""

    side: Side
    """Whose database."""
    pointer: JsonPath
    """Keys and indexes from the top of the database: `("reservations", "XEHM4B", "cabin")`."""
    record: str
    """For people: `reservation XEHM4B`, `bill B1234321`, `device`."""
    field: str
    """Inside the record: `cabin`, `flights/0/price`; empty where the record itself was added."""
    kind: ChangeKind
    old: Any = None
    new: Any = None


def changes(before: States, after: States) -> tuple[StateChange, ...]:
    """Everything that differs between two moments of one environment, record by record.

    Lists are compared index by index; what is longer is added or removed at the tail. A change of
    JSON type (2 -> 2.0) counts.

    Args:
        before: `Environment.states()` or a step's `before`.
        after: The same of a later (or earlier) moment; both share one pristine database a side.
    """
    of_agent = _side_changes("agent", before[0], after[0])
    if before[1] and after[1]:
        return (*of_agent, *_side_changes("user", before[1], after[1]))
    return tuple(of_agent)


def line(change: StateChange) -> str:
    """A change in one line: `reservation XEHM4B: cabin basic_economy -> business`."""
    return str(notice(change))


def notice(change: StateChange) -> Notice:
    """A change in one line, for readers of any language."""
    place = f"{change.record}: {change.field}" if change.field else change.record
    if change.kind == "changed":
        old, new = _text(change.old), _text(change.new)
        return Notice("task.value_changed", "{place} {old} -> {new}", place=place, old=old, new=new)
    value = change.new if change.kind == "added" else change.old
    shown = f" {_text(value)}" if change.field else ""
    if change.kind == "added":
        return Notice("task.value_added", "{place} added{value}", place=place, value=shown)
    return Notice("task.value_removed", "{place} removed{value}", place=place, value=shown)


def entries(listed: tuple[StateChange, ...], side: Side) -> list[dict[str, Any]]:
    """Changes of one side as the conformance records write them.

    Example:
        [{"path": "/reservations/XEHM4B/cabin", "op": "replace", "old": "economy", "new":
        "business"}]
    """
    return [_entry(change) for change in listed if change.side == side]


def value_changes(old: Any, new: Any, pointer: JsonPath = ()) -> Iterator[StateValueChange]:
    """Pointer, kind, old and new value of everything that differs between two plain JSON values."""
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            if key not in new:
                yield (*pointer, key), "removed", old[key], None
            elif key not in old:
                yield (*pointer, key), "added", None, new[key]
            else:
                yield from value_changes(old[key], new[key], (*pointer, key))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(old, new, pointer)
    elif type(old) is not type(new) or old != new:
        yield pointer, "changed", old, new


def _list_changes(old: list[Any], new: list[Any], pointer: JsonPath) -> Iterator[StateValueChange]:
    for at in range(min(len(old), len(new))):
        yield from value_changes(old[at], new[at], (*pointer, at))
    for at in range(len(new), len(old)):
        yield (*pointer, at), "removed", old[at], None
    for at in range(len(old), len(new)):
        yield (*pointer, at), "added", None, new[at]


def _side_changes(side: Side, before: State, after: State) -> Iterator[StateChange]:
    for path in dict.fromkeys((*before.changed, *after.changed)):
        old, new = before.find(path), after.find(path)
        if old is new:
            continue
        record = _record(path, new if old is None else old)
        if old is None or new is None:
            kind: ChangeKind = "added" if old is None else "removed"
            yield StateChange(
                side=side, pointer=path, record=record, field="", kind=kind, old=old, new=new
            )
            continue
        for pointer, what, was, now in value_changes(old, new, path):
            field = "/".join(str(part) for part in pointer[len(path) :])
            yield StateChange(
                side=side, pointer=pointer, record=record, field=field, kind=what, old=was, new=now
            )


def _record(path: JsonPath, value: Any) -> str:
    if len(path) == 1:
        return str(path[0])
    label = path[1]
    if isinstance(label, int) and isinstance(value, dict):
        label = next((value[key] for key in value if key.endswith("_id")), label)
    return f"{str(path[0]).removesuffix('s')} {label}"


def _entry(change: StateChange) -> dict[str, Any]:
    path = json_paths.pointer(change.pointer)
    if change.kind == "added":
        return {"path": path, "op": "add", "new": change.new}
    if change.kind == "removed":
        return {"path": path, "op": "remove", "old": change.old}
    return {"path": path, "op": "replace", "old": change.old, "new": change.new}


def _text(value: Any) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
