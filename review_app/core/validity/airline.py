"""Airline policy: who may cancel, what a change may touch, bags, passengers, certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.json_types import Json
from review_app.notices import Notice

AIRLINE = ("airline",)
_TAKEN_OFF = ("landed", "flying")
_INSURED_WITHOUT_REASON = Notice(
    "rule.insured_without_reason",
    "it is insured, but the instructions state no reason of health or weather",
)
_NOT_CANCELLABLE = Notice(
    "rule.not_cancellable",
    "older than a day, not called off by the airline, not business, not insured",
)
_WORTH_OF_NOTHING = Notice(
    "rule.worth_of_nothing", "no cancelled or delayed trip of the user is worth it"
)


@rule("AIR-01", "error", "{reservation} may not be cancelled: {why}", domains=AIRLINE)
def cancel_not_eligible(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold cancellation that the policy forbids.

    Allowed are bookings of the last 24 hours, reservations with a flight the airline cancelled,
    business class at that moment, and insurance where the instructions state a reason of health
    or weather.

    Flags: an insured economy trip given up "for someone else who needs it" (airline 39).
    Passes: upgraded to business by an earlier gold action, then cancelled; insured and "sick".
    Precision: 1 of 1 on the real tasks.
    Source: airline policy, cancelling; Table 10, airline 39.
    """
    for write in ctx.writes("cancel_reservation"):
        reservation = _reservation(write)
        if not reservation or _may_cancel(ctx, write, reservation):
            continue
        insured = _is(ctx, reservation, "insurance", "yes")
        yield RuleFault(
            write.argument("reservation_id"),
            reservation=reservation["reservation_id"],
            why=_INSURED_WITHOUT_REASON if insured else _NOT_CANCELLABLE,
        )


@rule("AIR-02", "error", "{reservation}: {flight} of {date} has already left", domains=AIRLINE)
def flown_reservation_changed(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action cancels or changes a reservation of which a flight has been flown.

    Flags: the way back changed after the way out.
    Passes: a trip whose flights are all ahead.
    Precision: finds nothing in the real tasks.
    Source: airline policy, cancelling and changing the cabin.
    """
    for write in ctx.writes("cancel_reservation", "update_reservation_flights"):
        reservation = _reservation(write)
        for flight in reservation.get("flights", ()):
            if _has_left(ctx, write, flight):
                yield RuleFault(
                    write.argument("reservation_id"),
                    reservation=reservation["reservation_id"],
                    flight=flight["flight_number"],
                    date=flight["date"],
                )
                break


@rule("AIR-03", "error", "the certificate of {amount} has no ground: {why}", domains=AIRLINE)
def certificate_without_ground(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold certificate that no reservation of the user accounts for.

    A cancelled flight is worth one amount for each passenger, a delayed one half of it and only if
    the gold actions have changed or cancelled the reservation; the user must be a silver or gold
    member, insured, or in business class.

    Flags: a delay certificate where nothing is changed or cancelled.
    Passes: the same certificate after a change of that reservation.
    Precision: finds nothing in the real tasks.
    Source: airline policy, compensation.
    """
    for write in ctx.writes("send_certificate"):
        user = write.before("users", write.arguments.get("user_id"))
        if not user or not write.step.ok:
            continue
        amount = Decimal(str(write.arguments["amount"]))
        reasons = [
            _compensation(ctx, write, user, reservation_id)
            for reservation_id in user["reservations"]
        ]
        if not any(amount == worth and why is None for worth, why in reasons):
            missing = [why for worth, why in reasons if worth == amount and why]
            why = missing[0] if missing else _WORTH_OF_NOTHING
            yield RuleFault(write.argument("amount"), amount=amount, why=why)


@rule("AIR-04", "error", "{reservation} is basic economy: its flights stay", domains=AIRLINE)
def basic_economy_changed(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action puts other flights into a basic economy reservation.

    Flags: other flights, also if the same call changes the cabin.
    Passes: an upgrade of the same flights, then a change (airline 32).
    Precision: finds nothing in the real tasks.
    Source: airline policy, changing flights.
    """
    for write in ctx.writes("update_reservation_flights"):
        reservation = _reservation(write)
        if not _is(ctx, reservation, "cabin", "basic_economy"):
            continue
        if _flown_keys(reservation["flights"]) != _flown_keys(write.arguments["flights"]):
            yield RuleFault(write.argument("flights"), reservation=reservation["reservation_id"])


@rule("AIR-05", "error", "{reservation} goes {old}; the new flights go {new}", domains=AIRLINE)
def route_changed(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold change alters origin, destination or trip type, or its flights do not connect.

    Flags: Newark instead of New York; a one-way trip made a round trip.
    Passes: other flights between the same places, by other stops.
    Precision: finds nothing in the real tasks.
    Source: airline policy, changing flights.
    """
    for write in ctx.writes("update_reservation_flights"):
        reservation, after = _reservation(write), write.after("reservations", _key(write))
        if not reservation or not write.step.ok:
            continue
        old, new = _route(reservation["flights"]), _route(after["flights"])
        if old != new:
            yield RuleFault(
                write.argument("flights"),
                reservation=_key(write),
                old=" - ".join(old),
                new=" - ".join(new),
            )


@rule(
    "AIR-06", "error", "{flight} is named in {cabin}, the reservation in {whole}", domains=AIRLINE
)
def cabin_differs(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action gives one segment another cabin than the reservation.

    The tool drops it, so the gold does something else than it says.

    Flags: `{"flight_number": "HAT001", "cabin": "business"}` in an economy booking.
    Passes: one cabin, named once.
    Precision: finds nothing in the real tasks.
    Source: airline policy: one cabin for all flights of a reservation.
    """
    for write in ctx.writes("book_reservation", "update_reservation_flights"):
        whole = write.arguments.get("cabin")
        for at, flight in enumerate(write.arguments["flights"]):
            cabin = flight.get("cabin", whole)
            if cabin != whole:
                place = (*write.argument("flights"), at, "cabin")
                yield RuleFault(place, flight=flight.get("flight_number"), cabin=cabin, whole=whole)


@rule("AIR-07", "error", "{paid} of {total} bags are paid for; {expected} must be", domains=AIRLINE)
def bags_miscounted(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action charges for another number of bags than membership and cabin give, or removes
    some.

    Flags: a silver member in economy who pays for the second bag.
    Passes: the bags beyond the allowance of all passengers.
    Precision: finds nothing in the real tasks.
    Source: airline policy, baggage.
    """
    for write in ctx.writes("book_reservation", "update_reservation_baggages"):
        is_booking = write.step.name == "book_reservation"
        reservation = write.arguments if is_booking else _reservation(write)
        free = _free_bags(ctx, write, reservation)
        if free is None:
            continue
        total, paid = write.arguments["total_baggages"], write.arguments["nonfree_baggages"]
        expected = max(0, total - free)
        if paid not in {expected, max(expected, reservation.get("nonfree_baggages", 0))}:
            place = write.argument("nonfree_baggages")
            yield RuleFault(place, paid=paid, total=total, expected=expected)


def _key(write: GoldStep) -> str:
    return str(write.arguments.get("reservation_id"))


def _reservation(write: GoldStep) -> Json:
    """The reservation as it was before the action; empty if there is none."""
    return write.before("reservations", write.arguments.get("reservation_id")) or {}


def _is(ctx: TaskContext, record: Json, field: str, value: str) -> bool:
    return bool(record) and bool(record.get(field) == ctx.facts.word(field, value))


def _may_cancel(ctx: TaskContext, write: GoldStep, reservation: Json) -> bool:
    now = datetime.fromisoformat(ctx.facts.profile.now)
    window = timedelta(hours=ctx.facts.profile.cancel_window_hours)
    if now - datetime.fromisoformat(reservation["created_at"]) <= window:
        return True
    if _is(ctx, reservation, "cabin", "business"):
        return True
    if any(_status(ctx, write, flight) == "cancelled" for flight in reservation["flights"]):
        return True
    return _is(ctx, reservation, "insurance", "yes") and ctx.mentions("covered", negated=False)


def _status(ctx: TaskContext, write: GoldStep, flight: Json) -> str:
    stored = write.before("flights", flight["flight_number"]) or {}
    day = stored.get("dates", {}).get(flight["date"], {})
    return ctx.facts.source_word("flight_status", day.get("status", ""))


def _has_left(ctx: TaskContext, write: GoldStep, flight: Json) -> bool:
    if _status(ctx, write, flight) == "cancelled":
        return False
    today = ctx.facts.profile.now[:10]
    return flight["date"] < today or _status(ctx, write, flight) in _TAKEN_OFF


def _flown_keys(flights: Sequence[Any]) -> list[tuple[str, str]]:
    return [(flight["flight_number"], flight["date"]) for flight in flights]


def _route(flights: Sequence[Json]) -> list[str]:
    """Where a trip starts, turns and ends; stops on the way left out, gaps named.

    A trip that comes back to its start turns where the longest stay is between two flights.
    """
    if not flights:
        return []
    gaps = [
        f"{here['destination']} / {there['origin']}"
        for here, there in zip(flights, flights[1:], strict=False)
        if here["destination"] != there["origin"]
    ]
    start, end = flights[0]["origin"], flights[-1]["destination"]
    if start != end:
        return [start, *gaps, end]
    return [start, *gaps, _turn(flights), end]


def _turn(flights: Sequence[Json]) -> str:
    """The place from which a round trip comes back."""
    if len(flights) == 1:
        return str(flights[0]["destination"])
    stays = [
        (datetime.fromisoformat(there["date"]) - datetime.fromisoformat(here["date"])).days
        for here, there in zip(flights, flights[1:], strict=False)
    ]
    middle = len(flights) // 2 - 1
    longest = max(stays)
    at = middle if stays[middle] == longest else stays.index(longest)
    return str(flights[at]["destination"])


def _free_bags(ctx: TaskContext, write: GoldStep, reservation: Json) -> int | None:
    user = write.before("users", reservation.get("user_id")) or {}
    membership = ctx.facts.source_word("membership", user.get("membership"))
    cabin = ctx.facts.source_word("cabin", reservation.get("cabin"))
    free = ctx.facts.profile.free_bags.get(membership, {}).get(cabin)
    return None if free is None else free * len(reservation["passengers"])


def _compensation(
    ctx: TaskContext, write: GoldStep, user: Json, reservation_id: str
) -> tuple[Decimal | None, Notice | None]:
    """What a reservation is worth in compensation, and what is missing for it."""
    locale = ctx.facts.pack.locale if ctx.facts.pack else "en"
    booked = ctx.initial("reservations", reservation_id) or {}
    statuses = [_status(ctx, write, flight) for flight in booked.get("flights", ())]
    reason = next((status for status in ("cancelled", "delayed") if status in statuses), "")
    for_passenger = ctx.facts.profile.compensation_for(reason, locale)
    if for_passenger is None:
        return None, None
    worth = for_passenger * len(booked["passengers"])
    regular = ctx.facts.source_word("membership", user["membership"]) == "regular"
    uncovered = not _is(ctx, booked, "insurance", "yes") and not _is(
        ctx, booked, "cabin", "business"
    )
    if regular and uncovered:
        return worth, Notice(
            "rule.regular_uncovered",
            "a regular member, uninsured and not in business, for {reservation}",
            reservation=reservation_id,
        )
    current = write.before("reservations", reservation_id)
    if reason == "delayed" and current == booked:
        return worth, Notice(
            "rule.delayed_and_kept",
            "{reservation} is delayed, but neither changed nor cancelled before",
            reservation=reservation_id,
        )
    return worth, None
