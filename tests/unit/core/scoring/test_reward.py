"""Rewards with the reference's quirks, and the hints beside them."""

import json
import tomllib
from pathlib import Path

import pytest

from review_app.core.envs import open_environment
from review_app.core.locale.pack import parse_pack
from review_app.core.scoring.reward import (
    LONGER_NUMBER,
    NORMALIZED,
    ONLY_ORDER,
    ScoredRun,
    check_actions,
    check_communicated,
    run_assertion,
    score,
    score_env,
)
from review_app.errors import BadInput

LOCALE = Path(__file__).resolve().parents[4] / "data" / "locales" / "en" / "airline.toml"
PACK = parse_pack({"airline.toml": LOCALE.read_text("utf-8")})
CANCEL = {"action_id": "0", "name": "cancel_reservation", "arguments": {"reservation_id": "R4XW9T"}}
HELLO = {"role": "assistant", "content": "Hello"}


@pytest.fixture
def airline(sample):
    text = (sample / "tau2" / "domains" / "airline" / "db.json").read_text("utf-8")
    return open_environment("airline", json.loads(text), PACK)


def called(airline, *actions):
    """Messages of a run that made these calls."""
    environment, messages = airline.fork(), [HELLO]
    for at, action in enumerate(actions):
        step = environment.call(action["name"], action["arguments"])
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [{**action, "id": str(at)}]},
            {"role": "tool", "id": str(at), "content": step.output, "error": not step.ok},
        ]
    return messages


def task(**criteria):
    return {"id": "0", "evaluation_criteria": criteria}


def run(messages, **more):
    return ScoredRun(messages, more.pop("reason", "user_stop"), **more)


def test_a_perfect_run_is_one_and_an_idle_one_zero(airline):
    wanted = task(actions=[CANCEL], communicate_info=["Hello"])
    perfect = score(wanted, run(called(airline, CANCEL)), airline)
    assert (perfect.reward, perfect.basis) == (1.0, ("DB", "COMMUNICATE"))
    assert (perfect.problem, perfect.env.problem, perfect.env.hint) == ("", "", None)
    idle = score(wanted, run([HELLO]), airline)
    assert (idle.reward, idle.breakdown) == (0.0, {"DB": 0.0, "COMMUNICATE": 1.0})
    assert (idle.env.db_match, idle.env.hint) == (False, None)
    assert airline.states()[0].changed == {}


@pytest.mark.parametrize("reason", ["max_steps", "agent_error", "too_many_errors", "timeout"])
def test_an_early_end_is_zero_without_a_basis(airline, reason):
    result = score(task(actions=[]), run([HELLO], reason=reason), airline)
    assert (result.reward, result.basis, result.env) == (0.0, None, None)
    assert str(result.note) == f"ended early: {reason}"


def test_no_criteria_is_one(airline):
    result = score({"evaluation_criteria": None}, run([]), airline)
    assert (result.reward, str(result.note)) == (1.0, "the task has no evaluation criteria")


@pytest.mark.parametrize("unsaid", [{}, {"evaluation_criteria": None}], ids=["absent", "null"])
def test_without_criteria_the_state_is_not_compared(airline, unsaid):
    verdict = score_env(unsaid, run(called(airline, CANCEL)), airline)
    assert (verdict.reward, verdict.db_match, verdict.problem) == (1.0, None, "")
    assert str(verdict.hint).startswith("state not compared")


def test_null_actions_are_not_looked_at_and_empty_ones_are(airline):
    messages = called(airline, CANCEL)
    unseen = score(task(actions=None, env_assertions=None), run(messages), airline)
    assert (unseen.reward, unseen.env.db_match) == (1.0, None)
    assert score(task(actions=[]), run(messages), airline).reward == 0.0
    assert score(task(actions=None, env_assertions=[]), run(messages), airline).reward == 0.0


def test_the_reward_counts_only_what_the_basis_names(airline):
    wanted = task(actions=[CANCEL], communicate_info=["absent"], reward_basis=["ACTION"])
    assert score(wanted, run(called(airline, CANCEL)), airline).reward == 1.0
    assert score(wanted, run([HELLO]), airline).reward == 0.0


@pytest.mark.parametrize(
    ("basis", "breakdown", "reward"),
    [
        (["ACTION"], {}, 1.0),
        (["ENV_ASSERTION"], {"ENV_ASSERTION": 1.0}, 1.0),
        (["DB", "ENV_ASSERTION"], {"DB": 0.0, "ENV_ASSERTION": 1.0}, 0.0),
        (None, {"DB": 0.0}, 0.0),
        ([], {"DB": 0.0}, 0.0),
    ],
)
def test_the_state_counts_as_far_as_the_basis_names_it(airline, basis, breakdown, reward):
    env = score_env(task(actions=[CANCEL], reward_basis=basis), run([HELLO]), airline)
    assert (env.breakdown, env.reward, env.db_match) == (breakdown, reward, False)


@pytest.mark.parametrize(
    ("criteria", "basis", "nl_met"),
    [
        ({"actions": [CANCEL, {**CANCEL, "name": "think"}]}, "ACTION", None),
        ({"actions": [], "communicate_info": ["Hello", "absent"]}, "COMMUNICATE", None),
        ({"actions": [], "nl_assertions": ["polite", "brief"]}, "NL_ASSERTION", [True, False]),
    ],
    ids=["actions", "information", "judged assertions"],
)
def test_one_that_is_not_met_among_many_is_enough_to_fail(airline, criteria, basis, nl_met):
    messages = called(airline, CANCEL)
    wanted = task(**criteria, reward_basis=[basis])
    assert score(wanted, run(messages, nl_met=nl_met), airline).reward == 0.0
    assert score(wanted, run(messages, nl_met=nl_met), airline).breakdown == {basis: 0.0}


def test_verdicts_on_assertions_that_the_task_has_not_do_not_count(airline):
    wanted = task(actions=[], nl_assertions=[], reward_basis=["NL_ASSERTION"])
    assert score(wanted, run([HELLO], nl_met=[False]), airline).reward == 1.0


def test_the_order_of_a_list_is_hinted_at_whatever_the_order_of_keys_inside(airline):
    ours = [{"a": 1, "b": 0}, {"b": 1, "a": 2}]
    theirs = [{"a": 2, "b": 1}, {"b": 0, "a": 1}]
    call = {"name": "x", "arguments": {"list": ours}}
    gold = {"name": "x", "arguments": {"list": theirs}}
    (check,) = check_actions([gold], [{"role": "user", "tool_calls": [call]}], airline)
    assert (check.match, check.hint) == (False, ONLY_ORDER)


def test_judged_assertions_come_from_outside(airline):
    wanted = task(actions=[], nl_assertions=["polite"], reward_basis=["DB", "NL_ASSERTION"])
    assert score(wanted, run([HELLO], nl_met=[True]), airline).reward == 1.0
    assert score(wanted, run([HELLO], nl_met=[False]), airline).reward == 0.0
    undecided = score(wanted, run([HELLO]), airline)
    assert (undecided.reward, undecided.problem) == (None, "no verdict on NL_ASSERTION")
    vacuous = task(actions=[], nl_assertions=None, reward_basis=["NL_ASSERTION"])
    assert score(vacuous, run([HELLO]), airline).reward == 1.0


def test_a_run_that_recorded_something_else_is_fatal_only_if_strict(airline):
    messages = called(airline, CANCEL)
    messages[-1]["content"] = "{}"
    strict = score(task(actions=[CANCEL]), run(messages), airline)
    assert strict.reward is None
    assert "returns something else" in strict.problem
    assert strict.env.differences and strict.env.reward == 0.0
    lenient = score(task(actions=[CANCEL]), run(messages, strict=False), airline)
    assert lenient.reward == 1.0
    assert lenient.env.differences


def test_a_malformed_run_is_undecided_even_if_lenient(airline):
    messages = called(airline, CANCEL)[:-1]
    assert score(task(actions=[]), run(messages, strict=False), airline).reward is None


def test_a_state_that_differs_only_in_order_is_hinted_at(airline):
    people = [{"first_name": name, "last_name": "X", "dob": "1990-01-01"} for name in "AB"]
    reservation = airline.db.find("reservations", "R4XW9T")
    airline.db.add("reservations", "TWO", {**reservation, "passengers": people})
    gold, ours = (
        {
            "action_id": "0",
            "name": "update_reservation_passengers",
            "arguments": {"reservation_id": "TWO", "passengers": order},
        }
        for order in (people, people[::-1])
    )
    messages = called(airline, ours)
    verdict = score_env(task(actions=[gold]), run(messages), airline)
    assert (verdict.db_match, verdict.hint) == (False, ONLY_ORDER)
    (check,) = check_actions([gold], messages, airline)
    assert (check.match, check.hint) == (False, ONLY_ORDER)


def test_an_action_that_names_nobody_is_the_assistants(airline):
    for requestor in ({}, {"requestor": None}, {"requestor": "assistant"}):
        (check,) = check_actions([CANCEL | requestor], called(airline, CANCEL), airline)
        assert (check.match, check.kind) == (True, "write")
    (check,) = check_actions([CANCEL | {"requestor": "user"}], called(airline, CANCEL), airline)
    assert check.kind is None


@pytest.mark.parametrize(
    ("arguments", "compare_args", "match"),
    [
        ({"a": 25, "b": [1, 2]}, None, True),
        ({"a": 25.0}, None, True),
        ({}, None, True),
        ({"a": "25"}, None, False),
        ({"a": 25, "c": None}, None, False),
        ({"b": [2, 1]}, None, False),
        ({"b": [True, 2]}, None, True),
        ({"a": 1}, [], True),
        ({"a": 25, "c": 1}, ["a"], True),
        ({"c": 1}, ["a"], False),
    ],
)
def test_actions_match_as_the_reference_matches_them(airline, arguments, compare_args, match):
    gold = {
        "action_id": "0",
        "name": "x",
        "arguments": {"a": 25, "b": [1, 2]},
        "compare_args": compare_args,
    }
    messages = [
        {"role": "user", "tool_calls": [{"name": "x", "arguments": arguments, "requestor": "user"}]}
    ]
    (check,) = check_actions([gold], messages, airline)
    assert (check.match, check.kind) == (match, None)
    assert check.hint == (ONLY_ORDER if arguments == {"b": [2, 1]} else None)


@pytest.mark.parametrize(
    ("info", "text", "met", "hint"),
    [
        ("1628", "It is $1,628 in all", True, ""),
        ("1628", "It is 1628.00", True, ""),
        ("1628", "It is 1628.", True, ""),
        ("1,628", "It is 1,628", False, NORMALIZED),
        ("44", "It is 1440", True, LONGER_NUMBER),
        ("44", "It is 44.5", True, LONGER_NUMBER),
        ("1.5", "It is 1.52", True, LONGER_NUMBER),
        ("1628", "合計は１６２８円です", False, NORMALIZED),
        ("1628", "合計は1，628円です", False, NORMALIZED),
        ("1628", "合計は1、628円です", False, NORMALIZED),
        ("1628", "It is **1**628", False, NORMALIZED),
        ("1628", "It is 162", False, ""),
        ("Blue Mug", "the BLUE MUG", True, ""),
        ("Blue Mug", "the blue mug2", True, ""),
        ("Blue Mug", "the 5blue mug", True, ""),
        ("40", "It is 1440", True, LONGER_NUMBER),
        ("5", "It is 1.5", True, LONGER_NUMBER),
        ("ＢＬＵＥ", "It is blue", False, NORMALIZED),
        ("*", "It is blue", False, ""),
        ("1.5", "It is 1.5.0", True, LONGER_NUMBER),
    ],
)
def test_information_is_found_as_the_reference_finds_it(info, text, met, hint):
    (check,) = check_communicated([info], [{"role": "assistant", "content": text}])
    assert (check.met, check.hint) == (met, hint or None)


def test_information_counts_only_from_the_agent_and_in_one_message():
    messages = [
        {"role": "user", "content": "1628"},
        {"role": "tool", "content": "1628"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "16"},
        {"role": "assistant", "content": "28"},
    ]
    assert not check_communicated(["1628"], messages)[0].met
    assert check_communicated([], messages) == ()
    one_of_two = [{"role": "assistant", "content": text} for text in ("Hello", "It is 1,628")]
    (check,) = check_communicated(["1,628"], one_of_two)
    assert (check.met, check.hint) == (False, NORMALIZED)
    once_alone = [{"role": "assistant", "content": text} for text in ("1440", "44")]
    (check,) = check_communicated(["44"], once_alone)
    assert (check.met, check.hint) == (True, None)


def test_an_assertion_that_cannot_be_run_is_not_met(airline):
    verdict = run_assertion(airline, {"env_type": "user", "func_name": "nope", "arguments": {}})
    assert (verdict.met, "nope" in str(verdict.problem)) == (False, True)
    assert verdict.assertion["func_name"] == "nope"
    not_boolean = {"env_type": "assistant", "func_name": "list_all_airports", "arguments": {}}
    verdict = run_assertion(airline, not_boolean)
    assert (verdict.met, str(verdict.problem)) == (
        False,
        "the function does not return true or false",
    )
    wanted = task(actions=[], env_assertions=[not_boolean], reward_basis=["ENV_ASSERTION"])
    assert score(wanted, run([HELLO]), airline).reward is None


TELECOM = {
    name: (LOCALE.parent / name).read_text("utf-8")
    for name in ("telecom.toml", "telecom_user.toml")
}


@pytest.fixture
def telecom(sample):
    agent, user = (
        tomllib.loads((sample / "tau2" / "domains" / "telecom" / name).read_text("utf-8"))
        for name in ("db.toml", "user_db.toml")
    )
    return open_environment("telecom", agent, parse_pack(TELECOM), user)


def status_is(status, **more):
    arguments = {"customer_id": "C2001", "line_id": "L2001", "expected_status": status}
    return {
        "env_type": "assistant",
        "func_name": "assert_line_status",
        "arguments": arguments,
        **more,
    }


@pytest.mark.parametrize(
    ("assertion", "met"),
    [
        pytest.param(status_is("Active", assert_value=True), True, id="true is expected"),
        pytest.param(status_is("Active", assert_value=False), False, id="false is expected"),
        pytest.param(status_is("Closed", assert_value=False), True, id="and it is false"),
        pytest.param(status_is("Active"), True, id="nothing said expects true"),
        pytest.param(status_is("Closed"), False, id="nothing said does not expect false"),
    ],
)
def test_an_assertion_expects_true_unless_the_task_says_otherwise(telecom, assertion, met):
    verdict = run_assertion(telecom, assertion)
    assert (verdict.met, verdict.problem) == (met, None)
    wanted = task(actions=[], env_assertions=[assertion], reward_basis=["ENV_ASSERTION"])
    assert score(wanted, run([HELLO]), telecom).reward == float(met)


def test_an_assertion_is_about_the_agents_side_unless_the_task_says_otherwise(telecom):
    unsaid = {key: value for key, value in status_is("Active").items() if key != "env_type"}
    assert run_assertion(telecom, unsaid).met
    assert not run_assertion(telecom, {"func_name": "assert_line_status"}).met
    assert not run_assertion(telecom, {}).met


def test_every_assertion_has_to_be_met(telecom):
    good, bad = status_is("Active"), status_is("Closed")
    for assertions, reward in (([good, good], 1.0), ([good, bad], 0.0), ([bad, good], 0.0)):
        wanted = task(actions=None, env_assertions=assertions, reward_basis=["ENV_ASSERTION"])
        assert score(wanted, run([HELLO]), telecom).reward == reward


def test_an_assertion_that_cannot_be_run_leaves_the_reward_undecided(airline):
    assertion = {"env_type": "user", "func_name": "nope", "arguments": {}}
    wanted = task(actions=[], env_assertions=[assertion], reward_basis=["ENV_ASSERTION"])
    result = score(wanted, run([HELLO]), airline)
    assert result.reward is None
    assert "nope" in result.problem


def test_another_tool_with_the_same_arguments_is_no_match(airline):
    gold = {"action_id": "0", "name": "x", "arguments": {"a": 1}}
    for name, match in (("x", True), ("y", False), (None, False)):
        call = {"name": name, "arguments": {"a": 1}}
        (check,) = check_actions([gold], [{"role": "user", "tool_calls": [call]}], airline)
        assert (check.match, check.hint) == (match, None)


@pytest.mark.parametrize(
    ("name", "requestor", "kind"),
    [
        ("toggle_airplane_mode", "user", "write"),
        ("check_status_bar", "user", "read"),
        ("toggle_airplane_mode", None, None),
        ("suspend_line", None, "write"),
        ("suspend_line", "assistant", "write"),
        ("suspend_line", "user", None),
    ],
)
def test_a_gold_action_is_of_a_kind_of_its_side(telecom, name, requestor, kind):
    gold = {"name": name, "arguments": {}, "requestor": requestor}
    (check,) = check_actions([gold], [], telecom)
    assert (check.kind, check.match) == (kind, False)


def test_what_a_message_history_did_is_not_done_again(airline):
    history = called(airline, CANCEL)
    wanted = {**task(actions=[]), "initial_state": {"message_history": history}}
    assert score(wanted, run([*history, HELLO]), airline).reward == 1.0
    assert score(wanted, run([HELLO]), airline).reward == 0.0


def test_calls_that_are_none_are_passed_over(airline):
    gold = {"action_id": "0", "name": "x", "arguments": {}}
    call = {"name": "x", "arguments": {}}
    for calls, match in (([None, "x", call], True), ([None], False), (None, False)):
        (check,) = check_actions([gold], [{"role": "user", "tool_calls": calls}], airline)
        assert check.match == match


@pytest.mark.parametrize("arguments", [None, "x", 3, ["a"]], ids=["null", "text", "number", "list"])
def test_a_gold_action_without_an_arguments_object_is_matched_by_nothing(airline, arguments):
    messages = [{"role": "assistant", "tool_calls": [{"name": "x", "arguments": {}}]}]
    (check,) = check_actions([{"name": "x", "arguments": arguments}], messages, airline)
    assert not check.match


@pytest.mark.parametrize("arguments", [None, "x", 3, ["a"]], ids=["null", "text", "number", "list"])
def test_a_call_without_an_arguments_object_matches_nothing(airline, arguments):
    messages = [{"role": "assistant", "tool_calls": [{"name": "x", "arguments": arguments}]}]
    (check,) = check_actions([{"name": "x", "arguments": {}}], messages, airline)
    assert not check.match


@pytest.mark.parametrize(
    "broken",
    [
        {"evaluation_criteria": ["x"]},
        {"evaluation_criteria": {"actions": "x"}},
        {"evaluation_criteria": {"actions": [1]}},
        {"evaluation_criteria": {"actions": []}, "initial_state": [{}]},
        {"evaluation_criteria": {"actions": []}, "initial_state": {"message_history": {}}},
        {"evaluation_criteria": {"actions": []}, "initial_state": {"initialization_data": 3}},
        {
            "evaluation_criteria": {"actions": []},
            "initial_state": {"initialization_actions": [{"env_type": []}]},
        },
    ],
    ids=repr,
)
def test_a_malformed_task_is_named(airline, broken):
    with pytest.raises(BadInput, match=r"tasks\.json#7/"):
        score({"id": "7", **broken}, run([HELLO]), airline)
