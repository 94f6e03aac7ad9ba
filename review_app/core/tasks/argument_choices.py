"""What an argument of a gold action can be, from the database: the user's own orders, and so on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from review_app.json_types import Json

Picks = dict[str, str]
"""Value -> what it is, for people: `credit_card_1` -> `credit_card visa 3391`."""

_WORD = re.compile(r"#?\w[\w-]*")


@dataclass(frozen=True, slots=True)
class ArgumentContext:
    """What is known while an argument is chosen."""

    database: Json
    users: tuple[Json, ...]
    """Users or customers that the action is about."""
    arguments: Json
    """Of the same action: texts, and lists of texts."""

    def table(self, name: str) -> Json:
        """The records of a table by id."""
        return _by_id(self.database.get(name))


class Picker:
    """Pick lists for the gold actions of one task.

    Args:
        database: The agent's, as plain JSON.
        task: Raw task; tells the user.
    """

    def __init__(self, database: Json, task: Json) -> None:
        self.database, self.task = database, task

    @cached_property
    def _named(self) -> tuple[Json, ...]:
        """Everybody whom the task names, by id, by an order or by a phone number."""
        return tuple(_named(self.database, self.task))

    def picks(self, arguments: Json, name: str) -> Picks:
        """The values that an argument of this name can have; empty if anything goes.

        Args:
            arguments: Of the same action: an order's items depend on the order.
            name: Of the argument: `order_id`, `payment_id`, `new_item_ids`, …

        Example:
            "payment_method_id" -> {"gift_card_1": "gift_card 55.0", "paypal_2": "paypal"}
        """
        find = _SOURCES.get(name)
        if find is None:
            return {}
        given = {key: value for key, value in arguments.items() if _is_plain(value)}
        owner = _owner(self.database, given)
        users = (owner,) if owner else self._named
        return dict(find(ArgumentContext(self.database, users, given)))


def _is_plain(value: Any) -> bool:
    is_list = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
    return is_list or isinstance(value, str)


def _owner(database: Json, arguments: Json) -> Json | None:
    """The user of an action, by its own arguments."""
    for name, table in (("order_id", "orders"), ("reservation_id", "reservations")):
        holder = _by_id(database.get(table)).get(str(arguments.get(name)), {})
        if "user_id" in holder:
            arguments = {"user_id": holder["user_id"], **arguments}
    user: Json | None = _by_id(database.get("users")).get(str(arguments.get("user_id")))
    return user


def _named(database: Json, task: Json) -> Iterator[Json]:
    words = set(_WORD.findall(json.dumps(task, ensure_ascii=False)))
    held = [
        record.get("user_id")
        for table in ("orders", "reservations")
        for key, record in _by_id(database.get(table)).items()
        if key in words
    ]
    for key, user in _by_id(database.get("users")).items():
        if key in words or key in held:
            yield user
    for customer in _by_id(database.get("customers")).values():
        names = set(str(customer.get("full_name", "")).split())
        known = {customer.get("customer_id"), customer.get("phone_number")}
        if words & known or (names and names <= words):
            yield customer


def _by_id(table: Any) -> Json:
    if isinstance(table, dict):
        return table
    records = [record for record in table or () if isinstance(record, dict) and record]
    return {str(next(iter(record.values()))): record for record in records}


# -- by argument -------------------------------------------------------------------------------


def _user(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in context.users:
        name = user.get("name", {})
        yield user.get("user_id", ""), " ".join(map(str, name.values()))


def _orders(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    orders = context.table("orders")
    for user in context.users:
        for number in user.get("orders", ()):
            order = orders.get(number, {})
            named = ", ".join(str(item.get("name")) for item in order.get("items", ()))
            yield number, f"{order.get('status', '?')}: {named}"


def _reservations(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = context.table("reservations")
    for user in context.users:
        for number in user.get("reservations", ()):
            booked = known.get(number, {})
            day = next((flight.get("date") for flight in booked.get("flights", ())), "")
            said = " ".join(str(booked.get(name)) for name in ("origin", "destination", "cabin"))
            yield number, f"{said} {day}"


def _payments(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in context.users:
        methods = user.get("payment_methods", {})
        for key, method in methods.items() if isinstance(methods, dict) else ():
            names = ("source", "brand", "last_four", "amount", "balance")
            said = [str(method[name]) for name in names if method.get(name) is not None]
            yield key, " ".join(said)


def _items(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    order = context.table("orders").get(str(context.arguments.get("order_id")), {})
    for item in order.get("items", ()):
        yield str(item.get("item_id")), _item(item)


def _new_items(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    """Yield what is in stock of the products of the items that are given back."""
    order = context.table("orders").get(str(context.arguments.get("order_id")), {})
    given = context.arguments.get("item_ids") or ()
    products, known = context.table("products"), order.get("items", ())
    wanted = [item for item in known if item.get("item_id") in given] or known
    for name in dict.fromkeys(item.get("product_id") for item in wanted):
        product = products.get(str(name), {})
        for key, variant in product.get("variants", {}).items():
            if variant.get("available"):
                yield str(key), _item({"name": product.get("name"), **variant})


def _item(item: Json) -> str:
    options = ", ".join(str(value) for value in item.get("options", {}).values())
    return f"{item.get('name')} ({options}) {item.get('price')}"


def _products(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    for key, product in context.table("products").items():
        yield key, str(product.get("name"))


def _customers(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in context.users:
        yield str(user.get("customer_id")), str(user.get("full_name"))


def _lines(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = context.table("lines")
    for user in context.users:
        for number in user.get("line_ids", ()):
            line = known.get(number, {})
            yield number, f"{line.get('phone_number')} {line.get('status')}"


def _bills(context: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = context.table("bills")
    for user in context.users:
        for number in user.get("bill_ids", ()):
            bill = known.get(number, {})
            yield number, f"{bill.get('status')} {bill.get('total_due')} {bill.get('due_date')}"


_SOURCES: Mapping[str, Callable[[ArgumentContext], Iterator[tuple[str, str]]]] = {
    "user_id": _user,
    "order_id": _orders,
    "reservation_id": _reservations,
    "payment_id": _payments,
    "payment_method_id": _payments,
    "item_ids": _items,
    "new_item_ids": _new_items,
    "product_id": _products,
    "customer_id": _customers,
    "line_id": _lines,
    "bill_id": _bills,
}
