"""Which action of one task is which action of another: by action id, not by position."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any

from review_app.core.tasks.operations import canonical
from review_app.json_types import JsonPath

ACTIONS: JsonPath = ("evaluation_criteria", "actions")
"""Where a task has its gold actions."""

ActionKey = tuple[str, int]
"""An action's id as JSON text, and how many with the same id come before it in its list."""


def are_actions(value: Any) -> bool:
    """Whether a value is a list of actions: objects of which at least one has an `action_id`."""
    return (
        isinstance(value, list)
        and all(isinstance(action, dict) for action in value)
        and any("action_id" in action for action in value)
    )


def keys(actions: Sequence[dict[str, Any]]) -> list[ActionKey]:
    """One key for each action, all different.

    Actions with the same id, or without one, are told apart by their order.
    """
    seen: Counter[str] = Counter()
    listed = []
    for action in actions:
        name = canonical(action.get("action_id"))
        listed.append((name, seen[name]))
        seen[name] += 1
    return listed


def in_place(old: Sequence[ActionKey], new: Sequence[ActionKey]) -> frozenset[ActionKey]:
    """The largest set of common keys that stand in the same order in both; the others moved."""
    at = {key: position for position, key in enumerate(old)}
    common = [key for key in new if key in at]
    ends: list[int] = []
    tails: list[ActionKey] = []
    previous: dict[ActionKey, ActionKey | None] = {}
    for key in common:
        length = bisect_left(ends, at[key])
        ends[length : length + 1], tails[length : length + 1] = [at[key]], [key]
        previous[key] = tails[length - 1] if length else None
    kept: set[ActionKey] = set()
    last = tails[-1] if tails else None
    while last is not None:
        kept.add(last)
        last = previous[last]
    return frozenset(kept)


def label(key: ActionKey) -> str:
    """A key for people: the id, with a number if it is not the first of that id."""
    name, before = key[0].strip('"'), key[1]
    name = "(no id)" if name == "null" else name
    return f"{name} ({before + 1})" if before else name
