"""The players that are no models pass what can be solved, and nothing else."""

from __future__ import annotations

import asyncio
import json

import pytest
from rule_cases import DATA, facts, task, tasks
from trial_cases import scripted

from review_app.core.scoring.reward import ScoredRun, score
from review_app.core.simulation.judges import judge_assertions
from review_app.core.simulation.scripted import MODEL, Phrases, scripted_judge

INVALID = {
    (invalid_task["domain"], invalid_task["task_id"])
    for invalid_task in json.loads((DATA / "sample" / "invalid_tasks.json").read_text("utf-8"))
}


def met(document, trial):
    assertions = (document["evaluation_criteria"] or {}).get("nl_assertions") or ()
    verdict = judge_assertions(scripted_judge(assertions), "", assertions, trial.messages)
    return asyncio.run(verdict).met


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_every_valid_task_is_passed_and_the_documented_invalid_ones_fail(domain):
    for document in tasks(domain):
        trial = scripted(domain, document)
        run = ScoredRun(trial.messages, trial.termination_reason, nl_met=met(document, trial))
        result = score(document, run, facts(domain).open())
        wanted = 0.0 if (domain, document["id"]) in INVALID else 1.0
        assert result.reward == wanted, (document["id"], result.problem, trial.messages[-1])


def test_a_refused_gold_write_is_tried_until_the_trial_is_broken_off():
    trial = scripted("retail", task("retail", "9"))
    assert (trial.termination_reason, trial.tool_errors) == ("too_many_errors", 10)


def test_what_the_scenario_leaves_open_ends_out_of_scope_before_the_write():
    trial = scripted("airline", task("airline", "10"))
    assert trial.stop_token == "###OUT-OF-SCOPE###"
    assert trial.termination_reason == "user_stop"
    names = [call["name"] for message in trial.messages for call in message.get("tool_calls") or ()]
    assert names == ["get_user_details", "get_reservation_details"]


def test_a_transfer_ends_as_one():
    document = task("telecom", "[service_issue]lock_sim_card_pin[PERSONA:None]")
    assert scripted("telecom", document).stop_token == "###TRANSFER###"


def test_what_must_be_communicated_is_said_by_the_agent_last():
    last = scripted("airline", task("airline", "1")).messages[-2]
    assert last["role"] == "assistant" and "342" in last["content"].splitlines()


def test_agent_and_user_act_in_the_order_of_the_gold():
    document = task("telecom", "[service_issue]overdue_bill_suspension[PERSONA:Easy]")
    trial = scripted("telecom", document)
    calls = [call for message in trial.messages for call in message.get("tool_calls") or ()]
    gold = document["evaluation_criteria"]["actions"]
    assert [call["name"] for call in calls] == [call["name"] for call in gold]
    assert [call["requestor"] for call in calls] == ["assistant", "user", "assistant", "user"]
    assert len({call["id"] for call in calls}) == len(calls)


def test_a_message_history_is_gone_on_from():
    document = dict(task("airline", "1"))
    document["initial_state"] = {
        "message_history": [
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Cancel my trip."},
        ]
    }
    trial = scripted("airline", document)
    assert [message["role"] for message in trial.messages[:3]] == ["assistant", "user", "assistant"]
    run = ScoredRun(trial.messages, trial.termination_reason)
    assert score(document, run, facts("airline").open()).reward == 1.0


def test_the_players_say_that_they_are_no_models():
    trial = scripted("airline", task("airline", "0"))
    spoken = [message for message in trial.messages if message["role"] != "tool"][1:]
    assert {message["raw_data"]["model"] for message in spoken} == {MODEL}
    assert trial.agent.total_usd == trial.user.total_usd == 0.0


@pytest.mark.parametrize("language", ["de", "en", "ja"])
def test_every_language_has_its_phrases(language):
    path = DATA / "prompts" / "run" / language / "scripted.json"
    phrases = Phrases(**json.loads(path.read_text("utf-8")))
    assert "{tools}" in phrases.please
