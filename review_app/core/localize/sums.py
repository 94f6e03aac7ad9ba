"""Amounts of the data that are sums of others: they add up in the localized database, too.

A payment is what the items of its order cost. Converted on its own it would differ from the sum of
the rounded prices; so it is added up anew. A call may exchange the items later, but the payment
stays: what an amount became in the database as it was loaded holds for its record from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

Path = tuple[str, ...]
"""Keys; `*` is any member or list entry."""
SumRules = Mapping[Path, tuple[tuple[Path, Path], ...]]
"""Path of a record -> paths within it: of an amount, and of the parts that it may add up."""
Sums = Mapping[tuple[str, Decimal], Decimal]
"""(What tells a record, amount of the source) -> what its parts come to in the target."""


def sums_of(rules: SumRules, tree: Any, converted: Callable[[Decimal], Decimal]) -> Sums:
    """The amounts of a source database that add up others, with what these come to localized.

    Args:
        rules: What may add up what.
        tree: The source database.
        converted: Of one amount.

    Example:
        an order with a payment of 0.06, items of 0.01 and 0.05 at 150 -> 9, from 1 and 7: 8
    """
    sums: dict[tuple[str, Decimal], Decimal] = {}
    for path, pairs in rules.items():
        for record in _at(tree, path):
            for whole, parts in pairs:
                sums |= dict(_added(record, whole, parts, converted))
    return sums


def summed(
    record: Any, localized: Any, wholes: tuple[Path, ...], sums: Sums, key: Callable[[str], str]
) -> None:
    """Put the sums of a record into its localized copy.

    Args:
        record: Of the source.
        localized: Its copy, which is changed.
        wholes: Paths of the amounts that may be sums.
        sums: From `sums_of`.
        key: Name of a member of the source -> its name in the copy.
    """
    teller = told_by(record)
    for whole in wholes:
        _put(record, localized, whole, lambda amount: sums.get((teller, amount)), key)


def told_by(record: Any) -> str:
    """What tells a record from others of its table: its first member."""
    return str(next(iter(record.values()), "")) if isinstance(record, dict) else ""


def _added(
    record: Any, whole: Path, parts: Path, converted: Callable[[Decimal], Decimal]
) -> Iterator[tuple[tuple[str, Decimal], Decimal]]:
    values = list(_at(record, parts))
    amounts = [amount for value in values if (amount := exact(value)) is not None]
    if not amounts or len(amounts) != len(values):
        return
    total = sum((converted(amount) for amount in amounts), Decimal(0))
    for value in _at(record, whole):
        amount = exact(value)
        if amount is not None and amount == sum(amounts):
            yield (told_by(record), amount), total


def _put(
    source: Any,
    localized: Any,
    path: Path,
    known: Callable[[Decimal], Decimal | None],
    key: Callable[[str], str],
) -> None:
    first, rest = path[0], path[1:]
    for name, member in _members(source):
        there = key(name) if isinstance(name, str) else name
        if first not in ("*", name):
            continue
        if rest:
            _put(member, localized[there], rest, known, key)
        elif (amount := exact(member)) is not None and (total := known(amount)) is not None:
            localized[there] = float(total) if isinstance(member, float) else int(total)


def _at(value: Any, path: Path) -> Iterator[Any]:
    if not path:
        yield value
        return
    for name, member in _members(value):
        if path[0] in ("*", name):
            yield from _at(member, path[1:])


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def exact(value: Any) -> Decimal | None:
    """An amount of the data without loss; None for what is no finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    amount = Decimal(str(value))
    return amount if amount.is_finite() else None
