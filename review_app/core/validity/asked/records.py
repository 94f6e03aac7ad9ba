"""Records that the instructions describe: one of several alike, or another user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from review_app.core.validity.asked.sentences import CHANGES, asking, find_word
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, all_of, rule
from review_app.core.validity.texts import days_in, folded
from review_app.json_types import Json

_ITEM_TOOLS = (
    "return_delivered_order_items",
    "exchange_delivered_order_items",
    "modify_pending_order_items",
)
_TRIP_TOOLS = (
    "cancel_reservation",
    "update_reservation_flights",
    "update_reservation_baggages",
    "update_reservation_passengers",
)
_OWNED: Mapping[str, str] = {"order_id": "orders", "reservation_id": "reservations"}


@rule(
    "ASK-04",
    "warning",
    "{others} would fit the instructions as well as {chosen}, which the gold action takes",
    domains=("airline", "retail"),
)
def several_records_fit(ctx: TaskContext) -> Iterator[RuleFault]:
    """Two records fit what the instructions say, and the gold action takes one of them.

    Alike are trips between the same places that are still ahead, and orders of one status that hold
    an item of the same product. Told apart they are by number, by date, by "the last one", by what
    else is in the order, by an option of the item, by its price, or because the gold takes both. A
    user who asks for all of them is another matter.

    Flags: "change your trip from ATL to PHL", of which the user has two.
    Passes: the same with its date; "your mug in the order with the clock".
    Precision: finds nothing in the real tasks.
    Source: issue 11.
    """
    changes = ctx.writes(*_ITEM_TOOLS, *_TRIP_TOOLS)
    if not changes or find_word(ctx, "latest", ctx.said) or _asks_for_all(ctx):
        return
    seen: set[str] = set()
    for write in changes:
        retail = write.step.name in _ITEM_TOOLS
        name, find = ("order_id", _orders_alike) if retail else ("reservation_id", _trips_alike)
        chosen = str(write.arguments.get(name))
        if not write.step.ok or chosen in seen or chosen.lstrip("#") in ctx.instruction:
            continue
        seen.add(chosen)
        others = find(ctx, write)
        if others:
            yield RuleFault(write.argument(name), chosen=chosen, others=all_of(others))


@rule(
    "ASK-05",
    "warning",
    "{record} is looked up; it belongs to {owner}, not to {user}",
    domains=("airline", "retail"),
)
def record_of_another_user_looked_up(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold look-up opens an order or a reservation that the user of the task does not own.

    Flags: an order of another user, looked up on the way to one's own.
    Passes: one's own; a number that the instructions state, by mistake or on purpose.
    Precision: finds nothing in the real tasks.
    Source: issue 11 (retail 40's kind).
    """
    for step in ctx.steps:
        for name, table in _OWNED.items():
            key = step.arguments.get(name)
            if step.step.kind == "write" or not isinstance(key, str) or not step.step.ok:
                continue
            owner = (step.before(table, key) or {}).get("user_id")
            foreign = ctx.user_id and owner not in (None, ctx.user_id)
            if foreign and key.lstrip("#") not in ctx.instruction:
                yield RuleFault(step.argument(name), record=key, owner=owner, user=ctx.user_id)


def _asks_for_all(ctx: TaskContext) -> bool:
    """Whether the user wants a change of everything of a kind."""
    return any(find_word(ctx, "all", sentence.text) for sentence, _ in asking(ctx, *CHANGES))


def _trips_alike(ctx: TaskContext, write: GoldStep) -> list[str]:
    """Other trips of the user that the instructions do not tell from the one that is changed."""
    chosen = write.before("reservations", write.arguments["reservation_id"])
    touched = {str(step.arguments.get("reservation_id")) for step in ctx.writes()}
    said, now = days_in(ctx.instruction), ctx.facts.profile.now[:10]
    alike = []
    for key in ctx.user.get("reservations", ()):
        other = ctx.initial("reservations", key) or {}
        same = all(other.get(field) == chosen.get(field) for field in ("origin", "destination"))
        dates = [flight["date"] for flight in other.get("flights", ())]
        if not same or key in touched or other.get("status") or not dates or min(dates) < now:
            continue
        if not said & (_days(chosen) ^ _days(other)):
            alike.append(str(key))
    return alike


def _orders_alike(ctx: TaskContext, write: GoldStep) -> list[str]:
    """Other orders of the user that hold the same product and are not told apart."""
    chosen = write.before("orders", write.arguments["order_id"])
    touched = {str(step.arguments.get("order_id")) for step in ctx.writes()}
    named = [i for i in chosen["items"] if i["item_id"] in write.arguments["item_ids"]]
    alike = []
    for key in ctx.user.get("orders", ()):
        other = ctx.initial("orders", key) or {}
        if key in touched or other.get("status") != chosen["status"]:
            continue
        twins = [
            [item for item in other["items"] if item["product_id"] == one["product_id"]]
            for one in named
        ]
        if twins and all(twins) and not _told_apart(ctx, chosen, other, named, twins):
            alike.append(str(key))
    return alike


def _told_apart(
    ctx: TaskContext,
    chosen: Json,
    other: Json,
    named: Sequence[Json],
    twins: Sequence[Sequence[Json]],
) -> bool:
    """Whether something is said that is true of one order or its items, and not of the other."""
    if find_word(ctx, "by_price", ctx.said) or find_word(ctx, "costly", ctx.said):
        return True
    here = _facts_of(chosen, named)
    there = _facts_of(other, [item for row in twins for item in row])
    if any(word in ctx.said for word in here ^ there):
        return True
    products = _products(chosen) ^ _products(other)
    patterns = [ctx.facts.product_patterns.get(product) for product in products]
    return any(pattern and pattern.search(ctx.said) for pattern in patterns)


def _products(order: Json) -> set[str]:
    return {str(item["product_id"]) for item in order["items"]}


def _facts_of(order: Json, items: Sequence[Json]) -> set[str]:
    """What tells an order or its items: option values, the place it is sent to, prices."""
    address = order["address"]
    said = {folded(str(address.get(field))) for field in ("address1", "city", "zip")}
    for item in items:
        said |= {folded(str(value)) for value in item["options"].values()}
        said.add(f"{item['price']}")
    return said


def _days(reservation: Json) -> set[tuple[int, int]]:
    return {day for flight in reservation["flights"] for day in days_in(str(flight["date"]))}
