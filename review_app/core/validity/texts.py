"""Texts as the rules search them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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

_ISO = re.compile(r"(?<!\d)\d{4}-(\d\d)-(\d\d)(?!\d)")
_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
_MONTH_DAY = re.compile(rf"(?<![a-z])({_NAME})\.?\s(\d{{1,2}})(?!\d)")
_DAY_MONTH = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?({_NAME})(?![a-z])")
_LOCAL = re.compile(r"(\d{1,2})\s?月\s?(\d{1,2})\s?日")


def folded(text: str) -> str:
    """A text in lower case and normal width, with straight apostrophes."""
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


@lru_cache(maxsize=512)
def words_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """What finds any of the words; ASCII words only as whole words. No words find nothing."""
    choices = [
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
    ]
    return re.compile("|".join(choices) or r"(?!)")


def days_in(text: str) -> set[MonthDay]:
    """Month and day of every date in a text; years are passed over.

    Example:
        "May 20, the 22nd of May and 2024-05-24" -> {(5, 20), (5, 22), (5, 24)}
    """
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
    if not 1 <= month <= len(MONTHS):
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
