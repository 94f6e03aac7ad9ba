"""Days that instructions, gold actions and assertions name."""

from __future__ import annotations

from collections.abc import Iterator

from review_app.core.validity.airline import AIRLINE
from review_app.core.validity.amounts import about_user
from review_app.core.validity.context import TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.core.validity.texts import MonthDay, days_in


@rule("DATE-01", "warning", "no gold action and no record of the user is of {date}")
def asserted_date_unknown(ctx: TaskContext) -> Iterator[RuleFault]:
    """An assertion names a day that the gold actions, the user's records and the instructions do
    not.

    Flags: "books HAT314 on 2024-05-21" where the gold action books the 20th.
    Passes: the day of the gold action.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    for assertion in ctx.assertions:
        for month, day in sorted(days_in(assertion.text)) if ctx.steps else ():
            if not _is_known(ctx, (month, day)):
                yield RuleFault(assertion.pointer, date=f"{month:02}-{day:02}")


@rule("DATE-02", "warning", "the gold action books {booked}; the user says {said}", domains=AIRLINE)
def booked_day_not_said(ctx: TaskContext) -> Iterator[RuleFault]:
    """The instructions name days and the gold booking is on none of them.

    Flags: "fly on May 21", booked for May 20.
    Passes: one of the days said; instructions without a day, as in "like my current reservation".
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    bookings = ctx.writes("book_reservation")
    said = days_in(ctx.instruction) if bookings else set()
    for booking in bookings if said else ():
        booked = {
            day
            for argument in booking.arguments["flights"]
            for day in days_in(str(argument["date"]))
        }
        if booked and not booked & said:
            yield RuleFault(booking.argument("flights"), booked=_text(booked), said=_text(said))


def _is_known(ctx: TaskContext, day: MonthDay) -> bool:
    """Whether a gold action, a record of the user or the instructions name a day."""
    written = f"-{day[0]:02}-{day[1]:02}"
    if written in ctx.facts.profile.now or day in days_in(ctx.instruction):
        return True
    return any(written in text for text in about_user(ctx, gold=True))


def _text(days: set[MonthDay]) -> str:
    return ", ".join(f"{month:02}-{day:02}" for month, day in sorted(days))
