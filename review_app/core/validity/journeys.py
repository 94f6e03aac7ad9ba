"""Limits on flights that the instructions state: how long, how early, how late, how dear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from review_app.core.validity.airline import AIRLINE
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.json_types import Json
from review_app.notices import Notice

_HOURS = r"(\d{1,2}(?:\.\d)?)\s?(?:hours?|hrs?|時間)"
_LONGEST = re.compile(
    rf"(?:(?:under|less than) or equal to|at most|no more than|not more than|up to)\s{_HOURS}"
    rf"(?=[^.]*(?:layover|including|total|travel|duration|flights?))"
    rf"|{_HOURS} or less|{_HOURS}\s?以下|{_HOURS}\s?以内"
)
_TIME = r"(?:(?P<noon>noon)|(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s?(?P<half>am|pm))"
_EARLIEST = re.compile(
    rf"(?:(?:not|n't) (?:want to )?(?:fly|leave|depart) before|depart\w* after) {_TIME}"
)
_LATEST = re.compile(rf"arriv\w* before {_TIME}")
_ASKED = re.compile(r"upgrade|book|change|アップグレード|予約|変更")


@rule(
    "AIR-11", "error", "{trip} takes {hours} hours; the instructions allow {limit}", domains=AIRLINE
)
def journey_longer_than_said(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold booking or change of a trip that takes longer than the instructions allow.

    Time counts from the first departure to the last arrival of one direction, layovers included.

    Flags: an upgrade of a trip of 7 hours where only flights of "3 hours or less, including
        layovers" are to be upgraded (airline 44).
    Passes: a direct flight of 3 hours.
    Precision: 1 of 1 on the real tasks.
    Source: Table 10, airline 44.
    """
    changes = ctx.writes("book_reservation", "update_reservation_flights")
    limit = _longest_said(ctx) if changes else None
    for change in changes if limit else ():
        booked = _booked(change)
        for journey in _journeys(ctx, change, booked.get("flights", ())):
            hours = Decimal(int(journey.total_seconds())) / 3600
            if limit and hours > limit:
                yield RuleFault(
                    change.argument("flights"),
                    trip=booked["reservation_id"],
                    hours=f"{round(hours, 1).normalize():f}",
                    limit=limit,
                )
                break


@rule(
    "AIR-12", "warning", "{flight} {does} at {time}; the instructions want {limit}", domains=AIRLINE
)
def flight_outside_hours_said(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold booking or change of flights leaves too early or arrives too late for the user.

    Flags: "You do not want to leave before noon", a flight at 07:30.
    Passes: a flight at 15:20.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    changes = ctx.writes("book_reservation", "update_reservation_flights")
    if not changes:
        return
    earliest, latest = _hour_said(ctx, _EARLIEST), _hour_said(ctx, _LATEST)
    for change in changes if earliest or latest else ():
        old = _reservation_keys(change)
        for flight in _booked(change).get("flights", ()):
            times = _times(ctx, change, flight)
            if times is None or (flight["flight_number"], flight["date"]) in old:
                continue
            leaves, arrives = (f"{time:%H:%M}" for time in times)
            place, number = change.argument("flights"), flight["flight_number"]
            if earliest and leaves < earliest:
                does = Notice("rule.leaves", "leaves")
                limit = Notice("rule.none_before", "none before {time}", time=earliest)
                yield RuleFault(place, flight=number, does=does, time=leaves, limit=limit)
            elif latest and arrives > latest:
                does = Notice("rule.arrives", "arrives")
                limit = Notice("rule.arrive_before", "to arrive before {time}", time=latest)
                yield RuleFault(place, flight=number, does=does, time=arrives, limit=limit)


def _longest_said(ctx: TaskContext) -> Decimal | None:
    """The longest journey, in hours, that a sentence about booking or changing allows."""
    for sentence in ctx.sentences:
        limit = _LONGEST.search(sentence) if _ASKED.search(sentence) else None
        if limit:
            return Decimal(next(hours for hours in limit.groups() if hours))
    return None


def _hour_said(ctx: TaskContext, pattern: re.Pattern[str]) -> str:
    """The hour in the first sentence that matches, as HH:MM; empty if none does."""
    hour_said = next(filter(None, map(pattern.search, ctx.sentences)), None)
    if not hour_said:
        return ""
    if hour_said["noon"]:
        return "12:00"
    hour = int(hour_said["hour"]) % 12 + (12 if hour_said["half"] == "pm" else 0)
    return f"{hour:02}:{hour_said['minute'] or '00'}"


def _reservation_keys(write: GoldStep) -> set[tuple[str, str]]:
    """Number and date of the flights that the reservation had before."""
    before = write.before("reservations", write.arguments.get("reservation_id")) or {}
    return {(flight["flight_number"], flight["date"]) for flight in before.get("flights", ())}


def _booked(write: GoldStep) -> Json:
    """The reservation that a booking or change leaves behind; empty if it was refused."""
    if not write.step.ok:
        return {}
    key = write.arguments.get("reservation_id")
    reservation = write.after("reservations", key) if key else write.step.value
    return reservation if isinstance(reservation, dict) else {}


def _journeys(ctx: TaskContext, write: GoldStep, flights: Sequence[Json]) -> Iterator[timedelta]:
    """How long each direction takes: a stay of a day or more ends a direction."""
    start: datetime | None = None
    end: datetime | None = None
    for flight in flights:
        times = _times(ctx, write, flight)
        if times is None:
            return
        if start is not None and end is not None and times[0] - end >= timedelta(days=1):
            yield end - start
            start = None
        start, end = start or times[0], times[1]
    if start is not None and end is not None:
        yield end - start


def _times(ctx: TaskContext, write: GoldStep, flight: Json) -> tuple[datetime, datetime] | None:
    """Scheduled departure and arrival of a segment."""
    stored, pack = write.before("flights", flight["flight_number"]), ctx.facts.pack
    if not stored or pack is None:
        return None
    departure = stored[pack.key("scheduled_departure_time_est")]
    arrival, _, later = stored[pack.key("scheduled_arrival_time_est")].partition("+")
    days = timedelta(days=int(later or 0))
    start = datetime.fromisoformat(f"{flight['date']}T{departure}")
    end = datetime.fromisoformat(f"{flight['date']}T{arrival}")
    return start, end + days
