"""Names, dates and amounts in the texts of a localized and a published task."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from review_app.core.locale.amounts import Currency, numbers_in
from review_app.core.proof.leftovers import strings
from review_app.json_types import Json

NAMED = ("person", "given_name", "family_name", "city", "street", "product")
"""Kinds of entities whose names are looked for in texts."""


def differences(
    ours: Json, published: Json, names: Collection[str], currency: Currency
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield address, what only ours says and what only the published text says.

    Wording is free; the numbers (of dates and amounts, however they are written) and names are not.
    Texts that one side lacks are not compared.

    Args:
        ours: A localized task.
        published: The same task as somebody published it.
        names: How people and things are called here.
        currency: How amounts are written here.
    """
    theirs = dict(_texts(published))
    for path, text in _texts(ours):
        if path in theirs:
            here, there = (_facts(said, names, currency) for said in (text, theirs[path]))
            if here != there:
                address = "/".join(map(str, path))
                yield address, sorted(here - there), sorted(there - here)


def _texts(task: Json) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The texts that people and judges read; actions and expected strings are compared apart."""
    for path, text in strings(task):
        if path[0] in ("user_scenario", "description", "ticket") or "nl_assertions" in path:
            yield path, text


def _facts(text: str, names: Collection[str], currency: Currency) -> set[str]:
    numbers = {f"{number.normalize():f}" for number in numbers_in(text, currency)}
    return numbers | {name for name in names if name in text}
