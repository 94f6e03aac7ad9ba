"""Ids, names and dates: what instructions, gold actions and assertions say of the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rapidfuzz.distance import OSA

from review_app.core.validity.amounts import about_user, amounts
from review_app.core.validity.context import TaskContext, Text
from review_app.core.validity.facts import full_name, strings
from review_app.core.validity.registry import RuleFault, rule
from review_app.core.validity.texts import folded, is_date_said
from review_app.json_types import JsonPath
from review_app.notices import Notice

_LEFT, _RIGHT = r"(?<![A-Za-z0-9_#])", r"(?![A-Za-z0-9_])"
# Sort of identifier in the facts -> what it looks like, by domain.
_PATTERNS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "airline": {
        "users": re.compile(rf"{_LEFT}(?!credit_|gift_|cert)[a-z]+_[a-z]+_\d{{4}}{_RIGHT}"),
        "payment": re.compile(rf"{_LEFT}(?:credit_card|gift_card|certificate)_\d+{_RIGHT}"),
        "flights": re.compile(rf"{_LEFT}HAT\d{{3}}{_RIGHT}"),
        "reservations": re.compile(
            rf"{_LEFT}(?!HAT\d{{3}}{_RIGHT})(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{{6}}{_RIGHT}"
        ),
    },
    "retail": {
        "users": re.compile(rf"{_LEFT}(?!credit_|gift_)[a-z]+_[a-z]+_\d{{4}}{_RIGHT}"),
        "payment": re.compile(rf"{_LEFT}(?:credit_card|gift_card|paypal)_\d+{_RIGHT}"),
        "orders": re.compile(rf"#W\d+{_RIGHT}"),
    },
}
_MARKS: Mapping[str, str] = {"users": "_", "payment": "_", "flights": "HAT", "orders": "#W"}
"""What identifiers of a sort hold: most texts are spared a pattern."""
_ARGUMENTS: Mapping[str, str] = {
    "user_id": "users",
    "reservation_id": "reservations",
    "order_id": "orders",
    "product_id": "products",
    "item_id": "item",
    "flight_number": "flights",
    "item_ids": "item",
    "new_item_ids": "item",
}
_SORT_WORDS: Mapping[str, Notice] = {
    "users": Notice("rule.sort_user", "user"),
    "reservations": Notice("rule.sort_reservation", "reservation"),
    "orders": Notice("rule.sort_order", "order"),
    "products": Notice("rule.sort_product", "product"),
    "item": Notice("rule.sort_item", "item"),
    "flights": Notice("rule.sort_flight", "flight"),
    "payment": Notice("rule.sort_payment", "payment method"),
}
_PERSON = re.compile(r"(?<![A-Za-z])([A-Z][a-z]+) ([A-Z][a-z]+)(?![A-Za-z])")
_ADDRESS = ("address1", "address2", "city", "zip")


@rule("ID-01", "warning", "there is no {sort} {id}", version=2)
def id_unknown(ctx: TaskContext) -> Iterator[RuleFault]:
    """An identifier in the assertions or in a gold action exists nowhere, before or after.

    An identifier of a gold action that stands in the instructions, with or without the sign before
    it, is a user's mistake on purpose.

    Flags: "charges credit_card_907483" where the card is credit_card_9074831.
    Passes: an id of the database, or one that the gold actions create.
    Precision: 4 of 4 on the real tasks.
    Source: issue 5.
    """
    for pointer, sort, name in (*_in_assertions(ctx), *_in_arguments(ctx)):
        if name not in ctx.facts.ids.get(sort, ()) and not _is_created(ctx, sort, name):
            yield RuleFault(pointer, sort=_SORT_WORDS[sort], id=name)


@rule("ID-02", "warning", "the instructions name {sort} {id}, which does not exist")
def instructed_id_unknown(ctx: TaskContext) -> Iterator[RuleFault]:
    """The user names a reservation, an order or a user id that is not in the database.

    Flags: a mistyped reservation id.
    Passes: ids of the database.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    for instruction in ctx.instructions:
        for sort, name in _identifiers(ctx, instruction):
            if name not in ctx.facts.ids.get(sort, ()) and not _is_created(ctx, sort, name):
                yield RuleFault(instruction.pointer, sort=_SORT_WORDS[sort], id=name)


@rule("ID-03", "error", "the instructions are for {named}, the gold action for {used}")
def user_differs(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action gives another user id than the one that the instructions name.

    Flags: a user id changed in the instructions and not in the gold actions.
    Passes: the same id; instructions that name nobody.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    named = ctx.named_user_id
    if named is None:
        return
    for step in ctx.steps:
        used = step.arguments.get("user_id")
        if isinstance(used, str) and used != named and used not in ctx.instruction:
            yield RuleFault(step.argument("user_id"), named=named, used=used)


@rule("ID-04", "error", "the gold action looks up {used}; the instructions say {named}")
def looked_up_name_differs(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold look-up by name, zip code or e-mail uses what the user was never told.

    Looked up may be what stands in the instructions, or in the record of the user whom they name.

    Flags: a zip code changed in the gold action only.
    Passes: a wrong zip code that the instructions tell the user to say first.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    for step in ctx.steps:
        if not step.step.name.startswith("find_user_id"):
            continue
        known = folded(" ".join([ctx.instruction, *strings(_named_user(ctx))]))
        for name, value in step.arguments.items():
            if isinstance(value, str) and folded(value) not in known:
                other = Notice("rule.something_else", "something else")
                yield RuleFault(step.argument(name), used=value, named=other)


@rule("ID-05", "error", "{reservation} belongs to {owner}, not to {user}", domains=["airline"])
def reservation_of_another_user(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action changes a reservation that the user of the task does not own.

    Flags: the reservation of another user.
    Passes: a reservation of the user whom the instructions name.
    Precision: finds nothing in the real tasks.
    Source: airline policy.
    """
    for write in ctx.writes():
        reservation = write.before("reservations", write.arguments.get("reservation_id"))
        if reservation and ctx.user_id and reservation["user_id"] != ctx.user_id:
            yield RuleFault(
                write.argument("reservation_id"),
                reservation=reservation["reservation_id"],
                owner=reservation["user_id"],
                user=ctx.user_id,
            )


@rule("ID-06", "warning", "{name} looks like {known}, misspelt")
def name_misspelt(ctx: TaskContext) -> Iterator[RuleFault]:
    """A name in the assertions or instructions is a letter away from a known one.

    Known are the user, saved passengers and the passengers of the gold actions.

    Flags: "Sophia Silvia" for Sophia Silva (airline 8).
    Passes: the names as stored; other names.
    Precision: 1 of 1 on the real tasks.
    Source: issue 5.
    """
    known = dict.fromkeys(_names(ctx))
    if not known:
        return
    said = {_full_name_said(person) for person in _PERSON.finditer(ctx.instruction)}
    for assertion in (*ctx.assertions, *ctx.instructions):
        for person in _PERSON.finditer(assertion.text):
            name = _full_name_said(person)
            if name in known or (assertion in ctx.assertions and name in said):
                continue
            near = next((other for other in known if OSA.distance(name, other) == 1), None)
            if near:
                yield RuleFault(assertion.pointer, name=person[0], known=near.title())


@rule("ID-07", "info", "the assertions name {sort} {id}, which nothing else does")
def id_on_one_side(ctx: TaskContext) -> Iterator[RuleFault]:
    """An existing identifier stands in the assertions and neither in the instructions, nor in a
    gold action, nor in a record of the user.

    Flags: an assertion about another user's reservation.
    Passes: an assertion about the reservation that the gold action changes.
    Precision: not judged; it says what is there.
    Source: issue 5.
    """
    for pointer, sort, name in _in_assertions(ctx):
        if name not in ctx.facts.ids.get(sort, ()):
            continue
        if not any(name in text for text in about_user(ctx, gold=True)):
            yield RuleFault(pointer, sort=_SORT_WORDS[sort], id=name)


@rule("ID-08", "warning", "the instructions say {said}; {user} is born on {stored}")
def told_birth_date_differs(ctx: TaskContext) -> Iterator[RuleFault]:
    """The instructions tell the user a birth date of their own that is not the stored one.

    Flags: "born on August 24, 1990" for a user born on the 23rd.
    Passes: the stored date; birth dates of others.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    stored = ctx.user.get("dob")
    if not isinstance(stored, str) or is_date_said(ctx.said, stored):
        return
    for instruction in ctx.instructions:
        birth_date = _OWN_BIRTH.search(folded(instruction.text))
        if birth_date and ctx.user_name.split(" ")[0] in folded(instruction.text):
            yield RuleFault(
                instruction.pointer, said=birth_date[1].strip(), user=ctx.user_id, stored=stored
            )


@rule(
    "ID-09", "warning", "{field} {value} is told to nobody and stored nowhere", domains=["retail"]
)
def address_from_nowhere(ctx: TaskContext) -> Iterator[RuleFault]:
    """A part of a gold address stands neither in the instructions nor in a record of the user.

    Flags: a house number that only the gold action has.
    Passes: the new address of the instructions; the address of another order of the user.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    changes = ctx.writes("modify_user_address", "modify_pending_order_address")
    if not changes:
        return
    known = folded("\n".join(about_user(ctx, gold=False)))
    for change in changes:
        for field in _ADDRESS:
            value = change.arguments.get(field)
            if isinstance(value, str) and folded(value) not in known:
                yield RuleFault(change.argument(field), field=field, value=repr(value))


@rule("ID-10", "info", "the assertions name {name}, whom nothing else names")
def name_on_one_side(ctx: TaskContext) -> Iterator[RuleFault]:
    """A person in the assertions is neither in the instructions, nor in a gold action, nor in a
    record of the user.

    Flags: an assertion about passenger Kevin Smith in a task without him.
    Passes: an assertion about a passenger whom the gold action books.
    Precision: not judged; it says what is there.
    Source: issue 5.
    """
    for assertion in ctx.assertions:
        for person in _PERSON.finditer(assertion.text):
            first, last = person[1], person[2]
            if first.lower() not in ctx.facts.given_names or "_" in last:
                continue
            known = (f"{first} {last}", f'"first_name": "{first}", "last_name": "{last}"')
            if _full_name_said(person) in _people_of_user(ctx):
                continue
            if not any(name in text for text in about_user(ctx, gold=True) for name in known):
                yield RuleFault(assertion.pointer, name=person[0])


_OWN_BIRTH = re.compile(
    r"(?:you (?:are|were) born on|your (?:birthday|date of birth|birth date|dob) is|, born on)"
    r"\s((?:[a-z]+\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4})|\d{4}-\d\d-\d\d)"
)


def _full_name_said(person: re.Match[str]) -> str:
    """A name found in a text, in lower case."""
    return f"{person[1]} {person[2]}".lower()


def _identifiers(ctx: TaskContext, text: Text) -> Iterator[tuple[str, str]]:
    """Sort and spelling of every identifier that stands in a text."""
    for sort, pattern in _PATTERNS.get(ctx.facts.domain, {}).items():
        if _MARKS.get(sort, "") in text.text:
            for identifier in pattern.findall(text.text):
                yield sort, identifier


def _in_assertions(ctx: TaskContext) -> Iterator[tuple[JsonPath, str, str]]:
    for assertion in ctx.assertions:
        for sort, name in _identifiers(ctx, assertion):
            yield assertion.pointer, sort, name


def _in_arguments(ctx: TaskContext) -> Iterator[tuple[JsonPath, str, str]]:
    for step in ctx.steps:
        for name, value in step.arguments.items():
            sort = _ARGUMENTS.get(name, "")
            for identifier in value if isinstance(value, list) else [value]:
                if (
                    sort in ctx.facts.ids
                    and isinstance(identifier, str)
                    and identifier.lstrip("#") not in ctx.instruction
                ):
                    yield step.argument(name), sort, identifier


def _is_created(ctx: TaskContext, sort: str, identifier: str) -> bool:
    """Whether the gold actions make a record or a payment method of this id."""
    if sort != "payment":
        return bool(ctx.final(sort, identifier))
    user = ctx.final("users", ctx.user_id or "") or {}
    return identifier in user.get("payment_methods", {})


def _named_user(ctx: TaskContext) -> Any:
    return ctx.facts.table("users").get(ctx.named_user_id or "", {})


def _people_of_user(ctx: TaskContext) -> set[str]:
    """Everybody whom the user's profile, reservations and gold actions name, in lower case."""
    people = set(_names(ctx))
    for before, after in amounts(ctx).records:
        for record in (before, after):
            people |= {full_name(person) for person in record.get("passengers", ())}
    return people


def _names(ctx: TaskContext) -> Iterator[str]:
    if not ctx.user:
        return
    yield ctx.user_name
    for person in ctx.user.get("saved_passengers", ()):
        yield full_name(person)
    for write in ctx.writes("book_reservation", "update_reservation_passengers"):
        for person in write.arguments.get("passengers", ()):
            yield full_name(person)
