"""One grammar of amounts of money: how texts of source and target write them.

Everything that is particular to a currency or a language is a word of its `Currency`. What is
written with a currency but cannot be read is told apart, so that nobody converts half of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

# One character for one, so that positions stay: full-width forms and the full-width yen sign.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: 0xA5}
_DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?"
_PLAIN = rf"(?:{_DIGITS}|\.\d+)"
_SIGN = r"(?P<sign>(?<![\w\d])[-−])?"
_GOES_ON = re.compile(r"(?:[.,]?\d|[A-Za-z]{1,2}(?![A-Za-z]))[A-Za-z0-9.,]*(?<![.,])")
"""Behind an amount: it is longer than what was read of it (`$1,5`, `$3.5Q`)."""
_CLAUSE = re.compile(r"[.!?;。！？](?:\s|$)|\n")

_NEAR, _CLAUSE_LENGTH = 40, 200
"""Characters before an amount in which the other end of its range and its clause are looked for."""


@dataclass(frozen=True, slots=True)
class Currency:
    """How a currency is written."""

    code: str
    prefixes: tuple[str, ...]
    """Written before the number: `$`, `USD`."""
    suffixes: tuple[str, ...]
    """Written after the number: `dollars`, `円`."""
    multipliers: tuple[tuple[str, int], ...] = ()
    """Words that multiply the number before them: 万 is 10,000, `k` is 1,000."""
    hundredths: tuple[str, ...] = ()
    """Written after a number of hundredths: `cents`."""
    numerals: tuple[tuple[str, int], ...] = ()
    """Numbers in words: `twenty`."""
    vague: tuple[str, ...] = ()
    """Words that make an unknown number of the one behind them: `half a million dollars`."""
    ranges: tuple[str, ...] = ()
    """Stand between two numbers that share a currency: `20 to 30 dollars`, `$20-30`."""
    joins: tuple[str, ...] = ()
    """The same where the currency stands behind the second: `20 and 30 dollars`."""
    comparisons: tuple[str, ...] = ()
    """Stand before a number that something is compared with: `more than`."""
    compared: tuple[str, ...] = ()
    """What has an amount: `price`, `costs`, `in total`; a bare number compared with it is one."""
    conjunctions: tuple[str, ...] = ()
    """May follow a bare amount; any other word is what the number counts: `more than 24 hours`."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money in a text, at a half-open span that includes its currency."""

    value: Decimal
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says of amounts of one currency."""

    amounts: tuple[Amount, ...]
    unread: tuple[tuple[int, int], ...]
    """Spans that speak of an amount which cannot be read, or may not be one."""
    names: tuple[tuple[int, int], ...] = ()
    """Where the currency is named without an amount: `pay in dollars`."""


def amounts_in(text: str, currency: Currency) -> list[Amount]:
    """The amounts of one currency in a text, in order. Full-width digits count as digits.

    Example:
        "1万5千円と$20" with the yen -> one Amount of 15000 at [0, 5)
        "$25k, 20 to 30 dollars" with the dollar -> 25000, 20 and 30
    """
    return list(reading(text, currency).amounts)


def reading(text: str, currency: Currency) -> Reading:
    """The amounts of one currency in a text, and what looks like one but cannot be read.

    Example:
        "from $5 to $1,5" with the dollar -> amount 5 at [5, 7), unread [11, 15)
    """
    narrow = _narrow(text)
    amounts: list[Amount] = []
    unread: list[tuple[int, int]] = []
    # Most texts name no currency: plain substrings say so many times faster than a pattern.
    lowered, patterns = narrow.lower(), _patterns(currency)
    is_named = _holds(lowered, patterns.named)
    for match in patterns.amount.finditer(narrow) if is_named else ():
        span, value = match.span(), _value_of(match, currency)
        if goes_on := _GOES_ON.match(narrow, span[1]):
            unread.append((span[0], goes_on.end()))
        elif _is_vague(narrow[max(0, span[0] - _NEAR) : span[0]], currency):
            unread.append(span)
        else:
            amounts += _ranged(narrow, match, value, currency)
    is_compared = _holds(lowered, patterns.comparisons)
    for value, span, is_sure in _bare(narrow, currency) if is_compared else ():
        if _is_apart(span, amounts, unread):
            if is_sure:
                amounts.append(Amount(value=value, start=span[0], end=span[1], text=""))
            else:
                unread.append(span)
    names: list[tuple[int, int]] = []
    for match in patterns.word.finditer(narrow) if is_named else ():
        if _is_apart(match.span(), amounts, unread):
            is_name = match[0].isalpha() and not _is_counted(narrow, match.start(), currency)
            (names if is_name else unread).append(match.span())
    whole = [
        Amount(value=read.value, start=read.start, end=read.end, text=text[read.start : read.end])
        for read in sorted(amounts, key=lambda read: read.start)
    ]
    return Reading(tuple(whole), tuple(sorted(unread)), tuple(names))


def amount_of(text: str, currency: Currency) -> Decimal | None:
    """The value of a text that is one amount and nothing else; the currency may be left out.

    Example:
        "1,628", "$1,628" and "1.628k" with the dollar -> 1628; "$1,5", "2 of them" -> None
    """
    narrow = _narrow(text).strip()
    if bare := _patterns(currency).number.fullmatch(narrow):
        return _value(bare[0], currency)
    amount = _patterns(currency).amount.fullmatch(narrow)
    return _value_of(amount, currency) if amount else None


def numbers_in(text: str, currency: Currency) -> list[Decimal]:
    """Every number in a text, in order: amounts as they are read, others as their digits say.

    Example:
        "2 bags for 1万5千円" with the yen -> 2 and 15000
    """
    values: list[Decimal] = []
    at, narrow, bare = 0, _narrow(text), _patterns(currency).bare
    for amount in amounts_in(text, currency):
        values += [_value(number, currency) for number in bare.findall(narrow, at, amount.start)]
        values.append(abs(amount.value))
        at = amount.end
    return values + [_value(number, currency) for number in bare.findall(narrow, at)]


def _narrow(text: str) -> str:
    return text if text.isascii() else text.translate(_NARROW)


def _holds(text: str, words: tuple[str, ...]) -> bool:
    return any(map(text.__contains__, words))


def _is_apart(
    span: tuple[int, int], amounts: Iterable[Amount], unread: Iterable[tuple[int, int]]
) -> bool:
    taken = [*((amount.start, amount.end) for amount in amounts), *unread]
    return all(span[1] <= start or end <= span[0] for start, end in taken)


def _value_of(match: re.Match[str], currency: Currency) -> Decimal:
    number = match["before"] or match["after"] or match["minor"] or match["words"]
    value = _value(number, currency)
    if match["minor"]:
        value /= 100
    return -value if match["sign"] or match["inner"] else value


def _ranged(text: str, match: re.Match[str], own: Decimal, currency: Currency) -> Iterator[Amount]:
    """Yield the amount that was read, and the other end of a range, which shares its currency."""
    patterns, other = _patterns(currency), None
    if match["after"] or match["minor"]:
        other = (
            None
            if match["sign"]
            else patterns.first.search(text, max(0, match.start() - _NEAR), match.start())
        )
    elif match["before"]:
        other = patterns.second.match(text, match.end())
    if other is not None:
        at, end = other.span("number")
        value = _value(other["number"], currency)
        if match["minor"]:
            value /= 100
        # `2 to 3 million dollars` begins at two millions, `500 to 1k dollars` at five hundred.
        if match["before"]:
            own *= _shared(match["before"], other["number"], currency)
        else:
            value *= _shared(other["number"], match["after"] or match["minor"], currency)
        yield Amount(value=value, start=at, end=end, text="")
    yield Amount(value=own, start=match.start(), end=match.end(), text="")


def _shared(first: str, last: str, currency: Currency) -> Decimal:
    """What multiplies the first number of a range because it multiplies the last."""
    bare = re.fullmatch(_PLAIN, first)
    digits = re.match(_PLAIN, last)
    if not bare or not digits:
        return Decimal(1)
    own = _value(digits[0], currency)
    return _value(last, currency) / own if own > _value(first, currency) else Decimal(1)


def _is_counted(text: str, start: int, currency: Currency) -> bool:
    """Whether something like a number stands before a currency's name: `a few hundred dollars`."""
    before = text[max(0, start - _NEAR) : start]
    return bool(_patterns(currency).counted.search(before)) or _is_vague(before, currency)


def _is_vague(before: str, currency: Currency) -> bool:
    pattern = _patterns(currency).vague
    return pattern is not None and pattern.search(before) is not None


def _bare(text: str, currency: Currency) -> Iterator[tuple[Decimal, tuple[int, int], bool]]:
    """Yield value and span of numbers that are compared, and whether they are amounts."""
    patterns = _patterns(currency)
    if patterns.compared is None:
        return
    for match in patterns.compared.finditer(text):
        comparison = patterns.comparison.search(text, max(0, match.start() - _NEAR), match.start())
        if comparison is None:
            continue
        start = comparison.start()
        clause = _CLAUSE.split(text[max(0, start - _CLAUSE_LENGTH) : start])[-1]
        is_sure = bool(patterns.about.search(clause) or match["about"])
        yield _value(match["number"], currency), match.span("number"), is_sure


@dataclass(frozen=True, slots=True)
class _Patterns:
    named: tuple[str, ...]
    """What every amount with a currency holds one of, in lower case."""
    amount: re.Pattern[str]
    number: re.Pattern[str]
    """A number in digits, with words that multiply it."""
    bare: re.Pattern[str]
    """The same where it begins with a digit, which is found much faster."""
    word: re.Pattern[str]
    """A word or sign of the currency, wherever it stands."""
    first: re.Pattern[str]
    """The first number of a range, at the end of a text."""
    second: re.Pattern[str]
    """The second one, behind a first that has the currency."""
    counted: re.Pattern[str]
    """A number or a word for one, at the end of a text."""
    vague: re.Pattern[str] | None
    compared: re.Pattern[str] | None
    """A bare number that may be one which something is compared with."""
    comparison: re.Pattern[str]
    """A word that compares, at the end of a text."""
    comparisons: tuple[str, ...]
    """All of them, in lower case."""
    about: re.Pattern[str]


@lru_cache(maxsize=16)
def _patterns(currency: Currency) -> _Patterns:
    number = _number(currency)
    before = _choice(currency.prefixes)
    both = _choice(set(currency.prefixes) & set(currency.suffixes))
    after = rf"{_choice(set(currency.suffixes) - set(currency.prefixes))}|(?:{both})(?!\d)"
    in_words = _in_words(currency)
    numerals = [word for word, _ in (*currency.numerals, *currency.multipliers)]
    minor = _choice(currency.hundredths)
    amount = (
        rf"{_SIGN}(?:(?:{before})\s?(?P<inner>[-−])?(?P<before>{number})(?!\d)(?:[\s-]?(?:{after}))?"
        rf"|(?<![\d.,#A-Za-z_])(?P<after>{number})[\s-]?(?:{after})"
        rf"|(?<![\d.,#A-Za-z_])(?P<minor>{_PLAIN})[\s-]?(?:{minor})"
        rf"|(?<![A-Za-z-])(?P<words>{in_words})[\s-](?:{after}))"
    )
    signs = re.escape("".join(word for word in currency.prefixes if not word[0].isalnum()))
    compared = None
    if currency.comparisons:
        compared = re.compile(
            rf"\s(?P<number>{number})(?![\w%:/-]|[.,]\d)"
            rf"(?=\s?(?:$|[^\w\s]|\n|(?P<about>{_choice(currency.compared)})"
            rf"|{_choice(currency.conjunctions)}))",
            re.IGNORECASE,
        )
    names = (*currency.prefixes, *currency.suffixes, *currency.hundredths)
    return _Patterns(
        named=_shortest(names),
        number=re.compile(number, re.IGNORECASE),
        bare=re.compile(_number(currency, _DIGITS), re.IGNORECASE),
        comparisons=_shortest(currency.comparisons),
        comparison=re.compile(rf"(?:{_choice(currency.comparisons)})\Z", re.IGNORECASE),
        amount=re.compile(amount, re.IGNORECASE),
        word=re.compile(
            rf"(?<![ァ-ヺー])(?:{_choice((*currency.prefixes, *currency.suffixes))})(?![ァ-ヺー])",
            re.IGNORECASE,
        ),
        counted=re.compile(rf"(?:\d|{_choice(numerals)})[.,]?[\s-]?\Z", re.IGNORECASE),
        first=re.compile(
            rf"(?<![\d.,#A-Za-z_-])(?P<number>{number})\s?"
            rf"(?:{_choice((*currency.ranges, *currency.joins))})\s?\Z",
            re.IGNORECASE,
        ),
        second=re.compile(
            rf"\s?(?:{_choice(currency.ranges)})\s?(?P<number>{number})"
            rf"(?![\w%:/-]|[.,]\d)(?=\s?(?:$|[^\w\s{signs}]|\n))",
            re.IGNORECASE,
        ),
        vague=re.compile(rf"(?:{_choice(currency.vague)})(?:\s[a-z]+)?\s\Z", re.IGNORECASE)
        if currency.vague
        else None,
        compared=compared,
        about=re.compile(_choice(currency.compared), re.IGNORECASE),
    )


def _shortest(words: Iterable[str]) -> tuple[str, ...]:
    """Words in lower case and normal width, without those that hold another one."""
    lowered = {word.translate(_NARROW).lower() for word in words}
    held = {word for word in lowered for other in lowered - {word} if other in word}
    return tuple(sorted(lowered - held))


def _number(currency: Currency, first: str = _PLAIN) -> str:
    """A number in digits, with words that multiply it."""
    spelled = [word for word, _ in currency.multipliers if word.isascii()]
    short = "|".join(re.escape(word) for word in spelled if len(word) <= 2)
    long = "|".join(re.escape(word) for word in spelled if len(word) > 2)
    signs = "".join(re.escape(word) for word, _ in currency.multipliers if not word.isascii())
    factors = [rf"\s?[{signs}]+"] if signs else []
    factors += [rf"(?:{short})(?![A-Za-z0-9])"] if short else []
    factors += [rf"(?:[\s-]?(?:{long})(?![A-Za-z0-9]))+"] if long else []
    if not factors:
        return first
    factor = rf"(?:{'|'.join(factors)})"
    return rf"(?:{first}(?:{factor}(?:{_PLAIN}{factor})*(?:{_PLAIN})?)?)"


def _in_words(currency: Currency) -> str:
    numerals = _choice(word for word, _ in currency.numerals)
    more = _choice(word for word, _ in (*currency.numerals, *currency.multipliers))
    return rf"(?:{numerals})(?:[\s-](?:{more}))*" if currency.numerals else "(?!)"


def _choice(words: Iterable[str]) -> str:
    """One of some words, which is not part of a longer one; nothing matches no words."""
    longest = sorted(
        {word.translate(_NARROW) for word in words}, key=lambda word: (-len(word), word)
    )
    return "|".join(map(_bounded, longest)) or "(?!)"


def _bounded(word: str) -> str:
    left = "(?<![A-Za-z])" if word[0].isascii() and word[0].isalpha() else ""
    right = "(?![A-Za-z])" if word[-1].isascii() and word[-1].isalpha() else ""
    return f"{left}{re.escape(word)}{right}"


def _value(number: str, currency: Currency) -> Decimal:
    """The value of `1万5千` or `25k`: a word multiplies the number before it and the smaller ones
    before that.
    """
    digits = number.replace(",", "")
    if digits.isdigit():
        return Decimal(digits)
    factors = {word.casefold(): Decimal(factor) for word, factor in currency.multipliers}
    names = {word.casefold(): Decimal(value) for word, value in currency.numerals}
    tokens = re.findall(rf"{_PLAIN}|[A-Za-z]+|[^\s\d.,A-Za-z-]", number)
    parts: list[Decimal] = []
    for token in map(str.casefold, tokens):
        if token not in factors:
            parts.append(names[token] if token in names else Decimal(token.replace(",", "")))
            continue
        factor, value = factors[token], parts.pop() if parts else Decimal(1)
        while parts and parts[-1] < factor:
            value += parts.pop()
        parts.append(value * factor)
    return sum(parts, Decimal(0))
