"""Changes that the instructions ask for without a condition, and no gold action makes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from review_app.core.validity.asked.sentences import (
    CHANGES,
    HAND_OVER,
    RETAIL,
    asking,
    find_word,
    is_conditional,
    requests,
    words_of,
)
from review_app.core.validity.context import GoldStep, TaskContext, Text
from review_app.core.validity.registry import RuleFault, rule
from review_app.json_types import Json
from review_app.notices import Notice

# What is asked for -> the statuses that an order may have for it, in source words. Users say
# "exchange" of what is still to be sent, too.
_STATUSES: Mapping[str, tuple[str, ...]] = {
    "cancel": ("pending",),
    "modify": ("pending", "delivered"),
    "return": ("delivered",),
    "exchange": ("pending", "delivered"),
}
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_ORDER_ID = re.compile(r"#?w\d{7}")
_TO = re.compile(r"(?:\bto|\bas)\s(?:(?:your|the|my|be)\s)*$")
_OBJECT = re.compile(r"\s?(?:を|も|と)")
_PRONOUN = re.compile(r"\w+\s(?:it|them)\b")


@rule(
    "ASK-01",
    "warning",
    "the instructions ask to change {what}; no gold action does",
    domains=RETAIL,
)
def asked_change_not_made(ctx: TaskContext) -> Iterator[RuleFault]:
    """A change that is asked for without a condition, and that the tools allow, is missing.

    Looked at are orders named by number, items named by product, the user's own address, and the
    addresses of all open orders. A text with conditions, preferences or a change of mind says
    nothing for sure about items; a gold hand-over to a person answers everything.

    Flags: "correct all order addresses and your user address", the gold leaves out the profile.
    Passes: the same with all of them; what is not allowed, asked for on a condition, or so already.
    Precision: finds nothing in the real tasks.
    Source: issue 11 (retail 41's kind).
    """
    if any(step.step.name == HAND_OVER for step in ctx.steps) or not ctx.user:
        return
    if not requests(ctx):
        return
    seen: set[str] = set()
    for sentence, what in (*_addresses(ctx), *_orders(ctx), *_items(ctx)):
        key = str(what)
        if key not in seen:
            seen.add(key)
            yield RuleFault(sentence.pointer, what=what)


def _addresses(ctx: TaskContext) -> Iterator[tuple[Text, Notice | str]]:
    """The user's own address and those of all open orders, where they stay as they were."""
    if not any(find_word(ctx, topic, ctx.said) for topic in ("own_address", "order_address")):
        return
    writes = [write for write in ctx.writes() if write.step.ok and "address1" in write.arguments]
    wanted = [_address(write.arguments) for write in writes]
    for sentence, _ in asking(ctx, "modify"):
        own = not any("user_id" in write.arguments for write in writes)
        if own and _asks_for_own(ctx, sentence.text) and not _is_there(ctx, wanted):
            yield sentence, Notice("rule.own_address", "the user's own address")
        if not all(find_word(ctx, topic, sentence.text) for topic in ("order_address", "all")):
            continue
        for order in _open_orders(ctx):
            order_id = order["order_id"]
            if _address(ctx.final("orders", order_id)["address"]) not in wanted:
                what = Notice("rule.order_address", "the address of {order}", order=order_id)
                yield sentence, what


def _asks_for_own(ctx: TaskContext, sentence: str) -> bool:
    """Whether the user's own address is what is to be changed, not where something is sent."""
    for start, end in words_of(ctx, "own_address").spans(sentence):
        if sentence[start:end].isascii():
            if not _TO.search(sentence[:start]):
                return True
        elif _OBJECT.match(sentence[end:]):
            return True
    return False


def _is_there(ctx: TaskContext, wanted: Sequence[Json]) -> bool:
    """Whether the profile has the address already that the gold actions give to orders."""
    return bool(wanted) and _address(ctx.user["address"]) in wanted


def _orders(ctx: TaskContext) -> Iterator[tuple[Text, str]]:
    """Orders named by number, or all open ones to be cancelled, that no gold action touches."""
    touched = {str(write.arguments.get("order_id")) for write in ctx.writes()}
    for kind, statuses in _STATUSES.items():
        for sentence, start in asking(ctx, kind):
            if find_word(ctx, "unsure", sentence.text):
                continue
            for match in _ORDER_ID.finditer(sentence.text):
                order_id = f"#W{match[0].lstrip('#w')}"
                is_open = _status(ctx, order_id) in statuses and order_id in ctx.user["orders"]
                between = sentence.text[min(start, match.start()) : match.end()]
                if is_open and order_id not in touched and not find_word(ctx, "to", between):
                    yield sentence, order_id
    for sentence, _ in asking(ctx, "cancel"):
        if find_word(ctx, "all_orders", sentence.text):
            for order in _open_orders(ctx):
                if order["order_id"] not in touched:
                    yield sentence, str(order["order_id"])


def _items(ctx: TaskContext) -> Iterator[tuple[Text, str]]:
    """Items named by product that no gold action changes, cancels, returns or exchanges."""
    if find_word(ctx, "wavers", ctx.said):
        return
    if any(_decides(ctx, sentence) for sentence in ctx.sentences):
        return
    dealt_with = {product for write in ctx.writes() for product in _products_of(write)}
    for kind, statuses in _STATUSES.items():
        held = _held(ctx, statuses, dealt_with)
        for sentence, start in asking(ctx, kind) if held else ():
            asked = _ASIDE.sub(" ", _object(ctx, sentence.text, start))
            if find_word(ctx, "not", asked):
                continue
            for product_id, name in held.items():
                pattern = ctx.facts.product_patterns.get(product_id)
                if not pattern or not pattern.search(asked):
                    continue
                if not _names_another_product(ctx, asked):
                    yield sentence, name


def _decides(ctx: TaskContext, sentence: str) -> bool:
    """Whether a condition is about a change, or about what can be had."""
    if not is_conditional(ctx, sentence):
        return False
    return any(find_word(ctx, topic, sentence) for topic in (*CHANGES, "available", "possible"))


def _object(ctx: TaskContext, sentence: str, start: int) -> str:
    """The part of a sentence that says what is to be changed: after an English verb, before others.

    "Change it" speaks of what stands before.
    """
    beside = words_of(ctx, "beside")
    if not sentence[start].isascii():
        ends = [end for _, end in beside.spans(sentence[:start])]
        return sentence[max(ends, default=0) : start]
    asked = sentence[start:]
    if span := beside.first(asked):
        asked = asked[: span[0]]
    return sentence if _PRONOUN.match(asked) else asked


def _held(ctx: TaskContext, statuses: Sequence[str], dealt_with: Set[str]) -> dict[str, str]:
    """Product id and name of items in the user's orders of some statuses, but for some products."""
    return {
        str(item["product_id"]): str(item["name"])
        for order_id in ctx.user["orders"]
        if _status(ctx, order_id) in statuses
        for item in ctx.initial("orders", order_id)["items"]
        if item["product_id"] not in dealt_with
    }


def _names_another_product(ctx: TaskContext, asked: str) -> bool:
    """Whether a product is named that the user does not have: an item cannot become one."""
    orders = (ctx.initial("orders", order_id) for order_id in ctx.user["orders"])
    owned = {str(item["product_id"]) for order in orders if order for item in order["items"]}
    patterns = ctx.facts.product_patterns
    return any(key not in owned and pattern.search(asked) for key, pattern in patterns.items())


def _products_of(write: GoldStep) -> Iterator[str]:
    """Products of the items that a gold action names; of the whole order if it cancels it."""
    order = write.before("orders", write.arguments.get("order_id")) or {}
    named = write.arguments.get("item_ids")
    for item in order.get("items", ()):
        if write.step.name == "cancel_pending_order" or item["item_id"] in (named or ()):
            yield item["product_id"]


def _open_orders(ctx: TaskContext) -> Iterator[Json]:
    for order_id in ctx.user["orders"]:
        if _status(ctx, order_id) == "pending":
            yield ctx.initial("orders", order_id)


def _status(ctx: TaskContext, order_id: str) -> str:
    order = ctx.initial("orders", order_id) or {}
    return ctx.facts.source_word("order_status", order.get("status"))


def _address(record: Json) -> Json:
    """What of a record is an address that a parcel needs."""
    return {field: record.get(field) for field in ("address1", "address2", "city", "zip")}
