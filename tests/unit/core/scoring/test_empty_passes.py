"""Passes that prove nothing, on the sample's airline and on conversations made here."""

from __future__ import annotations

import pytest
from rule_cases import facts

from review_app.core.scoring.empty_passes import (
    described,
    early_stop,
    idle_passes,
    record,
    solvability,
    summary,
)

HI = {"role": "assistant", "content": "Hi! How can I help you today?"}
STOP = {"role": "user", "content": "###STOP###"}
ASKS = {"role": "user", "content": "Cancel it."}
DONE = {"role": "assistant", "content": "Done."}
LOOKS = {"role": "user", "content": None, "tool_calls": [{"id": "1", "name": "check_sim_status"}]}
SEEN = {"role": "tool", "id": "1", "content": "ok", "requestor": "user"}


@pytest.mark.parametrize(
    ("messages", "end", "why"),
    [
        ([HI, STOP], "user_stop", "nothing_asked"),
        ([STOP], "user_stop", "nothing_asked"),
        ([HI, LOOKS, SEEN, STOP], "user_stop", "agent_unheard"),
        ([HI, ASKS, DONE, STOP], "user_stop", None),
        ([HI, ASKS], "max_steps", None),
        ([HI, STOP], "timeout", None),
        ([], "user_stop", None),
    ],
    ids=["first", "no greeting", "own calls", "heard", "limit", "late", "not recorded"],
)
def test_the_users_end_before_the_agents_first_turn_has_a_name(messages, end, why):
    assert early_stop({"id": "0"}, messages, end) == why


def test_what_a_history_says_is_nobodys_turn():
    task = {"id": "0", "initial_state": {"message_history": [HI, ASKS, DONE]}}
    assert early_stop(task, [HI, ASKS, DONE, STOP], "user_stop") == "nothing_asked"
    assert early_stop(task, [HI, ASKS, DONE, ASKS, DONE, STOP], "user_stop") is None
    stopped = {"id": "0", "initial_state": {"message_history": [HI, STOP]}}
    assert early_stop(stopped, [HI, STOP], "user_stop") == "agent_unheard"


def task(**criteria):
    history = criteria.pop("history", None)
    start = {"message_history": history} if history else None
    return {"id": "0", "initial_state": start, "evaluation_criteria": criteria}


CANCEL = {"action_id": "0", "name": "cancel_reservation", "arguments": {"reservation_id": "K7QD2M"}}
LOOK_UP = {
    "action_id": "0",
    "name": "get_reservation_details",
    "arguments": {"reservation_id": "K7QD2M"},
}


@pytest.mark.parametrize(
    ("criteria", "passes"),
    [
        ({"actions": []}, True),
        ({"actions": [LOOK_UP]}, True),
        ({"actions": [CANCEL]}, False),
        ({"actions": [LOOK_UP], "reward_basis": ["DB", "ACTION"]}, False),
        ({"actions": [], "communicate_info": ["76"]}, False),
        ({"actions": [], "communicate_info": ["76"], "reward_basis": ["DB"]}, True),
        ({"actions": [], "nl_assertions": ["Says no."]}, True),
        (
            {"actions": [], "nl_assertions": ["Says no."], "reward_basis": ["DB", "NL_ASSERTION"]},
            False,
        ),
        (
            {
                "actions": [],
                "communicate_info": ["76"],
                "history": [HI, ASKS, {"role": "assistant", "content": "It is $76."}],
            },
            True,
        ),
    ],
    ids=["nothing", "reads", "writes", "basis", "told", "not scored", "words", "judge", "history"],
)
def test_an_idle_agent_is_scored_by_the_tasks_own_basis(criteria, passes):
    assert idle_passes(task(**criteria), facts("airline").open()) is passes


def test_a_task_is_shown_solvable_by_one_pass_that_proves_something():
    proved = solvability(
        [("1", "nothing_asked"), ("1", None), ("2", "idle_passes"), ("2", "nothing_asked")],
        early_stops=3,
        unchecked=["1"],
    )
    assert [proved.of(name) for name in ("1", "2", "3")] == ["shown", "not_shown", "unsolved"]
    assert proved.empty == {"nothing_asked": 2, "idle_passes": 1}
    assert proved.by_task["2"] == {"idle_passes": 1, "nothing_asked": 1}
    assert str(described(proved.empty)) == (
        "3 passes prove nothing: 2 × nothing asked of the agent, 1 × a do-nothing agent passes too"
    )
    assert [str(line) for line in summary(proved)][1:] == [
        "1 task is not shown solvable: 2",
        "3 trials were ended by the user before the agent's first turn",
    ]
    assert record(proved) == {
        "shown_solvable": ["1"],
        "not_shown_solvable": ["2"],
        "empty_passes": {"nothing_asked": 2, "idle_passes": 1},
        "early_stops": 3,
        "unchecked": ["1"],
    }
    assert summary(solvability([("1", None)])) == ()
