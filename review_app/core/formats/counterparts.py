"""The place in a draft document that corresponds to a place in the source document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from review_app.core.formats.slots import Keyed, SlotPath, member_of
from review_app.notices import Notice, Value

DraftSide = Literal["source", "draft"]

_SIDES: dict[DraftSide, Notice] = {
    "source": Notice("draft.side_source", "source"),
    "draft": Notice("draft.side_draft", "draft"),
}
_NOUNS = {
    "id": Notice("draft.noun_task", "task"),
    "function.name": Notice("draft.noun_tool", "tool"),
}
_NO_OBJECT = Notice("draft.not_an_object", "not an object")
_NO_LIST = Notice("draft.not_a_list", "not a list")


@dataclass(slots=True)
class Counterpart:
    """What stands in the other document at a path."""

    value: Any = None
    problem: Notice | None = None
    """Why there is no value to compare with; None if there is one."""
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


def counterpart(
    here: KeyedDocument, there: KeyedDocument, path: SlotPath, side: DraftSide
) -> Counterpart:
    """What `there` holds where `here` has the value at `path`.

    List entries without ids correspond only in lists that are equally long.

    Args:
        here: The document in which `path` exists.
        there: The document that is looked at.
        path: A path of `here`.
        side: Which of the two `there` is.
    """
    ours, theirs = here.root, there.root
    for depth, step in enumerate(path):
        if isinstance(step, str):
            if not isinstance(theirs, dict):
                return _of_another_kind(path[:depth], theirs, _NO_OBJECT, side)
            if step not in theirs:
                problem = Notice(
                    "draft.member_missing",
                    "{name!r} is missing in the {side}",
                    name=step,
                    side=_SIDES[side],
                )
                return Counterpart(problem=problem, place=path[: depth + 1], absent=True)
            ours, theirs = ours[step], theirs[step]
        elif not isinstance(theirs, list):
            return _of_another_kind(path[:depth], theirs, _NO_LIST, side)
        elif isinstance(step, Keyed):
            ours, theirs = here.entry(ours, step), there.entry(theirs, step)
            if theirs is None:
                problem = Notice(
                    "draft.entry_missing",
                    "{noun} {name!r} is not in the {side}",
                    noun=_NOUNS.get(step.member, step.member),
                    name=step.value,
                    side=_SIDES[side],
                )
                return Counterpart(problem=problem, place=path[:depth])
        elif len(ours) != len(theirs):
            return _of_another_length(path[:depth], len(ours), len(theirs), side)
        else:
            ours, theirs = ours[step], theirs[step]
    return Counterpart(theirs, place=path)


def _of_another_kind(place: SlotPath, value: Any, kind: Notice, side: DraftSide) -> Counterpart:
    problem = Notice(
        "draft.of_another_kind",
        "{place!r} is {kind} in the {side}",
        place=_label(place),
        kind="null" if value is None else kind,
        side=_SIDES[side],
    )
    return Counterpart(problem=problem, place=place)


def _of_another_length(place: SlotPath, here: int, there: int, side: DraftSide) -> Counterpart:
    problem = Notice(
        "draft.of_another_length",
        "{place!r}: {here} entries in the {other_side}, {there} in the {side}",
        place=_label(place),
        here=here,
        other_side=_SIDES["source" if side == "draft" else "draft"],
        there=there,
        side=_SIDES[side],
    )
    return Counterpart(problem=problem, place=place)


def _label(place: SlotPath) -> Value:
    if not place:
        return Notice("draft.the_file", "the file")
    step = place[-1]
    return step.value if isinstance(step, Keyed) else str(step)
