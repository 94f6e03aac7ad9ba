"""Pick lists of the patch editor hold what the task's user has."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from rule_cases import SAMPLE, task

from review_app.core.tasks.argument_choices import Picker


def database(domain: str) -> dict[str, Any]:
    path = SAMPLE / domain / "db.toml"
    if path.exists():
        return tomllib.loads(path.read_text("utf-8"))
    return json.loads((SAMPLE / domain / "db.json").read_text("utf-8"))


RETAIL, AIRLINE, TELECOM = (database(name) for name in ("retail", "airline", "telecom"))


def picks(
    data: dict[str, Any], task: dict[str, Any], arguments: dict[str, Any], name: str
) -> dict[str, str]:
    return Picker(data, task).picks(arguments, name)


CLARA = {"user_scenario": {"instructions": "You are clara_wexford_3517."}}


def test_orders_and_payment_methods_are_the_users_own():
    assert list(picks(RETAIL, CLARA, {}, "order_id")) == ["#W4081726", "#W7350942"]
    assert picks(RETAIL, CLARA, {}, "payment_method_id") == {
        "credit_card_5820174": "credit_card visa 3391"
    }
    assert picks(RETAIL, CLARA, {}, "user_id") == {"clara_wexford_3517": "Clara Wexford"}


def test_an_order_is_described_by_its_status_and_items():
    described = picks(RETAIL, CLARA, {}, "order_id")["#W4081726"]
    order = RETAIL["orders"]["#W4081726"]
    names = ", ".join(item["name"] for item in order["items"])
    assert described == f"{order['status']}: {names}" and names


def test_a_user_is_known_by_an_order_of_the_action_or_of_the_task():
    assert list(picks(RETAIL, {}, {"order_id": "#W4081726"}, "user_id")) == ["clara_wexford_3517"]
    assert list(picks(RETAIL, {"x": "order #W4081726"}, {}, "user_id")) == ["clara_wexford_3517"]


def test_new_items_are_those_in_stock_of_the_product_that_is_given_back():
    arguments = {"order_id": "#W4081726", "item_ids": ["8036152974"]}
    offered = picks(RETAIL, CLARA, arguments, "new_item_ids")
    variants = RETAIL["products"]["2740615883"]["variants"]
    assert set(offered) == {key for key, variant in variants.items() if variant["available"]}
    assert offered["5190738426"] == "Travel Mug (450ml, steel, olive) 31.2"


def test_items_are_those_of_the_order():
    offered = picks(RETAIL, CLARA, {"order_id": "#W4081726"}, "item_ids")
    assert list(offered) == ["8036152974", "7182045936", "6291538074"]
    assert picks(RETAIL, CLARA, {"order_id": "#W0"}, "item_ids") == {}


def test_reservations_are_the_users_own():
    offered = picks(AIRLINE, task("airline", "1"), {}, "reservation_id")
    assert "R4XW9T" in offered


def test_a_reservation_is_told_by_its_way_cabin_and_first_day():
    offered = picks(AIRLINE, task("airline", "1"), {}, "reservation_id")
    for number, said in offered.items():
        reservation = AIRLINE["reservations"][number]
        first = reservation["flights"][0]["date"]
        way = f"{reservation['origin']} {reservation['destination']}"
        assert said == f"{way} {reservation['cabin']} {first}"
    assert offered


def test_lines_and_bills_are_the_customers_own():
    named = {"x": "You are Rebecca Thornton, and your phone number is 555-204-7701."}
    assert list(picks(TELECOM, named, {}, "line_id")) == ["L2001", "L2002"]
    assert list(picks(TELECOM, named, {}, "bill_id")) == ["B2001", "B2002", "B2003"]
    assert list(picks(TELECOM, named, {}, "customer_id")) == ["C2001"]


def test_a_line_is_told_by_its_number_and_state():
    named = {"x": "You are Rebecca Thornton, and your phone number is 555-204-7701."}
    line = next(row for row in TELECOM["lines"] if row["line_id"] == "L2001")
    offered = picks(TELECOM, named, {}, "line_id")
    assert offered["L2001"] == f"{line['phone_number']} {line['status']}"


def test_a_customer_is_known_by_the_whole_name_alone():
    assert list(picks(TELECOM, {"x": "You are Rebecca Thornton."}, {}, "customer_id")) == ["C2001"]
    assert picks(TELECOM, {"x": "You are Rebecca."}, {}, "customer_id") == {}


@pytest.mark.parametrize("name", ["expression", "cabin"])
def test_other_arguments_have_no_pick_list(name: str):
    assert picks(RETAIL, CLARA, {}, name) == {}


@pytest.mark.parametrize("wrong", [None, [], 3, {"x": 1}], ids=repr)
def test_arguments_of_a_wrong_type_give_no_error(wrong: Any):
    for name in ("order_id", "user_id", "item_ids", "new_item_ids", "payment_id"):
        arguments = {"order_id": wrong, "user_id": wrong, "item_ids": wrong}
        assert isinstance(picks(RETAIL, CLARA, arguments, name), dict)
