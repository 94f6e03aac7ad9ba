"""Conditions in the instructions that the database decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from review_app.core.locale.amounts import numbers_in
from review_app.core.validity.amounts import amounts
from review_app.core.validity.asked.sentences import (
    CHANGES,
    RETAIL,
    asking,
    find_word,
    is_conditional,
)
from review_app.core.validity.context import TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.core.validity.texts import folded
from review_app.json_types import Json
from review_app.notices import Notice

_CLAUSE = re.compile(r"[,;:、，]")
_AFTER = 2
"""In so many sentences after a condition its "otherwise" may stand."""


@rule(
    "ASK-06",
    "warning",
    "{condition} does not hold ({fact}), and nothing is said for that case",
    domains=RETAIL,
)
def false_condition_without_fallback(ctx: TaskContext) -> Iterator[RuleFault]:
    """What is asked for a product hangs on a condition that is false, and no other case is told.

    Decided are prices ("costs less than 100 dollars": the user's item, or the cheapest in stock
    where the text speaks of what is available) and options in stock ("is available in red").

    Flags: "if a tote is available for less than 20 dollars, exchange yours", all cost more.
    Passes: the same with "otherwise"; a true condition; a product that is asked for elsewhere, too.
    Precision: finds nothing in the real tasks.
    Source: issue 11.
    """
    if not _is_decidable(ctx, ctx.said):
        return
    sentences = ctx.sentences_at
    for at, sentence in enumerate(sentences):
        condition = _condition(ctx, sentence.text) if _is_decidable(ctx, sentence.text) else ""
        if not condition or not any(find_word(ctx, c, sentence.text) for c in CHANGES):
            continue
        earlier = sentences[at - 1].text if at else ""
        product = _product(ctx, condition, sentence.text, earlier)
        why = _why_false(ctx, condition, product) if product else None
        following = (later.text for later in sentences[at + 1 : at + 1 + _AFTER])
        rest = " ".join([sentence.text.replace(condition, " ", 1), *following])
        has_fallback = find_word(ctx, "otherwise", rest)
        if product and why and not has_fallback and not _is_asked_anyway(ctx, product):
            yield RuleFault(sentence.pointer, condition=repr(condition.strip()), fact=why)


def _is_decidable(ctx: TaskContext, text: str) -> bool:
    """Whether a text speaks of a bound or of what is in stock."""
    return any(find_word(ctx, topic, text) for topic in ("below", "above", "available"))


def _condition(ctx: TaskContext, sentence: str) -> str:
    """The clause of a sentence that states a condition; empty if none does."""
    clauses = _CLAUSE.split(sentence)
    return next((clause for clause in clauses if is_conditional(ctx, clause)), "")


def _product(ctx: TaskContext, *texts: str) -> Json | None:
    """The product that the first of the texts to name one is about; None if it names several."""
    for text in texts:
        named = [key for key, name in ctx.facts.product_patterns.items() if name.search(text)]
        if named:
            return ctx.facts.table("products")[named[0]] if len(named) == 1 else None
    return None


def _why_false(ctx: TaskContext, condition: str, product: Json) -> Notice | None:
    """What the database has instead; None if the condition holds or cannot be decided."""
    below, above = find_word(ctx, "below", condition), find_word(ctx, "above", condition)
    available = find_word(ctx, "available", condition)
    stock = [variant for variant in product["variants"].values() if variant["available"]]
    bound = below or above
    if bound:
        limit = _limit(ctx, condition[bound[1] :]) or _limit(ctx, condition)
        price = _price(ctx, product, stock if available else None)
        if limit is None or price is None or (price < limit if below else price > limit):
            return None
        return Notice("rule.price_is", "the price is {price}", price=f"{price}")
    options = _options_said(condition, product)
    if not available or not options:
        return None
    for variant in stock:
        if all(variant["options"].get(name) in said for name, said in options.items()):
            return None
    return Notice("rule.none_in_stock", "no {product} of that kind", product=str(product["name"]))


def _limit(ctx: TaskContext, text: str) -> Decimal | None:
    """The first number of a text."""
    return next(iter(numbers_in(text, ctx.facts.currency)), None)


def _price(ctx: TaskContext, product: Json, stock: list[Json] | None) -> Decimal | None:
    """The lowest price in stock, or what the user paid for the product."""
    if stock is not None:
        return min((Decimal(str(variant["price"])) for variant in stock), default=None)
    paid = {
        Decimal(str(item["price"]))
        for before, _ in amounts(ctx).records
        for item in before.get("items", ())
        if item["product_id"] == product["product_id"]
    }
    return paid.pop() if len(paid) == 1 else None


def _options_said(condition: str, product: Json) -> dict[str, set[str]]:
    """Option -> its values that the condition names."""
    options: dict[str, set[str]] = {}
    for variant in product["variants"].values():
        for name, value in variant["options"].items():
            said = re.escape(folded(str(value)))
            if re.search(rf"(?<![a-z0-9]){said}(?![a-z0-9])", condition):
                options.setdefault(name, set()).add(value)
    return options


def _is_asked_anyway(ctx: TaskContext, product: Json) -> bool:
    """Whether a sentence without a condition asks for a change of the product."""
    pattern = ctx.facts.product_patterns[product["product_id"]]
    return any(pattern.search(sentence.text) for sentence, _ in asking(ctx, *CHANGES))
