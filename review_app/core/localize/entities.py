"""What stands for a source entity in the target locale: one lookup for every kind.

Given and family names, cities, states, street names, zip and phone numbers, products and options
are rows. User ids, e-mails, address lines and the names of people without a row are built of
them, so that whatever a tool call holds maps the same way as the database does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from review_app.core.locale.locale import Locale
from review_app.models import Entity, EntityKind

_ANY_CASE: tuple[EntityKind, ...] = ("person", "given_name", "family_name", "email")
_USER_ID = re.compile(r"(?P<name>[^\W\d](?:.*[^\W\d_])?)_(?P<digits>\d+)")
_EMAIL = re.compile(r"(?P<name>[^\W\d].*?)(?P<digits>\d*)(?P<host>@.+)")
_PART = re.compile(r"(?P<name>[^\W\d_](?:.*[^\W\d_])?)(?P<digits>_?\d*)")
LINE = re.compile(r"(?P<number>\d+)\s+(?P<street>\S.*)")
_UNIT = re.compile(r"[A-Za-z]+\.?\s*#?(?P<number>\d+)")


class EntityMap:
    """The entities of one domain in one locale. What has no row and no rule stays as it is.

    Args:
        entities: Rows; the last of the same kind and source counts.
        locale: For orders and forms.
    """

    def __init__(self, entities: Iterable[Entity], locale: Locale) -> None:
        self.locale = locale
        self.rows: Mapping[tuple[EntityKind, str], Entity] = {
            (entity.kind, entity.source): entity for entity in entities
        }
        self._folded = {
            (kind, _fold(source)): row
            for (kind, source), row in self.rows.items()
            if kind in _ANY_CASE
        }

    def get(self, kind: EntityKind, source: str) -> Entity | None:
        """The row of a source value; of names and e-mails in any case, as tools compare them."""
        return self.rows.get((kind, source)) or self._folded.get((kind, _fold(source)))

    def of(self, *kinds: EntityKind) -> Iterator[Entity]:
        """Yield the rows of these kinds."""
        return (row for row in self.rows.values() if row.kind in kinds)

    def value(self, kind: EntityKind, source: str) -> str:
        """What stands for a source value; the value itself where nothing is known."""
        if row := self.get(kind, source):
            return row.target
        if kind == "user_id":
            return self._user_id(source)
        if kind == "email":
            return self._email(source)
        if kind == "street":
            return self._line(source)
        if kind == "country" and self.locale.gazetteer.country(source):
            return self.locale.country or source
        return source

    def unit(self, source: str) -> str:
        """The second line of an address: `Suite 217` -> `217号室`."""
        match, form = _UNIT.fullmatch(source.strip()), self.locale.address_unit
        return form.format(number=match["number"]) if match and form else source

    def name(self, given: str, family: str) -> tuple[str, str]:
        """A person's given and family name as the localized database holds them."""
        if row := self.get("person", f"{given} {family}"):
            return row.given, row.family
        return self.value("given_name", given), self.value("family_name", family)

    def full_name(self, source: str) -> str:
        """A whole name as prose and `full_name` fields have it."""
        if row := self.get("person", source):
            return row.target
        given, _, family = source.rpartition(" ")
        named = self.name(given, family)
        return source if named == (given, family) else self.locale.full_name(*named)

    def option(self, option: str, source: str) -> str:
        """A variant's value under an option key."""
        row = self.get("option", f"{option}={source}")
        return row.target if row else source

    def product(self, source: str) -> Entity | None:
        """The row of a product that a text names, in any case, one or more of it."""
        folded = source.casefold()
        return self._products.get(folded) or self._products.get(folded.removesuffix("s"))

    @cached_property
    def _products(self) -> Mapping[str, Entity]:
        return {row.source.casefold(): row for row in self.of("product")}

    @cached_property
    def roman_names(self) -> frozenset[str]:
        """The letters of which ids and e-mails of the target are made."""
        people = [_roman(row) for row in self.of("person")]
        parts = {row.romanized.lower() for row in self.of("given_name", "family_name")}
        return frozenset(parts.union(*people, map("".join, people)))

    @cached_property
    def people(self) -> Mapping[str, Entity]:
        """People by the letters of their source name in lower case: `mialili`."""
        return {letters_of(row.source): row for row in self.of("person")}

    def person_of(self, user_id: str) -> Entity | None:
        """Whose id a user id of the source is."""
        match = _USER_ID.fullmatch(user_id) if user_id.islower() else None
        return self.people.get(letters_of(match["name"])) if match else None

    def _user_id(self, source: str) -> str:
        person = self.person_of(source)
        if person is None or not person.romanized:
            return source
        return f"{'_'.join(_roman(person))}_{source.rpartition('_')[2]}"

    def _email(self, source: str) -> str:
        match = _EMAIL.fullmatch(source)
        roman = self._romanized(match["name"]) if match else ""
        return f"{roman}{match['digits']}{match['host']}" if match and roman else source

    def identifier(self, source: str) -> str:
        """What stands for a part of an id or of an e-mail, `silva7872`; empty if nobody has it."""
        match = _PART.fullmatch(source)
        roman = self._romanized(match["name"]) if match else ""
        return f"{roman}{match['digits']}" if match and roman else ""

    def _romanized(self, name: str) -> str:
        """A name in an id: of a person, or a given or family name alone; empty if unknown."""
        joint = next((mark for mark in "._-" if mark in name), "")
        if person := self.people.get(letters_of(name)):
            return joint.join(_roman(person))
        if joint:
            return ""
        for kind in ("family_name", "given_name"):
            if row := self.get(kind, name):
                return row.romanized.lower()
        namesakes = self._namesakes.get(name, set())
        return next(iter(namesakes)) if len(namesakes) == 1 else ""

    @cached_property
    def _namesakes(self) -> Mapping[str, set[str]]:
        """By the letters of a given or family name: what its bearers are called in ids."""
        namesakes: dict[str, set[str]] = {}
        for row in self.people.values():
            for part, roman in zip(row.source.split(), _roman(row), strict=False):
                namesakes.setdefault(letters_of(part), set()).add(roman)
        return namesakes

    def _line(self, source: str) -> str:
        if row := self.get("address", source):
            return row.target
        match = LINE.fullmatch(source.strip())
        if match is None:
            return self._towns.get(source.casefold(), source)
        if not (town := self._towns.get(match["street"].casefold())):
            return source
        number = int(match["number"])
        return self.locale.address_line.format(
            town=town, n=number, a=number // 100 + 1, b=number // 10 % 10 + 1, c=number % 10 + 1
        )

    @cached_property
    def _towns(self) -> Mapping[str, str]:
        """What stands for streets, by name in lower case, written out or shortened."""
        forms = self.locale.gazetteer.street_forms
        rows = list(self.of("street"))
        short = {form.casefold(): row.target for row in rows for form in forms(row.source)}
        return short | {row.source.casefold(): row.target for row in rows}


def person(source: str, given: Entity, family: Entity, locale: Locale) -> Entity:
    """The row of a person made of a given and a family name.

    Example:
        "Mia Li" of 千代 and 木村 -> target 木村 千代, romanized Chiyo Kimura
    """
    return Entity(
        kind="person",
        source=source,
        target=locale.full_name(given.target, family.target),
        given=given.target,
        family=family.target,
        reading=f"{given.reading} {family.reading}",
        romanized=f"{given.romanized} {family.romanized}",
    )


def completed(row: Entity, locale: Locale) -> Entity:
    """A person's row whose target follows from given and family name."""
    return replace(row, target=locale.full_name(row.given, row.family))


def _roman(row: Entity) -> list[str]:
    return [part.lower() for part in row.romanized.split()]


def _fold(text: str) -> str:
    return text.casefold()


def letters_of(name: str) -> str:
    """The letters of a name in lower case, whatever joins its parts: `mialili`.

    A dotless i is the i that patterns which ignore case take it for.
    """
    return "".join(filter(str.isalpha, name.casefold().replace("\u0131", "i")))
