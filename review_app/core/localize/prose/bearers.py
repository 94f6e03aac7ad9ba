"""Whom a given name that stands alone means: `Yara says`, `my friend Noah`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from review_app.core.localize.entities import EntityMap, letters_of
from review_app.models import Entity

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_USER_ID = re.compile(r"(?<![A-Za-z0-9_])(?P<name>[a-z]+(?:_[a-z]+)+)_\d+")
_Person = TypeVar("_Person")


def named_in(text: str, known: Mapping[str, _Person]) -> Iterator[_Person]:
    """Yield the people that a text names in full, given name first, or by their user id.

    Args:
        text: Of the source.
        known: Letters of the full name (`mialili`) -> the person.
    """
    words = _WORD.findall(text)
    for first, second in zip(words, words[1:], strict=False):
        if (letters := letters_of(first + second)) in known:
            yield known[letters]
    for match in _USER_ID.finditer(text):
        if (letters := letters_of(match["name"])) in known:
            yield known[letters]


def given_names(entities: EntityMap) -> dict[str, str]:
    """What stands for every given name of a domain's people where it stands alone.

    It is that of the people who are called so. Where they are called otherwise, one of them being
    overridden, it is that of the name's own row; itself without one, as it may mean anybody.
    """
    alone = {row.source.rpartition(" ")[0]: "" for row in entities.of("person")}
    alone = {name: name for name in alone if len(name) > 1}
    alone |= {row.source: row.target for row in entities.of("given_name") if len(row.source) > 1}
    return alone | agreed(entities.of("person"))


def agreed(people: Iterable[Entity]) -> dict[str, str]:
    """The given names of people who are all called the same in the target.

    Example:
        Mia Li is 木村 千代, Mia Kim is 林 恵, Noah Kim is 林 翔太 -> Noah is 翔太
    """
    givens: dict[str, set[str]] = {}
    for row in people:
        givens.setdefault(row.source.rpartition(" ")[0], set()).add(row.given)
    return {name: next(iter(g)) for name, g in givens.items() if len(g) == 1 and len(name) > 1}
