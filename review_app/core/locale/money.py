"""Amounts of money in texts, and their conversion by exact decimal arithmetic.

What is particular to a currency or a language (symbols, words, the rate, the direction of ties,
words for ten thousand) comes from a locale's data and is read by `money_rule`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Literal, get_args

from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.notices import Notice

Ties = Literal["down", "even", "up"]

# One character for one, so that positions stay: full-width forms and the full-width yen sign.
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFFE5: 0xA5}
_ROUNDING: dict[Ties, str] = {"down": ROUND_HALF_DOWN, "even": ROUND_HALF_EVEN, "up": ROUND_HALF_UP}


@dataclass(frozen=True, slots=True)
class Currency:
    """How a currency is written."""

    code: str
    prefixes: tuple[str, ...]
    """Written before the number: `$`, `USD`."""
    suffixes: tuple[str, ...]
    """Written after the number: `dollars`, `円`."""
    multipliers: tuple[tuple[str, int], ...] = ()
    """Words that multiply the number before them: 万 is 10,000."""


@dataclass(frozen=True, slots=True)
class MoneyRule:
    """How amounts of the source become amounts of the target."""

    rate: Decimal
    """Target units for one source unit: 150 yen for a dollar."""
    ties: Ties
    source: Currency
    target: Currency

    def expected(self, amount: Decimal) -> int:
        """What a source amount must be in the target currency, in whole units."""
        return convert(amount, self.rate, ties=self.ties)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money in a text, at a half-open span that includes its currency."""

    value: Decimal
    start: int
    end: int
    text: str


def convert(amount: Decimal | str | int, rate: Decimal, *, ties: Ties = "down") -> int:
    """An amount in whole units of another currency.

    Args:
        amount: In source units; not a float, whose binary form would decide the ties.
        rate: Target units for one source unit.
        ties: Where half a unit goes: `down` is towards zero, so that a refund mirrors its charge.

    Example:
        153.23 at 150 -> 22984; -153.23 at 150 -> -22984

    Source:
        Section B.2; ties as in the published 22,984, 23,833 and 38,845.
    """
    return int((Decimal(amount) * rate).quantize(Decimal(1), rounding=_ROUNDING[ties]))


def amounts_in(text: str, currency: Currency) -> list[Amount]:
    """The amounts of one currency in a text, in order. Full-width digits count as digits.

    Example:
        "1万5千円と$20" with the yen -> one Amount of 15000 at [0, 5)
    """
    amounts = []
    for match in _pattern(currency).finditer(text.translate(_NARROW)):
        number = match["before"] or match["after"]
        value = _value(number, dict(currency.multipliers))
        sign = -1 if match["sign"] else 1
        start, end = match.span()
        amounts.append(Amount(value=sign * value, start=start, end=end, text=text[start:end]))
    return amounts


def money_rule(text: str, file: str = "locale.toml") -> MoneyRule:
    """The money rule in the text of a locale's TOML file, section `money`.

    Raises:
        BadInput: not TOML, or a value is missing or of the wrong kind.
    """
    rules = parse_toml(text, file)
    try:
        money = rules["money"]
        multipliers = tuple(money.get("multipliers", {}).items())
        if money["ties"] not in get_args(Ties):
            problem = Notice(
                "locale.ties_unknown",
                "{ties} is not one of {known}",
                ties=repr(money["ties"]),
                known=get_args(Ties),
            )
            raise BadInput(problem, file, "money.ties")
        return MoneyRule(
            rate=Decimal(money["rate"]),
            ties=money["ties"],
            source=_currency(money["source"], multipliers),
            target=_currency(money["target"], multipliers),
        )
    except KeyError as error:
        problem = Notice(
            "locale.money_incomplete", "{name!r} is missing; add it", name=error.args[0]
        )
        raise BadInput(problem, file, "money") from error
    except (InvalidOperation, TypeError, AttributeError) as error:
        problem = Notice(
            "locale.money_unusable",
            "rate must be a number in quotes, source and target must be tables",
        )
        raise BadInput(problem, file, "money") from error


def _currency(table: dict[str, Any], multipliers: tuple[tuple[str, int], ...]) -> Currency:
    return Currency(
        code=table["code"],
        prefixes=tuple(table["prefixes"]),
        suffixes=tuple(table["suffixes"]),
        multipliers=multipliers,
    )


@lru_cache(maxsize=16)
def _pattern(currency: Currency) -> re.Pattern[str]:
    words = "".join(re.escape(word) for word, _ in currency.multipliers)
    plain = r"\d+(?:,\d{3})*(?:\.\d+)?"
    number = rf"(?:(?:{plain}\s?[{words}]+)+(?:{plain})?|{plain})" if words else plain
    before = "|".join(map(_choice, sorted(currency.prefixes, key=len, reverse=True)))
    after = "|".join(map(_choice, sorted(currency.suffixes, key=len, reverse=True)))
    return re.compile(
        rf"(?P<sign>(?<![\w\d])[-−])?(?:(?:{before})\s?(?P<before>{number})(?!\d)"
        rf"|(?<![\d.,#A-Za-z_])(?P<after>{number})[\s-]?(?:{after}))",
        re.IGNORECASE,
    )


def _choice(word: str) -> str:
    """A currency word that is not part of a longer one."""
    escaped = re.escape(word.translate(_NARROW))
    return rf"(?<![A-Za-z]){escaped}(?![A-Za-z])" if word.isascii() and word.isalpha() else escaped


def _value(number: str, multipliers: dict[str, int]) -> Decimal:
    """The value of `1万5千`: words of ten thousand and more multiply all that stands before."""
    total = group = Decimal(0)
    for digits, words in re.findall(r"(\d[\d,]*(?:\.\d+)?)\s?([^\d,.]*)", number):
        value = Decimal(digits.replace(",", ""))
        for word in words:
            factor = multipliers[word]
            if factor < 10_000:
                value *= factor
            else:
                total += (group + value) * factor
                group = value = Decimal(0)
        group += value
    return total + group
