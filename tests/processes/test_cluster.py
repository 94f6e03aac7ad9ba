"""The same run on a local Dask cluster; skipped without the extra `cluster`."""

from __future__ import annotations

import os
import signal
import warnings
from dataclasses import replace

import pytest
from model_server import ModelServer
from run_cases import Cast, played, settings, stage_of
from sample_project import sample_store

from review_app.errors import BadInput
from review_app.workflows.runs.lifecycle import RunPlan

distributed = pytest.importorskip("distributed")
PLAN = RunPlan("airline", agent="model", tasks=("0", "2", "10"), trials=2)


@pytest.fixture
def store(tmp_path):
    made = sample_store(tmp_path, "airline", "user_simulator")
    yield made
    made.close()


def results_of(store, status):
    return [
        (
            each.task_id,
            each.trial,
            each.seed,
            each.termination_reason,
            each.reward,
            each.final_state,
            [(m["role"], m.get("content")) for m in store.units.messages(each.id)],
        )
        for each in store.units.of_run(status.run.id)
    ]


def test_two_workers_give_the_results_of_one_process_though_one_dies(store, monkeypatch):
    cast = Cast(stage_of(store, PLAN), skilled=lambda task, trial: task != "2")
    with ModelServer(cast) as where, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings(monkeypatch, where)
        alone = played(store, PLAN)
        needed = cast.asked.copy()
        cast.asked.clear()
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None
        ) as workers:
            victims = [workers.workers[0].pid]

            def killing(who, payload):
                if sum(cast.asked.values()) > 8 and victims:
                    os.kill(victims.pop(), signal.SIGKILL)

            cast.fault = killing
            spread = played(store, replace(PLAN, scheduler=workers.scheduler_address))
    assert results_of(store, spread) == results_of(store, alone)
    assert spread.outcomes == alone.outcomes == {"pass": 2, "fail": 4}
    # Only what was running on the lost worker, two trials at most, was asked again.
    repeated = {who[1:] for who, count in cast.asked.items() if count > needed[who]}
    assert not victims and len(repeated) <= 2


def test_a_scheduler_that_is_not_there_is_told_in_one_line(store, monkeypatch):
    monkeypatch.setattr("review_app.cluster.CONNECT_S", 0.5)
    plan = RunPlan(
        "airline", tasks=("0",), trials=1, agent="scripted", scheduler="tcp://127.0.0.1:1"
    )
    with pytest.raises(BaseException) as raised, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played(store, plan)
    assert isinstance(raised.value, BadInput) and "no Dask scheduler" in str(raised.value)
