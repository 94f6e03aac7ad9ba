"""Airline policy: who flies, and what a booking may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from review_app.core.validity.airline import AIRLINE
from review_app.core.validity.context import TaskContext
from review_app.core.validity.facts import full_name
from review_app.core.validity.registry import RuleFault, all_of, rule
from review_app.core.validity.texts import folded, is_date_said
from review_app.json_types import Json, JsonPath
from review_app.notices import Notice

_PERSON = re.compile(
    r"(?<![A-Za-z])(?P<given>[A-Z][a-z]+)(?: (?P<family>[A-Z][a-z]+))?(?![A-Za-z])"
)
_LONGEST_ROLE = 16
_LONGEST_FAMILY_NAME = 4
_METHOD_WORDS = {
    "certificate": Notice("rule.certificates", "certificates"),
    "credit_card": Notice("rule.credit_cards", "credit cards"),
    "gift_card": Notice("rule.gift_cards", "gift cards"),
}


@rule("AIR-08", "error", "nobody is called {name}", domains=AIRLINE)
def passenger_unknown(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold passenger stands neither in the profile, nor in a reservation of the user, nor in the
    instructions.

    Flags: passengers renamed in the gold action and not in the instructions.
    Passes: the user, saved passengers, names that stand in the instructions.
    Precision: finds nothing in the real tasks.
    Source: airline policy, booking and changing passengers.
    """
    for place, person in _gold_passengers(ctx):
        name = full_name(person)
        known = {full_name(known_person) for known_person in _people(ctx)}
        if name not in known and not _is_said(ctx, person):
            shown = f"{person.get('first_name')} {person.get('last_name')}"
            yield RuleFault(place, name=shown)


@rule("AIR-09", "error", "{name} is not born on {given}{known}", domains=AIRLINE)
def birth_date_differs(ctx: TaskContext) -> Iterator[RuleFault]:
    """The birth date of a gold passenger is neither the stored one nor one in the instructions.

    Flags: a date that differs from the profile in a digit.
    Passes: the date of the profile, or one that stands literally in the instructions.
    Precision: finds nothing in the real tasks.
    Source: airline policy, booking.
    """
    for place, person in _gold_passengers(ctx):
        name, given = full_name(person), str(person.get("dob", ""))
        stored = {
            str(known_person["dob"])
            for known_person in _people(ctx)
            if full_name(known_person) == name
        }
        if not stored:
            stored = _birth_dates_replaced(ctx, place)
        if given in stored or is_date_said(ctx.said, given):
            continue
        if stored or _is_said(ctx, person):
            dates = tuple(sorted(stored))
            stored_is = Notice("rule.stored_is", "; stored is {dates: or }", dates=dates)
            shown = f"{person.get('first_name')} {person.get('last_name')}"
            known = stored_is if stored else ""
            yield RuleFault((*place, "dob"), name=shown, given=given, known=known)


@rule("AIR-10", "error", "{count} {kind} in one booking; {most} at most", domains=AIRLINE)
def too_many_in_booking(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold booking uses more payment methods of a type, or has more passengers, than allowed.

    Flags: two certificates, two credit cards, four gift cards.
    Passes: one certificate, one credit card and three gift cards.
    Precision: finds nothing in the real tasks.
    Source: airline policy, booking.
    """
    profile = ctx.facts.profile
    most = {
        "certificate": profile.max_certificates,
        "credit_card": profile.max_credit_cards,
        "gift_card": profile.max_gift_cards,
    }
    for write in ctx.writes("book_reservation"):
        user = write.before("users", write.arguments.get("user_id")) or {}
        methods = user.get("payment_methods", {})
        used = [
            methods.get(argument["payment_id"], {})
            for argument in write.arguments["payment_methods"]
        ]
        kinds = [ctx.facts.source_word("payment_source", method.get("source")) for method in used]
        for kind, allowed in most.items():
            if kinds.count(kind) > allowed:
                place, words = write.argument("payment_methods"), _METHOD_WORDS[kind]
                yield RuleFault(place, count=kinds.count(kind), kind=words, most=allowed)
        people = len(write.arguments["passengers"])
        if people > profile.max_passengers:
            place, words = write.argument("passengers"), Notice("rule.passengers", "passengers")
            yield RuleFault(place, count=people, kind=words, most=profile.max_passengers)


@rule(
    "AIR-13",
    "warning",
    "the instructions speak of {name}, whom nothing else knows; the gold passengers are {others}",
    domains=AIRLINE,
)
def companion_of_another_name(ctx: TaskContext) -> Iterator[RuleFault]:
    """Only the instructions name a person, and the gold passengers are others they do not name.

    The name was changed on one side: which passenger is meant cannot be told.

    Flags: "the other certificate for Boris", the gold books for Raj and Liam.
    Passes: a passenger of the gold, of the profile or of a reservation; gold passengers who are all
        named.
    Precision: finds nothing in the real tasks.
    Source: issue 11 (airline 23's kind).
    """
    booked = [person for _, person in _gold_passengers(ctx)]
    if not booked or not ctx.user:
        return
    people = [full_name(person) for person in (*_people(ctx), *booked)]
    known = {*people, *(part for name in people for part in name.split())}
    given_names = ctx.facts.given_names | {name.split()[0] for name in people if name}
    for instruction in ctx.instructions:
        for shown, given, family in _people_named(ctx, instruction.text, given_names):
            name = f"{given} {family}".strip()
            if name in known:
                continue
            whole = given in known
            others = [_shown(person) for person in booked if not _is_named(ctx, person, whole)]
            if others:
                others = list(dict.fromkeys(others))
                yield RuleFault(instruction.pointer, name=shown, others=all_of(others))


def _people_named(
    ctx: TaskContext, text: str, given_names: Set[str]
) -> Iterator[tuple[str, str, str]]:
    """People in a text: as written, given and family name, folded; the latter empty if unsaid.

    A capital makes a name of a word that is a known given name, or that stands after "passenger",
    "your wife" or the like. Where a script has no capitals, a given name counts if a family name
    stands before it.
    """
    words = ctx.facts.profile.words
    roles = tuple(f" {role}" for role in words.get("companion", ()))
    for match in _PERSON.finditer(text):
        given = match["given"].lower()
        before = folded(text[: match.start()]).rstrip()[-_LONGEST_ROLE:]
        is_role = before.endswith(roles) and given not in words.get("no_companion", ())
        if given in given_names or is_role:
            yield match[0], given, (match["family"] or "").lower()
    for given in sorted(name for name in given_names if not name.isascii() and name in text):
        before = text[: text.index(given)].rstrip()
        tails = (before[-length:] for length in range(1, _LONGEST_FAMILY_NAME + 1))
        family = next((tail for tail in tails if tail in ctx.facts.family_names), "")
        if family:
            yield f"{family} {given}", given, family


def _is_named(ctx: TaskContext, person: Json, whole: bool) -> bool:
    """Whether the instructions name a passenger, with the family name if need be, or it is the
    user.
    """
    given, family = (folded(str(person.get(part, ""))) for part in ("first_name", "last_name"))
    spellings = (f"{given} {family}", f"{family} {given}", f"{family}{given}")
    if full_name(person) == ctx.user_name:
        return True
    whole = whole or given == ctx.user_name.split(" ")[0]
    said = spellings if whole else (given,)
    return bool(given) and any(spelling in ctx.said for spelling in said)


def _shown(person: Json) -> str:
    return f"{person.get('first_name')} {person.get('last_name')}"


def _gold_passengers(ctx: TaskContext) -> Iterator[tuple[JsonPath, Json]]:
    for write in ctx.writes("book_reservation", "update_reservation_passengers"):
        for at, person in enumerate(write.arguments["passengers"]):
            if isinstance(person, dict):
                yield (*write.argument("passengers"), at), person


def _birth_dates_replaced(ctx: TaskContext, place: JsonPath) -> set[str]:
    """Birth dates in the reservation whose passengers an action renames."""
    write = next(step for step in ctx.steps if place[: len(step.pointer)] == step.pointer)
    reservation = write.before("reservations", write.arguments.get("reservation_id")) or {}
    return {str(person["dob"]) for person in reservation.get("passengers", ())}


def _people(ctx: TaskContext) -> Iterator[Json]:
    """Name and birth date of everybody whom the user's data name."""
    user = ctx.user
    if not user:
        return
    yield {**user["name"], "dob": user["dob"]}
    yield from user["saved_passengers"]
    for reservation_id in user["reservations"]:
        yield from (ctx.initial("reservations", reservation_id) or {}).get("passengers", ())


def _is_said(ctx: TaskContext, person: Json) -> bool:
    """Whether given and family name stand in the instructions, in either order."""
    first, last = (folded(str(person.get(part, ""))) for part in ("first_name", "last_name"))
    return bool(first and last) and first in ctx.said and last in ctx.said
