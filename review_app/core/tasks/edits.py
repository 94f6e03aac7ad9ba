"""The operations between two versions of a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from review_app.core.tasks.alignment import ActionKey, are_actions, in_place, keys
from review_app.core.tasks.operations import Operation, Task, same
from review_app.json_paths import pointer
from review_app.json_types import JsonPath


def make(base: Task, edited: Task) -> tuple[Operation, ...]:
    """The operations that turn one task into another, as few as a person would write.

    Actions are matched by action id: inserted, removed, moved, or changed argument by argument.
    Everything else goes by key, other lists by position. Key order alone is no change.

    Args:
        base: The task as it is.
        edited: The same task after editing.

    Returns:
        Operations for `operate`; none if nothing changed.
    """
    return tuple(_changes(base, edited, ()))


def _changes(old: Any, new: Any, path: JsonPath) -> Iterator[Operation]:
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _members(old, new, path)
    elif are_actions(old) and are_actions(new):
        yield from _actions(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _entries(old, new, path)
    else:
        yield Operation("replace", pointer(path), new)


def _members(old: Task, new: Task, path: JsonPath) -> Iterator[Operation]:
    for name in old:
        if name not in new:
            yield Operation("remove", pointer([*path, name]))
    for name in new:
        if name in old:
            yield from _changes(old[name], new[name], (*path, name))
    following: str | None = None
    # From the end, so that the member which comes next is there already.
    for name in reversed(new):
        if name not in old:
            yield Operation(
                op="add", path=pointer([*path, name]), value=new[name], before=following
            )
        following = name


def _entries(old: list[Any], new: list[Any], path: JsonPath) -> Iterator[Operation]:
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < shorter - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    for at in range(head, shorter - tail):
        yield from _changes(old[at], new[at], (*path, at))
    for at in reversed(range(shorter - tail, len(old) - tail)):
        yield Operation("remove", pointer([*path, at]))
    for at in range(shorter - tail, len(new) - tail):
        yield Operation("add", pointer([*path, at]), new[at])


def _actions(old: list[Task], new: list[Task], path: JsonPath) -> Iterator[Operation]:
    was, now = keys(old), keys(new)
    order = list(was)
    for at in reversed(range(len(was))):
        if was[at] not in now:
            del order[at]
            yield Operation("remove", pointer([*path, at]))
    stay = in_place(was, now)
    for at, key in enumerate(now):
        if key not in stay:
            yield _placed(order, key, now[at - 1] if at else None, new[at], path)
    before = dict(zip(was, old, strict=True))
    for at, key in enumerate(now):
        if key in before:
            yield from _changes(before[key], new[at], (*path, at))


def _placed(
    order: list[ActionKey],
    key: ActionKey,
    predecessor: ActionKey | None,
    action: Task,
    path: JsonPath,
) -> Operation:
    """Insert an action after its predecessor, or move it there; `order` follows."""
    start = order.index(key) if key in order else None
    if start is not None:
        del order[start]
    end = order.index(predecessor) + 1 if predecessor else 0
    order.insert(end, key)
    if start is None:
        return Operation("add", pointer([*path, end]), action)
    return Operation("move", pointer([*path, end]), origin=pointer([*path, start]))
