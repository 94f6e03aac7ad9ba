"""Where a text names something of the source locale, in all the ways in which it may be written.

The same finder serves both directions of work: what it finds in a source text is replaced by its
counterpart; what it finds in a localized text has been left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product

from review_app.core.locale.glossary import Glossary
from review_app.core.locale.grammar import Grammar
from review_app.core.locale.money import MoneyRule, amounts_in
from review_app.core.localize.bearers import agreed, given_names
from review_app.core.localize.entities import EntityMap, letters_of
from review_app.core.localize.value_words import ValueWords
from review_app.models import Entity, EntityKind

_LEFT, _RIGHT = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
_KANA_WORD = re.compile(r"[ァ-ヺー]+")
_KANA_WORDS = re.compile(r"[ァ-ヺー]+(?:[・ 　＝=][ァ-ヺー]+)*")
_MOST_KANA_WORDS = 4
"""How many words of kana the name of a person or a city has at most."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_JOINING = re.compile("[A-Za-z0-9_ァ-ヺー]")
_TITLE = r"(?:Mr|Mrs|Ms|Dr|Miss)\.?\s+"
_BETWEEN = r"[\s,._・=＝　]*"


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a text that names something of the source locale."""

    kind: str
    """Entity kind, or `amount`, `zone`, `word`."""
    source: str
    """As the text has it."""
    target: str
    """What stands for it."""
    start: int
    end: int


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

    def _apart(
        self, text: str, figures: Mapping[Decimal, Decimal], values: Mapping[str, str]
    ) -> list[Mention]:
        """The candidates that overlap no earlier one."""
        kept: list[Mention] = []
        taken = bytearray(len(text))
        for candidate in self._candidates(text, figures, values):
            if candidate.source != candidate.target and not any(
                taken[candidate.start : candidate.end]
            ):
                taken[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
                kept.append(candidate)
        return kept

    def _candidates(
        self, text: str, figures: Mapping[Decimal, Decimal], values: Mapping[str, str]
    ) -> Iterator[Mention]:
        yield from self._amounts(text, figures)
        yield from self._entity_mentions(text)
        yield from self._zones(text)
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
        for amount in amounts_in(text, self._money.source):
            known = figures.get(abs(amount.value))
            whole = self._money.expected(amount.value)
            if known is not None:
                whole = int(known.to_integral_value().copy_sign(amount.value))
            target = self._entities.locale.money_form.format(amount=f"{whole:,}")
            yield Mention(
                kind="amount", source=amount.text, target=target, start=amount.start, end=amount.end
            )

    def _zones(self, text: str) -> Iterator[Mention]:
        source, target = self._entities.locale.zone
        if source:
            for match in re.finditer(rf"{_LEFT}{re.escape(source)}{_RIGHT}", text):
                yield Mention("zone", source, target, *match.span())
            for match in re.finditer(rf"(?<=[a-z]_){source.lower()}{_RIGHT}", text):
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
            rf"{_LEFT}(?P<email>[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)",
            rf"{_LEFT}(?P<user_id>[a-z]+(?:_[a-z]+)+_\d+){_RIGHT}",
            *(_listed(kind, sources) for kind, sources in rows.items() if kind not in _AS_LINES),
            _listed("street", rows["address"]),
            rf"{_LEFT}(?P<country>United States(?: of America)?|USA|U\.S\.A?\.?|US){_RIGHT}",
        ]
        if states := _choice(row.source for row in entities.of("state")):
            # Two capitals are a state only where an address has one.
            patterns.append(rf"(?<=, )(?P<state>{states}){_RIGHT}")
            patterns.append(rf"{_LEFT}(?P<state>{states})(?=,? \d)")
        streets = _choice(rows["street"])
        if streets:
            patterns.append(rf"{_LEFT}(?P<street>\d+ (?:{streets})){_RIGHT}")
            patterns.append(rf"{_LEFT}(?P<unit>(?:Suite|Apt|Apartment|Unit) #?\d+){_RIGHT}")
        return [re.compile(pattern) for pattern in (*patterns, *self._name_patterns()) if pattern]

    def _name_patterns(self) -> Iterator[str]:
        if full := "|".join(_full_names(self._entities)):
            yield rf"(?i:{_LEFT}(?P<person>{full}){_RIGHT})"
        if self._given:
            yield rf"{_LEFT}(?P<given_name>{_choice(self._given)}){_RIGHT}"
        known = [row.source for row in self._entities.of("family_name")]
        if known:
            yield rf"{_LEFT}{_TITLE}(?P<family_name>{_choice(known)}){_RIGHT}"

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


_LISTED: tuple[EntityKind, ...] = ("phone", "zip", "address", "street", "place", "city", "product")
_AS_LINES = ("address", "street")


def _listed(kind: str, sources: Iterable[str]) -> str:
    choice = _choice(sources)
    plural = "s?" if kind == "product" else ""
    flags = "(?i:" if kind == "product" else "(?:"
    return rf"{flags}{_LEFT}(?P<{kind}>(?:{choice}){plural}){_RIGHT})" if choice else ""


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
            yield rf"{re.escape(first)}{_BETWEEN}(?:{_choice(seconds)})"


def _is_joined(text: str, mention: Mention) -> bool:
    around = text[max(0, mention.start - 1) : mention.start] + text[mention.end : mention.end + 1]
    return any(_JOINING.match(character) for character in around)


def _choice(words: Iterable[str]) -> str:
    longest = sorted({word for word in words if word}, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest))
