"""Localizing commutes with replaying.

For every task and call: what the source environment does, localized, must be what the localized
environment does with the localized call. Amounts computed from rounded prices may be off by one
unit for each price that entered them; they are listed apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from review_app import json_paths
from review_app.core.envs.base import Step
from review_app.core.locale.messages import Messages, same_message
from review_app.core.localize.sums import exact
from review_app.core.localize.values import Localizer, Node, Place
from review_app.core.tasks.replay import Replay
from review_app.json_types import JsonPath

ABSENT = "(absent)"
"""Stands in a difference for a member that one side does not have."""
DifferenceKind = Literal["outcome", "output", "state", "rounding"]
_PRINTED = re.compile(r"-?\d+(?:\.\d+)?")
_EXACT = Decimal("0.000001")
_MOST_PAYMENTS = 5
"""An order that was paid anew and is cancelled gives every payment back."""
SIDES: tuple[Place, Place] = ("database", "user_database")


@dataclass(frozen=True, slots=True)
class SquareDifference:
    """Where the two ways around the square do not meet."""

    kind: DifferenceKind
    """`rounding`: only an amount, by no more than the prices that entered it allow."""
    step: int
    """Number of the call, from 0."""
    call: str
    """The tool's name."""
    record: str
    """`orders/#W2611340`; empty for an output."""
    field: str
    expected: Any
    """The source's value, localized."""
    actual: Any
    """What the localized environment has."""


class Square:
    """Compares replays of one domain."""

    def __init__(self, localizer: Localizer) -> None:
        self._prose = localizer.prose
        # Free texts are compared as the source has them: a tool may have written them.
        self._localizer = replace(localizer, prose=str)
        self._paid: dict[Decimal, set[Decimal]] = {}
        for (_, amount), total in localizer.sums.items():
            self._paid.setdefault(amount, set()).add(total)
        self._derived: set[tuple[Any, Any]] = set()
        """(Converted, computed) amounts of a replay that a sum of the data accounts for."""

    def differences(self, source: Replay, target: Replay) -> list[SquareDifference]:
        """Everything that differs, step by step; a state that was wrong before is not told again.

        Args:
            source: Calls on the source state.
            target: The localized calls on the localized state; as many.
        """
        unlike: list[SquareDifference] = []
        reported: set[tuple[str, str]] = set()
        self._derived = set()
        prices = 1
        for at, (ours, theirs) in enumerate(zip(source.steps, target.steps, strict=True)):
            prices += self._prices(ours)
            for difference in self._step(at, ours, theirs, prices):
                place = (difference.record, difference.field)
                if not difference.record or place not in reported:
                    unlike.append(difference)
                reported.add(place)
        return unlike

    def _step(self, at: int, ours: Step, theirs: Step, prices: int) -> Iterator[SquareDifference]:
        if ours.ok != theirs.ok:
            yield SquareDifference(
                kind="outcome",
                step=at,
                call=ours.name,
                record="",
                field="",
                expected=_in_words(ours),
                actual=_in_words(theirs),
            )
        yield from self._states(at, ours, theirs, prices)
        if ours.ok == theirs.ok:
            yield from self._outputs(at, ours, theirs, prices)

    def _states(self, at: int, ours: Step, theirs: Step, prices: int) -> Iterator[SquareDifference]:
        for place, path, before, after, (there_before, there) in self._touched(ours, theirs):
            node = self._localizer.rules.node(place, *path)
            expected = self._localizer.walk(node, after)
            for where, left, right, kind in self._differing(node, expected, there):
                if kind == "prose" and self._same_printed(kind, left, right):
                    continue
                if kind == "money" and self._is_moved(
                    (json_paths.at(before, where), json_paths.at(after, where)),
                    (json_paths.at(there_before, where), right),
                ):
                    self._derived.add((left, right))
                    continue
                record, field = "/".join(map(str, path)), "/".join(map(str, where))
                sort = _sort("state", kind, left, right, prices)
                # What the call left as it was is not computed, so it has to be exact.
                if sort == "rounding":
                    unchanged = json_paths.at(self._localizer.walk(node, before), where, ABSENT)
                    sort = "state" if unchanged == left else sort
                yield SquareDifference(
                    kind=sort,
                    step=at,
                    call=ours.name,
                    record=record,
                    field=field,
                    expected=left,
                    actual=right,
                )

    def _is_moved(self, ours: tuple[Any, Any], theirs: tuple[Any, Any]) -> bool:
        """Whether an amount moved by what a sum of the data comes to on either side: a balance."""
        source, target = [exact(value) for value in ours], [exact(value) for value in theirs]
        if None in (*source, *target):
            return False
        here, there = _moved(*source), _moved(*target)
        return any(
            there == (times * total).copy_sign(here)
            for times in range(1, _MOST_PAYMENTS + 1)
            for total in self._paid.get((here.copy_abs() / times).quantize(_EXACT), ())
        )

    def _touched(
        self, ours: Step, theirs: Step
    ) -> Iterator[tuple[Place, JsonPath, Any, Any, tuple[Any, Any]]]:
        """Yield place and path of the records that either side touched, named as in the source.

        Behind them the source's record before and after the call, and both of the localized side.
        """
        for number, place in enumerate(SIDES):
            before, after, theirs_after = (
                ours.before[number],
                ours.after[number],
                theirs.after[number],
            )
            if before is None or after is None or theirs_after is None:
                continue
            here, there = ours.touched[number], theirs.touched[number]
            known = {self._localizer.path(place, path) for path in here}
            # A record that only the localized side touched is told under its own name.
            for path in (*here, *(path for path in there if path not in known)):
                localized = self._localizer.path(place, path)
                earlier = theirs.before[number]
                pair = earlier.find(localized) if earlier else None, theirs_after.find(localized)
                yield place, path, before.find(path), after.find(path), pair

    def _outputs(
        self, at: int, ours: Step, theirs: Step, prices: int
    ) -> Iterator[SquareDifference]:
        node = self._localizer.rules.node("results", ours.name)
        left, right = _parsed(ours.output), _parsed(theirs.output)
        if not ours.ok or isinstance(left, str) or isinstance(right, str):
            if not self._same_text(node, ours, theirs):
                sort: DifferenceKind = "rounding" if self._lost_fraction(ours, theirs) else "output"
                yield SquareDifference(
                    kind=sort,
                    step=at,
                    call=ours.name,
                    record="",
                    field="",
                    expected=ours.output,
                    actual=theirs.output,
                )
            return
        if ours.kind == "read" and not ours.after[0].changed:
            prices = 0  # Shown as it was loaded: nothing has been computed.
        expected = self._localizer.walk(node, left)
        for where, wanted, actual, kind in self._differing(node, expected, right):
            if self._same_printed(kind, wanted, actual):
                continue
            if kind == "money" and (wanted, actual) in self._derived:
                continue
            field = "/".join(map(str, where))
            sort = _sort("output", kind, wanted, actual, prices)
            yield SquareDifference(
                kind=sort,
                step=at,
                call=ours.name,
                record="",
                field=field,
                expected=wanted,
                actual=actual,
            )

    def _same_printed(self, kind: str, expected: Any, actual: Any) -> bool:
        """Whether two values are one text that a tool wrote, in either language."""
        if kind not in ("", "prose") or not (isinstance(expected, str) and isinstance(actual, str)):
            return False
        if same_message(*self._messages, expected, actual):
            return True
        return kind == "prose" and self._prose(expected) == actual

    def _same_text(self, node: Node | None, ours: Step, theirs: Step) -> bool:
        if not ours.ok:
            # Behind the common prefix; what Python says of bad arguments has no translation.
            is_python = ours.error_class == theirs.error_class != "ToolError"
            return is_python or same_message(*self._messages, ours.error, theirs.error)
        if node and node.kind and self._localizer.value(node.kind, ours.output) == theirs.output:
            return True
        return same_message(*self._messages, ours.output, theirs.output)

    def _lost_fraction(self, ours: Step, theirs: Step) -> bool:
        """Whether the source refuses an amount for its fraction, which rounding takes from it."""
        if ours.ok or theirs.ok or ours.error_class == "ToolError":
            return False
        rules = self._localizer.rules
        return any(
            kind == "money" and isinstance(value, float) and not value.is_integer()
            for _, kind, value in rules.leaves(
                rules.node("arguments", ours.name), dict(ours.arguments)
            )
        )

    @cached_property
    def _messages(self) -> tuple[Messages, Messages]:
        return Messages(self._localizer.source), Messages(self._localizer.pack)

    def _differing(
        self, node: Node | None, expected: Any, actual: Any
    ) -> Iterator[tuple[JsonPath, Any, Any, str]]:
        # What is printed alike is alike, types and order too, and far faster to tell.
        return iter(()) if repr(expected) == repr(actual) else self._unequal(node, expected, actual)

    def _unequal(
        self, node: Node | None, expected: Any, actual: Any, path: JsonPath = ()
    ) -> Iterator[tuple[JsonPath, Any, Any, str]]:
        """Yield path, both values and kind of what differs between two localized values."""
        node = self._localizer.rules.resolved(node)
        if node and node.kind == "as record" and isinstance(expected, dict):
            node = self._localizer.rules.record(next(iter(expected), ""))
        if isinstance(expected, dict) and isinstance(actual, dict):
            for key in dict.fromkeys((*expected, *actual)):
                inner = node.at(key) if node else None
                both = expected.get(key, ABSENT), actual.get(key, ABSENT)
                yield from self._unequal(inner, *both, (*path, key))
        elif (
            isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual)
        ):
            for at, both in enumerate(zip(expected, actual, strict=True)):
                yield from self._unequal(node.at(at) if node else None, *both, (*path, at))
        elif type(expected) is not type(actual) or expected != actual:
            yield path, expected, actual, node.kind if node else ""

    def _prices(self, step: Step) -> int:
        """How many amounts a step shows or touches: what its results can be off by."""
        rules, count = self._localizer.rules, 0
        seen = [(rules.node("results", step.name), step.value)]
        seen += [(rules.node("database", *p), step.after[0].find(p)) for p in step.touched[0]]
        for node, value in seen:
            count += sum(1 for _, kind, _ in rules.leaves(node, value) if kind == "money")
        return count


def _moved(before: Decimal | None, after: Decimal | None) -> Decimal:
    """By how much, without the noise of binary fractions."""
    return ((after or Decimal(0)) - (before or Decimal(0))).quantize(_EXACT)


def _sort(
    sort: DifferenceKind, kind: str, expected: Any, actual: Any, prices: int
) -> DifferenceKind:
    ours, theirs = _amount(expected), _amount(actual)
    if kind != "money" or ours is None or theirs is None or type(expected) is not type(actual):
        return sort
    return "rounding" if abs(ours - theirs) <= prices else sort


def _amount(value: Any) -> float | None:
    """An amount, which a tool may have printed as text; None for anything else."""
    if isinstance(value, str):
        return float(value) if _PRINTED.fullmatch(value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _parsed(output: str) -> Any:
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        return output


def _in_words(step: Step) -> str:
    return "ok" if step.ok else f"refused: {step.error}"
