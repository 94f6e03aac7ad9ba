"""A task as the fields of a form and back: what nobody touched stays as it is, to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rule_cases import SAMPLE, task

from review_app.core.tasks.argument_choices import Picker
from review_app.ui.patch import fields
from review_app.workflows.benchmark import environments

RETAIL = json.loads((SAMPLE / "retail" / "db.json").read_text("utf-8"))


def tool(domain: str, name: str) -> dict[str, Any]:
    from review_app.core.envs import environment_class
    from review_app.core.envs.schema import tool_schemas

    pack = environments.english_pack(domain)
    listed = tool_schemas(environment_class(domain), pack, "assistant", {})
    return next(each["function"] for each in listed if each["function"]["name"] == name)


def retyped(document: dict[str, Any]) -> dict[str, Any]:
    """The task after saving a form in which nothing was typed."""
    for entry in (*fields.texts(document), *fields.criteria(document)):
        document = fields.with_entry(document, entry, entry.shown)
    return document


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_a_form_that_nobody_touched_changes_nothing(domain: str):
    for document in json.loads((SAMPLE / domain / "tasks.json").read_text("utf-8")):
        assert json.dumps(retyped(document)) == json.dumps(document)


@pytest.mark.parametrize("kept", [None, [], "absent"], ids=str)
def test_three_kinds_of_no_actions_survive_an_edit_of_another_field(kept: Any):
    document = {**task("airline", "1")}
    criteria = {**document["evaluation_criteria"], "actions": kept}
    if kept == "absent":
        del criteria["actions"]
    document["evaluation_criteria"] = criteria
    entry = next(one for one in fields.texts(document) if one.path[-1] == "known_info")
    made = fields.with_entry(document, entry, "You are Ivo.")
    assert fields.actions(document) == []
    assert json.dumps(fields.with_actions(made, [])) == json.dumps(made)
    assert made["evaluation_criteria"] == criteria
    assert made["user_scenario"]["instructions"]["known_info"] == "You are Ivo."


def test_an_empty_text_stays_null_until_somebody_writes():
    document = task("airline", "1")
    entry = next(one for one in fields.texts(document) if one.path[-1] == "unknown_info")
    assert entry.shown == ""
    assert fields.with_entry(document, entry, "") is document
    made = fields.with_entry(document, entry, "your birthday")
    assert made["user_scenario"]["instructions"]["unknown_info"] == "your birthday"


def test_lists_are_edited_line_by_line():
    document = task("airline", "1")
    entry = next(one for one in fields.criteria(document) if "communicate" in one.name)
    assert entry.shown == "342"
    made = fields.with_entry(document, entry, "342\n\n17\n")
    assert made["evaluation_criteria"]["communicate_info"] == ["342", "17"]


def test_a_list_that_lines_cannot_hold_is_left_to_the_raw_text():
    document = {"id": "1", "evaluation_criteria": {"communicate_info": ["a\nb"], "x": 1}}
    names = [one.path[-1] for one in fields.criteria(document)]
    assert names == ["nl_assertions", "reward_basis"]


def test_arguments_are_typed_by_the_tools_schema():
    action = {"name": "book_reservation", "arguments": {"user_id": "x", "total_baggages": 2}}
    found = fields.arguments(action, tool("airline", "book_reservation"), None)
    inputs = {one.field.name: (one.field.input, one.shown) for one in found}
    assert inputs["user_id"] == ("text", "x")
    assert inputs["total_baggages"] == ("integer", 2)
    assert inputs["cabin"] == ("choice", None)
    assert inputs["flights"] == ("json", "")


def test_arguments_that_the_tool_does_not_take_or_of_a_wrong_type_are_shown_as_json():
    action = {"name": "send_certificate", "arguments": {"amount": "many", "colour": "red"}}
    found = fields.arguments(action, tool("airline", "send_certificate"), None)
    shown = {one.field.name: (one.field.input, one.shown) for one in found}
    assert shown["amount"] == ("json", '"many"')
    assert shown["colour"] == ("json", '"red"')


def test_pick_lists_hold_the_users_own_and_what_stands_there():
    arguments = {
        "order_id": "#W4081726",
        "item_ids": ["8036152974"],
        "new_item_ids": ["0"],
        "payment_method_id": "paypal_0",
    }
    action = {"name": "exchange_delivered_order_items", "arguments": arguments}
    known = tool("retail", "exchange_delivered_order_items")
    found = {
        one.field.name: one for one in fields.arguments(action, known, Picker(RETAIL, {"id": "1"}))
    }
    assert list(found["payment_method_id"].picks) == ["credit_card_5820174", "paypal_0"]
    assert found["new_item_ids"].is_many
    assert {"0", "5190738426"} <= set(found["new_item_ids"].picks)
    made, _ = fields.with_argument(action, found["new_item_ids"], ["5190738426"])
    assert made["arguments"]["new_item_ids"] == ["5190738426"]


def test_items_that_are_named_twice_are_no_set():
    arguments = {"order_id": "#W4081726", "item_ids": ["8036152974", "8036152974"]}
    action = {"name": "return_delivered_order_items", "arguments": arguments}
    known = tool("retail", "return_delivered_order_items")
    found = fields.arguments(action, known, Picker(RETAIL, {"id": "1"}))
    assert next(one for one in found if one.field.name == "item_ids").is_many is False


@pytest.mark.parametrize(
    ("typed", "value"), [("[1, 2]", [1, 2]), ("", "absent"), ("[1,", "kept")], ids=str
)
def test_a_json_argument_is_read_taken_out_or_refused(typed: str, value: Any):
    action = {"name": "think", "arguments": {"x": [0]}}
    [argument] = fields.arguments(action, None, None)
    made, problem = fields.with_argument(action, argument, typed)
    expected = {"absent": {}, "kept": {"x": [0]}}.get(str(value), {"x": value})
    assert made["arguments"] == expected
    assert bool(problem) == (value == "kept")


def test_a_whole_number_stays_a_whole_number():
    action = {"name": "refuel_data", "arguments": {"customer_id": "C", "gb_amount": 2}}
    found = fields.arguments(action, tool("telecom", "refuel_data"), None)
    amount = next(one for one in found if one.field.name == "gb_amount")
    assert amount.shown == 2.0
    assert fields.with_argument(action, amount, 2.0)[0] is action
    made, _ = fields.with_argument(action, amount, 3.0)
    assert json.dumps(made["arguments"]["gb_amount"]) == "3"


def test_a_new_action_has_the_shape_of_the_others_and_an_id_of_its_own():
    document = task("airline", "1")
    made = fields.new_action(document, "think", "assistant")
    assert made == {"action_id": "1_2", "name": "think", "arguments": {}, "info": None}
    telecom = task("telecom", "[service_issue]lock_sim_card_pin[PERSONA:None]")
    assert fields.new_action(telecom, "x", "user")["requestor"] == "user"


@pytest.mark.parametrize("raw", ["[1]", "{", "{'a': 1}", "NaN", "null"], ids=str)
def test_a_raw_text_that_is_no_object_is_refused(raw: str):
    with pytest.raises(ValueError, match="."):
        fields.parsed(raw)
