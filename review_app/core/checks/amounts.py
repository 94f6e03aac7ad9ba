"""Amounts of money."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.core.locale.amounts import Amount, amounts_in
from review_app.core.locale.money import MoneyRule
from review_app.models import Segment


@check("AMT001", "error", "{amount} is not converted; expected {expected}")
def amount_not_converted(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """An amount is in the source currency, or only its currency was exchanged, or it is gone.

    Flags: "Each extra bag is 50 dollars" -> "追加の手荷物は1個50ドルです"
    Passes: "Each extra bag is 50 dollars" -> "追加の手荷物は1個7,500円です"
    Source: section B.2, 1 USD = 150 JPY.
    """
    if ctx.money is None:
        return
    for amount, stand_in in _unmet(segment, ctx.money):
        if stand_in is None:
            yield _fault((amount.start, amount.end), True, amount, ctx.money)
        elif stand_in.value in (amount.value, -amount.value):
            yield _fault((stand_in.start, stand_in.end), False, amount, ctx.money)


@check("AMT002", "error", "{amount} is {found} here; expected {expected}")
def amount_wrong(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """An amount was converted to another figure than the rule gives.

    Half a unit goes the way the locale says: 153.23 dollars are 22,984 yen.

    Flags: "A refund of $153.23" -> "22,985円の払い戻し"
    Passes: "A refund of $153.23" -> "2万2,984円の払い戻し"
    Source: section B.2; ties as in the published 22,984, 23,833 and 38,845.
    """
    if ctx.money is None:
        return
    for amount, stand_in in _unmet(segment, ctx.money):
        if stand_in is not None and stand_in.value not in (amount.value, -amount.value):
            span = (stand_in.start, stand_in.end)
            yield _fault(span, False, amount, ctx.money, found=stand_in.text)


def _unmet(segment: Segment, rule: MoneyRule) -> list[tuple[Amount, Amount | None]]:
    """Source amounts whose conversion is not in the target, with what probably stands for them."""
    source = amounts_in(segment.source, rule.source)
    if not source:
        return []
    target = segment.target or ""
    expected = {amount.value: rule.expected(amount.value) for amount in source}
    converted = amounts_in(target, rule.target)
    have = {amount.value for amount in converted}
    spare = [amount for amount in converted if amount.value not in set(expected.values())]
    left = amounts_in(target, rule.source)
    unmet = []
    for value, amount in {amount.value: amount for amount in reversed(source)}.items():
        if Decimal(expected[value]) not in have:
            unmet.append((amount, _stand_in(value, left, spare)))
    return unmet[::-1]


def _stand_in(value: Decimal, left: list[Amount], spare: list[Amount]) -> Amount | None:
    """The unconverted amount if it is there, else the next one that fits no source amount."""
    for amount in (*left, *spare):
        if amount.value == value:
            return amount
    return spare.pop(0) if spare else None


def _fault(
    span: tuple[int, int], in_source: bool, amount: Amount, rule: MoneyRule, **more: str
) -> CheckFault:
    expected = f"{rule.expected(amount.value):,} {rule.target.code}"
    return CheckFault(span, in_source, amount=amount.text, expected=expected, **more)
