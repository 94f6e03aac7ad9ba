"""Where a text names something of the source locale, in all the ways in which it may be written.

The same finder serves both directions of work: what it finds in a source text is replaced by its
counterpart; what it finds in a localized text has been left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from decimal import Decimal
from functools import cached_property
from itertools import product

from review_app.core.locale.amounts import reading
from review_app.core.locale.gazetteer import choice
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.grammar import Grammar
from review_app.core.locale.money import MoneyRule
from review_app.core.localize.entities import EntityMap, letters_of
from review_app.core.localize.prose.bearers import agreed, given_names
from review_app.core.localize.prose.mention import Mention
from review_app.core.localize.prose.places import (
    LEFT,
    RIGHT,
    ProsePlaces,
    state_patterns,
    street_patterns,
)
from review_app.core.localize.prose.value_words import ValueWords
from review_app.models import Entity, EntityKind

_KANA_WORD = re.compile(r"[ァ-ヺー]+")
_KANA_WORDS = re.compile(r"[ァ-ヺー]+(?:[・ 　＝=][ァ-ヺー]+)*")
_MOST_KANA_WORDS = 4
"""How many words of kana the name of a person or a city has at most."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_JOINING = re.compile("[A-Za-z0-9_ァ-ヺー]")
_BETWEEN = r"[\s,._・=＝　]*"


class Mentions:
    """Finds what the texts of one domain name.

    Args:
        entities: Of the domain.
        glossary: Its terms are found too: airports, words that tools compare.
        domain: Whose terms.
        money: None leaves amounts alone.
        grammar: Of the source language: which words are values, see `ValueWords`.
    """

    def __init__(
        self,
        entities: EntityMap,
        glossary: Glossary,
        domain: str,
        money: MoneyRule | None,
        grammar: Grammar | None = None,
    ) -> None:
        self._entities, self._money = entities, money
        self._places = ProsePlaces(entities)
        keys = {row.source.partition("=")[0] for row in entities.of("option")}
        self._values = ValueWords(glossary, domain, grammar, keys)

    def among(self, people: Iterable[Entity]) -> Mentions:
        """The same for texts that speak of these people: their given names, alone, mean them."""
        other = copy(self)
        other._given = self._given | agreed(people)
        return other

    def saying(self, said: Mapping[str, str]) -> Mentions:
        """The same for texts in which these words are compared: they are replaced anywhere."""
        other = copy(self)
        other._values = self._values.saying(said)
        return other

    def find(
        self,
        text: str,
        figures: Mapping[Decimal, Decimal] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> list[Mention]:
        """The mentions of a text in order, without overlaps; at one place the first kind wins.

        Args:
            text: In any language.
            figures: Amounts that are known better than by conversion.
            values: Further words and their counterparts, found as whole words.
        """
        mentions = new = self._apart(text, figures or {}, values or {})
        # Once it is replaced, `$50` in `$50JFK` is no part of a word any more.
        while any(_is_joined(text, mention) for mention in new):
            characters = list(text)
            for mention in new:
                characters[mention.start : mention.end] = "。" * (mention.end - mention.start)
            text = "".join(characters)
            new = self._apart(text, figures or {}, values or {})
            mentions = [*mentions, *new]
        return sorted(mentions, key=lambda mention: mention.start)

    def adapted(
        self,
        text: str,
        figures: Mapping[Decimal, Decimal] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> str:
        """The text with everything it names replaced by its counterpart."""
        parts, at = [], 0
        for mention in self.find(text, figures, values):
            parts += [text[at : mention.start], mention.target]
            at = mention.end
        return "".join((*parts, text[at:]))

    def left(self, text: str) -> list[Mention]:
        """What a localized text still names of the source, decided or not, in order.

        A part of an id is none where a person of the target has that name, too.
        """
        known, roman = self.find(text), self._entities.roman_names
        left = [
            mention
            for mention in known
            if mention.kind not in ("email", "user_id", "identifier")
            or letters_of(mention.source.partition("@")[0]) not in roman
        ]
        return sorted([*left, *self._unknown(text, known)], key=lambda mention: mention.start)

    def undecided(self, text: str) -> list[Mention]:
        """What a text names that nothing is known to stand for, in order, without overlaps.

        Among it amounts that cannot be read.
        """
        known = self.find(text)
        unread = [
            Mention(kind="amount", source=text[start:end], target="", start=start, end=end)
            for start, end in self.unread(text)
            if not any(mention.start < end and start < mention.end for mention in known)
        ]
        listed = _without_overlaps([*unread, *self._unknown(text, known)])
        return sorted(listed, key=lambda mention: mention.start)

    def _unknown(self, text: str, known: Iterable[Mention]) -> list[Mention]:
        rest = list(text)
        for mention in known:
            rest[mention.start : mention.end] = "。" * (mention.end - mention.start)
        unknown = _without_overlaps(self._places.unknown("".join(rest)))
        return sorted(unknown, key=lambda mention: mention.start)

    def unread(self, text: str) -> list[tuple[int, int]]:
        """Spans that speak of an amount of the source which cannot be read; they stay."""
        return [] if self._money is None else list(reading(text, self._money.source).unread)

    def _apart(
        self, text: str, figures: Mapping[Decimal, Decimal], values: Mapping[str, str]
    ) -> list[Mention]:
        """The candidates that overlap no earlier one."""
        candidates = self._candidates(text, figures, values)
        return _without_overlaps(
            candidate for candidate in candidates if candidate.source != candidate.target
        )

    def _candidates(
        self, text: str, figures: Mapping[Decimal, Decimal], values: Mapping[str, str]
    ) -> Iterator[Mention]:
        yield from self._amounts(text, figures)
        yield from self._entity_mentions(text)
        yield from self._zones(text)
        yield from self._places.known(text)
        # The glossary wins over a variant's value: a camera is not only what a bag is for. It takes
        # of a language without spaces for parts of a word.
        for start, end, term in self._values.of_terms(text, _UNSPACED.sub("。", text)):
            source = text[start:end]
            yield Mention(kind="word", source=source, target=term.target, start=start, end=end)
        for start, end, target in self._values.of_options(text, values):
            source = text[start:end]
            yield Mention(kind="option", source=source, target=target, start=start, end=end)

    def _amounts(self, text: str, figures: Mapping[Decimal, Decimal]) -> Iterator[Mention]:
        if self._money is None:
            return
        form = self._entities.locale.money_form
        here = reading(text, self._money.source)
        for amount in here.amounts:
            known = figures.get(abs(amount.value))
            whole = self._money.expected(amount.value)
            if known is not None:
                whole = int(known.to_integral_value().copy_sign(amount.value))
            target = form.format(amount=f"{whole:,}")
            yield Mention(
                kind="amount", source=amount.text, target=target, start=amount.start, end=amount.end
            )
        for start, end in here.names:
            target = form.format(amount="").strip()
            yield Mention(
                kind="amount", source=text[start:end], target=target, start=start, end=end
            )

    def _zones(self, text: str) -> Iterator[Mention]:
        source, target = self._entities.locale.zone
        if source:
            for match in re.finditer(rf"{LEFT}{re.escape(source)}{RIGHT}", text):
                yield Mention("zone", source, target, *match.span())
            for match in re.finditer(rf"(?<=[a-z]_){source.lower()}{RIGHT}", text):
                yield Mention("zone", match[0], target.lower(), *match.span())

    def _entity_mentions(self, text: str) -> Iterator[Mention]:
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                kind = str(match.lastgroup)
                span = match.span(kind)
                yield Mention(kind, match[kind], self._target(kind, match[kind]), *span)
        if self._transcribed:
            for match in _KANA_WORDS.finditer(text):
                yield from self._kana_mentions(text, *match.span())

    def _kana_mentions(self, text: str, start: int, end: int) -> Iterator[Mention]:
        """Yield the known names among words of kana, the longest first; there are thousands."""
        words, at = [word.span() for word in _KANA_WORD.finditer(text, start, end)], 0
        while at < len(words):
            for to in range(min(at + _MOST_KANA_WORDS, len(words)), at, -1):
                first, last = words[at][0], words[to - 1][1]
                if target := self._transcribed.get(text[first:last]):
                    yield Mention(
                        kind="kana", source=text[first:last], target=target, start=first, end=last
                    )
                    at = to - 1
                    break
            at += 1

    def _target(self, kind: str, source: str) -> str:
        entities = self._entities
        if kind == "person":
            return self._person(source).target
        if kind == "product":
            row = entities.product(source)
            return row.target if row else source
        if kind == "given_name":
            return self._given[source]
        if kind == "unit":
            return entities.unit(source)
        return entities.value(kind, source)  # type: ignore[arg-type]

    def _person(self, source: str) -> Entity:
        letters = letters_of(source)
        people = self._entities.people
        return people.get(letters) or people[self._family_first[letters]]

    @cached_property
    def _family_first(self) -> dict[str, str]:
        """Letters of `Li Mia` -> letters of `Mia Li`."""
        turned = {}
        for letters, row in self._entities.people.items():
            given, _, family = row.source.rpartition(" ")
            turned[letters_of(family + given)] = letters
        return turned

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        """Patterns whose named group is the kind; the more particular first."""
        entities = self._entities
        rows = {kind: [row.source for row in entities.of(kind)] for kind in _LISTED}
        patterns = [
            rf"{LEFT}(?P<email>[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)",
            rf"{LEFT}(?P<user_id>[a-z]+(?:_[a-z]+)+_\d+){RIGHT}",
            *(_listed(kind, sources) for kind, sources in rows.items() if kind not in _AS_LINES),
            _listed("street", rows["address"]),
            *state_patterns(entities),
            *street_patterns(entities),
        ]
        return [re.compile(pattern) for pattern in (*patterns, *self._name_patterns()) if pattern]

    def _name_patterns(self) -> Iterator[str]:
        if full := "|".join(_full_names(self._entities)):
            yield rf"(?i:{LEFT}(?P<person>{full}){RIGHT})"
        if self._given:
            yield rf"{LEFT}(?P<given_name>{choice(self._given)}){RIGHT}"
        known = choice(row.source for row in self._entities.of("family_name"))
        gazetteer = self._entities.locale.gazetteer
        if known and (titles := choice(gazetteer.titles)):
            yield rf"{LEFT}(?:{titles})\.?\s+(?P<family_name>{known}){RIGHT}"
        if known and (words := choice(gazetteer.introductions)):
            yield rf"{LEFT}(?i:{words})[\s:\"']+(?P<family_name>{known}){RIGHT}"

    @cached_property
    def _given(self) -> dict[str, str]:
        return given_names(self._entities)

    @cached_property
    def _transcribed(self) -> dict[str, str]:
        """Source names in the letters of the target locale -> their counterpart."""
        letters, transcribed = self._entities.locale.transcriptions, {}
        for row in self._entities.of("person"):
            given, _, family = row.source.rpartition(" ")
            for a, b in product(letters.get(given, ()), letters.get(family, ())):
                for mark in ("", "・", " ", "　", "＝", "="):
                    transcribed[a + mark + b] = transcribed[b + mark + a] = row.target
        for row in self._entities.of("given_name", "city", "place"):
            for form in letters.get(row.source, ()):
                if len(form) > 2:
                    transcribed.setdefault(form, row.target)
        return transcribed


_LISTED: tuple[EntityKind, ...] = (
    "phone",
    "zip",
    "address",
    "street",
    "place",
    "city",
    "product",
    "value",
)
_AS_LINES = ("address", "street")


def _listed(kind: str, sources: Iterable[str]) -> str:
    words = choice(sources)
    plural = "s?" if kind == "product" else ""
    flags = "(?i:" if kind == "product" else "(?:"
    return rf"{flags}{LEFT}(?P<{kind}>(?:{words}){plural}){RIGHT})" if words else ""


def _full_names(entities: EntityMap) -> Iterator[str]:
    """Patterns of both orders of every person's name, one for each given or family name."""
    by_given: dict[str, list[str]] = {}
    by_family: dict[str, list[str]] = {}
    for row in entities.of("person"):
        given, _, family = row.source.rpartition(" ")
        by_given.setdefault(given, []).append(family)
        by_family.setdefault(family, []).append(given)
    for first, seconds in (*by_given.items(), *by_family.items()):
        if first:
            yield rf"{re.escape(first)}{_BETWEEN}(?:{choice(seconds)})"


def _without_overlaps(candidates: Iterable[Mention]) -> list[Mention]:
    """Those that overlap no earlier one."""
    kept: list[Mention] = []
    taken: set[int] = set()
    for candidate in candidates:
        span = range(candidate.start, candidate.end)
        if taken.isdisjoint(span):
            taken.update(span)
            kept.append(candidate)
    return kept


def _is_joined(text: str, mention: Mention) -> bool:
    around = text[max(0, mention.start - 1) : mention.start] + text[mention.end : mention.end + 1]
    return any(_JOINING.match(character) for character in around)
