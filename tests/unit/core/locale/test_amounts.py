"""One grammar reads amounts of source and target; what it cannot read it says."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from review_app.core.locale.amounts import amount_of, numbers_in, reading
from review_app.core.locale.money import MoneyRule, money_rule

LOCALE = Path(__file__).parents[4] / "data" / "locales" / "ja" / "locale.toml"


@pytest.fixture(scope="module")
def rule() -> MoneyRule:
    return money_rule(LOCALE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("$25k, not $1.5 million", [("$25k", 25000), ("$1.5 million", 1500000)]),
        ("30$ and 5 thousand dollars", [("30$", 30), ("5 thousand dollars", 5000)]),
        ("USD 2M and $3.5K.", [("USD 2M", 2000000), ("$3.5K", 3500)]),
        ("$2bn", [("$2bn", 2000000000)]),
        ("twenty-five dollars", [("twenty-five dollars", 25)]),
        ("two hundred fifty thousand bucks", [("two hundred fifty thousand bucks", 250000)]),
        ("the remaining $1786 dollars", [("$1786 dollars", 1786)]),
        ("50 cents, 25¢", [("50 cents", 0.5), ("25¢", 0.25)]),
        ("-$5, $-6", [("-$5", -5), ("$-6", -6)]),
        ("$20-$30", [("$20", 20), ("$30", 30)]),
        ("20 to 30 dollars", [("20", 20), ("30 dollars", 30)]),
        ("between 20 and 30 dollars", [("20", 20), ("30 dollars", 30)]),
        ("$20-30k", [("$20", 20000), ("30k", 30000)]),
        ("2-3 million dollars", [("2", 2000000), ("3 million dollars", 3000000)]),
        ("500 to 1k dollars", [("500", 500), ("1k dollars", 1000)]),
        ("5 for 20 dollars", [("20 dollars", 20)]),
        ("$20-3 bags", [("$20", 20)]),
    ],
)
def test_dollars_are_read_whole(rule: MoneyRule, text: str, amounts: list) -> None:
    read = reading(text, rule.source)
    assert [(amount.text, float(amount.value)) for amount in read.amounts] == amounts
    assert read.unread == read.names == ()


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("the price is more than 3000, cancel", ["3000"]),
        ("if it costs less than 100", ["100"]),
        ("over 50 in total", ["50"]),
        ("costs more than 24 hours", []),
        ("more than 2 items", []),
        ("the price. Call more than 24 hours before", []),
        ("costs at least 10%", []),
    ],
)
def test_a_number_that_a_price_is_compared_with_is_an_amount(rule, text, amounts) -> None:
    read = reading(text, rule.source)
    assert [amount.text for amount in read.amounts] == amounts
    assert read.unread == ()


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("$1,5", "$1,5"),
        ("1,5 dollars", "dollars"),
        ("$3.5Q", "$3.5Q"),
        ("half a million dollars", "a million dollars"),
        ("a few hundred dollars", "dollars"),
        ("hundreds of dollars", "dollars"),
        ("If it is more than 3000, cancel", "3000"),
        ("the $ sign", "$"),
    ],
)
def test_what_cannot_be_read_is_told_and_not_half_of_it(rule, text, unread) -> None:
    read = reading(text, rule.source)
    assert read.amounts == read.names == ()
    assert [text[start:end] for start, end in read.unread] == [unread]


@pytest.mark.parametrize("text", ["pay in dollars", "米ドルで払う"])
def test_a_currency_named_without_an_amount_is_a_name(rule: MoneyRule, text: str) -> None:
    read = reading(text, rule.source)
    assert (read.amounts, read.unread, len(read.names)) == ((), (), 1)


def test_part_of_another_word_is_no_currency(rule: MoneyRule) -> None:
    assert reading("アイドル, yentown", rule.source).names == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2億2,500万円", [225000000]),
        ("3万円、２万円", [30000, 20000]),
        ("￥1,000〜￥2,000", [1000, 2000]),
        ("3,000〜4,500円", [3000, 4500]),
    ],
)
def test_yen_are_read_by_the_same_grammar(rule: MoneyRule, text: str, values: list[int]) -> None:
    assert [int(amount.value) for amount in reading(text, rule.target).amounts] == values


def test_a_language_without_the_words_reads_plain_amounts_only(rule: MoneyRule) -> None:
    plain = money_rule(
        '[money]\nrate="1"\nties="up"\n[money.source]\ncode="A"\nprefixes=["A"]\nsuffixes=[]\n'
        '[money.target]\ncode="B"\nprefixes=["B"]\nsuffixes=[]\n'
    )
    read = reading("A 5, more than 7, six A", plain.source)
    assert [amount.text for amount in read.amounts] == ["A 5"]


@pytest.mark.parametrize(
    ("text", "dollars", "yen"),
    [
        ("1,628", "1628", "1628"),
        (" $1,628 ", "1628", None),
        ("-$1.5k", "-1500", None),
        (".50", "0.50", "0.50"),
        ("１万５千円", None, "15000"),
        ("1万5千", "15000", "15000"),
        ("twenty dollars", "20", None),
        ("$1,5", None, None),
        ("2 of them", None, None),
        ("$5 and $6", None, None),
        ("", None, None),
    ],
)
def test_a_whole_text_is_one_amount_or_none(rule: MoneyRule, text, dollars, yen) -> None:
    for currency, value in ((rule.source, dollars), (rule.target, yen)):
        assert amount_of(text, currency) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 bags for $1.2k, 3 more at twenty dollars", ["2", "1200", "3", "20"]),
        ("on 2024-05-15, 1,628.50", ["2024", "5", "15", "1628.50"]),
        ("half a million dollars, $1,5", ["1", "5"]),
        ("a charge of -$20", ["20"]),
        ("none", []),
    ],
)
def test_all_numbers_of_a_text_are_read_amounts_with_their_words(
    rule: MoneyRule, text: str, values: list[str]
) -> None:
    assert numbers_in(text, rule.source) == [Decimal(value) for value in values]


def test_numbers_of_japanese_texts_count_in_ten_thousands(rule: MoneyRule) -> None:
    assert numbers_in("2個で１万5千円、3億", rule.target) == [2, 15000, 300000000]
