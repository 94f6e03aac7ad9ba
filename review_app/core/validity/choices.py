"""Which payment method a gold action chooses, and whether the instructions determine it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from review_app.core.validity.amounts import balance
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.texts import look_for
from review_app.json_types import Json, JsonPath

Direction = Literal["charge", "refund"]


@dataclass(frozen=True, slots=True)
class PaymentChoice:
    """One payment method that a gold action chooses."""

    pointer: JsonPath
    chosen: str
    eligible: Mapping[str, Json]
    """What could have been chosen as well, the chosen one among them."""
    direction: Direction
    original: frozenset[str]
    """Methods with which the reservation or order was paid."""
    named: tuple[str, ...] = ()
    """Other eligible methods that the instructions name by id, digits or brand."""


def undetermined(ctx: TaskContext) -> Sequence[PaymentChoice]:
    """Choices of the gold actions that the instructions do not determine."""
    return ctx.once(_undetermined)


def _undetermined(ctx: TaskContext) -> Sequence[PaymentChoice]:
    return list(_find_undetermined(ctx))


def _find_undetermined(ctx: TaskContext) -> Iterator[PaymentChoice]:
    for write in ctx.writes():
        for choice in _choices(ctx, write) if write.step.ok else ():
            if not is_singled_out(ctx, choice):
                others = [method_id for method_id in choice.eligible if method_id != choice.chosen]
                named = [other for other in others if _is_named(ctx, choice, other)]
                yield replace(choice, named=tuple(named))


# -- what the instructions say -------------------------------------------------------------------


def is_singled_out(ctx: TaskContext, choice: PaymentChoice) -> bool:
    """Whether the instructions leave only the chosen method, or the rules of the tools do."""
    if len(choice.eligible) <= 1 or _is_named(ctx, choice, choice.chosen):
        return True
    if _is_told_by_balance(ctx, choice.eligible[choice.chosen]):
        return True
    if choice.chosen in choice.original and _says_original(ctx, choice.direction):
        return True
    return _is_only_of_its_sort(ctx, choice)


def _is_named(ctx: TaskContext, choice: PaymentChoice, method_id: str) -> bool:
    """By id, by last digits, or by a brand that no other eligible card has."""
    method = choice.eligible[method_id]
    last_four = str(method.get("last_four", ""))
    if method_id.lower() in ctx.said or (last_four and _number(last_four).search(ctx.said)):
        return True
    brand = str(method.get("brand", ""))
    alike = [other for other in choice.eligible.values() if other.get("brand", "") == brand]
    return bool(brand) and len(alike) == 1 and ctx.mentions(brand)


def _is_told_by_balance(ctx: TaskContext, method: Json) -> bool:
    """By a sentence that names its type and what it holds: "the 500 dollar certificate"."""
    held = balance(method)
    if not held:
        return False
    amount = _number(f"{held.normalize():f}")
    kind = look_for(ctx.facts.profile.words.get(_kind(ctx, method), ()))
    return any(kind.first(sentence) and amount.search(sentence) for sentence in ctx.sentences)


def _is_only_of_its_sort(ctx: TaskContext, choice: PaymentChoice) -> bool:
    """By its type where no other is of that type, or where "the other" or what it holds decides.

    What has no balance, as a credit card, is neither the larger nor the smaller one.
    """
    kind = _kind(ctx, choice.eligible[choice.chosen])
    alike = {
        method_id: method
        for method_id, method in choice.eligible.items()
        if _kind(ctx, method) == kind
    }
    if not ctx.mentions(kind):
        return False
    if len(alike) == 1:
        return True
    if ctx.mentions("other") and set(alike) - choice.original == {choice.chosen}:
        return True
    held = [amount for method in alike.values() if (amount := balance(method)) is not None]
    chosen = balance(choice.eligible[choice.chosen])
    if chosen is None:
        return False
    return (ctx.mentions("smaller") and chosen == min(held)) or (
        (ctx.mentions("larger") or ctx.mentions("all")) and chosen == max(held)
    )


def _says_original(ctx: TaskContext, direction: Direction) -> bool:
    words = ctx.facts.profile.words
    original, pay, refund = (
        look_for(words.get(topic, ())) for topic in ("original", "pay", "refund")
    )
    for sentence in ctx.sentences:
        spans = list(original.spans(sentence))
        if spans:
            rest = sentence
            for start, end in reversed(spans):
                rest = f"{rest[:start]} {rest[end:]}"
            pays, refunds = pay.first(rest), refund.first(rest)
            if pays and not refunds and direction == "refund":
                continue
            if refunds and not pays and direction == "charge":
                continue
            return True
    return False


def _kind(ctx: TaskContext, method: Json) -> str:
    return ctx.facts.source_word("payment_source", method.get("source"))


@lru_cache(maxsize=1024)
def _number(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.]){re.escape(text)}(?!\.?\d)")


# -- what the tools would have taken -------------------------------------------------------------


def _choices(ctx: TaskContext, write: GoldStep) -> Sequence[PaymentChoice]:
    choose = _CHOICES.get(write.step.name)
    owner = owner_of(ctx, write)
    user = write.before("users", owner) if owner else None
    return choose(ctx, write, user["payment_methods"]) if choose and user else []


def _change(ctx: TaskContext, write: GoldStep, methods: Mapping[str, Json]) -> list[PaymentChoice]:
    """A changed reservation: a card or gift card, charged or refunded if the price differs."""
    key = write.arguments["reservation_id"]
    before, after = write.before("reservations", key), write.after("reservations", key)
    added = after["payment_history"][len(before["payment_history"]) :]
    if not added:
        return []
    price = Decimal(str(added[0]["amount"]))
    eligible = {
        method_id: method
        for method_id, method in methods.items()
        if _kind(ctx, method) != "certificate" and _covers(method, price)
    }
    original = frozenset(payment["payment_id"] for payment in before["payment_history"])
    return [_choice(write, "payment_id", eligible, price, original)]


def _booking(ctx: TaskContext, write: GoldStep, methods: Mapping[str, Json]) -> list[PaymentChoice]:
    """Each payment of a booking, beside the methods that the booking does not use."""
    payments = write.arguments["payment_methods"]
    used = {payment["payment_id"] for payment in payments}
    choices = []
    for at, payment in enumerate(payments):
        amount, chosen = Decimal(str(payment["amount"])), payment["payment_id"]
        eligible = {
            method_id: method
            for method_id, method in methods.items()
            if method_id == chosen or (method_id not in used and _covers(method, amount))
        }
        place = (*write.argument("payment_methods"), at, "payment_id")
        choices.append(
            PaymentChoice(
                pointer=place,
                chosen=chosen,
                eligible=eligible,
                direction="charge",
                original=frozenset(),
            )
        )
    return choices


def _exchange(
    ctx: TaskContext, write: GoldStep, methods: Mapping[str, Json]
) -> list[PaymentChoice]:
    """Changed items: any method that covers the difference; it is stored even if that is 0."""
    order_id = write.arguments["order_id"]
    before, after = write.before("orders", order_id), write.after("orders", order_id)
    price = sum((Decimal(str(item["price"])) for item in before["items"]), Decimal(0))
    difference = after.get("exchange_price_difference")
    if difference is None:
        payment = after["payment_history"][-1]
        kind = ctx.facts.source_word("transaction_type", payment["transaction_type"])
        difference = payment["amount"] * (-1 if kind == "refund" else 1)
    price = Decimal(str(difference))
    eligible = {
        method_id: method for method_id, method in methods.items() if _covers(method, price)
    }
    return [_choice(write, "payment_method_id", eligible, price, _original(before))]


def _return(ctx: TaskContext, write: GoldStep, methods: Mapping[str, Json]) -> list[PaymentChoice]:
    """A return: the method of the first payment or any gift card."""
    order = write.before("orders", write.arguments["order_id"])
    first = order["payment_history"][0]["payment_method_id"]
    eligible = {
        method_id: method
        for method_id, method in methods.items()
        if method_id == first or _kind(ctx, method) == "gift_card"
    }
    return [_choice(write, "payment_method_id", eligible, Decimal(-1), _original(order))]


def _repay(ctx: TaskContext, write: GoldStep, methods: Mapping[str, Json]) -> list[PaymentChoice]:
    """Another payment method for a whole order."""
    first = write.before("orders", write.arguments["order_id"])["payment_history"][0]
    amount, original = Decimal(str(first["amount"])), first["payment_method_id"]
    eligible = {
        method_id: method
        for method_id, method in methods.items()
        if method_id != original and _covers(method, amount)
    }
    return [_choice(write, "payment_method_id", eligible, amount, frozenset({original}))]


_CHOICES: Mapping[str, Any] = {
    "update_reservation_flights": _change,
    "update_reservation_baggages": _change,
    "book_reservation": _booking,
    "exchange_delivered_order_items": _exchange,
    "modify_pending_order_items": _exchange,
    "return_delivered_order_items": _return,
    "modify_pending_order_payment": _repay,
}


def _choice(
    write: GoldStep,
    name: str,
    eligible: Mapping[str, Json],
    price: Decimal,
    original: frozenset[str],
) -> PaymentChoice:
    direction: Direction = "charge" if price > 0 else "refund"
    return PaymentChoice(
        pointer=write.argument(name),
        chosen=str(write.arguments[name]),
        eligible=eligible,
        direction=direction,
        original=original,
    )


def _original(order: Json) -> frozenset[str]:
    return frozenset(payment["payment_method_id"] for payment in order["payment_history"])


def _covers(method: Json, amount: Decimal) -> bool:
    held = balance(method)
    return held is None or held >= amount


def owner_of(ctx: TaskContext, write: GoldStep) -> str | None:
    """Whose record a gold action changes, at that moment."""
    if isinstance(write.arguments.get("user_id"), str):
        return str(write.arguments["user_id"])
    for table, name in (("reservations", "reservation_id"), ("orders", "order_id")):
        record = write.before(table, write.arguments.get(name))
        if record:
            return str(record["user_id"])
    return None
