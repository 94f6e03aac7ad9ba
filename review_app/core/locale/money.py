"""The conversion of money by exact decimal arithmetic, and the rules of a locale for it.

What is particular to a currency or a language (symbols, words, the rate, the direction of ties,
words for ten thousand) comes from a locale's data and is read by `money_rule`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, Literal, get_args

from review_app.core.locale.amounts import Currency
from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.notices import Notice

Ties = Literal["down", "even", "up"]
SumManner = Literal["added", "converted"]

_WORD_LISTS = ("hundredths", "joins", "vague", "comparisons", "compared", "conjunctions")
_ROUNDING: dict[Ties, str] = {"down": ROUND_HALF_DOWN, "even": ROUND_HALF_EVEN, "up": ROUND_HALF_UP}


@dataclass(frozen=True, slots=True)
class MoneyRule:
    """How amounts of the source become amounts of the target."""

    rate: Decimal
    """Target units for one source unit: 150 yen for a dollar."""
    ties: Ties
    source: Currency
    target: Currency
    sums: SumManner = "added"
    """What becomes of an amount of the data that is the sum of others: these are added up as they
    are localized, or it is converted like any other, so that totals need not add up any more."""

    def expected(self, amount: Decimal) -> int:
        """What a source amount must be in the target currency, in whole units."""
        return convert(amount, self.rate, ties=self.ties)


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


def money_rule(text: str, file: str = "locale.toml") -> MoneyRule:
    """The money rule in the text of a locale's TOML file, section `money`.

    Raises:
        BadInput: not TOML, or a value is missing or of the wrong kind.
    """
    rules = parse_toml(text, file)
    try:
        money = rules["money"]
        multipliers = tuple(money.get("multipliers", {}).items())
        ranges = tuple(money.get("ranges", ()))
        if money["ties"] not in get_args(Ties):
            problem = Notice(
                "locale.ties_unknown",
                "{ties} is not one of {known}",
                ties=repr(money["ties"]),
                known=get_args(Ties),
            )
            raise BadInput(problem, file, "money.ties")
        sums = money.get("sums", "added")
        if sums not in get_args(SumManner):
            problem = Notice(
                "locale.sums_unknown",
                "{sums} is not one of {known}",
                sums=repr(sums),
                known=get_args(SumManner),
            )
            raise BadInput(problem, file, "money.sums")
        return MoneyRule(
            rate=Decimal(money["rate"]),
            ties=money["ties"],
            source=_currency(money["source"], multipliers, ranges),
            target=_currency(money["target"], multipliers, ranges),
            sums=sums,
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


def _currency(
    table: dict[str, Any], multipliers: tuple[tuple[str, int], ...], ranges: tuple[str, ...]
) -> Currency:
    return Currency(
        code=table["code"],
        prefixes=tuple(table["prefixes"]),
        suffixes=tuple(table["suffixes"]),
        multipliers=multipliers,
        ranges=ranges,
        numerals=tuple(table.get("numerals", {}).items()),
        **{name: tuple(table.get(name, ())) for name in _WORD_LISTS},
    )
