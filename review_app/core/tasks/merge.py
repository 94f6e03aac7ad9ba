"""Two people's versions of a task in one: what only one changed is taken, the rest is chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.alignment import are_actions, keys, label
from review_app.core.tasks.operations import Task, same
from review_app.json_types import JsonPath

ACTIONS: JsonPath = ("evaluation_criteria", "actions")


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
    choices: list[MergeConflict] = []
    versions = [_opened(each) for each in (base, theirs, mine)]
    made = _merged(versions[0], versions[1], versions[2], (), frozenset(take_mine), choices)
    return Merged(_closed(made), tuple(choices))


def _merged(
    base: Any,
    theirs: Any,
    mine: Any,
    path: JsonPath,
    take: Collection[JsonPath],
    found: list[MergeConflict],
) -> Any:
    if _same(theirs, mine) or _same(base, mine):
        return theirs
    if _same(base, theirs):
        return mine
    if isinstance(theirs, dict) and isinstance(mine, dict):
        start = base if isinstance(base, dict) else {}
        members = {
            name: _merged(
                start.get(name, ABSENT),
                theirs.get(name, ABSENT),
                mine.get(name, ABSENT),
                (*path, name),
                take,
                found,
            )
            for name in _order(list(start), list(theirs), list(mine))
        }
        return {name: value for name, value in members.items() if value is not ABSENT}
    if _same_length(base, theirs, mine):
        return [
            _merged(base[at], theirs[at], mine[at], (*path, at), take, found)
            for at in range(len(mine))
        ]
    found.append(
        MergeConflict(path, *(None if each is ABSENT else each for each in (base, theirs, mine)))
    )
    return mine if path in take else theirs


def _order(base: list[str], theirs: list[str], mine: list[str]) -> list[str]:
    """The members of both: in my order if only I moved some, what the other has in its place."""
    common = [name for name in base if name in theirs and name in mine]
    moved_theirs = [name for name in theirs if name in common] != common
    first, second = (theirs, mine) if moved_theirs else (mine, theirs)
    made = list(first)
    for at, name in enumerate(second):
        if name not in made:
            before = next((one for one in reversed(second[:at]) if one in made), None)
            made.insert(made.index(before) + 1 if before else 0, name)
    return made


def _same(one: Any, other: Any) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return same(_in_order(one), _in_order(other))


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
    criteria = task.get("evaluation_criteria")
    actions = criteria.get("actions") if isinstance(criteria, dict) else None
    if not isinstance(criteria, dict) or not isinstance(actions, list) or not are_actions(actions):
        return task
    named = _Actions(_labelled(actions))
    return {**task, "evaluation_criteria": {**criteria, "actions": named}}


def _labelled(actions: list[Task]) -> Iterable[tuple[str, Task]]:
    return zip(map(label, keys(actions)), actions, strict=True)


def _closed(task: Task) -> Task:
    criteria = task.get("evaluation_criteria")
    actions = criteria.get("actions") if isinstance(criteria, dict) else None
    if not isinstance(criteria, dict) or not isinstance(actions, dict):
        return task
    return {**task, "evaluation_criteria": {**criteria, "actions": list(actions.values())}}
