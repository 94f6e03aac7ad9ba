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
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return is_list or isinstance(value, str)


def _owner(database: Json, arguments: Json) -> Json | None:
    """The user of an action, by its own arguments."""
    for name, table in (("order_id", "orders"), ("reservation_id", "reservations")):
        holder = _by_id(database.get(table)).get(str(arguments.get(name)), {})
        if "user_id" in holder:
            arguments = {"user_id": holder["user_id"], **arguments}
    found: Json | None = _by_id(database.get("users")).get(str(arguments.get("user_id")))
    return found


def _named(database: Json, task: Json) -> Iterator[Json]:
    words = set(_WORD.findall(json.dumps(task, ensure_ascii=False)))
    held = [
        each.get("user_id")
        for table in ("orders", "reservations")
        for key, each in _by_id(database.get(table)).items()
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
    listed = [each for each in table or () if isinstance(each, dict) and each]
    return {str(next(iter(each.values()))): each for each in listed}


# -- by argument -------------------------------------------------------------------------------


def _user(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in desk.users:
        name = user.get("name", {})
        yield user.get("user_id", ""), " ".join(map(str, name.values()))


def _orders(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    orders = desk.table("orders")
    for user in desk.users:
        for number in user.get("orders", ()):
            order = orders.get(number, {})
            named = ", ".join(str(item.get("name")) for item in order.get("items", ()))
            yield number, f"{order.get('status', '?')}: {named}"


def _reservations(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = desk.table("reservations")
    for user in desk.users:
        for number in user.get("reservations", ()):
            one = known.get(number, {})
            day = next((flight.get("date") for flight in one.get("flights", ())), "")
            yield number, f"{one.get('origin')} {one.get('destination')} {one.get('cabin')} {day}"


def _payments(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in desk.users:
        methods = user.get("payment_methods", {})
        for key, method in methods.items() if isinstance(methods, dict) else ():
            said = [
                method.get(name) for name in ("source", "brand", "last_four", "amount", "balance")
            ]
            yield key, " ".join(str(each) for each in said if each is not None)


def _items(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    order = desk.table("orders").get(str(desk.arguments.get("order_id")), {})
    for item in order.get("items", ()):
        yield str(item.get("item_id")), _item(item)


def _new_items(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    """Yield what is in stock of the products of the items that are given back."""
    order = desk.table("orders").get(str(desk.arguments.get("order_id")), {})
    given = desk.arguments.get("item_ids") or ()
    products, known = desk.table("products"), order.get("items", ())
    wanted = [item for item in known if item.get("item_id") in given] or known
    for name in dict.fromkeys(item.get("product_id") for item in wanted):
        product = products.get(str(name), {})
        for key, variant in product.get("variants", {}).items():
            if variant.get("available"):
                yield str(key), _item({"name": product.get("name"), **variant})


def _item(item: Json) -> str:
    options = ", ".join(str(value) for value in item.get("options", {}).values())
    return f"{item.get('name')} ({options}) {item.get('price')}"


def _products(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    for key, product in desk.table("products").items():
        yield key, str(product.get("name"))


def _customers(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    for user in desk.users:
        yield str(user.get("customer_id")), str(user.get("full_name"))


def _lines(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = desk.table("lines")
    for user in desk.users:
        for number in user.get("line_ids", ()):
            line = known.get(number, {})
            yield number, f"{line.get('phone_number')} {line.get('status')}"


def _bills(desk: ArgumentContext) -> Iterator[tuple[str, str]]:
    known = desk.table("bills")
    for user in desk.users:
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
