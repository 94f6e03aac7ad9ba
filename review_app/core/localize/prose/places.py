"""Places, zones, postal codes and parts of identifiers as prose has them, not records.

`known` yields what has a counterpart, `unknown` what only a person can decide: a landmark, a city
without a row, an e-mail of nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from review_app.core.locale.gazetteer import Spelling, choice
from review_app.core.localize.entities import EntityMap, letters_of
from review_app.core.localize.prose.mention import Mention
from review_app.models import EntityKind

LEFT, RIGHT = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_IDENTIFIER = re.compile(
    rf"{LEFT}[a-z]+(?:[._][a-z]+)*_?\d{{3,}}(?![\w@])|{LEFT}[a-z]+[._][a-z]+\b"
)
_ADDRESS = re.compile(rf"{LEFT}[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_USER_ID = re.compile(rf"{LEFT}[a-z]+_[a-z]+_\d{{3,}}{RIGHT}")
_ROWS: Mapping[str, tuple[EntityKind, ...]] = {
    "city": ("place", "city"),
    "state": ("state",),
    "country": (),
    "zone": (),
}


class ProsePlaces:
    """Finds what prose calls the things of one domain.

    Args:
        entities: Of the domain, with the gazetteer of its source locale.
    """

    def __init__(self, entities: EntityMap) -> None:
        self._entities, self._gazetteer = entities, entities.locale.gazetteer

    def known(self, text: str) -> Iterator[Mention]:
        """Yield what has a counterpart."""
        for (start, end), spelling in self._gazetteer.find(text):
            kind, target = self._counterpart(spelling, text[start:end])
            if target:
                yield Mention(
                    kind=kind,
                    source=text[start:end],
                    target=target,
                    start=start,
                    end=end,
                    entity=spelling.source,
                )
        for match in _IDENTIFIER.finditer(text):
            if target := self._entities.identifier(match[0]):
                yield Mention("identifier", match[0], target, *match.span())

    def unknown(self, text: str) -> Iterator[Mention]:
        """Yield what has none. What is a counterpart itself is passed over."""
        for (start, end), spelling in self._gazetteer.find(text):
            if not self._counterpart(spelling, text[start:end])[1]:
                yield from self._undecided(spelling.kind, text, start, end, spelling.source)
        for match in self._gazetteer.zips(text):
            if self._gazetteer.says_zip(text, match.start()):
                yield from self._undecided("zip", text, *match.span())
        for kind, pattern in (("email", _ADDRESS), ("street", self._street)):
            for match in pattern.finditer(text) if pattern else ():
                yield from self._undecided(kind, text, *match.span())
        for match in _USER_ID.finditer(text):
            # `credit_card_7721280` is nobody's.
            if self._names.intersection(match[0].split("_")):
                yield from self._undecided("user_id", text, *match.span())

    def _undecided(
        self, kind: str, text: str, start: int, end: int, entity: str = ""
    ) -> Iterator[Mention]:
        source = text[start:end]
        name = letters_of(source.partition("@")[0])
        if source.casefold() not in self._targets and name not in self._entities.roman_names:
            yield Mention(kind=kind, source=source, target="", start=start, end=end, entity=entity)

    def _counterpart(self, spelling: Spelling, written: str) -> tuple[str, str]:
        """Kind and what stands for a spelling; empty if that is not known."""
        entities = self._entities
        if spelling.kind == "zone":
            source, target = entities.locale.zone
            if source == spelling.source and target:
                return "zone", target.lower() if written == written.lower() else target
        if spelling.kind == "country":
            return "country", entities.locale.country
        for kind in _ROWS.get(spelling.kind, ()):
            if row := entities.get(kind, spelling.source):
                return kind, row.target
        if row := entities.get("value", written) or entities.get("value", spelling.source):
            return "value", row.target
        return spelling.kind, ""

    @cached_property
    def _targets(self) -> frozenset[str]:
        """Everything that stands for something, in lower case."""
        rows = self._entities.rows.values()
        return frozenset(row.target.casefold() for row in rows) | {
            zone.casefold() for zone in self._entities.locale.zone[1:]
        }

    @cached_property
    def _names(self) -> frozenset[str]:
        """Given and family names of the source, in lower case."""
        people = self._entities.of("person")
        return frozenset(name for row in people for name in row.source.casefold().split())

    @cached_property
    def _street(self) -> re.Pattern[str] | None:
        pattern = self._gazetteer.street_pattern
        return re.compile(f"{LEFT}{pattern}{RIGHT}") if pattern else None


def street_patterns(entities: EntityMap) -> Iterator[str]:
    """Streets with a number, then without: the whole name, or its last word shortened."""
    gazetteer = entities.locale.gazetteer
    forms = choice(
        form for row in entities.of("street") for form in gazetteer.street_forms(row.source)
    )
    if forms:
        yield rf"{LEFT}(?P<street>(?:\d+ )?(?:{forms}))(?![A-Za-z0-9_])"
        if units := choice(gazetteer.units):
            yield rf"{LEFT}(?P<unit>(?:{units}) #?\d+){RIGHT}"


def state_patterns(entities: EntityMap) -> Iterator[str]:
    """Two capitals are a state only where an address has one: behind a city, before a number."""
    states = choice(row.source for row in entities.of("state"))
    if not states:
        return
    yield rf"(?<=, )(?P<state>{states}){RIGHT}"
    yield rf"{LEFT}(?P<state>{states})(?=,? \d)"
    cities = choice(_both(entities, "city"))
    if cities:
        yield rf"(?:{cities}),? ?{LEFT}(?P<state>{states}){RIGHT}"


def _both(entities: EntityMap, kind: EntityKind) -> Iterable[str]:
    for row in entities.of(kind):
        yield row.source
        yield row.target
