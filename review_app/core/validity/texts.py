"""Texts as the rules search them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property, lru_cache

from review_app.models import Span

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MonthDay = tuple[int, int]
"""Month and day of the month."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_TOKEN = re.compile(r"[a-z0-9]+")
_DIGIT = re.compile(r"\d")
_ISO = re.compile(r"(?<!\d)\d{4}-(\d\d)-(\d\d)(?!\d)")
_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
_MONTH_DAY = re.compile(rf"(?<![a-z])({_NAME})\.?\s(\d{{1,2}})(?!\d)")
_DAY_MONTH = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?({_NAME})(?![a-z])")
_LOCAL = re.compile(r"(\d{1,2})\s?月\s?(\d{1,2})\s?日")


def folded(text: str) -> str:
    """A text in lower case and normal width, with straight apostrophes."""
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


class WordSearch:
    """Words to look for in folded texts; ASCII words count only as whole words.

    Found as plain substrings, many times faster than by a pattern: most texts hold none of them.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._longest_first = tuple(sorted(words, key=len, reverse=True))
        self._ascii = tuple(word for word in self._longest_first if word.isascii())

    def __bool__(self) -> bool:
        return bool(self._longest_first)

    def first(self, text: str, start: int = 0) -> Span | None:
        """Where the first of the words stands, the longest of those that begin there."""
        nearest: Span | None = None
        for word in self._ascii if text.isascii() else self._longest_first:
            at = text.find(word, start)
            while at >= 0 and word.isascii() and _is_part(text, at, at + len(word)):
                at = text.find(word, at + 1)
            if at >= 0 and (nearest is None or at < nearest[0]):
                nearest = at, at + len(word)
        return nearest

    def spans(self, text: str) -> Iterator[Span]:
        """Where the words stand, from left to right; none overlaps the one before."""
        span = self.first(text)
        while span:
            yield span
            span = self.first(text, span[1])

    def held_by(self, text: str, tokens: Set[str]) -> WordSearch:
        """Those of the words that a text holds, whose tokens are these."""
        begun = self._by_token.keys() & tokens
        words = [word for token in begun for word in self._by_token[token] if word in text]
        if not text.isascii():
            words += [word for word in self._longest_first if word in text and not word.isascii()]
        return WordSearch(words) if words else _NONE

    @cached_property
    def _by_token(self) -> Mapping[str, list[str]]:
        """First token -> the ASCII words that begin with it; "" -> those without any."""
        by_token: dict[str, list[str]] = {}
        for word in self._ascii:
            token = _TOKEN.search(word)
            by_token.setdefault(token[0] if token else "", []).append(word)
        return by_token


_NONE = WordSearch(())


def tokens_of(text: str) -> frozenset[str]:
    """The runs of ASCII letters and digits in a folded text, and the empty one."""
    return frozenset(("", *_TOKEN.findall(text)))


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether a letter or a digit stands beside a part of a text."""
    return text[start - 1 : start] in _LETTERS or text[end : end + 1] in _LETTERS


@lru_cache(maxsize=512)
def look_for(words: tuple[str, ...]) -> WordSearch:
    """The same words to look for, made once."""
    return WordSearch(words)


def days_in(text: str) -> set[MonthDay]:
    """Month and day of every date in a text; years are passed over.

    Example:
        "May 20, the 22nd of May and 2024-05-24" -> {(5, 20), (5, 22), (5, 24)}
    """
    if not _DIGIT.search(text):
        return set()
    said = folded(text)
    days = {(int(month), int(day)) for month, day in _ISO.findall(said)}
    days |= {(_month(name), int(day)) for name, day in _MONTH_DAY.findall(said)}
    days |= {(_month(name), int(day)) for day, name in _DAY_MONTH.findall(said)}
    return days | {(int(month), int(day)) for month, day in _LOCAL.findall(said)}


def is_date_said(said: str, iso: str) -> bool:
    """Whether a text, in lower case, holds a date in one of the usual spellings.

    Example:
        "born on august 23, 1990", "1990-08-23" -> True
    """
    if iso and iso in said:
        return True
    date = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", iso)
    if not date:
        return False
    year, month, day = date[1], int(date[2]), int(date[3])
    if year not in said or not 1 <= month <= len(MONTHS):
        return False
    name = MONTHS[month - 1]
    ordinal = r"(?:st|nd|rd|th)?"
    spellings = (
        rf"{name[:3]}[a-z]*\.?\s{day}{ordinal},?\s{year}",
        rf"\b{day}{ordinal}\s(?:of\s)?{name[:3]}[a-z]*\.?,?\s{year}",
        rf"{year}\s?年\s?0?{month}\s?月\s?0?{day}\s?日",
        rf"\b0?{month}/0?{day}/{year}\b",
        rf"\b{year}/0?{month}/0?{day}\b",
    )
    return any(re.search(spelling, said) for spelling in spellings)


def _month(name: str) -> int:
    return next(at for at, month in enumerate(MONTHS, 1) if month[:3] == name[:3])
