"""Retail policy: status of orders, new items, price differences, who owns what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from review_app.core.validity.amounts import balance
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.core.validity.texts import folded, look_for
from review_app.json_types import Json
from review_app.notices import Notice

RETAIL = ("retail",)
ITEM_TOOLS = ("exchange_delivered_order_items", "modify_pending_order_items")
_NEAR = 250
"""So many characters before "the same item" its name is looked for."""
_STEM = 5
_STATUSES: Mapping[str, tuple[str, ...]] = {
    "cancel_pending_order": ("pending",),
    "modify_pending_order_items": ("pending",),
    "modify_pending_order_address": ("pending", "pending (item modified)"),
    "modify_pending_order_payment": ("pending", "pending (item modified)"),
    "return_delivered_order_items": ("delivered",),
    "exchange_delivered_order_items": ("delivered",),
}


@rule(
    "RET-01", "error", "{tool} needs an order that is {wanted}; {order} is {status}", domains=RETAIL
)
def order_status_wrong(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action on an order whose status, at that moment, does not allow it.

    Flags: an exchange of an order that is still pending, even if a valid modification follows
        (retail 64).
    Passes: an exchange of a delivered order.
    Precision: 1 of 1 on the real tasks.
    Source: retail policy; Table 10, retail 64.
    """
    for write in ctx.writes(*_STATUSES):
        order = _order(write)
        wanted = _STATUSES[write.step.name]
        status = ctx.facts.source_word("order_status", order.get("status"))
        if order and status not in wanted:
            yield RuleFault(
                write.argument("order_id"),
                tool=write.step.name,
                wanted=wanted[0],
                order=order["order_id"],
                status=status,
            )


@rule("RET-02", "error", "the items of {order} are changed again; once is allowed", domains=RETAIL)
def items_changed_twice(ctx: TaskContext) -> Iterator[RuleFault]:
    """Two gold exchanges, or two modifications of items, of one order.

    Flags: two calls of `exchange_delivered_order_items` for one order.
    Passes: one call with all items; an address changed before the items.
    Precision: finds nothing in the real tasks.
    Source: retail policy, generic action rules.
    """
    seen: set[tuple[str, Any]] = set()
    for write in ctx.writes(*ITEM_TOOLS):
        call = (write.step.name, write.arguments.get("order_id"))
        if call in seen:
            yield RuleFault(write.argument("order_id"), order=call[1])
        seen.add(call)


@rule("RET-03", "error", "{method} holds {held}; the difference is {difference}", domains=RETAIL)
def balance_too_small(ctx: TaskContext) -> Iterator[RuleFault]:
    """The gift card of a gold action does not cover what it has to pay.

    Flags: an exchange that costs more than the gift card holds (retail 105).
    Passes: one that costs less, or a credit card.
    Precision: 1 of 1 on the real tasks.
    Source: retail policy; Table 10, retail 105.
    """
    for write in ctx.writes(*ITEM_TOOLS, "modify_pending_order_payment"):
        order, method = _order(write), _method(write)
        held = balance(method) if method else None
        cost = _cost(ctx, write, order) if order else None
        if held is not None and cost is not None and cost > held:
            chosen = write.arguments["payment_method_id"]
            place = write.argument("payment_method_id")
            yield RuleFault(place, method=chosen, held=held, difference=cost)


@rule("RET-04", "error", "{item} {problem}", domains=RETAIL)
def new_item_not_to_be_had(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action changes an item into one that is sold out, of another product, or unknown.

    Flags: a patch that swaps in an unavailable item.
    Passes: an available variant of the same product.
    Precision: finds nothing in the real tasks.
    Source: retail policy; Table 10, retail 105 and 110.
    """
    for write in ctx.writes(*ITEM_TOOLS):
        for at, old, new in _swaps(write):
            problem = _problem(ctx, old, new)
            if problem:
                yield RuleFault((*write.argument("new_item_ids"), at), item=new, problem=problem)


@rule("RET-05", "error", "{item} is exchanged for itself, which the policy forbids", domains=RETAIL)
def same_item_forbidden(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold exchange for the same item under a profile that forbids it.

    Flags: old and new item equal, profile `forbidden`.
    Passes: the same under `allowed`; another variant.
    Precision: finds nothing in the real tasks.
    Source: retail policy, exchange; Table 10, retail 18, 91, 107.
    """
    if ctx.facts.profile.same_item_exchange == "forbidden":
        yield from _same_items(ctx)


@rule("RET-06", "warning", "{item} is exchanged for itself; the policy is silent", domains=RETAIL)
def same_item_unspecified(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold exchange for the same item under a profile that leaves it open.

    Flags: old and new item equal, profile `unspecified`.
    Passes: the same under `allowed`; another variant.
    Precision: finds nothing in the real tasks.
    Source: Table 10, retail 18, 91, 107.
    """
    if ctx.facts.profile.same_item_exchange == "unspecified":
        yield from _same_items(ctx)


@rule("RET-07", "warning", "the user asks for {item} again and gets {new}", domains=RETAIL)
def same_item_refused(ctx: TaskContext) -> Iterator[RuleFault]:
    """The user asks for the same item, it is available and may be had, and the gold gives another.

    Flags: "exchange for the same item", gold takes another variant, profile `allowed` or
        `unspecified`.
    Passes: profile `forbidden`; the same item sold out.
    Precision: 3 of 3 on the real tasks.
    Source: Table 10, retail 18, 91, 107: the refusal is not stated in the policy.
    """
    if ctx.facts.profile.same_item_exchange == "forbidden":
        return
    for write in ctx.writes("exchange_delivered_order_items"):
        for at, old, new in _swaps(write):
            item = str(old.get("item_id"))
            known = ctx.facts.items.get(item)
            if item != new and known and known[1]["available"] and _asks_again(ctx, old):
                yield RuleFault((*write.argument("new_item_ids"), at), item=item, new=new)


@rule("RET-08", "error", "{order} is an order of {owner}, not of {user}", domains=RETAIL)
def order_of_another_user(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action changes an order that the user of the task does not own.

    Flags: the order of another user.
    Passes: an order of the user whom the instructions name.
    Precision: finds nothing in the real tasks.
    Source: retail policy: one user per conversation.
    """
    for write in ctx.writes():
        order = _order(write)
        if order and ctx.user_id and order["user_id"] != ctx.user_id:
            yield RuleFault(
                write.argument("order_id"),
                order=order["order_id"],
                owner=order["user_id"],
                user=ctx.user_id,
            )


@rule("RET-09", "error", "{order} holds {held} of {item}; {named} are named", domains=RETAIL)
def item_not_in_order(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action names an item that the order does not hold, or not so often.

    Flags: an item of another order.
    Passes: items of the order, each as often as it was bought.
    Precision: finds nothing in the real tasks.
    Source: tools of the domain.
    """
    for write in ctx.writes(*ITEM_TOOLS, "return_delivered_order_items"):
        order, named = _order(write), write.arguments["item_ids"]
        held = [item["item_id"] for item in order.get("items", ())]
        for at, item in enumerate(named):
            if order and named.index(item) == at and named.count(item) > held.count(item):
                yield RuleFault(
                    (*write.argument("item_ids"), at),
                    order=order["order_id"],
                    held=held.count(item),
                    item=item,
                    named=named.count(item),
                )


@rule(
    "RET-10",
    "warning",
    "{new} changes {option}, which nobody asked for; {other} keeps it",
    domains=RETAIL,
)
def new_item_not_singled_out(ctx: TaskContext) -> Iterator[RuleFault]:
    """Another available variant has all that was asked for and is nearer to the old item.

    Flags: a black 4K waterproof camera where a silver one is available, the old one is silver, and
        no colour was asked for (retail 64).
    Passes: the instructions name the option or its value, or let the price decide.
    Precision: 1 of 1 on the real tasks.
    Source: Table 10, retail 64.
    """
    for write in ctx.writes(*ITEM_TOOLS):
        for at, old, new in _swaps(write) if write.step.ok else ():
            nearer = _nearer(ctx, old, new)
            if nearer and not ctx.mentions("by_price"):
                option, other = nearer
                place = (*write.argument("new_item_ids"), at)
                yield RuleFault(place, new=new, option=option, other=other)


def _order(write: GoldStep) -> Json:
    return write.before("orders", write.arguments.get("order_id")) or {}


def _method(write: GoldStep) -> Json:
    user = write.before("users", _order(write).get("user_id")) or {}
    return user.get("payment_methods", {}).get(write.arguments.get("payment_method_id")) or {}


def _swaps(write: GoldStep) -> Iterator[tuple[int, Json, str]]:
    """Index, the item of the order (empty if it holds none such), id of the new one."""
    items = {item["item_id"]: item for item in _order(write).get("items", ())}
    pairs = zip(write.arguments["item_ids"], write.arguments["new_item_ids"], strict=False)
    for at, (old, new) in enumerate(pairs):
        yield at, items.get(old, {}), str(new)


def _cost(ctx: TaskContext, write: GoldStep, order: Json) -> Decimal | None:
    """What a gold action has to pay; None if it cannot be said."""
    if write.step.name == "modify_pending_order_payment":
        return Decimal(str(order["payment_history"][0]["amount"]))
    cost = Decimal(0)
    for _, old, new in _swaps(write):
        known = ctx.facts.items.get(new)
        if not old or known is None:
            return None
        cost += Decimal(str(known[1]["price"])) - Decimal(str(old["price"]))
    return cost


def _problem(ctx: TaskContext, old: Json, new: str) -> Notice | None:
    known = ctx.facts.items.get(new)
    if known is None:
        return Notice("rule.no_item", "is no item")
    product_id, variant = known
    if old and product_id != old["product_id"]:
        return Notice("rule.other_product", "is no {product}", product=str(old["name"]))
    return None if variant["available"] else Notice("rule.sold_out", "is not available")


def _same_items(ctx: TaskContext) -> Iterator[RuleFault]:
    for write in ctx.writes("exchange_delivered_order_items"):
        for at, old, new in _swaps(write):
            if old.get("item_id") == new:
                yield RuleFault((*write.argument("new_item_ids"), at), item=new)


def _asks_again(ctx: TaskContext, item: Json) -> bool:
    """Whether the user, having just named an item, wants the very same one.

    "The same but with another colour" is another one.
    """
    words = look_for(ctx.facts.profile.words.get("same_item", ()))
    name = [word for word in folded(str(item.get("name", ""))).split() if len(word) > 2]
    for start, end in words.spans(ctx.said):
        before = ctx.said[max(0, start - _NEAR) : start]
        other = re.match(r"\s(?:but|with|except)\b", ctx.said[end:])
        if not other and any(word in before for word in name):
            return True
    return False


def _nearer(ctx: TaskContext, old: Json, new: str) -> tuple[str, str] | None:
    """The option changed without being asked for, and the item that keeps it."""
    known = ctx.facts.items.get(new)
    if not old or known is None:
        return None
    product_id, variant = known
    changed = {
        name for name, value in variant["options"].items() if old["options"].get(name) != value
    }
    unasked = {name for name in changed if not _is_asked(ctx, name, variant["options"][name])}
    if not unasked:
        return None
    for other in ctx.facts.table("products")[product_id]["variants"].values():
        if not other["available"] or other["item_id"] in (new, old["item_id"]):
            continue
        differing = {n for n, v in other["options"].items() if v != variant["options"].get(n)}
        kept = {n for n in differing if other["options"][n] == old["options"].get(n)}
        if differing and differing == kept and differing <= unasked:
            return min(differing), str(other["item_id"])
    return None


def _is_asked(ctx: TaskContext, name: str, value: str) -> bool:
    said = ctx.said
    wanted = folded(value)
    if re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", said):
        return True
    if any(word[:_STEM] in said for word in folded(name).split()):
        return True
    digits = re.findall(r"\d+(?:\.\d+)?", wanted)
    return any(re.search(rf"(?<!\d){re.escape(digit)}(?!\d)", said) for digit in digits)
