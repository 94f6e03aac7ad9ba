"""Which glossary terms a source text uses, and whether its translation has them.

A term of mode `exact` is a value that a tool compares. Where its spelling is an everyday word
(`other`, `good`, `on time`) it counts only as a value: alone in its text, quoted, in backticks
or bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from review_app.core.locale.japanese import find_literal, find_word
from review_app.models import Span, Term

# A screen text may have an icon between the quote and the value.
_OPENED = re.compile(r"[\"'`*“‘「『（\[](?:[^\nA-Za-z0-9]{0,4}\s)?$")
_CLOSED = re.compile(r"[.,]?[\"'`*”’」』）\]]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Match:
    """A term found in a source text, at a half-open span."""

    term: Term
    start: int
    end: int
    also: tuple[Term, ...] = ()
    """Other terms with the same spelling; any of their targets is right too."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term that this stretch of text may stand for."""
        return (self.term, *self.also)


class Glossary:
    """The terms of one project for one target language. Make a new one after an edit.

    Args:
        terms: In order of preference where two have the same spelling.
        target_locale: `ja` is matched by tokens and lemmas, other languages by word boundaries.
    """

    def __init__(self, terms: Iterable[Term], target_locale: str) -> None:
        self.terms = tuple(terms)
        self.target_locale = target_locale
        self._indexes: dict[str, _Index] = {}

    def in_source(self, text: str, domain: str) -> list[Match]:
        """The terms a source text uses, in order, longest match first, without overlaps.

        Case does not matter but for `exact` terms; a plural in s or es is found; terms of mode
        `forbidden` are not reported, see `forbidden`.
        """
        return self._index(domain).matches(text)

    def in_target(self, text: str, term: Term) -> list[Span]:
        """Half-open spans of a term's target or of another accepted spelling in a translation."""
        spans = {
            span for form in (term.target, *term.accepted) for span in self._find(text, form, term)
        }
        return sorted(spans)

    def missing(self, source: str, target: str, domain: str) -> list[Term]:
        """Terms that the source uses and the translation does not have, each once, in order."""
        return [match.term for match in self.unmatched(source, target, domain)]

    def unmatched(self, source: str, target: str, domain: str) -> list[Match]:
        """The first match of every term that the translation does not have, in order.

        エコノミー inside ベーシックエコノミー is not found if the source uses both terms.
        """
        wanted: dict[tuple[Term, ...], Match] = {}
        for match in self.in_source(source, domain):
            wanted.setdefault(match.terms, match)
        taken: list[Span] = []
        absent = set()
        for terms in sorted(wanted, key=lambda terms: -max(len(term.target) for term in terms)):
            free = [
                span
                for term in terms
                for span in self.in_target(target, term)
                if not any(_lies_within(span, other) for other in taken)
            ]
            taken += free
            if not free:
                absent.add(terms)
        return [match for terms, match in wanted.items() if terms in absent]

    def forbidden(self, source: str, target: str, domain: str) -> list[tuple[Term, int, int]]:
        """Targets that must not be used for a word of this source, with spans in the target."""
        return [
            (term, start, end)
            for term in self._index(domain).ruled_out(source)
            for start, end in self.in_target(target, term)
        ]

    def ruled_out(self, text: str, domain: str) -> list[Term]:
        """The `forbidden` terms that apply to a source text, whatever its translation says."""
        return self._index(domain).ruled_out(text)

    def affected_by(self, old: Term | None, new: Term | None, sources: Sequence[str]) -> list[int]:
        """Positions of the source texts that use a term as it was or as it is after an edit.

        Args:
            old: None for a new term.
            new: None for a deleted term.
            sources: The source texts of the term's domain.
        """
        edited = [term for term in (old, new) if term is not None]
        indexes = [_Index([term]) for term in edited]
        hits = mentions(edited, sources)
        return [at for at in hits if any(index.uses(sources[at]) for index in indexes)]

    def _index(self, domain: str) -> _Index:
        if domain not in self._indexes:
            self._indexes[domain] = _Index([t for t in self.terms if t.domain in (None, domain)])
        return self._indexes[domain]

    def _find(self, text: str, form: str, term: Term) -> list[Span]:
        if self.target_locale != "ja":
            return _find_simple(text, form, is_exact=term.mode == "exact")
        if term.mode == "prose":
            return find_word(text, form)
        return find_literal(text, form)


def mentions(terms: Sequence[Term], texts: Sequence[str]) -> list[int]:
    """Positions of the texts with a spelling or an exception of a term, whatever it means there.

    Adding, changing or removing the terms changes nothing that a glossary finds in other texts; in
    these it may, also for other terms: an exception hides them.
    """
    index = _Index(terms)
    return [at for at, text in enumerate(texts) if index.is_mentioned(text)]


class _Index:
    """Spellings of the terms of one domain, compiled."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.by_value: dict[str, list[Term]] = {}
        self.by_word: dict[str, list[Term]] = {}
        self.banned: list[tuple[Term, re.Pattern[str] | None]] = []
        for term in terms:
            if term.mode == "forbidden":
                self.banned.append((term, _word_pattern(_spellings(term))))
            elif term.mode == "exact":
                for spelling in {term.source, *term.variants}:
                    self.by_value.setdefault(spelling, []).append(term)
            else:
                for key in {_key(spelling) for spelling in _spellings(term)}:
                    self.by_word.setdefault(key, []).append(term)
        for term in terms:
            for phrase in term.exceptions:
                self.by_word.setdefault(_key(phrase), [])

    @cached_property
    def values(self) -> re.Pattern[str] | None:
        return _value_pattern(list(self.by_value))

    @cached_property
    def words(self) -> re.Pattern[str] | None:
        return _word_pattern(list(self.by_word))

    @cached_property
    def pieces(self) -> list[list[str]]:
        """For each spelling what a folded text must contain to have it; far faster to look for."""
        banned = (_spellings(term) or [""] for term, _ in self.banned)
        words = {*self.by_word, *map(_key, chain.from_iterable(banned))}
        return [
            *(_fold(word).split(" ") for word in words),
            *([_fold(value)] for value in self.by_value),
        ]

    def is_mentioned(self, text: str) -> bool:
        folded = _fold(text)
        if not any(all(piece in folded for piece in pieces) for pieces in self.pieces):
            return False
        patterns = (self.values, self.words)
        if any(pattern is not None and pattern.search(text) for pattern in patterns):
            return True
        return any(pattern is None or pattern.search(text) for _, pattern in self.banned)

    def uses(self, text: str) -> bool:
        return bool(self.matches(text)) or bool(self.ruled_out(text))

    def ruled_out(self, text: str) -> list[Term]:
        return [term for term, pattern in self.banned if _is_ruled_out(term, pattern, text)]

    def matches(self, text: str) -> list[Match]:
        # At one place the value wins over the word, and the longer match over both.
        matches = [*self._values_in(text), *self._words_in(text)]
        kept: list[Match] = []
        for match in sorted(matches, key=lambda match: (match.start, -match.end)):
            if not kept or match.start >= kept[-1].end:
                kept.append(match)
        return kept

    def _values_in(self, text: str) -> list[Match]:
        if self.values is None:
            return []
        return [
            _match(self.by_value[hit[0]], hit)
            for hit in self.values.finditer(text)
            if _speaks_for_itself(hit[0]) or is_marked(text, *hit.span())
        ]

    def _words_in(self, text: str) -> list[Match]:
        if self.words is None:
            return []
        hits = ((self._terms_for(hit[0]), hit) for hit in self.words.finditer(text))
        return [_match(terms, hit) for terms, hit in hits if terms]

    def _terms_for(self, spelling: str) -> list[Term]:
        key = _key(spelling)
        for form in (key, key.removesuffix("s"), key.removesuffix("es")):
            if form in self.by_word:
                return self.by_word[form]
        return []


def _match(terms: Sequence[Term], hit: re.Match[str]) -> Match:
    return Match(terms[0], *hit.span(), also=tuple(terms[1:]))


def _is_ruled_out(term: Term, pattern: re.Pattern[str] | None, text: str) -> bool:
    """Without a source the target is forbidden everywhere."""
    if pattern is None:
        return True
    phrases = {_key(phrase) for phrase in term.exceptions}
    return any(_key(hit[0]) not in phrases for hit in pattern.finditer(text))


def _spellings(term: Term) -> list[str]:
    extra = term.exceptions if term.mode == "forbidden" else ()
    return [spelling for spelling in (term.source, *term.variants, *extra) if spelling]


def _key(spelling: str) -> str:
    return re.sub(r"[\s_-]+", " ", spelling).casefold()


def _fold(text: str) -> str:
    """The text so that whatever a pattern takes for the same letter is the same."""
    return text.replace("\u0130", "i").replace("\u0131", "i").casefold()


def _word_pattern(spellings: Sequence[str]) -> re.Pattern[str] | None:
    """Any of the spellings as whole words; spaces, hyphens and underscores are the same."""
    if not spellings:
        return None
    keys = sorted({_key(spelling) for spelling in spellings}, key=len, reverse=True)
    choice = "|".join(re.escape(key).replace(r"\ ", r"[\s_-]+") for key in keys)
    return re.compile(rf"(?<!\w)(?:{choice})(?:e?s)?(?!\w)", re.IGNORECASE)


def _value_pattern(spellings: Sequence[str]) -> re.Pattern[str] | None:
    if not spellings:
        return None
    choice = "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{choice})(?!\w)")


def _speaks_for_itself(spelling: str) -> bool:
    """Whether a value cannot be running text: `one_way`, `JFK`, `AWAITING PAYMENT`."""
    return spelling.isupper() or bool(re.search(r"[_\d]", spelling))


def is_marked(text: str, start: int, end: int) -> bool:
    """Whether a stretch is a whole text or heading, quoted, or the first words of an answer."""
    is_first = not text[:start].strip().strip("#")
    if is_first and (not text[end:].strip() or len(text[start:end].split()) >= 3):
        return True
    opened = _OPENED.search(text, max(0, start - 8), start)
    return bool(opened and _CLOSED.match(text, end))


def _find_simple(text: str, form: str, *, is_exact: bool) -> list[Span]:
    if not form:
        return []
    left = "" if _UNSPACED.match(form[0]) else r"(?<!\w)"
    right = "" if _UNSPACED.match(form[-1]) else r"(?!\w)"
    flags = re.NOFLAG if is_exact else re.IGNORECASE
    hits = re.finditer(f"{left}{re.escape(form)}{right}", text, flags=flags)
    return [hit.span() for hit in hits]


def _lies_within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1] and inner != outer
