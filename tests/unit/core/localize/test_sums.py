"""What adds up in the source adds up in the localized data."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from localized_sample import ground, sample

from review_app.core.localize.derivation import derive
from review_app.core.localize.sums import summed, sums_of
from review_app.core.localize.values import parse_values
from review_app.errors import BadInput

RULES = {("orders", "*"): ((("paid", "*", "amount"), ("items", "*", "price")),)}


def converted(amount: Decimal) -> Decimal:
    return Decimal(ground("retail", "ja").locale.money.expected(amount))


def order(*prices, paid, **more):
    return {
        "id": "#1",
        "items": [{"price": price} for price in prices],
        "paid": [{"amount": amount} for amount in paid],
        **more,
    }


def test_a_payment_is_what_its_items_come_to_and_not_its_conversion():
    source = order(0.01, 0.05, paid=[0.06, 0.06])
    sums = sums_of(RULES, {"orders": {"#1": source}}, converted)
    assert sums == {("#1", Decimal("0.06")): Decimal(8)}
    localized = order(1, 7, paid=[9.0, 9.0])
    summed(source, localized, (("paid", "*", "amount"),), sums, str)
    assert [payment["amount"] for payment in localized["paid"]] == [8.0, 8.0]


@pytest.mark.parametrize(
    "record",
    [
        order(1, 2, paid=[4]),
        order(paid=[0]),
        order(1, None, paid=[1]),
        order(True, paid=[1]),
        {"id": "#1"},
        None,
    ],
)
def test_what_is_no_sum_is_left_to_conversion(record):
    assert sums_of(RULES, {"orders": {"#1": record}}, converted) == {}


def test_a_payment_keeps_its_amount_when_the_items_change():
    sums = {("#1", Decimal("0.06")): Decimal(8)}
    later, localized = order(5, paid=[0.06, 4.94]), order(750, paid=[9.0, 741.0])
    summed(later, localized, (("paid", "*", "amount"),), sums, str)
    assert [payment["amount"] for payment in localized["paid"]] == [8.0, 741.0]


@pytest.mark.parametrize("entry", ['"orders/*" = "items"', '"orders/*//paid" = 1'])
def test_a_rule_that_names_no_amount_is_refused(entry):
    with pytest.raises(BadInput, match="retail.sums"):
        parse_values(f"[retail.sums]\n{entry}\n", "retail")


def test_the_locale_may_convert_every_amount_on_its_own():
    here = sample("retail")
    money = replace(here.ground.locale.money, sums="converted")
    other = replace(here.ground, locale=replace(here.ground.locale, money=money))
    tree = {
        "orders": {
            "#1": {
                "order_id": "#1",
                "items": [{"price": 0.01}, {"price": 0.05}],
                "payment_history": [{"amount": 0.06}],
            }
        }
    }
    amounts = []
    for chosen in (here.ground, other):
        localizer = derive(chosen, here.derivation.variant, {}, (), tree).localizer
        amounts.append(localizer.database(tree)["orders"]["#1"]["payment_history"][0]["amount"])
    assert amounts == [8.0, 9.0]
