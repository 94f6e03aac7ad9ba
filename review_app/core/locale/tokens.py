"""Tokens that a tool call needs: identifiers, dates, times, addresses, names of tools and fields.

A translation keeps them. Some are localized on purpose: names in a user id (its number stays),
e-mails, phone numbers and postal codes, and dates may be written in the target language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.notices import Notice

TokenKind = Literal[
    "control",
    "url",
    "email",
    "placeholder",
    "date",
    "time",
    "phone",
    "order",
    "user",
    "name",
    "flight",
    "reservation",
    "number",
    "record",
    "postal",
]


class Token(NamedTuple):
    """A protected token at a half-open span."""

    text: str
    start: int
    end: int
    kind: TokenKind


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
# Digits on either side would make it another number; Japanese letters may touch.
_LEFT, _RIGHT = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"

# In order: at one place the first that matches wins.
_PATTERNS: tuple[tuple[TokenKind, str], ...] = (
    ("control", r"\#{2,}[A-Z][A-Z_-]*\#{2,}"),
    ("url", r"https?://[!-~]+[A-Za-z0-9/]"),
    ("email", rf"{_LEFT}[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+{_RIGHT}"),
    ("placeholder", r"\{[A-Za-z_][A-Za-z0-9_.]*\}"),
    ("date", rf"{_LEFT}\d{{4}}-\d\d-\d\d(?![0-9_])"),
    ("date", r"(?<![0-9])(?:\d{4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}\s?日"),
    ("date", rf"(?i:{_LEFT}{_MONTH}\.?\s{_DAY}(?:,?\s\d{{4}})?{_RIGHT})"),
    ("time", rf"(?i:{_LEFT}(?:1[0-2]|0?[1-9])(?::[0-5]\d)?\s?[ap]\.?m\b)"),
    ("time", r"(?:午前|午後)\s?\d{1,2}(?:\s?時(?:\s?\d{1,2}\s?分|半)?|:[0-5]\d)"),
    ("time", rf"{_LEFT}(?:2[0-3]|[01]?\d):[0-5]\d(?::[0-5]\d)?{_RIGHT}"),
    ("time", r"(?<![0-9])(?:2[0-3]|1\d|0?\d)\s?時(?!間)(?:\s?\d{1,2}\s?分|半)?"),
    ("phone", rf"{_LEFT}(?:\+\d{{1,2}}[ -])?(?:\(\d{{3}}\) ?|\d{{2,4}}-)\d{{3,4}}-\d{{4}}{_RIGHT}"),
    ("order", rf"\#W\d+{_RIGHT}"),
    ("user", rf"{_LEFT}(?!credit_card|gift_card|debit_card)[a-z]+_[a-z]+_\d{{4}}{_RIGHT}"),
    ("name", rf"{_LEFT}(?=[0-9_]*[A-Za-z])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+{_RIGHT}"),
    ("flight", rf"{_LEFT}[A-Z]{{3}}\d{{3}}{_RIGHT}"),
    ("reservation", rf"{_LEFT}(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{{6}}{_RIGHT}"),
    (
        "reservation",
        r"(?:(?<=reservation )|(?<=reservation id )|(?<=reservation ID )|(?<=reservations \()"
        r"|(?<=reservation number )|(?<=confirmation number )|(?<=number is )|(?<=code ))"
        rf"[A-Z]{{6}}{_RIGHT}",
    ),
    ("number", rf"{_LEFT}\d{{10}}{_RIGHT}"),
    ("record", rf"{_LEFT}[A-Z]\d{{4}}{_RIGHT}"),
    ("postal", rf"(?<![A-Za-z0-9_#-])(?:\d{{3}}-\d{{4}}|\d{{5}}){_RIGHT}"),
)
_ANY = re.compile("|".join(f"(?P<p{at}>{pattern})" for at, (_, pattern) in enumerate(_PATTERNS)))

Moment = tuple[int | None, int, int]


def protected_tokens(text: str) -> list[Token]:
    """The tokens of a text that a tool call may need, in order, without overlaps.

    Six capitals without a digit count as a reservation code only right after words that announce
    one, so that `CANCEL` stays a word.

    Example:
        "Cancel #W1234567" -> [Token("#W1234567", 7, 16, "order")]

    Source:
        Identifiers as in tau2-bench's databases of airline, retail and telecom.
    """
    return list(_tokens(text))


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[Token, ...]:
    tokens = []
    for match in _ANY.finditer(text):
        kind = _PATTERNS[int(str(match.lastgroup)[1:])][0]
        tokens.append(Token(text=match[0], start=match.start(), end=match.end(), kind=kind))
    return tuple(tokens)


def is_entity(token: Token) -> bool:
    """Whether localization replaces the token by another of its kind: contact data of a person."""
    return token.kind in ("email", "phone", "postal")


def same_token(token: Token, other: Token) -> bool:
    """Whether two tokens name the same thing, as far as their form tells.

    Example:
        mei_brown_7075 and kaori_kato_7075; 2024-05-15 and 5月15日; 3pm and 15:00
    """
    if token.text == other.text:
        return True
    if token.kind != other.kind:
        return False
    if token.kind == "user":
        return token.text[-4:] == other.text[-4:]
    if token.kind == "date":
        return _agree(date_of(token.text), date_of(other.text))
    if token.kind == "time":
        return time_of(token.text) == time_of(other.text)
    return False


def date_of(text: str) -> Moment:
    """Year (None if not said), month and day of a date token."""
    numbers = _numbers(text)
    named = re.match(r"[A-Za-z]{3}", text)
    if named:
        month = _MONTHS.index(named[0].lower()) + 1
        return (numbers[1] if len(numbers) > 1 else None, month, numbers[0])
    return (numbers[0] if len(numbers) == 3 else None, numbers[-2], numbers[-1])


def _numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", text)]


def time_of(text: str) -> tuple[int, int]:
    """Hour (0-24) and minute of a time token; seconds do not count."""
    hour, minute = (*_numbers(text), 0)[:2]
    if text.endswith("半"):
        minute = 30
    is_afternoon = bool(re.search(r"(?i)p\.?m|午後", text))
    is_morning = bool(re.search(r"(?i)a\.?m|午前", text))
    if is_afternoon and hour < 12:
        hour += 12
    elif is_morning and hour == 12:
        hour = 0
    return hour, minute


def renamed_endings(text: str, file: str = "locale.toml") -> tuple[tuple[str, str], ...]:
    """Endings of field names that a locale changes, from the text of its TOML file: `_est`, `_jst`.

    Raises:
        BadInput: not TOML, or the section `identifiers.endings` holds something else than texts.
    """
    endings = parse_toml(text, file).get("identifiers", {}).get("endings", {})
    if not all(isinstance(new, str) for new in endings.values()):
        problem = Notice("locale.ending_not_text", "every ending must be a text")
        raise BadInput(problem, file, "identifiers.endings")
    return tuple(endings.items())


def _agree(day: Moment, other: Moment) -> bool:
    (year, *rest), (other_year, *other_rest) = day, other
    return rest == other_rest and (year == other_year or None in (year, other_year))
