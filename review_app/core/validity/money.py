"""Amounts and counts in criteria that the gold actions do not lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice

from review_app.core.locale.amounts import amount_of, amounts_in
from review_app.core.validity.amounts import about_user, amounts, hundredths, subset_sums
from review_app.core.validity.context import TaskContext
from review_app.core.validity.facts import strings
from review_app.core.validity.registry import RuleFault, all_of, rule
from review_app.core.validity.texts import folded
from review_app.json_types import JsonPath
from review_app.notices import Notice

_COUNT = re.compile(
    r"(?<![\d.,#-])(\d{1,2})\s(?:[a-z-]+\s){0,2}"
    r"(?:options?|bags?|baggages?|suitcases?|passengers?|items?|orders?|kinds?|variants?)(?![a-z])"
)
_SMALL = 100
"""Below this a bare number may count pieces."""
_SHORTEST_IDENTIFIER = 10
"""So many digits are no amount."""


@rule("AMT-01", "error", "{amount} counts {cancelled}, which the gold actions cancel{instead}")
def amount_counts_cancelled(ctx: TaskContext) -> Iterator[RuleFault]:
    """An expected total is reached only by adding what is cancelled to what is left.

    Flags: 1628 where 402 and 306 are left and 296 and 624 have been cancelled (airline 7).
    Passes: 708; also 920, the sum of the two refunds.
    Precision: 2 of 2 on the real tasks.
    Source: Table 10, airline 7.
    """
    for pointer, text, value in _expected(ctx):
        mixed = _mixed(ctx, value)
        if mixed and not amounts(ctx).reachable(value):
            left = sum(amounts(ctx).live_totals.values(), Decimal(0))
            instead = Notice("rule.left", "; what is left comes to {amount}", amount=_text(left))
            yield RuleFault(
                pointer, amount=text, cancelled=all_of(mixed), instead=instead if left else ""
            )


@rule("AMT-02", "warning", "{amount} is neither in the database nor a sum of what is there")
def amount_not_reachable(ctx: TaskContext) -> Iterator[RuleFault]:
    """An expected amount stands in no output, record or instruction and is no sum of such.

    Flags: 918.43 where the prices add up to 918.53.
    Passes: a price, a balance, a refund, the sum of several refunds.
    Precision: finds nothing in the real tasks.
    Source: Table 10, airline 7 and retail 28.
    """
    for pointer, text, value in _expected(ctx):
        if not amounts(ctx).reachable(value) and not _mixed(ctx, value):
            yield RuleFault(pointer, amount=text)


@rule("AMT-03", "warning", "there are not {count} of anything that the task deals with")
def count_not_reachable(ctx: TaskContext) -> Iterator[RuleFault]:
    """An expected count matches no number of items, variants, passengers or bags.

    Flags: "12" where ten variants are available of twelve that are eleven in the database.
    Passes: the number of available variants of a product that was looked up.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    if not amounts(ctx).records:
        return
    for pointer, text, value in _counts(ctx):
        if not amounts(ctx).countable(value):
            yield RuleFault(pointer, count=text)


@rule("AMT-04", "warning", "{info} stands neither in an output nor in a record of the user")
def info_not_found(ctx: TaskContext) -> Iterator[RuleFault]:
    """Expected words or an expected identifier come from nowhere.

    Flags: a tracking number of nobody's order.
    Passes: a colour of the item looked up, a brand of the user's card.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    currency = ctx.facts.currency
    words = [info for info in ctx.infos if amount_of(info.text, currency) is None]
    identifiers = [info for info in ctx.infos if _is_identifier(info.text)]
    if not (words or identifiers) or not amounts(ctx).records:
        return
    for info in (*words, *identifiers):
        wanted = folded(info.text).strip()
        if wanted and not any(wanted in folded(text) for text in _texts(ctx)):
            yield RuleFault(info.pointer, info=repr(info.text))


def _expected(ctx: TaskContext) -> Sequence[tuple[JsonPath, str, Decimal]]:
    """Amounts that the criteria state: pointer, as written, value."""
    return ctx.once(_amounts_stated)


def _amounts_stated(ctx: TaskContext) -> Sequence[tuple[JsonPath, str, Decimal]]:
    return tuple(_find_amounts(ctx))


def _find_amounts(ctx: TaskContext) -> Iterator[tuple[JsonPath, str, Decimal]]:
    if not amounts(ctx).records:
        return
    in_words = [(assertion.pointer, folded(assertion.text)) for assertion in ctx.assertions]
    named: set[Decimal] = set()
    for pointer, text in in_words:
        if "between" in text:
            continue
        for amount in amounts_in(text, ctx.facts.currency):
            named.add(abs(amount.value))
            yield pointer, amount.text, abs(amount.value)
    for info in ctx.infos:
        value = amount_of(info.text, ctx.facts.currency)
        if value is None or _is_identifier(info.text):
            continue
        if value >= _SMALL or value in named or "." in info.text:
            yield info.pointer, info.text, value


def _counts(ctx: TaskContext) -> Iterator[tuple[JsonPath, str, Decimal]]:
    for assertion in ctx.assertions:
        text = folded(assertion.text)
        counts = list(_COUNT.finditer(text))
        priced = amounts_in(text, ctx.facts.currency) if counts else ()
        for count in counts:
            if count.end(1) not in {amount.end for amount in priced}:
                yield assertion.pointer, count[1], Decimal(count[1])
    stated = {value for _, _, value in _expected(ctx)}
    for info in ctx.infos:
        if info.text.isascii() and info.text.isdigit() and int(info.text) < _SMALL:
            value = Decimal(info.text)
            if value not in stated:
                yield info.pointer, info.text, value


def _mixed(ctx: TaskContext, value: Decimal) -> list[str]:
    """Cancelled records that, with some that are left, make up an amount; none if nothing does."""
    cancelled, live = amounts(ctx).cancelled_totals, list(amounts(ctx).live_totals.values())
    if not cancelled or not live:
        return []
    left = subset_sums(live) - {0}
    if hundredths(value - sum(cancelled.values(), Decimal(0))) in left:
        return list(cancelled)
    fitting = (name for name, paid in cancelled.items() if hundredths(value - paid) in left)
    return list(islice(fitting, 1))


def _texts(ctx: TaskContext) -> Iterator[str]:
    yield from about_user(ctx, gold=True)
    for product in amounts(ctx).products:
        yield from strings(product)
        for variant in product["variants"].values():
            yield from variant["options"]


def _is_identifier(text: str) -> bool:
    """Whether a number is too long for an amount: a tracking number, say."""
    return text.isdigit() and len(text) >= _SHORTEST_IDENTIFIER


def _text(value: Decimal) -> str:
    return f"{value.normalize():f}"
