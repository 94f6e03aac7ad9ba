"""Runs by models that answer late, wrongly, twice or not at all; everything goes through litellm.

The players behind the server have a known skill, so it is known what must come of a run.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from dataclasses import replace

import model_server as server
import pytest
from model_server import ModelServer, says
from run_cases import Cast, go_on, played, settings, stage_of, verdict
from sample_project import sample_store
from tiny_benchmark import add_crew

from review_app.errors import NotAllowed, ReviewError
from review_app.llm import LlmError
from review_app.records.project import Pulse
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import candidates, lifecycle, play, scores
from review_app.workflows.runs.lifecycle import RunPlan

ONE = RunPlan("airline", agent="model", tasks=("0",), trials=1)
FULL = RunPlan("airline", agent="model", trials=3, concurrency=4)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The sample's airline, and what one task of it and all tasks are played with."""
    folder = tmp_path_factory.mktemp("runs")
    store = sample_store(folder, "airline", "user_simulator")
    one, full = stage_of(store, ONE), stage_of(store, FULL)
    path = store.path
    store.close()
    return path, one, full


@pytest.fixture
def desk(made, tmp_path):
    """A review database with the sample's airline."""
    path = tmp_path / "review.db"
    shutil.copy(made[0], path)
    store = Store(path)
    yield store
    store.close()


def until(holds, seconds=120.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def first(reply, side="agent", turn=1, attempts=1):
    """A fault in some turn of the first attempts."""

    def fault(who, payload):
        spoken = sum(each["role"] == "assistant" for each in payload["messages"])
        mine = spoken + (1 if side == "user" else 0)
        return reply if who[0] == side and who[3] < attempts and mine == turn else None

    return fault


def one_run(desk, made, monkeypatch, fault, **more):
    """A run of one trial against a server with a fault."""
    cast = Cast(made[2], fault=fault)
    plan = replace(ONE, **more)
    with ModelServer(cast) as where:
        settings(monkeypatch, where, deadline_s="2")
        return played(desk, plan), desk.units.of_run(desk.runs.list()[0].id), cast


# -- the whole sample, killed twice ------------------------------------------------------------


def test_a_full_run_in_japanese_ends_with_the_expected_candidates_though_killed_twice(
    desk, made, monkeypatch
):
    """At most the requests under way when the process dies, 4 here, are paid for twice."""
    cast = Cast(made[2], skilled=lambda task, trial: task != "2" and (task, trial) != ("3", 0))
    with ModelServer(cast) as where:
        settings(monkeypatch, where)
        run = lifecycle.start(desk, None, FULL)
        for paid in (30, 100):
            until(lambda paid=paid: where.answered >= paid)
            job = desk.jobs.get(desk.runs.get(run).job_id)
            os.kill(job.pid, signal.SIGKILL)
            until(lambda job=job: [each.id for each in jobs.reap(desk)] == [job.id])
            assert lifecycle.status(desk, run).state == "failed" and desk.problems() == []
            lifecycle.resume(desk, None, run)
        until(lambda: lifecycle.status(desk, run).state == "done")
    units = desk.units.of_run(run)
    assert Counter(each.state for each in units) == {"done": 36}
    assert len({(each.task_id, each.trial) for each in units}) == 36
    needed = sum(side["requests"] for each in units for side in each.usage.values())
    # One tiny call before each start, and what was under way at each of the two deaths.
    assert needed <= sum(cast.asked.values()) <= needed + 2 * 4
    found = candidates.find(desk, run)
    assert [one.task_id for one in found] == ["10", "2"]
    assert {one.task_id: one.failed for one in found} == {"10": 3, "2": 3}
    assert lifecycle.status(desk, run).outcomes == {"pass": 29, "fail": 7}
    assert desk.problems() == []


# -- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        server.refuses(429, retry_after="0"),
        server.refuses(500),
        server.drops(),
        says(None, finish_reason=None),
        says("", finish_reason="network_error"),
        server.slow(says("late"), 4.0),
    ],
    ids=["429", "500", "dropped", "empty without reason", "network_error", "stall"],
)
def test_a_fault_of_the_infrastructure_is_played_again_and_charged_to_nobody(
    desk, made, monkeypatch, fault
):
    status, units, _ = one_run(desk, made, monkeypatch, first(fault))
    assert [each.termination_reason for each in units] == ["infrastructure_error", "user_stop"]
    assert (status.outcomes, units[0].seed != units[1].seed) == ({"pass": 1}, True)
    total = scores.score(desk, status.run.id).total
    assert (total.mean, total.counted) == (1.0, 1)


def test_what_stays_broken_is_left_out_after_three_refills(desk, made, monkeypatch):
    status, units, _ = one_run(desk, made, monkeypatch, first(server.refuses(503), attempts=9))
    assert [each.attempt for each in units] == [0, 1, 2, 3]
    assert status.outcomes == {"excluded": 1}
    total = scores.score(desk, status.run.id).total
    assert (total.mean, total.coverage) == (None, "over 0 of 1 tasks")
    assert candidates.find(desk, status.run.id, every=True)[0].standing == "incomplete"


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "sensitive"])
def test_an_empty_output_of_the_agent_is_its_failure_unless_the_profile_is_upstream(
    desk, made, monkeypatch, reason
):
    fault = first(says("", finish_reason=reason))
    status, units, _ = one_run(desk, made, monkeypatch, fault)
    assert [each.termination_reason for each in units] == ["agent_error"]
    assert units[0].fault["provider_reason"] == reason
    assert status.outcomes == {"fail": 1}
    profiles = scores.score(desk, status.run.id).profiles
    assert (profiles["tau-star"].mean, profiles["upstream"].mean) == (0.0, None)


def test_under_upstream_an_empty_output_is_tried_again(desk, made, monkeypatch):
    fault = first(says("", finish_reason="stop"), attempts=2)
    status, units, _ = one_run(desk, made, monkeypatch, fault, profile="upstream")
    assert len(units) == 3 and status.outcomes == {"pass": 1}
    profiles = scores.score(desk, status.run.id).profiles
    assert (profiles["upstream"].mean, profiles["jtau"].mean) == (1.0, 0.0)


@pytest.mark.parametrize(
    "fault", [says("", finish_reason="stop"), says(None, tool_calls=[("think", "{'thought':")])]
)
def test_what_the_user_simulator_breaks_is_discarded_and_run_again(desk, made, monkeypatch, fault):
    status, units, _ = one_run(desk, made, monkeypatch, first(fault, side="user"))
    assert [each.termination_reason for each in units] == ["user_error", "user_stop"]
    assert status.outcomes == {"pass": 1}


def test_malformed_tool_json_of_the_agent_is_its_failure_and_says_model_or_settings(
    desk, made, monkeypatch
):
    broken = says(None, tool_calls=[("get_user_details", '{"user_id": ')])
    status, units, _ = one_run(desk, made, monkeypatch, first(broken), trials=3)
    assert {each.fault["kind"] for each in units} == {"malformed_tool_call"}
    (found,) = candidates.find(desk, status.run.id)
    assert (found.verdict, found.agent_errors) == ("model or settings", {"malformed_tool_call": 3})
    people = add_crew(desk)
    with pytest.raises(ReviewError, match="model or its settings"):
        candidates.open_flag(desk, people.m, status.run.id, found)


def test_text_beside_a_call_and_an_unknown_tool_do_not_end_a_trial(desk, made, monkeypatch):
    both = says("少々お待ちください。", tool_calls=[("fly_to_the_moon", "{}")])
    seen = []

    def fault(who, payload):
        if who[0] == "agent" and not seen:
            seen.append(who)
            return both
        return None

    status, units, _ = one_run(desk, made, monkeypatch, fault)
    messages = desk.units.messages(units[0].id)
    assert messages[2]["content"] and messages[2]["tool_calls"][0]["name"] == "fly_to_the_moon"
    assert messages[3]["error"] and units[0].tool_errors == 1
    assert units[0].termination_reason == "user_stop"


def test_an_endless_loop_ends_at_the_limit_and_counts(desk, made, monkeypatch):
    again = says(None, tool_calls=[("list_all_airports", "{}")])

    def fault(who, payload):
        return again if who[0] == "agent" else None

    status, units, _ = one_run(desk, made, monkeypatch, fault, max_steps=20)
    # A pending tool result is still given.
    assert (units[0].termination_reason, units[0].steps) == ("max_steps", 21)
    assert status.outcomes == {"fail": 1}


def test_out_of_scope_is_kept_as_the_users_end(desk, made, monkeypatch):
    said = says("それは聞いていません。###OUT-OF-SCOPE###")
    fault = first(said, side="user")
    status, units, _ = one_run(desk, made, monkeypatch, fault, tasks=("2",))
    assert (units[0].stop_token, units[0].reward) == ("###OUT-OF-SCOPE###", 0.0)


# -- stopping ----------------------------------------------------------------------------------


def test_cancelling_keeps_what_is_paid_and_the_next_run_asks_for_the_rest_only(
    desk, made, monkeypatch
):
    reporter = Reporter(Pulse())

    def stopping(who, payload):
        if len(payload["messages"]) > 5:
            reporter.stop()

    cast = Cast(made[1], fault=stopping)
    with ModelServer(cast) as where:
        settings(monkeypatch, where)
        status = played(desk, ONE, reporter)
        assert (str(status.run.stopped), status.units) == ("cancelled", {"waiting": 1})
        before = sum(cast.asked.values())
        cast.fault = lambda who, payload: None
        status = go_on(desk, status.run.id)
    (unit,) = desk.units.of_run(status.run.id)
    needed = sum(side["requests"] for side in unit.usage.values())
    assert 0 < before < needed == sum(cast.asked.values())
    assert status.outcomes == {"pass": 1} and not status.run.stopped


def test_a_spent_budget_stops_the_run_and_a_larger_one_lets_it_go_on(desk, made, monkeypatch):
    cast = Cast(made[1])
    with ModelServer(cast) as where:
        settings(monkeypatch, where)
        prices = '{"input_cost_per_token": 0.01, "output_cost_per_token": 0.01}'
        for role in ("AGENT", "USER"):
            monkeypatch.setenv(f"JTAU_{role}_PARAMETERS", prices)
        plan = replace(ONE, budget_usd=0.3)
        status = played(desk, plan)
        assert "budget of 0.3 USD" in str(status.problem) and status.is_out_of_budget
        assert sum(cast.asked.values()) == 3
        with desk.write("test"):
            desk.runs.put_budget(status.run.id, 9.0)
        status = go_on(desk, status.run.id)
    assert status.outcomes == {"pass": 1}
    assert status.cost_usd == pytest.approx(0.12 * sum(cast.asked.values()))
    assert status.unpriced == 0


def test_a_refused_key_stops_everything_and_an_unreachable_server_is_told_in_one_line(
    desk, made, monkeypatch
):
    def refusing(payload):
        return says("OK") if payload.get("seed") is None else server.refuses(401, "bad key")

    with ModelServer(refusing) as where:
        settings(monkeypatch, where)
        with pytest.raises(LlmError, match="key was refused"):
            played(desk, FULL)
        assert len(where.requests) <= 1 + FULL.concurrency
    assert {each.state for each in desk.units.of_run(desk.runs.list()[0].id)} == {"waiting"}
    with pytest.raises(ReviewError, match=r"agent \(openai/test\): nothing answers there"):
        played(desk, ONE)


def test_annotators_start_nothing_and_two_runs_of_a_domain_are_not_under_way(desk, monkeypatch):
    people = add_crew(desk)
    with pytest.raises(NotAllowed):
        lifecycle.start(desk, people.a, ONE)
    with desk.write("test"):
        desk.jobs.create("run", "airline", {}, None)
    with pytest.raises(ReviewError, match="unfinished"):
        lifecycle.start(desk, people.m, ONE)
    assert [run.name for run in desk.runs.list() if run.created_by] == []


# -- judges ------------------------------------------------------------------------------------


def test_a_judge_speaks_once_on_each_trial_and_again_only_when_asked(desk, made, monkeypatch):
    cast = Cast(made[2], skilled=lambda task, trial: trial > 0)

    def answer(payload):
        is_judge = "<conversation>" in payload["messages"][-1]["content"]
        return verdict(payload) if is_judge else cast(payload)

    with ModelServer(answer) as where:
        settings(monkeypatch, where)
        plan = replace(ONE, tasks=("2",), trials=2, judge=True)
        status = played(desk, plan)
        said = desk.units.verdicts(run=status.run.id)
        kinds = Counter(each.kind for each in said)
        assert (kinds["user_review"], kinds["cause"]) == (2, 1)
        assert all(each.raw and each.prompt_hash and each.model for each in said)
        go_on(desk, status.run.id)
        assert len(desk.units.verdicts(run=status.run.id)) == len(said)
        play.play_run(desk, status.run.id, Reporter(Pulse()), judge_only=True, again=True)
        assert len(desk.units.verdicts(run=status.run.id)) == 2 * len(said)
    grades = scores.score(desk, status.run.id)
    assert grades.judge_causes == {"pass": 1, "agent": 1, "user": 0, "eval": 0, "unknown": 0}
    assert (grades.user_rates.err_percent, grades.user_rates.crit_percent) == (100.0, 0.0)


def test_trials_without_the_verdict_that_they_need_are_undecided_until_a_judge_speaks(
    tmp_path, monkeypatch
):
    store = sample_store(tmp_path, "retail", "user_simulator")
    plan = RunPlan("retail", agent="model", tasks=("5",), trials=1)
    cast = Cast(stage_of(store, plan))

    def answer(payload):
        is_judge = "<conversation>" in payload["messages"][-1]["content"]
        return verdict(payload) if is_judge else cast(payload)

    with ModelServer(answer) as where:
        settings(monkeypatch, where)
        status = played(store, plan)
        assert status.outcomes == {"excluded": 1} and len(store.units.of_run(status.run.id)) == 1
        play.play_run(store, status.run.id, Reporter(Pulse()), judge_only=True)
    assert lifecycle.status(store, status.run.id).outcomes == {"pass": 1}
    info = store.units.of_run(status.run.id)[0].reward_info
    assert info["nl_assertions"] and info["nl_assertions"][0]["justification"] == "seen"
    store.close()


def test_the_simulated_user_of_telecom_acts_on_the_device_too(tmp_path, monkeypatch):
    store = sample_store(tmp_path, "telecom", "user_simulator")
    task = "[service_issue]overdue_bill_suspension[PERSONA:Easy]"
    plan = RunPlan("telecom", agent="model", tasks=(task,), trials=1)
    stage = stage_of(store, plan)
    assert stage.policy.startswith("<main_policy>") and "<tech_support_policy>" in stage.policy
    with ModelServer(Cast(stage)) as where:
        settings(monkeypatch, where)
        status = played(store, plan)
        tools = [request.payload.get("tools") for request in where.requests[1:]]
    names = {len(each or ()) for each in tools}
    assert names == {len(stage.agent_tools), len(stage.user_tools)}
    messages = store.units.messages(store.units.of_run(status.run.id)[0].id)
    assert {"assistant", "user"} == {m["requestor"] for m in messages if m["role"] == "tool"}
    assert status.outcomes == {"pass": 1}
    store.close()
