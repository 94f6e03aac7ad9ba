"""What expected amounts become: as the localized database adds up, not as a sum is converted."""

from __future__ import annotations

from decimal import Decimal

import pytest
from localized_sample import sample, tasks, words

from review_app.core.localize.expected_amounts import (
    Amounts,
    Figure,
    expression,
    number,
    written_amounts,
)

LOCALIZER = words().localizer


def amounts(*records, **more) -> Amounts:
    found = Amounts(**more)
    for record in records:
        found.add((Decimal(a), Decimal(LOCALIZER.money.expected(Decimal(a)))) for a in record)
    return found


def figure(found: Amounts, amount: str) -> tuple[str, int]:
    made = found.figure(Decimal(amount), LOCALIZER.converted(Decimal(amount)))
    assert made.source == Decimal(amount)
    return made.origin, int(made.target)


SHOWN = amounts(["153.23", "164.29"], ["135.24"], ["200.10", "100.05", "50"])


@pytest.mark.parametrize(
    ("amount", "origin", "target"),
    [
        pytest.param("153.23", "database", 22984, id="stands in a record"),
        pytest.param("317.52", "sum", 22984 + 24643, id="sum of one record"),
        pytest.param("150.05", "sum", 15007 + 7500, id="part of one record"),
        pytest.param("17.99", "difference", 22984 - 20286, id="difference across records"),
        pytest.param("288.47", "sum", 22984 + 20286, id="sum across records"),
        pytest.param("999.99", "converted", 149998, id="nothing explains it"),
        pytest.param("0", "converted", 0, id="nothing"),
    ],
)
def test_an_amount_is_explained_by_what_the_calls_show(amount, origin, target):
    assert figure(SHOWN, amount) == (origin, target)


def test_a_sum_of_rounded_prices_differs_from_the_rounded_sum():
    shown = amounts(["153.23", "158.89", "10.01"])
    origin, target = figure(shown, "322.13")
    assert (origin, target) == ("sum", 22984 + 23833 + 1501)
    assert LOCALIZER.money.expected(Decimal("322.13")) == target + 1


def test_no_difference_of_one_price_in_two_spellings_makes_something_of_nothing():
    shown = Amounts([[(Decimal(10), Decimal(1500)), (Decimal(10), Decimal(1501))]])
    assert shown.figure(Decimal(0), Decimal(0)) == Figure(Decimal(0), Decimal(0), "converted")


def test_a_calculation_wins_over_a_sum():
    shown = amounts(["1", "2"], calculated={Decimal(3): Decimal(451)})
    assert figure(shown, "3") == ("calculation", 451)
    assert shown.shows(Decimal(3)) and shown.shows(Decimal(1)) and not shown.shows(Decimal(4))


def test_empty_records_are_not_kept():
    assert amounts([], ["1"], []).records == [[(Decimal(1), Decimal(150))]]


@pytest.mark.parametrize(
    ("text", "localized"),
    [
        ("2 * (350 - 122)", "2 * (52500 - 18300)"),
        ("153.23 + 135.24", "22984 + 20286"),
        ("158.89*3", "23833*3"),
        ("350 + 2 * 50", "52500 + 2 * 7500"),
        ("(1) / 4", "(1) / 4"),
        ("a350 + 1.2.3", "a350 + 1.2.3"),
        ("", ""),
    ],
)
def test_a_calculation_keeps_its_multipliers(text, localized):
    shown = amounts(["350", "122", "135.24"], fees={Decimal(50): Decimal(7500)})
    assert expression(text, shown, LOCALIZER) == localized


def test_a_number_longer_than_any_amount_stays():
    text = f"{'9' * 400}.5 + 1"
    assert expression(text, Amounts(), LOCALIZER) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,628", "1628"),
        ("1628", "1628"),
        (" 54.04 ", "54.04"),
        ("-17.99", "-17.99"),
        ("+5", "5"),
        ("1,234,567.8", "1234567.8"),
        ("1,62", None),
        ("$5", None),
        ("", None),
        ("5 hours", None),
        ("1.2.3", None),
        ("1e5", None),
        ("5.", None),
    ],
)
def test_only_a_whole_text_is_a_number(text, value):
    assert number(text) == (None if value is None else Decimal(value))


def test_amounts_that_texts_write_with_their_currency_are_found_once_without_sign():
    texts = ["$50 or 50 dollars", "-$1,628.50 and 30 doors", ""]
    assert written_amounts(texts, LOCALIZER) == {Decimal(50), Decimal("1628.50")}


def test_a_task_shows_prices_results_fees_and_calculations():
    airline = sample("airline")
    shown = airline.amounts(tasks("airline")["9"])
    assert shown.single(Decimal(390)) == 58500
    assert shown.fees == {Decimal(50): Decimal(7500), Decimal(30): Decimal(4500)}
    assert shown.calculated == {Decimal("390.0"): Decimal("58500.0")}
    assert len(shown.records) > 3


def test_a_task_shows_the_options_of_its_products():
    shown = sample("retail").amounts(tasks("retail")["0"])
    assert ("color", "olive") in shown.options
