"""The place in a draft document that corresponds to a place in the source document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from review_app.core.formats.slots import Keyed, SlotPath, member_of

_NOUNS = {"id": "task", "function.name": "tool"}


@dataclass(slots=True)
class Counterpart:
    """What stands in the other document at a path."""

    value: Any = None
    problem: str = ""
    """Why there is no value to compare with; empty if there is one."""
    place: SlotPath = ()
    """The path itself, or without a value the deepest path whose value would have to change."""
    absent: bool = False
    """The object around `place` exists but has no such member."""


@dataclass(slots=True)
class KeyedDocument:
    """A parsed JSON or TOML value in which list entries are found by their ids."""

    root: Any
    _indexes: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)

    def entry(self, entries: list[Any], step: Keyed) -> Any:
        """The first entry with this id; None if there is none."""
        index = self._indexes.get((id(entries), step.member))
        if index is None:
            index = self._indexes[id(entries), step.member] = {}
            for entry in entries:
                name = member_of(entry, step.member)
                if name is not None:
                    index.setdefault(name, entry)
        return index.get(step.value)


def counterpart(one: KeyedDocument, other: KeyedDocument, path: SlotPath, name: str) -> Counterpart:
    """What `other` holds where `one` has the value at `path`.

    List entries without ids correspond only in lists that are equally long.

    Args:
        one: The document in which `path` exists.
        other: The document that is looked at.
        path: A path of `one`.
        name: What a person calls `other`: `draft`.
    """
    ours, theirs = one.root, other.root
    for depth, step in enumerate(path):
        if isinstance(step, str):
            if not isinstance(theirs, dict):
                return _missing(path[:depth], theirs, "an object", name)
            if step not in theirs:
                problem = f"{step!r} is missing in the {name}"
                return Counterpart(
                    value=None, problem=problem, place=path[: depth + 1], absent=True
                )
            ours, theirs = ours[step], theirs[step]
        elif not isinstance(theirs, list):
            return _missing(path[:depth], theirs, "a list", name)
        elif isinstance(step, Keyed):
            ours, theirs = one.entry(ours, step), other.entry(theirs, step)
            if theirs is None:
                noun = _NOUNS.get(step.member, step.member)
                return Counterpart(
                    None, f"{noun} {step.value!r} is not in the {name}", path[:depth]
                )
        elif len(ours) != len(theirs):
            return Counterpart(None, _lengths(path[:depth], ours, theirs, name), path[:depth])
        else:
            ours, theirs = ours[step], theirs[step]
    return Counterpart(theirs, "", path)


def _missing(place: SlotPath, value: Any, wanted: str, name: str) -> Counterpart:
    label = "the file" if not place else repr(_label(place))
    kind = "null" if value is None else f"not {wanted}"
    return Counterpart(None, f"{label} is {kind} in the {name}", place)


def _label(place: SlotPath) -> str:
    step = place[-1]
    return step.value if isinstance(step, Keyed) else str(step)


def _lengths(place: SlotPath, ours: list[Any], theirs: list[Any], name: str) -> str:
    one = "source" if name == "draft" else "draft"
    label = repr(_label(place)) if place else "the file"
    return f"{label}: {len(ours)} entries in the {one}, {len(theirs)} in the {name}"
