"""Localizing commutes with replaying; where it does not, call, record and field are named."""

from __future__ import annotations

import copy
from dataclasses import replace
from decimal import Decimal

import pytest
from localized_sample import database, pack_with, sample, tasks

from review_app.core.envs import open_environment
from review_app.core.proof.recorded import replayed
from review_app.core.proof.square import ABSENT, Square
from review_app.core.tasks.replay import replay

ALL = [
    pytest.param(domain, locale, task_id, id=f"{locale} {domain} {task_id}")
    for locale in ("ja", "de")
    for domain in ("airline", "retail", "telecom")
    for task_id in tasks(domain)
]


@pytest.mark.parametrize(("domain", "locale", "task_id"), ALL)
def test_the_square_commutes_on_the_sample(domain, locale, task_id):
    here = sample(domain, locale)
    replays = here.replays(tasks(domain)[task_id])
    assert any(step.ok for step in replays[0].steps)
    found = Square(here.localizer).differences(*replays)
    assert [each for each in found if each.kind != "rounding"] == []


@pytest.mark.parametrize("variant", ["tau", "j-tau-en-tool", "mt-only"])
@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_the_square_commutes_in_other_variants(domain, variant):
    here = sample(domain, "ja", variant)
    for task in tasks(domain).values():
        found = Square(here.localizer).differences(*here.replays(task))
        assert [each for each in found if each.kind != "rounding"] == []


def differences(domain, calls, tree=None, pack=None):
    """What differs if these source calls run on the localized sample, with a planted fault."""
    here = sample(domain)
    localized = [
        {**call, "arguments": here.localizer.arguments(call["name"], call["arguments"])}
        for call in calls
    ]
    state = here.states[0] if tree is None else tree
    there = open_environment(domain, state, pack or here.localizer.pack, here.states[1])
    source = replay(here.source_environment(), calls)
    return Square(here.localizer).differences(source, replay(there, localized))


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


CANCEL = call("cancel_pending_order", order_id="#W5273091", reason="no longer needed")
ORDER = call("get_order_details", order_id="#W5273091")


def localized_tree(domain):
    return copy.deepcopy(sample(domain).localizer.database(database(domain)))


def test_without_a_fault_nothing_differs():
    assert differences("retail", [ORDER, CANCEL, ORDER]) == []


def test_a_balance_that_moves_by_a_sum_of_the_data_is_no_difference():
    here, paid = sample("retail"), ("#W1364879", Decimal("31.15"))
    localizer = replace(here.localizer, sums={paid: Decimal(4673)})
    tree = localizer.database(database("retail"))
    calls = [
        call("cancel_pending_order", order_id=paid[0], reason="no longer needed"),
        call("get_user_details", user_id="rosa_delgado_7082"),
    ]
    localized = [
        {**one, "arguments": localizer.arguments(one["name"], one["arguments"])} for one in calls
    ]
    there = open_environment("retail", tree, localizer.pack, here.states[1])
    replays = replay(here.source_environment(), calls), replay(there, localized)
    assert all(step.ok for step in replays[0].steps)
    assert Square(localizer).differences(*replays) == []
    wrong = replace(localizer, sums={paid: Decimal(4674)})
    assert [unlike.kind for unlike in Square(wrong).differences(*replays)] != []


def test_a_wrong_word_of_a_pack_is_named_with_record_and_field():
    wrong = pack_with(
        sample("retail").localizer.pack, "words.order_status", {"cancelled": "ちがう"}
    )
    found = differences("retail", [CANCEL, ORDER], pack=wrong)
    first = found[0]
    assert (first.kind, first.step, first.call) == ("state", 0, "cancel_pending_order")
    assert (first.record, first.field) == ("orders/#W5273091", "status")
    assert first.expected == sample("retail").localizer.word("order_status", "cancelled")
    assert first.actual == "ちがう"
    assert [(each.step, each.kind, each.field) for each in found[1:]] == [
        (0, "output", "status"),
        (1, "output", "status"),
    ]


def test_a_word_that_a_tool_compares_refuses_if_it_is_wrong():
    wrong = pack_with(
        sample("retail").localizer.pack, "words.cancel_reason", {"no longer needed": "ちがう"}
    )
    found = differences("retail", [CANCEL], pack=wrong)
    assert found[0].kind == "outcome" and found[0].expected == "ok"
    assert found[0].actual.startswith("refused: ")
    assert ("orders/#W5273091", "status") in {(each.record, each.field) for each in found[1:]}


def test_a_swapped_refusal_is_named():
    pack = sample("retail").localizer.pack
    names = ("product_not_found", "cancel_not_pending")
    swapped = pack_with(
        pack, "messages", dict(zip(names, map(pack.message, names[::-1]), strict=True))
    )
    wrong = call("get_product_details", product_id="0")
    assert differences("retail", [wrong]) == []
    (found,) = differences("retail", [wrong], pack=swapped)
    assert (found.kind, found.call, found.record) == ("output", "get_product_details", "")
    assert found.expected == "Error: Product not found"


def test_a_swapped_answer_is_named():
    pack = sample("retail").localizer.pack
    swapped = pack_with(pack, "messages", {"transferred": pack.message("user_not_found")})
    (found,) = differences("retail", [call("transfer_to_human_agents", summary="x")], pack=swapped)
    assert found.kind == "output" and found.expected == "Transfer successful"


def test_refusals_in_words_of_python_are_alike():
    assert differences("retail", [call("get_order_details", order_id=["x"])]) == []


def test_a_wrong_id_in_an_answer_is_named():
    tree = localized_tree("retail")
    tree["orders"]["#W5273091"]["items"][0]["product_id"] = "1234567890"
    (found,) = differences("retail", [ORDER], tree)
    assert (found.kind, found.field, found.actual) == ("output", "items/0/product_id", "1234567890")


def test_a_price_that_was_loaded_has_to_be_exact():
    tree = localized_tree("retail")
    item = tree["orders"]["#W5273091"]["items"][0]
    item["price"] += 1
    (found,) = differences("retail", [ORDER], tree)
    assert (found.kind, found.field) == ("output", "items/0/price")
    assert found.actual == found.expected + 1
    first = differences("retail", [CANCEL], tree)[0]
    assert (first.kind, first.record, first.field) == ("state", "orders/#W5273091", "items/0/price")


def test_a_computed_amount_may_be_off_by_the_prices_that_entered_it():
    here = sample("retail")
    found = Square(here.localizer).differences(*here.replays(tasks("retail")["3"]))
    assert found and {each.kind for each in found} == {"rounding"}
    assert found[0].record == "orders/#W6482015"
    assert found[0].field == "payment_history/1/amount"
    assert abs(found[0].expected - found[0].actual) == 1


def test_a_computed_amount_far_off_is_no_rounding():
    here = sample("retail")
    source, target = here.replays(tasks("retail")["3"])
    last = target.steps[-1]
    path = next(path for path in last.touched[0] if path[0] == "orders")
    record = copy.deepcopy(last.after[0].find(path))
    record["payment_history"][1]["amount"] += 100
    changed = type(last.after[0])(last.after[0].pristine, {**last.after[0].changed, path: record})
    steps = (*target.steps[:-1], replace(last, after=(changed, None)))
    found = Square(here.localizer).differences(source, replace(target, steps=steps))
    assert [(each.kind, each.field) for each in found if each.record] == [
        ("state", "payment_history/1/amount")
    ]


def test_a_state_that_was_wrong_before_is_told_once():
    tree = localized_tree("retail")
    users = tree["users"]
    name = next(iter(users))
    source_name = next(iter(database("retail")["users"]))
    users[name]["address"]["address2"] = "ちがう"
    move = call(
        "modify_user_address",
        user_id=source_name,
        address1="1 Elm Street",
        address2="Suite 1",
        city="Nowhere",
        state="NW",
        country="USA",
        zip="00000",
    )
    assert differences("retail", [move, move], tree) == []
    users[name]["email"] = "x@example.com"
    found = differences("retail", [move, move], tree)
    assert [(each.step, each.field) for each in found if each.record] == [(0, "email")]


def test_a_member_that_is_missing_differs_from_one_that_is_null():
    here = sample("retail")
    square = Square(here.localizer)
    assert list(square._unequal(None, {"a": None}, {})) == [(("a",), None, ABSENT, "")]
    assert list(square._unequal(None, {}, {"a": 1})) == [(("a",), ABSENT, 1, "")]
    assert list(square._unequal(None, {"a": [1]}, {"a": [1.0]})) == [(("a", 0), 1, 1.0, "")]
    assert list(square._unequal(None, {"a": [1]}, {"a": []})) == [(("a",), [1], [], "")]


def test_a_record_that_only_the_localized_side_touched_is_told():
    here = sample("retail")
    source = replay(here.source_environment(), [ORDER])
    target = replay(
        here.environment(),
        [{**CANCEL, "arguments": here.localizer.arguments(CANCEL["name"], CANCEL["arguments"])}],
    )
    found = Square(here.localizer).differences(source, target)
    assert "orders/#W5273091" in {each.record for each in found}


# -- recorded calls ----------------------------------------------------------------------------


def test_recorded_calls_run_on_either_side():
    here = sample("telecom")
    record = {
        "id": "1",
        "kind": "sequence",
        "steps": [
            {"set_user_db": {"/device/active_apn_settings/apn_name": "broken"}},
            {"env": {"env_type": "user", "func_name": "turn_airplane_mode_on", "arguments": {}}},
            {"call": {"name": "check_network_status", "arguments": {}, "requestor": "user"}},
        ],
    }
    source = replayed(record, here.source_environment())
    target = replayed(record, here.environment(), here.localizer)
    assert [step.name for step in source.steps] == ["turn_airplane_mode_on", "check_network_status"]
    assert all(step.ok for step in (*source.steps, *target.steps))
    assert Square(here.localizer).differences(source, target) == []
    device = target.final[1].find(("device",))
    assert device["active_apn_settings"]["apn_name"] == "不正"


def test_a_recorded_value_is_set_under_the_localized_name():
    here = sample("telecom")
    record = {
        "id": "1",
        "kind": "call",
        "tool": "check_network_status",
        "arguments": {},
        "requestor": "user",
        "setup": [{"set_user_db": {"/surroundings/signal_strength/none": "good"}}],
    }
    target = replayed(record, here.environment(), here.localizer)
    surroundings = target.final[1].find(("surroundings",))["signal_strength"]
    assert surroundings["なし"] == "良好" and "none" not in surroundings
    assert (
        Square(here.localizer).differences(replayed(record, here.source_environment()), target)
        == []
    )


def test_a_function_of_the_environment_is_localized_too():
    here = sample("telecom")
    given = {"name": "Omar Farouk", "phone_number": "555-204-7703"}
    record = {
        "id": "1",
        "kind": "env_call",
        "env_type": "user",
        "func_name": "set_user_info",
        "arguments": given,
    }
    assert replayed(record, here.source_environment()).steps[0].arguments == given
    (step,) = replayed(record, here.environment(), here.localizer).steps
    assert step.ok
    assert step.arguments == here.localizer.arguments("set_user_info", given) != given
