"""What the words of a source text show: where one is a value, and of which gender somebody is.

Everything particular to a language is data, `data/locales/<source>/grammar.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, get_args

from review_app.core.locale.names import Gender, listed_gender, usual_genders
from review_app.core.toml import NOT_A_TABLE, parse_toml
from review_app.errors import BadInput
from review_app.notices import Notice

GRAMMAR, GIVEN_NAMES = "grammar.toml", "given_names.csv"

_CLAUSE_START = 90
"""How many characters before a value its subject and verb may take."""
_IDENTIFIER = r"(?:\s+#?[A-Z0-9]*\d[A-Z0-9]*|\s+#[A-Z0-9]+)?"
_ENDS = r"\s*(?:$|\n|[.;:!?)\]\"”’`*]|\s[-—–]\s)"
_JOINED = re.compile(r"[A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class GenderWords:
    """The words that say one gender."""

    pronouns: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grammar:
    """The data of one source language."""

    copulas: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    followers: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Category of terms -> nouns of the records that have such a value."""
    users: tuple[str, ...] = ()
    introductions: tuple[str, ...] = ()
    namings: tuple[str, ...] = ()
    genders: Mapping[Gender, GenderWords] = field(default_factory=dict)
    usual: Mapping[str, Gender] = field(default_factory=dict)
    """Given name -> gender."""
    faker: str = ""
    """Faker's name of the locale, for given names beyond these."""

    def gender(self, given: str) -> Gender | None:
        """The usual gender of a given name, None if it has none or nobody knows."""
        if given in self.usual:
            return self.usual[given]
        return listed_gender(given, self.faker) if self.faker else None

    def is_value(self, text: str, start: int, end: int, category: str) -> bool:
        """Whether a word of a category stands where a sentence says the value of its record.

        Example:
            "If the order is pending, …" (pending), not "a pending order", "it cannot be cancelled".
        """
        subjects = self.subjects.get(category, ())
        said = _predicate(subjects, self.copulas, self.between)
        return self._stands(text, start, end, said)

    def is_option(self, text: str, start: int, end: int, options: tuple[str, ...]) -> bool:
        """Whether a word stands as the value of an option of a product, as in `prefer blue`."""
        said = _predicate(options, self.copulas, self.between)
        return any(
            self._stands(text, start, end, before) for before in (_choice_of(self.options), said)
        )

    def _stands(self, text: str, start: int, end: int, before: re.Pattern[str]) -> bool:
        if _JOINED.match(text[end : end + 1]) or _JOINED.match(text[max(0, start - 1) : start]):
            return False
        if not _ending(self.followers, self.clauses).match(text, end):
            return False
        return before.search(text[max(0, start - _CLAUSE_START) : start]) is not None

    def nearest(self, text: str, start: int, categories: Iterable[str]) -> str:
        """The category whose record is named last before a value, in its paragraph; or empty.

        Example:
            "Download speed can be "poor"" -> Speed Test Result, not Signal Strength
        """
        paragraph = text[max(0, text.rfind("\n\n", 0, start)) : start]
        best, at = "", -1
        for category in categories:
            if subjects := self.subjects.get(category):
                last = max((hit.end() for hit in _nouns(subjects).finditer(paragraph)), default=-1)
                if last > at:
                    best, at = category, last
        return best


@lru_cache(maxsize=256)
def _nouns(subjects: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?i:(?<![\w-])(?:{_choice(subjects)})(?![\w-]))")


@lru_cache(maxsize=256)
def _predicate(
    subjects: tuple[str, ...], copulas: tuple[str, ...], between: tuple[str, ...]
) -> re.Pattern[str]:
    apart = [word for word in copulas if word[0].isalpha()]
    joined = [word for word in copulas if not word[0].isalpha()]
    verb = rf"(?:\s+(?:{_choice(apart)})|(?:{_choice(joined)}))"
    return re.compile(
        rf"(?i:(?<![\w-])(?:{_choice(subjects)})){_IDENTIFIER}"
        rf"(?i:{verb})\s+(?i:(?:(?:{_choice(between)})\s+)*)$"
    )


@lru_cache(maxsize=16)
def _choice_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?i:(?<![\w-])(?:{_choice(words)})\s+)$")


@lru_cache(maxsize=16)
def _ending(followers: tuple[str, ...], clauses: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"{_ENDS}|(?i:\s+(?:{_choice(followers)})\b)|(?i:,\s+(?:{_choice(clauses)})\b)"
    )


def _choice(words: Iterable[str]) -> str:
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, longest)) or r"(?!)"


def read_grammar(texts: Mapping[str, str]) -> Grammar:
    """The grammar in the texts of a source locale's folder; an absent file says nothing.

    Args:
        texts: File name -> text.

    Raises:
        BadInput: a file is broken.
    """
    rules = parse_toml(texts.get(GRAMMAR, ""), GRAMMAR)
    values, gender = _table(rules, "values"), _table(rules, "gender")
    subjects = _table(rules, "subjects")
    names = texts.get(GIVEN_NAMES)
    return Grammar(
        copulas=_words(values, "copulas"),
        between=_words(values, "between"),
        followers=_words(values, "followers"),
        clauses=_words(values, "clauses"),
        options=_words(values, "options"),
        subjects={category: _words(subjects, category) for category in subjects},
        users=_words(gender, "users"),
        introductions=_words(gender, "introductions"),
        namings=_words(gender, "namings"),
        genders={name: _gender_words(gender, name) for name in get_args(Gender)},
        usual=usual_genders(names, GIVEN_NAMES) if names else {},
        faker=str(gender.get("faker", "")),
    )


def _gender_words(gender: Mapping[str, Any], name: Gender) -> GenderWords:
    words = _table(gender, name)
    return GenderWords(_words(words, "pronouns"), _words(words, "nouns"))


def _table(rules: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = rules.get(name, {})
    if not isinstance(table, Mapping):
        raise BadInput(NOT_A_TABLE, GRAMMAR, name)
    return table


def _words(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    words = table.get(name, [])
    if not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise BadInput(Notice("locale.no_words", "must be a list of words"), GRAMMAR, name)
    return tuple(words)
