"""Two people's versions of a task in one: what only one changed is taken, the rest is chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.alignment import ACTIONS, are_actions, keys, label
from review_app.core.tasks.operations import Task, same
from review_app.json_paths import at, put
from review_app.json_types import JsonPath


class _Absent:
    """Stands for a member that a version does not have."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A place that both versions changed differently."""

    path: JsonPath
    """Keys from the top; in the list of actions the label of the action instead of the index."""
    base: Any
    """None where null or absent; so for the other two."""
    theirs: Any
    mine: Any


@dataclass(frozen=True, slots=True)
class Merged:
    """One task of two versions."""

    task: Task
    choices: tuple[MergeConflict, ...]
    """Where somebody has to choose; `task` has what was chosen so far."""


def merge(base: Task, theirs: Task, mine: Task, take_mine: Collection[JsonPath] = ()) -> Merged:
    """Both versions in one task.

    Actions are matched by id. A list whose length differs is one value.

    Args:
        base: What both started from.
        theirs: The task as it is now.
        mine: What I made of `base`.
        take_mine: Paths of choices in which mine holds; theirs holds in the others.
    """
    merging = _Merging(frozenset(take_mine))
    merged = merging.value(_opened(base), _opened(theirs), _opened(mine), ())
    return Merged(_closed(merged), tuple(merging.choices))


class _Merging:
    """One walk through three versions; collects the places where somebody has to choose."""

    def __init__(self, take_mine: frozenset[JsonPath]) -> None:
        self._take_mine = take_mine
        self.choices: list[MergeConflict] = []

    def value(self, base: Any, theirs: Any, mine: Any, path: JsonPath) -> Any:
        """The value of both at a path; ABSENT if it goes."""
        if _same(theirs, mine) or _same(base, mine):
            return theirs
        if _same(base, theirs):
            return mine
        if isinstance(theirs, dict) and isinstance(mine, dict):
            return self._members(base if isinstance(base, dict) else {}, theirs, mine, path)
        if _same_length(base, theirs, mine):
            entries = zip(base, theirs, mine, strict=True)
            return [self.value(*entry, (*path, index)) for index, entry in enumerate(entries)]
        return self._chosen(base, theirs, mine, path)

    def _members(self, base: Task, theirs: Task, mine: Task, path: JsonPath) -> Task:
        members = {}
        for name in self._names(base, theirs, mine, path):
            old, their, my = (version.get(name, ABSENT) for version in (base, theirs, mine))
            members[name] = self.value(old, their, my, (*path, name))
        return {name: value for name, value in members.items() if value is not ABSENT}

    def _names(self, base: Task, theirs: Task, mine: Task, path: JsonPath) -> list[str]:
        """The members of both: in my order if only I moved some, what the other has in its place.

        Actions that both moved, to different places, are a choice between the two orders.
        """
        common = [name for name in base if name in theirs and name in mine]
        their_order = [name for name in theirs if name in common]
        my_order = [name for name in mine if name in common]
        mine_first = their_order == common
        both_moved = common not in (their_order, my_order) and their_order != my_order
        if both_moved and isinstance(theirs, _Actions) and isinstance(mine, _Actions):
            mine_first = self._chosen(common, their_order, my_order, path) is my_order
        return _joined(mine, theirs) if mine_first else _joined(theirs, mine)

    def _chosen(self, base: Any, theirs: Any, mine: Any, path: JsonPath) -> Any:
        versions = (None if version is ABSENT else version for version in (base, theirs, mine))
        self.choices.append(MergeConflict(path, *versions))
        return mine if path in self._take_mine else theirs


def _joined(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Names in the order of the first; each other one behind the one that it follows."""
    names, others = list(first), list(second)
    for index, name in enumerate(others):
        if name not in names:
            before = next((other for other in reversed(others[:index]) if other in names), None)
            names.insert(0 if before is None else names.index(before) + 1, name)
    return names


def _same(value: Any, other: Any) -> bool:
    if value is ABSENT or other is ABSENT:
        return value is other
    return same(_in_order(value), _in_order(other))


def _in_order(value: Any) -> Any:
    """A value in which the order of actions counts, unlike that of other members."""
    if isinstance(value, _Actions):
        return list(value.items())
    if isinstance(value, dict):
        return {name: _in_order(member) for name, member in value.items()}
    return value


def _same_length(*values: Any) -> bool:
    return all(isinstance(value, list) for value in values) and len({len(v) for v in values}) == 1


class _Actions(dict[str, Any]):
    """A list of actions as an object: label -> action, in order."""


def _opened(task: Task) -> Task:
    actions = at(task, ACTIONS)
    if not are_actions(actions):
        return task
    by_label = zip(map(label, keys(actions)), actions, strict=True)
    opened: Task = put(task, ACTIONS, _Actions(by_label))
    return opened


def _closed(task: Task) -> Task:
    actions = at(task, ACTIONS)
    if not isinstance(actions, dict):
        return task
    closed: Task = put(task, ACTIONS, list(actions.values()))
    return closed
