"""Which amounts and counts the gold actions and the database lead to.

An amount is reachable if it stands in an output, in a record of the user or in the instructions, or
if it is a sum over amounts of one sort: prices of the items of an order, what the gold actions pay
and refund, balances, totals of the reservations that are left. Sums mix no sorts, or anything
would be reachable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any

from review_app.core.locale.amounts import numbers_in
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.facts import strings
from review_app.json_types import Json

LONGEST_SUM = 10
"""Sums are formed over so many amounts at most."""

_PARTS: Mapping[str, tuple[str, str]] = {
    "airline": ("reservations", "reservations"),
    "retail": ("orders", "orders"),
}
_CENT = Decimal("0.01")


class TaskAmounts:
    """The amounts and counts of one task."""

    def __init__(self, ctx: TaskContext) -> None:
        self._ctx = ctx
        self._facts = ctx.facts

    def stands(self, number: str) -> bool:
        """Whether a number stands somewhere: output, user's record, instruction, fee, earlier sum.

        It is in digits, as calculations have it. Small whole numbers always do: they count pieces.
        """
        value = Decimal(number)
        return (value == int(value) and value <= LONGEST_SUM) or self._is_there(value)

    def reachable(self, value: Decimal) -> bool:
        """Whether an amount is one of those, or a sum over amounts of one sort."""
        return self._is_there(value) or self.is_sum(value)

    def countable(self, value: Decimal) -> bool:
        """Whether a small number counts something that the task deals with, or is reachable."""
        return value in self.counts or self.is_sum(value) or float(value) in self._stated

    @cached_property
    def records(self) -> Sequence[tuple[Json, Json]]:
        """The user's reservations or orders: before and after the gold actions."""
        table, listed = _PARTS.get(self._facts.domain, ("", ""))
        if not table or not self._ctx.user_id:
            return ()
        user = self._ctx.final("users", self._ctx.user_id) or self._ctx.user
        pairs = [(self._ctx.initial(table, i), self._ctx.final(table, i)) for i in user[listed]]
        return [(before or after, after) for before, after in pairs if after]

    @cached_property
    def live_totals(self) -> Mapping[str, Decimal]:
        """Id -> what was paid for each reservation or order that is not cancelled at the end."""
        return {
            _id(after): self._net(after)
            for _, after in self.records
            if not self._is_cancelled(after) and not self._is_over(after)
        }

    @cached_property
    def cancelled_totals(self) -> Mapping[str, Decimal]:
        """Id -> what had been paid for each one that the gold actions cancel."""
        return {
            _id(before): self._net(before)
            for before, after in self.records
            if self._is_cancelled(after) and not self._is_cancelled(before)
        }

    def is_sum(self, value: Decimal) -> bool:
        """Whether an amount is a sum over amounts of one sort."""
        return hundredths(value) in self._sums

    @cached_property
    def _sums(self) -> frozenset[int]:
        sums: set[int] = set()
        for group in self._groups():
            sums |= subset_sums(group)
        return frozenset(map(abs, sums))

    @cached_property
    def counts(self) -> frozenset[Decimal]:
        """How many there are of what the task deals with: items, passengers, variants, bags."""
        lengths = {len(self.records)}
        for before, after in self.records:
            for record in (before, after):
                for value in record.values():
                    if isinstance(value, list):
                        lengths.add(len(value))
            lengths |= self._free_bags(after)
        for product in self.products:
            variants = product["variants"].values()
            lengths |= {len(variants), sum(1 for variant in variants if variant["available"])}
        return frozenset(Decimal(length) for length in lengths)

    @cached_property
    def _stated(self) -> frozenset[float]:
        """Numbers in the instructions and in the user's records, as JSON has them."""
        stated = set(map(float, numbers_in(self._ctx.said, self._facts.currency)))
        stated.update(numbers_of(self._ctx.user))
        for record in chain.from_iterable(self.records):
            stated.update(numbers_of(record))
        for product in self.products:
            stated |= {variant["price"] for variant in product["variants"].values()}
        if self._ctx.user_id:
            stated.update(numbers_of(self._ctx.final("users", self._ctx.user_id) or {}))
        return frozenset(stated)

    def _is_there(self, value: Decimal) -> bool:
        return value in self._facts.fees or self._is_output(value) or float(value) in self._stated

    def _is_output(self, value: Decimal) -> bool:
        """Whether a tool returned the number."""
        text = f"{value.normalize():f}"
        outputs = [step.step.output for step in self._ctx.steps if text in step.step.output]
        if not outputs:
            return False
        pattern = re.compile(rf"(?<![\d.]){re.escape(text)}(?!\d)(?!\.0*[1-9])")
        return any(pattern.search(output) for output in outputs)

    def _groups(self) -> Iterator[Sequence[Decimal]]:
        yield list(self.live_totals.values())
        yield list(self.cancelled_totals.values())
        effects = [self._effects(write) for write in self._ctx.writes() if write.step.ok]
        yield [sum(effect, Decimal(0)) for effect in effects]
        yield [amount for effect in effects for amount in effect]
        yield from self._balances()
        yield from self._booked()
        for before, after in self.records:
            for record in (before, after):
                yield from _prices(record)
        yield from self._by_product()

    def _balances(self) -> Iterator[Sequence[Decimal]]:
        final = self._ctx.final("users", self._ctx.user_id or "") or {}
        for user in (self._ctx.user, final):
            by_source: dict[str, list[Decimal]] = {}
            for method in user.get("payment_methods", {}).values():
                held = balance(method)
                if held is not None:
                    by_source.setdefault(str(method["source"]), []).append(held)
            yield from by_source.values()

    def _booked(self) -> Iterator[Sequence[Decimal]]:
        """What the gold bookings charge to each payment method."""
        charged: dict[str, list[Decimal]] = {}
        for write in self._ctx.writes("book_reservation"):
            for payment in write.arguments.get("payment_methods", ()):
                amount = Decimal(str(payment["amount"]))
                charged.setdefault(str(payment["payment_id"]), []).append(amount)
        yield from charged.values()

    def _by_product(self) -> Iterator[Sequence[Decimal]]:
        """Prices of all items of a product that the user has, and what the cheapest would save."""
        held: dict[str, list[Decimal]] = {}
        saved: list[Decimal] = []
        for before, _ in self.records:
            for item in before.get("items", ()):
                price = Decimal(str(item["price"]))
                held.setdefault(item["product_id"], []).append(price)
                variants = self._facts.table("products")[item["product_id"]]["variants"].values()
                prices = [Decimal(str(v["price"])) for v in variants if v["available"]]
                if prices:
                    saved.append(price - min(prices))
        yield from held.values()
        for start in range(0, len(saved), LONGEST_SUM):
            yield saved[start : start + LONGEST_SUM]

    @cached_property
    def products(self) -> Sequence[Json]:
        """Products that the gold actions look up, the user has, or the instructions name."""
        products = self._facts.table("products")
        ids = {step.arguments.get("product_id") for step in self._ctx.steps}
        ids |= {
            item["product_id"] for before, _ in self.records for item in before.get("items", ())
        }
        said = self._ctx.said.replace("-", "").replace(" ", "")
        ids |= {i for name, i in self._facts.products_by_name.items() if name in said}
        return [
            products[product_id] for product_id in sorted(map(str, ids)) if product_id in products
        ]

    def _free_bags(self, record: Json) -> set[int]:
        membership = self._facts.source_word("membership", self._ctx.user.get("membership"))
        cabin = self._facts.source_word("cabin", record.get("cabin"))
        free = self._facts.profile.free_bags.get(membership, {}).get(cabin)
        return set() if free is None else {free, free * len(record["passengers"])}

    def _is_cancelled(self, record: Json) -> bool:
        field = {"airline": "reservation_status", "retail": "order_status"}[self._facts.domain]
        return bool(record.get("status") == self._facts.word(field, "cancelled"))

    def _is_over(self, record: Json) -> bool:
        """Whether a trip is not ahead of the policy's present moment."""
        dates = [flight["date"] for flight in record.get("flights", ())]
        return bool(dates) and bool(min(dates) < self._facts.profile.now[:10])

    def _net(self, record: Json) -> Decimal:
        """What was paid and not refunded."""
        return sum((self._paid(payment) for payment in record["payment_history"]), Decimal(0))

    def _paid(self, payment: Json) -> Decimal:
        """A payment; negative if it is a refund."""
        amount = Decimal(str(payment["amount"])).quantize(_CENT)
        kind = self._facts.source_word("transaction_type", payment.get("transaction_type"))
        return -amount if kind == "refund" else amount

    def _effects(self, write: GoldStep) -> list[Decimal]:
        """What a write pays (positive) and refunds (negative)."""
        effects: list[Decimal] = []
        for table, key in (path for path in write.step.touched[0] if len(path) == 2):
            if table not in ("reservations", "orders"):
                continue
            before, after = write.before(table, key), write.after(table, key)
            old = len(before["payment_history"]) if before else 0
            effects += [self._paid(payment) for payment in after["payment_history"][old:]]
            if before and after.get("exchange_price_difference") is not None:
                effects.append(Decimal(str(after["exchange_price_difference"])))
            if before and after.get("return_items"):
                effects += [-price for price in _prices_of(before["items"], after["return_items"])]
        return effects


def amounts(ctx: TaskContext) -> TaskAmounts:
    """The amounts and counts that the gold actions and the database lead to."""
    return ctx.once(TaskAmounts)


def about_user(ctx: TaskContext, *, gold: bool) -> Iterator[str]:
    """Texts about the user: the instructions and the user's records.

    Args:
        ctx: The task.
        gold: Also what the gold actions say, return and leave behind.
    """
    yield ctx.instruction
    for step in ctx.steps if gold else ():
        yield step.step.output
        yield from strings(step.arguments)
    yield from strings(ctx.user)
    yield from ctx.user.get("payment_methods", ())
    for before, after in amounts(ctx).records:
        yield from strings(before)
        if gold:
            yield from strings(after)


def numbers_of(value: Any) -> Iterator[float]:
    """Every number inside a plain JSON value."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from numbers_of(member)
    elif isinstance(value, list):
        for member in value:
            yield from numbers_of(member)


def balance(method: Json) -> Decimal | None:
    """What a payment method holds; None for one without a balance."""
    held = method.get("balance", method.get("amount"))
    return None if held is None else Decimal(str(held))


def subset_sums(group: Sequence[Decimal]) -> set[int]:
    """Every sum of some amounts of a group, in hundredths; of long groups each one and the total.

    Example:
        [1, 2.50] -> {0, 100, 250, 350}
    """
    parts = [hundredths(amount) for amount in group]
    if len(parts) > LONGEST_SUM:
        return {0, *parts, sum(parts)}
    sums = {0}
    for part in parts:
        sums |= {partial + part for partial in sums}
    return sums


def hundredths(amount: Decimal) -> int:
    """An amount as a whole number of hundredths, which are much faster to add."""
    return int(amount * 100)


def _id(record: Json) -> str:
    return str(record.get("reservation_id") or record.get("order_id"))


def _prices_of(items: Iterable[Json], chosen: Iterable[str]) -> Iterator[Decimal]:
    left = list(items)
    for item_id in chosen:
        for item in left:
            if item["item_id"] == item_id:
                left.remove(item)
                yield Decimal(str(item["price"]))
                break


def _prices(record: Json) -> Iterator[Sequence[Decimal]]:
    """Prices of an order's items; of a trip's segments for one and for all passengers."""
    if "items" in record:
        yield [Decimal(str(item["price"])) for item in record["items"]]
    if "flights" in record:
        prices = [Decimal(str(flight["price"])) for flight in record["flights"]]
        yield prices
        yield [price * len(record["passengers"]) for price in prices]
