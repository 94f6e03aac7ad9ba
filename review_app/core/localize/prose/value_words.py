"""Which words of a source text stand as values, so that the target's value takes their place.

A status, a cabin or an option is replaced where a text speaks of the value: alone, quoted, bold, in
code, or said of its record ("the order is pending"). As a verb ("cannot be cancelled"), before a
noun ("a pending order") or in a list of words that are no values it is a word of its language. What
no tool compares (`human agent`) is told to translators as a term, and is no value at all. A term
without category is none of a domain's values but a project's own word: it is replaced anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy

from review_app.core.locale.glossary import Glossary, Match, is_marked
from review_app.core.locale.grammar import Grammar
from review_app.models import Term

PLACES = ("Airport Code", "Airport Name", "Time Zone")
"""Categories of terms that are entities, not words."""

_MARKS = " \t\n\"'`*"


class ValueWords:
    """Finds the values that texts of one domain write as words.

    Args:
        glossary: Its terms; those of mode `exact` are values.
        domain: Whose terms.
        grammar: Of the source language; None takes every term for a value, wherever it stands.
        options: Keys of product options (`switch type`), of which texts say values.
    """

    def __init__(
        self, glossary: Glossary, domain: str, grammar: Grammar | None, options: Iterable[str] = ()
    ) -> None:
        self._glossary, self._domain, self._grammar = glossary, domain, grammar
        self._options = tuple(sorted(set(options)))
        self._said: Mapping[str, str] = {}
        self._compared = {
            (term.category, term.target)
            for term in glossary.terms
            if term.mode == "exact" and term.domain in (None, domain)
        }

    def saying(self, said: Mapping[str, str]) -> ValueWords:
        """The same for texts in which these words are compared, wherever they stand."""
        other = copy(self)
        other._said = {word.casefold(): target for word, target in said.items()}
        return other

    def of_terms(self, text: str, marked: str) -> Iterator[tuple[int, int, Term]]:
        """Yield start, end and term of the values that the glossary knows.

        Args:
            text: Of the source.
            marked: The same with other letters blotted out, to look for words in.
        """
        for match in self._glossary.in_source(marked, self._domain):
            if match.term.mode != "keep" and (term := self._meant(text, match)):
                yield match.start, match.end, term

    def of_options(self, text: str, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and target of the options' values that a task shows."""
        folded = {source.casefold(): target for source, target in values.items()}
        folded |= self._said
        longest = sorted(filter(None, folded), key=lambda value: (-len(value), value))
        if not longest:
            return
        choice = "|".join(map(re.escape, longest))
        for match in re.finditer(rf"(?i:(?<![A-Za-z0-9_])(?:{choice})(?![A-Za-z0-9_]))", text):
            if match[0].casefold() in self._said or self._is_option(text, *match.span()):
                yield *match.span(), folded[match[0].casefold()]

    def _is_option(self, text: str, start: int, end: int) -> bool:
        grammar = self._grammar
        return (
            grammar is None
            or is_marked(text, start, end)
            or grammar.is_option(text, start, end, self._options)
        )

    def _meant(self, text: str, match: Match) -> Term | None:
        """The term that a match stands for, None where it is no value."""
        grammar, span = self._grammar, (match.start, match.end)
        if grammar is None or match.term.category in ("", *PLACES):
            return match.term
        if match.term.mode == "exact":
            return self._nearest(text, match)
        if not any(self._is_compared(term) for term in match.terms):
            alone = not (text[: match.start] + text[match.end :]).strip(_MARKS)
            return match.term if alone else None
        if is_marked(text, *span):
            return self._nearest(text, match)
        return next((t for t in match.terms if grammar.is_value(text, *span, t.category)), None)

    def _is_compared(self, term: Term) -> bool:
        return (term.category, term.target) in self._compared

    def _nearest(self, text: str, match: Match) -> Term:
        """Of terms with one spelling, that of the record which is named last before it."""
        if self._grammar is None or not match.also:
            return match.term
        categories = [term.category for term in match.terms]
        nearest = self._grammar.nearest(text, match.start, categories)
        return next((term for term in match.terms if term.category == nearest), match.term)
