"""Agent, user simulator and environment take turns as the format says."""

from __future__ import annotations

import asyncio
import json
from dataclasses import fields

import pytest
from rule_cases import facts
from trial_cases import Replies, called, played, said

from review_app.core.scoring.accounting import classify
from review_app.core.scoring.reward import ScoredRun, score
from review_app.core.simulation.orchestrator import GREETING, play, stop_token
from review_app.core.simulation.records import Limits, Player, Reply
from review_app.llm import Answer

OLA = {"user_id": "greta_lindqvist_2286"}
LOOK = ("get_user_details", OLA)
STOP = said("Thanks ###STOP###")


def roles(trial):
    return [message["role"] for message in trial.messages]


# -- turns -----------------------------------------------------------------------------------------


def test_the_agent_greets_then_user_and_agent_alternate():
    trial = played([said("Sure")], [said("Hello"), STOP])
    assert [message["content"] for message in trial.messages] == [
        GREETING,
        "Hello",
        "Sure",
        STOP.text,
    ]
    assert [message["turn_idx"] for message in trial.messages] == [0, 1, 2, 3]
    assert (trial.termination_reason, trial.stop_token) == ("user_stop", "###STOP###")
    assert (trial.steps, trial.tool_errors) == (3, 0)


def test_results_come_back_to_the_caller_in_the_order_of_the_calls():
    agent = Replies(called(LOOK, ("no_such_tool", {}), LOOK), said("Found"))
    trial = played(agent, [said("Hi"), STOP])
    results = [message for message in trial.messages if message["role"] == "tool"]
    calls = trial.messages[2]["tool_calls"]
    assert (
        [message["id"] for message in results]
        == [message["id"] for message in calls]
        == ["c0", "c1", "c2"]
    )
    assert [message["error"] for message in results] == [False, True, False]
    assert results[1]["content"] == "Error: Tool 'no_such_tool' not found."
    assert trial.tool_errors == 1
    sent = agent.requests[1].messages
    assert [message["role"] for message in sent[-4:]] == ["assistant", "tool", "tool", "tool"]
    assert json.loads(sent[-4]["tool_calls"][0]["function"]["arguments"]) == OLA


def test_roles_are_flipped_for_the_user_who_sees_no_calls_of_the_agent():
    user = Replies(said("Hello"), STOP)
    played([called(LOOK, text="One moment"), said("Done")], user)
    assert [(message["role"], message["content"]) for message in user.requests[1].messages] == [
        ("system", "scenario"),
        ("user", GREETING),
        ("assistant", "Hello"),
        ("user", "Done"),
    ]


def test_the_users_tools_answer_the_user_and_stay_hidden_from_the_agent():
    agent = Replies(said("Toggle it"), said("Good"))
    user = Replies(said("Help"), called(("toggle_airplane_mode", {})), said("Toggled"), STOP)
    trial = played(agent, user, domain="telecom")
    assert roles(trial) == [
        "assistant",
        "user",
        "assistant",
        "user",
        "tool",
        "user",
        "assistant",
        "user",
    ]
    assert trial.messages[4]["requestor"] == "user" and not trial.messages[4]["error"]
    assert [message["role"] for message in user.requests[2].messages][-2:] == ["assistant", "tool"]
    assert [message["content"] for message in agent.requests[1].messages][-2:] == [
        "Toggle it",
        "Toggled",
    ]


def test_a_side_cannot_call_the_other_sides_tools():
    user = [called(("get_user_details", OLA)), STOP]
    trial = played([said("Hm")], user)
    assert trial.messages[2]["error"] and "not found" in trial.messages[2]["content"]


def test_text_beside_a_call_goes_to_nobody_and_ends_nothing():
    user = [called(("toggle_airplane_mode", {}), text="Bye ###STOP###"), said("Done"), STOP]
    trial = played([said("Fine")], user, domain="telecom")
    assert trial.messages[1]["content"] == "Bye ###STOP###"
    assert trial.stop_token == "###STOP###" and len(trial.messages) == 6


def test_missing_and_repeated_call_ids_become_unique():
    nameless = Reply(tool_calls=({"id": "", "name": "x", "arguments": "{}"},) * 2)
    trial = played([nameless, called(LOOK), called(LOOK), said("Hm")], [said("Hi"), STOP])
    ids = [call["id"] for message in trial.messages for call in message.get("tool_calls") or ()]
    assert len(set(ids)) == len(ids) == 4 and all(ids)
    score({"evaluation_criteria": {"actions": []}}, run(trial), facts("airline").open())


def test_seed_and_tools_are_handed_on():
    agent, user = Replies(said("Ok")), Replies(said("Hi"), STOP)
    tools = [{"type": "function", "function": {"name": "x"}}]
    players = Player(agent, "policy", tools), Player(user, "scenario")
    environment = facts("airline").open()
    trial = asyncio.run(play({"id": "0"}, environment, *players, seed=7))
    assert (agent.requests[0].seed, user.requests[0].seed, trial.seed) == (7, 7, 7)
    assert agent.requests[0].tools == tools and user.requests[0].tools == ()
    assert (agent.requests[0].role, user.requests[0].role) == ("agent", "user")


# -- ends ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
def test_any_stop_token_inside_a_text_ends_the_trial(token):
    trial = played([said("Ok")], [said("Hi"), said(f"well{token}then")])
    assert (trial.termination_reason, trial.stop_token) == ("user_stop", token)


def test_a_stop_token_of_the_agent_ends_nothing():
    assert len(played([said("###STOP###")], [said("Hi"), STOP]).messages) == 4
    assert stop_token({"role": "assistant", "content": "###STOP###"}) == ""


def test_every_turn_counts_as_a_step_and_the_limit_waits_for_pending_results():
    trial = played([called(LOOK)], [said("Hi")], limits=Limits(max_steps=4))
    assert (trial.termination_reason, trial.steps) == ("max_steps", 5)
    assert roles(trial)[-1] == "tool"


def test_stopping_on_the_last_step_is_reaching_the_limit():
    trial = played([said("Ok")], [said("Hi"), STOP], limits=Limits(max_steps=3))
    assert (trial.termination_reason, trial.stop_token) == ("max_steps", "###STOP###")
    trial = played([said("Ok")], [said("Hi"), STOP], limits=Limits(max_steps=4))
    assert trial.termination_reason == "user_stop"


def test_errors_of_both_sides_add_up_and_are_never_reset():
    wrong = called(("nothing", {}))
    agent = [wrong, called(LOOK), wrong, said("Hm")]
    user = [said("Hi"), wrong, said("And?")]
    trial = played(agent, user, limits=Limits(max_errors=3))
    assert (trial.termination_reason, trial.tool_errors) == ("too_many_errors", 3)


def test_an_endless_conversation_ends_by_the_default_limits():
    trial = played([said("And?")], [said("Well")])
    assert (trial.termination_reason, trial.steps) == ("max_steps", 200)


def test_time_that_is_up_ends_the_trial():
    moments = iter([False, False, True])
    trial = played([said("Ok")], [said("Hi")], expired=lambda: next(moments))
    assert (trial.termination_reason, trial.steps) == ("timeout", 3)


# -- outputs that cannot be gone on from -----------------------------------------------------------

EMPTY = Reply(text=" \n", finish_reason="stop")
BROKEN = called(("get_user_details", '{"user_id": '))


@pytest.mark.parametrize("finish_reason", ["stop", "length", "content_filter"])
def test_an_empty_output_is_the_speakers_error(finish_reason):
    empty = Reply(finish_reason=finish_reason)
    trial = played([empty], [said("Hi")])
    assert (trial.termination_reason, trial.fault.kind) == ("agent_error", "empty_output")
    assert (trial.fault.speaker, trial.fault.finish_reason) == ("agent", finish_reason)
    trial = played([said("Ok")], [empty])
    assert (trial.termination_reason, trial.fault.speaker) == ("user_error", "user")
    assert roles(trial) == ["assistant"]


@pytest.mark.parametrize("finish_reason", ["", "tool_calls", "weird"])
def test_an_empty_output_with_no_or_another_finish_reason_is_nobodys(finish_reason):
    trial = played([Reply(finish_reason=finish_reason)], [said("Hi")])
    assert trial.termination_reason == "infrastructure_error"


def test_a_network_error_is_nobodys_whatever_the_library_makes_of_it():
    cut = Reply(text="I can hel", finish_reason="stop", provider_reason="network_error")
    trial = played([cut], [said("Hi")])
    assert trial.termination_reason == "infrastructure_error"
    assert classify(trial.facts(0.0)).rule_id == "1:network_error"


@pytest.mark.parametrize(
    "raw", ['{"user_id": ', "", "null", "[1]", '"text"', "[" * 100_000], ids=repr
)
def test_arguments_that_are_no_json_object_are_the_speakers_error(raw):
    trial = played([called(LOOK, ("get_user_details", raw))], [said("Hi")])
    assert (trial.termination_reason, trial.fault.kind) == ("agent_error", "malformed_tool_call")
    assert trial.fault.detail == f"get_user_details({raw})"
    assert roles(trial) == ["assistant", "user"]
    trial = played([said("Ok")], [called(("toggle_data", raw))], domain="telecom")
    assert trial.termination_reason == "user_error"


def test_no_answer_is_nobodys_error():
    trial = played([Reply(error="rate_limited", error_detail="429")], [said("Hi")])
    assert (trial.termination_reason, trial.fault.error) == ("infrastructure_error", "rate_limited")


def test_the_failed_answer_is_paid_for_too():
    trial = played([said("Ok", tokens_in=3, tokens_out=2), EMPTY], [said("Hi")])
    assert (trial.agent.requests, trial.agent.tokens_in, trial.agent.unpriced) == (2, 3, 1)
    assert (trial.agent.cost_usd, trial.agent.total_usd) == (0.5, None)
    assert trial.user.total_usd == 1.0
    assert trial.agent.finish_reasons == {"stop": 2}


def test_every_member_of_a_models_answer_has_its_place_in_a_reply():
    names = {member.name for member in fields(Reply)}
    assert {member.name for member in fields(Answer)} <= names


# -- beside the environment ------------------------------------------------------------------------


def run(trial):
    return ScoredRun(trial.messages, trial.termination_reason)


def test_a_trial_leaves_the_environment_it_was_given_alone():
    environment = facts("airline").open()
    before = environment.states()[0].hash
    agent = Replies(called(("cancel_reservation", {"reservation_id": "R4XW9T"})), said("Ok"))
    players = Player(agent, ""), Player(Replies(said("Hi"), STOP), "")
    trial = asyncio.run(play({"id": "0"}, environment, *players))
    assert environment.states()[0].hash == before
    wanted = {"evaluation_criteria": {"actions": []}}
    assert score(wanted, run(trial), environment).reward == 0.0


def test_what_a_model_raises_goes_through():
    async def cancelled(request):
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        played(cancelled, [said("Hi")])


def test_a_history_that_ends_with_a_stop_token_is_over():
    history = [
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "###TRANSFER###"},
    ]
    trial = played([], [], task={"id": "0", "initial_state": {"message_history": history}})
    assert (trial.termination_reason, trial.steps) == ("user_stop", 0)
    assert trial.stop_token == "###TRANSFER###"


@pytest.mark.parametrize("role", ["assistant", "user"])
def test_after_a_tool_result_in_the_history_its_caller_goes_on(role):
    call = {"id": "h", "name": "calculate", "arguments": {"expression": "1+1"}, "requestor": role}
    history = [
        {"role": role, "content": None, "tool_calls": [call]},
        {"role": "tool", "id": "h", "content": "2.0", "requestor": role, "error": False},
    ]
    agent, user = Replies(said("Two")), Replies(STOP)
    task = {"id": "0", "initial_state": {"message_history": history}}
    trial = played(agent, user, task=task)
    assert len(agent.requests) == (role == "assistant")
    assert trial.messages[2]["role"] == role
