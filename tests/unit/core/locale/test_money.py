"""Amounts are read from texts and converted by exact decimal arithmetic."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from review_app.core.locale.amounts import amounts_in
from review_app.core.locale.money import MoneyRule, convert, money_rule
from review_app.errors import BadInput

LOCALE = Path(__file__).parents[4] / "data" / "locales" / "ja" / "locale.toml"
RATE = Decimal(150)


@pytest.fixture(scope="module")
def rule() -> MoneyRule:
    return money_rule(LOCALE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("dollars", "yen"),
    [("153.23", 22984), ("158.89", 23833), ("258.97", 38845), ("708", 106200), (0, 0)],
)
def test_ties_go_down_and_refunds_mirror_charges(dollars: str, yen: int) -> None:
    assert convert(dollars, RATE) == yen
    assert convert(-Decimal(dollars), RATE) == -yen


def test_the_direction_of_ties_is_data() -> None:
    assert convert("153.23", RATE, ties="up") == 22985
    assert convert("153.23", RATE, ties="even") == 22984
    assert convert("153.25", RATE, ties="even") == 22988


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$1,628.", "1628"),
        ("costs $50.00, or", "50.00"),
        ("1628 dollars", "1628"),
        ("the 500 dollar one", "500"),
        ("a 50-dollar fee", "50"),
        ("USD 20", "20"),
        ("20 USD", "20"),
        ("US$30", "30"),
        ("100ドル", "100"),
        ("＄５０", "50"),
        ("-$54.04", "-54.04"),
    ],
)
def test_dollars_are_read(rule: MoneyRule, text: str, value: str) -> None:
    assert [str(amount.value) for amount in amounts_in(text, rule.source)] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7,500円です", 7500),
        ("１０６，２００円", 106200),
        ("1万5千円", 15000),
        ("10万6,200円", 106200),
        ("2千5百万円", 25000000),
        ("3億2千万円", 320000000),
        ("￥7,500", 7500),
        ("¥ 75000", 75000),
        ("7,500 yen", 7500),
        ("-8,106円", -8106),
    ],
)
def test_yen_are_read(rule: MoneyRule, text: str, value: int) -> None:
    assert [int(amount.value) for amount in amounts_in(text, rule.target)] == [value]


def test_spans_cover_number_and_currency(rule: MoneyRule) -> None:
    text = "１万5千円と$20"
    [amount] = amounts_in(text, rule.target)
    assert text[amount.start : amount.end] == amount.text == "１万5千円"


@pytest.mark.parametrize("text", ["1628", "HAT1 yentown", "flight 12", "2 dollarsign", "円周率3"])
def test_numbers_without_currency_are_no_amounts(rule: MoneyRule, text: str) -> None:
    assert amounts_in(text, rule.source) == amounts_in(text, rule.target) == []


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('rate = "150"', 'rate = "many"', "locale.toml#money"),
        ('rate = "150"', "", "rate"),
        ('ties = "down"', 'ties = "left"', "money.ties"),
        ("[money]", "[money", "locale.toml"),
    ],
)
def test_a_broken_rule_is_refused_with_its_place(old: str, new: str, place: str) -> None:
    text = LOCALE.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(BadInput, match=place):
        money_rule(text.replace(old, new, 1))


@pytest.mark.parametrize("key", ["ties", "sums"])
def test_a_manner_that_is_none_is_refused_with_its_place(key: str) -> None:
    text = LOCALE.read_text(encoding="utf-8").replace("[money]", f'[money]\n{key} = "sideways"', 1)
    text = "\n".join(
        line for line in text.split("\n") if not line.startswith(f"{key} =") or "sideways" in line
    )
    with pytest.raises(BadInput, match="'sideways' is not one of") as refused:
        money_rule(text, "x.toml")
    assert (refused.value.file, refused.value.address) == ("x.toml", f"money.{key}")
