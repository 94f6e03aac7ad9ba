"""The budget of a run: when it is spent, what says so, and databases that said it in words."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from sample_project import sample_store

from review_app.core.simulation.records import Reply, Request
from review_app.notices import Notice, as_it_is
from review_app.records.project import Pulse
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import budget, lifecycle, play, snapshot
from review_app.workflows.runs import plan as run_plan
from review_app.workflows.runs.budget import Budget
from review_app.workflows.runs.lifecycle import RunPlan
from review_app.workflows.runs.models import Models, remembering

SPENT = "the budget of 0.3 USD is spent: resume with a larger one"


@pytest.fixture
def desk(tmp_path):
    return sample_store(tmp_path, "airline")


def prepared(store, limit=0.3):
    plan = RunPlan("airline", agent="scripted", budget_usd=limit, tasks=("2",), timeout_s=60)
    return lifecycle.prepare(store, None, plan)


def stopped(store, run, reason):
    with store.write("test"):
        store.runs.put_stopped(run, reason)
    return store.runs.get(run)


@pytest.mark.parametrize(
    ("limit", "costs", "is_spent"),
    [(None, (9.0,), False), (0.3, (0.1, None, 0.1), False), (0.3, (0.2, 0.1), True), (0, (), True)],
)
def test_a_budget_is_spent_once_so_much_is_paid(limit, costs, is_spent):
    money = Budget(limit)
    for cost in costs:
        money.pay(cost)
    assert money.is_spent is is_spent is (money.notice() is not None)


def test_nothing_more_is_asked_once_the_budget_is_spent():
    models = Models({}, 1, Reporter(Pulse()), Budget(0.3, 0.1))
    assert not models.is_stopping and models.why_stopping() is None
    models = Models({}, 1, Reporter(Pulse()), Budget(0.3, 0.3))
    assert models.is_stopping and str(models.why_stopping()) == SPENT
    cancelled = Reporter(Pulse())
    cancelled.stop()
    assert str(Models({}, 1, cancelled, Budget(0.3, 0.3)).why_stopping()) == "cancelled"


def test_a_run_says_by_a_code_that_its_budget_is_spent_until_it_is_raised(desk):
    run = prepared(desk)
    assert not budget.is_why_it_stopped(desk, desk.runs.get(run))
    now = stopped(desk, run, Budget(0.3, 0.3).notice())
    assert (now.stopped.code, str(now.stopped)) == (budget.SPENT, SPENT)
    status = lifecycle.status(desk, run)
    assert status.is_out_of_budget and status.problem == now.stopped
    budget.raise_to(desk, None, run, 9.0)
    assert budget.of_run(desk, desk.runs.get(run)) == Budget(9.0, 0.0)
    assert not budget.is_why_it_stopped(desk, stopped(desk, run, None))


def test_a_sentence_of_an_older_version_is_shown_and_what_was_spent_decides(desk):
    run = prepared(desk)
    assert not budget.is_why_it_stopped(desk, stopped(desk, run, Notice("run.cancelled", "x")))
    with desk.write("test"):
        desk._db.execute("UPDATE runs SET stopped = ?", (SPENT,))
    assert desk.runs.get(run).stopped == as_it_is(SPENT)
    assert not lifecycle.status(desk, run).is_out_of_budget
    budget.raise_to(desk, None, run, 0.0)
    assert lifecycle.status(desk, run).is_out_of_budget


def test_a_plan_is_read_as_it_was_written(desk):
    run = desk.runs.get(prepared(desk))
    assert run_plan.of_run(run) == RunPlan(
        "airline", agent="scripted", budget_usd=0.3, tasks=("2",), timeout_s=60
    )
    assert msgspec.convert({"run": "7"}, play.RunJob, strict=False) == play.RunJob(7)


async def answering(request):
    return Reply(text="paid", tool_calls=({"id": "1", "name": "f", "arguments": "{}"},), cost_usd=1)


def test_no_reply_is_paid_for_twice(desk):
    run = desk.runs.get(prepared(desk))
    stage = snapshot.stage(desk, run)
    with desk.write("test"):
        desk.units.add(run.id, play.planned(run, stage, desk.runs.tasks(run.id))[:1])
    (unit,) = desk.units.of_run(run.id)
    request = Request("agent", (), (), 1)
    first = asyncio.run(remembering(desk, unit.id, answering)(request))
    assert asyncio.run(remembering(desk, unit.id, None)(request)) == first
