"""What amounts in a task's texts become: recomputed from the localized database if they can be.

A sum of rounded prices is not the rounded sum. So an expected total is not converted on its own:
the prices it is made of are found in the source and added up as the localized database has them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import combinations, permutations
from typing import Any, Literal

from review_app.core.envs.calculator import calculate
from review_app.core.locale.amounts import amounts_in
from review_app.core.localize.values import Localizer, Node
from review_app.core.tasks.replay import Replay

AmountPair = tuple[Decimal, Decimal]
"""An amount of the source and what the localized database has in its place."""
Origin = Literal["database", "sum", "difference", "calculation", "converted"]

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?")
MAX_TERMS = 4
"""A sum across records is looked for with this many terms at most."""
MAX_POOL = 60
"""Above this many amounts only sums within one record are looked for."""
_PLACES = 6
"""Decimals to which sums are compared."""


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount of the source in the target currency, and how it was found."""

    source: Decimal
    target: Decimal
    origin: Origin


@dataclass(slots=True)
class Amounts:
    """The amounts that a task's calls show, with their counterparts."""

    records: list[list[AmountPair]] = field(default_factory=list)
    """One list for each record or result."""
    fees: dict[Decimal, Decimal] = field(default_factory=dict)
    """What tools charge without a record of it: a bag, an insurance."""
    calculated: dict[Decimal, Decimal] = field(default_factory=dict)
    options: dict[tuple[str, str], None] = field(default_factory=dict)
    """(option key, value) of the variants shown; an ordered set."""

    def add(self, pairs: Iterable[AmountPair]) -> None:
        """Add the amounts of a record."""
        new_pairs = list(pairs)
        if new_pairs:
            self.records.append(new_pairs)

    def single(self, amount: Decimal) -> Decimal | None:
        """The counterpart of an amount that stands in a record as it is, or is a fee."""
        pairs = (pair for record in self.records for pair in record)
        return next((b for a, b in pairs if a == amount), self.fees.get(amount))

    def shows(self, amount: Decimal) -> bool:
        """Whether an amount stands in a record, or is what a calculation gives."""
        return amount in self.calculated or self.single(amount) is not None

    def figure(self, amount: Decimal, converted: Decimal) -> Figure:
        """The counterpart of any amount; `converted` is what it is if nothing explains it."""
        single = self.single(amount)
        if not amount and single is None:
            return Figure(amount, amount, "converted")
        if single is not None:
            return Figure(amount, single, "database")
        if amount in self.calculated:
            return Figure(amount, self.calculated[amount], "calculation")
        origin, target = next(self._explanations(amount), ("converted", converted))
        return Figure(amount, target, origin)

    def _explanations(self, amount: Decimal) -> Iterator[tuple[Origin, Decimal]]:
        """Yield what an amount may be made of, as counterparts, the nearest first."""
        for record in self.records:
            yield from _sums(record, amount, (len(record),))
        for record in self.records:
            if len(record) <= 12:
                yield from _sums(record, amount, range(2, len(record)))
        pool = list(dict.fromkeys(pair for record in self.records for pair in record))
        if len(pool) <= MAX_POOL:
            for a, b in permutations(pool, 2):
                if a[0] - b[0] == amount:
                    yield "difference", a[1] - b[1]
            yield from _sums(pool, amount, range(2, MAX_TERMS + 1 if len(pool) <= 30 else 4))


def _sums(
    pairs: Sequence[AmountPair], amount: Decimal, counts: Iterable[int]
) -> Iterator[tuple[Origin, Decimal]]:
    """Yield the counterparts of the parts of so many pairs that add up to an amount."""
    units, wanted = [_units(a) for a, _ in pairs], _units(amount)
    for count in counts:
        for part, chosen in zip(
            combinations(units, count), combinations(pairs, count), strict=True
        ):
            if sum(part) == wanted:
                yield "sum", sum((b for _, b in chosen), Decimal(0))


def _units(amount: Decimal) -> int:
    """An amount as a whole number, which is added up many times faster."""
    return int(amount.scaleb(_PLACES))


def gather(
    localizer: Localizer,
    source: Replay,
    target: Replay,
    records: Iterable[tuple[tuple[str | int, ...], Any, bool]] = (),
) -> Amounts:
    """The amounts in what a task's gold actions return and touch, and in further records.

    Args:
        localizer: Of the domain.
        source: The gold actions on the source state.
        target: The localized gold actions on the localized state.
        records: (path, record, whether the task names it) of the source database that an agent
            would look at. Options are taken only of what is named: words mean much.
    """
    amounts = Amounts(fees=dict(_fees(localizer)))
    for ours, theirs in zip(source.steps, target.steps, strict=True):
        if ours.ok and theirs.ok:
            node = localizer.rules.node("results", ours.name)
            _add(amounts, localizer, node, ours.value, theirs.value)
            if ours.name == "calculate":
                _add_calculation(amounts, localizer, ours.arguments)
    for path in source.final[0].touched_since(source.initial[0]):
        node = localizer.rules.node("database", *path)
        there = target.final[0].find(localizer.path("database", path))
        _add(amounts, localizer, node, source.final[0].find(path), there)
    # What the calls show comes first: where two records say the same, they decide.
    for path, record, is_named in records:
        node = localizer.rules.node("database", *path)
        add = _add if is_named else _add_amounts
        add(amounts, localizer, node, record, localizer.walk(node, record))
    return amounts


def _fees(localizer: Localizer) -> Iterator[AmountPair]:
    """Yield the amounts of the pack that are money; others count digits or lines."""
    for name, amount in localizer.source.amounts.items():
        pair = Decimal(str(amount)), Decimal(str(localizer.pack.amounts[name]))
        if localizer.money is not None and localizer.converted(pair[0]) == pair[1]:
            yield pair


def _add(amounts: Amounts, localizer: Localizer, node: Node | None, ours: Any, theirs: Any) -> None:
    amounts.add(_pairs(localizer, node, ours, theirs))
    for _, kind, value in localizer.rules.leaves(node, ours):
        if kind == "options" and isinstance(value, dict):
            amounts.options.update({(k, v): None for k, v in value.items() if isinstance(v, str)})


def _add_amounts(
    amounts: Amounts, localizer: Localizer, node: Node | None, ours: Any, theirs: Any
) -> None:
    amounts.add(_pairs(localizer, node, ours, theirs))


def _pairs(
    localizer: Localizer, node: Node | None, source: Any, target: Any
) -> Iterator[AmountPair]:
    ours, theirs = _amounts(localizer, node, source), _amounts(localizer, node, target)
    yield from zip(ours, theirs, strict=False)


def _amounts(localizer: Localizer, node: Node | None, value: Any) -> Iterator[Decimal]:
    for _, kind, leaf in localizer.rules.leaves(node, value):
        is_number = isinstance(leaf, int | float) and not isinstance(leaf, bool)
        if kind == "money" and is_number and math.isfinite(leaf):
            yield abs(Decimal(str(leaf)))


def _add_calculation(amounts: Amounts, localizer: Localizer, arguments: Mapping[str, Any]) -> None:
    text = arguments.get("expression")
    if not isinstance(text, str):
        return
    ours = text
    theirs = expression(text, amounts, localizer)
    if ours != theirs:
        try:
            pair = Decimal(str(calculate(ours))), Decimal(str(calculate(theirs)))
        except (ArithmeticError, ValueError, TypeError):
            return
        amounts.calculated[pair[0]] = pair[1]


def expression(text: str, amounts: Amounts, localizer: Localizer) -> str:
    """A calculation with its amounts as the localized database has them; other numbers stay.

    Example:
        "2 * (350 - 122)" where 350 and 122 are prices -> "2 * (52500 - 18300)"
    """

    def replaced(match: re.Match[str]) -> str:
        amount = Decimal(match[0])
        known = amounts.single(amount)
        known = amounts.calculated.get(amount) if known is None else known
        if known is None and "." in match[0]:
            known = localizer.converted(amount)
        return match[0] if known in (None, amount) else f"{known.to_integral_value()}"

    return _NUMBER.sub(replaced, text)


def number(text: str) -> Decimal | None:
    """The number that a whole text is, thousands separators allowed; None for any other text."""
    if not _GROUPED.fullmatch(text.strip()):
        return None
    try:
        return Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        return None


def written_amounts(texts: Iterable[str], localizer: Localizer) -> set[Decimal]:
    """The amounts that texts name with their currency."""
    if localizer.money is None:
        return set()
    source = localizer.money.source
    return {abs(amount.value) for text in texts for amount in amounts_in(text, source)}
