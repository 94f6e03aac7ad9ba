"""What differs between two versions of a task, for people to compare.

Only what a walk finds unequal is given to DeepDiff, and actions are paired by action id before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from review_app import json_paths
from review_app.core.tasks.alignment import ACTIONS, ActionKey, are_actions, in_place, keys, label
from review_app.core.tasks.operations import Task, same
from review_app.json_types import JsonPath

DiffStatus = Literal["same", "changed", "inserted", "removed", "moved"]

ASSERTIONS: JsonPath = ("evaluation_criteria", "nl_assertions")


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that was added, removed or replaced."""

    path: JsonPath
    """From the top of the task; inside an action from the top of the action."""
    kind: Literal["added", "removed", "changed"]
    old: Any = None
    new: Any = None


@dataclass(frozen=True, slots=True)
class ActionRow:
    """A gold action on both sides, or on one."""

    name: str
    """Its id for people; with a number where several have the same."""
    status: DiffStatus
    old: Task | None
    new: Task | None
    old_index: int | None
    new_index: int | None
    changes: tuple[ValueChange, ...] = ()
    """Argument by argument: `("arguments", "payment_id")`; `("name",)` is another tool."""
    moved: bool = False
    """Whether it also stands elsewhere among the actions that both versions have."""

    @property
    def other_tool(self) -> bool:
        """Whether the action calls another tool than before."""
        return any(change.path == ("name",) for change in self.changes)


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text to be compared by characters; None where there is none on that side."""

    path: JsonPath
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class TaskDiff:
    """Two versions of a task side by side."""

    actions: tuple[ActionRow, ...]
    """All of them, unchanged ones too: in the new order, removed ones where they stood."""
    texts: tuple[TextChange, ...]
    """Instructions, descriptions and assertions."""
    others: tuple[ValueChange, ...]
    """Everything else: amounts to communicate, reward basis, initial state, unknown keys."""

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not self.texts and not self.others and all(r.status == "same" for r in self.actions)


def diff(old: Task, new: Task) -> TaskDiff:
    """What differs between two versions of a task.

    Key order does not count. Actions that share an id, or have none, are paired in their order.

    Args:
        old: Raw task.
        new: Raw task.
    """
    was, now = json_paths.at(old, ACTIONS), json_paths.at(new, ACTIONS)
    paired = _pairable(was) and _pairable(now) and (are_actions(was) or are_actions(now))
    changes = _value_changes(_without(old, paired), _without(new, paired))
    texts, others = [], []
    for change in changes:
        if _is_text(change):
            texts.append(TextChange(change.path, change.old, change.new))
        else:
            others.append(change)
    rows = tuple(_rows(was or [], now or [])) if paired else ()
    return TaskDiff(rows, tuple(texts), tuple(others))


# -- actions -----------------------------------------------------------------------------------


def _rows(old: list[Task], new: list[Task]) -> Iterator[ActionRow]:
    was = {key: at for at, key in enumerate(keys(old))}
    now = {key: at for at, key in enumerate(keys(new))}
    stay = in_place(list(was), list(now))
    removed_after = _removed(list(was), now)
    yield from (_row(key, old, new, was[key], None) for key in removed_after.get(None, ()))
    for key, at in now.items():
        moved = key in was and key not in stay
        yield _row(key, old, new, was.get(key), at, moved=moved)
        yield from (_row(gone, old, new, was[gone], None) for gone in removed_after.get(key, ()))


def _removed(
    was: list[ActionKey], now: dict[ActionKey, int]
) -> dict[ActionKey | None, list[ActionKey]]:
    """Removed keys by the remaining one that they stood after."""
    gone: dict[ActionKey | None, list[ActionKey]] = {}
    last: ActionKey | None = None
    for key in was:
        if key in now:
            last = key
        else:
            gone.setdefault(last, []).append(key)
    return gone


def _row(
    key: ActionKey,
    old: list[Task],
    new: list[Task],
    was: int | None,
    now: int | None,
    *,
    moved: bool = False,
) -> ActionRow:
    before = None if was is None else old[was]
    after = None if now is None else new[now]
    changes: tuple[ValueChange, ...] = ()
    status: DiffStatus = "inserted" if before is None else "removed" if after is None else "same"
    if before is not None and after is not None:
        changes = tuple(_value_changes(before, after))
        status = "changed" if changes else "moved" if moved else "same"
    return ActionRow(
        name=label(key),
        status=status,
        old=before,
        new=after,
        old_index=was,
        new_index=now,
        changes=changes,
        moved=moved,
    )


def _pairable(value: Any) -> bool:
    return value in (None, []) or are_actions(value)


# -- values ------------------------------------------------------------------------------------


def _value_changes(old: Task, new: Task) -> Iterator[ValueChange]:
    was, now = _unequal(old, new), _unequal(new, old)
    if not was and not now:
        return
    # DeepDiff brings pandas along, seconds that only somebody who compares has to wait.
    from deepdiff import DeepDiff

    report = DeepDiff(
        was,
        now,
        view="tree",
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
        zip_ordered_iterables=True,
    )
    changes = [_change(kind, node) for kind, nodes in report.items() for node in nodes]
    yield from sorted(changes, key=lambda change: [_sortable(step) for step in change.path])


def _change(kind: str, node: Any) -> ValueChange:
    path = tuple(node.path(output_format="list"))
    if kind.endswith("_added"):
        return ValueChange(path=path, kind="added", old=None, new=node.t2)
    if kind.endswith("_removed"):
        return ValueChange(path=path, kind="removed", old=node.t1, new=None)
    return ValueChange(path=path, kind="changed", old=node.t1, new=node.t2)


def _unequal(value: Task, other: Task) -> Task:
    """The members of an object that differ from the other's, pruned in the same way."""
    kept: Task = {}
    for name, member in value.items():
        if name not in other:
            kept[name] = member
        elif isinstance(member, dict) and isinstance(other[name], dict):
            if not same(member, other[name]):
                kept[name] = _unequal(member, other[name])
        elif not same(member, other[name]):
            kept[name] = member
    return kept


def _sortable(step: str | int) -> tuple[bool, int, str]:
    return (isinstance(step, str), step if isinstance(step, int) else 0, str(step))


def _is_text(change: ValueChange) -> bool:
    values = (change.old, change.new)
    if not all(value is None or isinstance(value, str) for value in values):
        return False
    in_texts = change.path[0] != "evaluation_criteria" or change.path[:2] == ASSERTIONS
    return in_texts and any(isinstance(value, str) for value in values)


def _without(task: Task, paired: bool) -> Task:
    """A task without its actions, where these are compared as rows."""
    criteria = task.get("evaluation_criteria")
    # A list that is null, empty or absent on one side is a change of its own: it stays.
    if not paired or not isinstance(criteria, dict) or not criteria.get("actions"):
        return task
    rest = {name: value for name, value in criteria.items() if name != "actions"}
    return {**task, "evaluation_criteria": rest}
