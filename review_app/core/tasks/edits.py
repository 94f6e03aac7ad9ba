"""The operations between two versions of a task, and what two people changed differently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.alignment import ActionKey, are_actions, in_place, keyed, keys
from review_app.core.tasks.operations import Operation, Task, pointer, same
from review_app.core.tasks.statediff import value_changes
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


# -- three versions ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that two versions changed differently."""

    path: JsonPath
    """Keys from the top; inside a list of actions the action id instead of the index."""
    base: Any
    """What both started from; None where null or absent. So for the other two."""
    theirs: Any
    mine: Any


def three_way(base: Task, theirs: Task, mine: Task) -> tuple[Conflict, ...]:
    """Where two versions of a task cannot both hold.

    Empty means that my changes can be made anew on theirs without losing anything. Orders of
    actions conflict if both moved some and they ended up different; the values are then lists of
    labels.

    Args:
        base: What both started from.
        theirs: The task as it is now.
        mine: What I made of `base`.
    """
    start, other, own = keyed(base), keyed(theirs), keyed(mine)
    their_paths = [change[0] for change in value_changes(start, other)]
    my_paths = [change[0] for change in value_changes(start, own)]
    found: dict[JsonPath, Conflict] = {}
    for path in my_paths:
        for their in their_paths:
            shared = min(path, their, key=len)
            if path[: len(shared)] == their[: len(shared)]:
                found[shared] = Conflict(
                    path=shared,
                    base=_at(start, shared),
                    theirs=_at(other, shared),
                    mine=_at(own, shared),
                )
    conflicts = [each for each in found.values() if not same(each.theirs, each.mine)]
    return (*conflicts, *_orders(start, other, own))


def _orders(start: Any, other: Any, own: Any) -> Iterator[Conflict]:
    path = ("evaluation_criteria", "actions")
    lists = [_at(each, path) for each in (start, other, own)]
    if not all(isinstance(each, dict) for each in lists):
        return
    common = set.intersection(*(set(each) for each in lists))
    base, theirs, mine = ([name for name in each if name in common] for each in lists)
    if base != theirs and base != mine and theirs != mine:
        yield Conflict(path=path, base=base, theirs=theirs, mine=mine)


def _at(value: Any, path: JsonPath) -> Any:
    for key in path:
        inside = isinstance(value, dict) and key in value
        inside = inside or (isinstance(value, list) and isinstance(key, int) and key < len(value))
        if not inside:
            return None
        value = value[key]
    return value
