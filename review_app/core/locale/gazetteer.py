"""What texts of the source locale call its places, zones and people: data of that locale.

Records write a place one way; texts write it out, shorten it, or use a name everybody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args

from review_app.core.formats.glossary import rows
from review_app.core.toml import NOT_A_TABLE, parse_toml
from review_app.errors import BadInput
from review_app.models import Span
from review_app.notices import Notice

PLACES, HABITS = "places.csv", "source.toml"
"""The two files of a source locale."""
PLACE_COLUMNS = ("kind", "source", "state", "spelling", "manner")

PlaceKind = Literal["state", "city", "county", "landmark", "zone", "country"]
Manner = Literal["any", "exact", "beside", "clock"]

_W = TypeVar("_W")
_FIRST_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Za-zÀ-ɏ]+")
_CLOCK = re.compile(r"\d\s*(?:[ap]\.?m\.?)?\s*\(?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way in which texts write a place or a zone."""

    kind: PlaceKind
    source: str
    """As records write it: `TX`, `New York`."""
    state: str
    """Of a city, as records write it; empty where that says nothing."""
    text: str
    """`Texas`, `NYC`."""
    manner: Manner


@dataclass(frozen=True)
class Gazetteer:
    """What is known of how a source locale's texts name things; empty where nothing is known."""

    spellings: tuple[Spelling, ...] = ()
    zip_pattern: str = ""
    zip_words: tuple[str, ...] = ()
    street_endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """`Street` -> `St.`, `St`"""
    units: tuple[str, ...] = ()
    """Words before the number of a flat: `Apt`."""
    titles: tuple[str, ...] = ()
    introductions: tuple[str, ...] = ()
    """Words after which a family name stands alone: `last name is`."""

    def find(self, text: str) -> Iterator[tuple[Span, Spelling]]:
        """Yield what a text names, with its span; at one place the longest first."""
        for word in _FIRST_WORD.finditer(text):
            for spelling in self._by_word.get(word[0].casefold(), ()):
                end = word.start() + len(spelling.text)
                if _fits(text, word.start(), end, spelling) and self._counts(
                    text, word.start(), end, spelling
                ):
                    yield (word.start(), end), spelling

    def country(self, source: str) -> bool:
        """Whether a record's value is the name of the source's country."""
        return _plain(source) in self._countries

    def zips(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the numbers of a text that have the form of a postal code."""
        return self._zip.finditer(text) if self._zip else iter(())

    def says_zip(self, text: str, start: int) -> bool:
        """Whether the words before a number say that it is a postal code."""
        before = text[max(0, start - 30) : start].casefold()
        return any(
            re.search(rf"\b{re.escape(word)}[^\n.;]{{0,12}}$", before) for word in self.zip_words
        )

    def street_forms(self, street: str) -> list[str]:
        """A street's name with its last word written out and shortened."""
        name, _, ending = street.rpartition(" ")
        return [street, *(f"{name} {short}" for short in self.street_endings.get(ending, ()))]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states as records write them."""
        return tuple(dict.fromkeys(s.source for s in self.spellings if s.kind == "state"))

    @cached_property
    def street_pattern(self) -> str:
        """A name that ends as a street does, known or not."""
        endings = [*self.street_endings, *(e for all in self.street_endings.values() for e in all)]
        names = r"(?:[A-Z][a-z]+ ){1,2}"
        return rf"(?:\d+ )?{names}(?:{choice(endings)})" if endings else ""

    @cached_property
    def _zip(self) -> re.Pattern[str] | None:
        apart = r"(?<![\w$#.,/-]){}(?![\w%-]|[.,]\d)"
        return re.compile(apart.format(f"(?:{self.zip_pattern})")) if self.zip_pattern else None

    @cached_property
    def _by_word(self) -> Mapping[str, list[Spelling]]:
        index: dict[str, list[Spelling]] = {}
        for spelling in sorted(self.spellings, key=lambda s: -len(s.text)):
            first = _FIRST_WORD.match(spelling.text)
            if first:
                index.setdefault(first[0].casefold(), []).append(spelling)
        return index

    @cached_property
    def _countries(self) -> frozenset[str]:
        return frozenset(_plain(s.text) for s in self.spellings if s.kind == "country")

    @cached_property
    def _state_words(self) -> Mapping[str, str]:
        """By state: a pattern of what stands behind a city of it."""
        words: dict[str, list[str]] = {}
        for spelling in self.spellings:
            if spelling.kind == "state":
                words.setdefault(spelling.source, [spelling.source]).append(spelling.text)
        return {state: rf",? (?:{choice(known)})\b" for state, known in words.items()}

    def _counts(self, text: str, start: int, end: int, spelling: Spelling) -> bool:
        if spelling.manner == "any":
            return True
        as_written = text[start:end] == spelling.text
        if spelling.manner == "exact" or (spelling.manner == "clock" and as_written):
            return as_written
        if spelling.manner == "clock":
            return bool(_CLOCK.search(text, max(0, start - 8), start))
        behind = self._state_words.get(spelling.state)
        return bool(as_written and behind and re.match(behind, text[end : end + 40]))


EMPTY = Gazetteer()


def read_gazetteer(places: str, habits: str) -> Gazetteer:
    """The gazetteer in the texts of its two files.

    Raises:
        BadInput: not the columns `PLACE_COLUMNS`, an unknown kind or manner, a spelling twice, or
            no list of words where one has to stand. Names the place.
    """
    spellings: dict[str, Spelling] = {}
    for place, row in rows(places, PLACES, PLACE_COLUMNS):
        text = row["spelling"]
        if not text or text in spellings:
            problem = Notice(
                "locale.place_twice",
                "spelling {spelling!r} is empty or occurs twice",
                spelling=text,
            )
            raise BadInput(problem, PLACES, place)
        kinds: Mapping[str, PlaceKind] = {kind: kind for kind in get_args(PlaceKind)}
        manners: Mapping[str, Manner] = {manner: manner for manner in get_args(Manner)}
        spellings[text] = Spelling(
            kind=_known(row, "kind", kinds, place),
            source=row["source"],
            state=row["state"],
            text=text,
            manner=_known(row, "manner", manners, place),
        )
    table = parse_toml(habits, HABITS)
    street = _table(table, "street").get("endings", {})
    if not isinstance(street, Mapping):
        raise BadInput(NOT_A_TABLE, HABITS, "street.endings")
    return Gazetteer(
        spellings=tuple(spellings.values()),
        zip_pattern=str(_table(table, "zip").get("pattern", "")),
        zip_words=_words(_table(table, "zip"), "words"),
        street_endings={ending: _words(street, ending) for ending in street},
        units=_words(_table(table, "address"), "units"),
        titles=_words(_table(table, "names"), "titles"),
        introductions=_words(_table(table, "names"), "introductions"),
    )


def choice(words: Iterable[str]) -> str:
    """A pattern of any of these words, the longest first."""
    longest = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest))


def distance(first: str, second: str) -> int:
    """How many letters to change, add, leave out or swap with their neighbour."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for at, a in enumerate(first, 1):
        before, last, row = row, before, [at, *[0] * len(second)]
        for to, b in enumerate(second, 1):
            row[to] = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (a != b))
            if at > 1 and to > 1 and a == second[to - 2] and first[at - 2] == b:
                row[to] = min(row[to], last[to - 2] + 1)
    return row[-1]


def _fits(text: str, start: int, end: int, spelling: Spelling) -> bool:
    if text[start:end].casefold() != spelling.text.casefold():
        return False
    return end >= len(text) or not re.match(r"[A-Za-z0-9_]", text[end])


def _plain(country: str) -> str:
    return country.upper().replace(".", "")


def _known(row: Mapping[str, str], column: str, known: Mapping[str, _W], place: str) -> _W:
    if row[column] in known:
        return known[row[column]]
    problem = Notice(
        "locale.place_word_unknown",
        "unknown {column} {value!r}; write {known: or }",
        column=column,
        value=row[column],
        known=tuple(known),
    )
    raise BadInput(problem, PLACES, place)


def _table(rules: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = rules.get(name, {})
    if not isinstance(table, Mapping):
        raise BadInput(NOT_A_TABLE, HABITS, name)
    return table


def _words(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    words = table.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        problem = Notice("locale.no_words", "must be a list of words")
        raise BadInput(problem, HABITS, key)
    return tuple(words)
