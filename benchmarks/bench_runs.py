"""Trials per second against an instant server, CPU of our own code, memory of a waiting trial.

    python benchmarks/bench_runs.py

Exit code 1 if a limit is broken. The server is in a process of its own and answers at once; what is
left is mostly litellm and HTTP. CPU per turn is that of the app's own code: the same trials with a
model that is a function, replies kept in the database as in a real run.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from model_server import ModelServer
from run_cases import Cast, played, stage_of
from sample_project import sample_store

from review_app.core.simulation.records import Reply, Request
from review_app.core.simulation.scripted import scripted_agent, scripted_user
from review_app.records.project import Pulse
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import lifecycle, models, play, snapshot
from review_app.workflows.runs import trial as runs_trial
from review_app.workflows.runs.lifecycle import RunPlan

CPU_MS_A_TURN = 3.0
MB_A_TRIAL = 1.0
AT_ONCE = (1, 8, 64)
GAIN = 0.9
"""More trials at once must not be slower than one at a time, but for the noise."""
PLAN = RunPlan("airline", agent="model", trials=3)


def serve(pipe, stage):
    """Answer until the pipe closes."""
    with ModelServer(Cast(stage, trials=64)) as where:
        pipe.send(where.url)
        pipe.recv()


def throughput(store, at_once):
    """Trials per second with so many at once."""
    plan = replace(PLAN, concurrency=at_once, trials=max(3, at_once // 12 + 1))
    started = time.perf_counter()
    status = played(store, plan)
    assert status.outcomes.get("excluded", 0) == 0, status.outcomes
    return status.wanted / (time.perf_counter() - started)


def own_cpu_ms(store, stage):
    """CPU of our own code for one turn: prompts, environment, scoring, keeping."""
    run = store.runs.get(lifecycle.prepare(store, None, replace(PLAN, agent="scripted")))
    snapshot.freeze(store, run)
    run = replace(store.runs.get(run.id), agent_kind="model")
    with store.write("bench"):
        store.units.add(run.id, play.planned(run, stage, store.runs.tasks(run.id)))
    turns, started = 0, time.process_time()
    for unit in store.units.of_run(run.id):
        script = stage.script(unit.task_id)
        players = {"agent": scripted_agent(script), "user": scripted_user(script)}

        async def instant(request: Request, players=players) -> Reply:
            return await players[request.role](request)

        ask = models.remembering(store, unit.id, instant)
        done = asyncio.run(runs_trial.play_trial(stage, run, unit.task_id, unit.seed, ask))
        with store.write("bench"):
            store.units.finish(unit.id, runs_trial.result(done), done.trial.messages)
        turns += done.trial.agent.requests + done.trial.user.requests
    return 1000 * (time.process_time() - started) / turns


def waiting_mb(store, stage):
    """Memory of a trial that waits for a reply, with its prompts and its environment."""
    run = store.runs.get(lifecycle.prepare(store, None, replace(PLAN, agent="model")))
    stage.open()

    async def forever(request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    async def wait(count):
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        trials = [
            asyncio.create_task(runs_trial.play_trial(stage, run, "2", seed, forever))
            for seed in range(count)
        ]
        await asyncio.sleep(0.2)
        used = tracemalloc.get_traced_memory()[0] - before
        for trial in trials:
            trial.cancel()
        await asyncio.gather(*trials, return_exceptions=True)
        return used / count / 1e6

    return asyncio.run(wait(64))


def main():
    with tempfile.TemporaryDirectory() as folder:
        store = sample_store(Path(folder), "airline", "user_simulator")
        stage = stage_of(store, PLAN)
        cpu, memory = own_cpu_ms(store, stage), waiting_mb(store, stage)
        ours, theirs = multiprocessing.get_context("fork").Pipe()
        server = multiprocessing.get_context("fork").Process(target=serve, args=(theirs, stage))
        server.start()
        os.environ["JTAU_API_BASE"], os.environ["JTAU_API_KEY"] = ours.recv(), "sk-bench"
        os.environ["JTAU_AGENT_MODEL"] = os.environ["JTAU_USER_MODEL"] = "openai/bench"
        played(store, replace(PLAN, tasks=("0",), trials=1), Reporter(Pulse()))  # imports litellm
        rates = {at_once: throughput(store, at_once) for at_once in AT_ONCE}
        ours.send("end")
        server.join(5)
        server.kill()
        store.close()
    for at_once, rate in rates.items():
        print(f"{at_once:3d} at once: {rate:6.2f} trials/s")
    print(f"own CPU a turn: {cpu:.2f} ms (limit {CPU_MS_A_TURN:g})")
    print(f"memory a waiting trial: {memory:.3f} MB (limit {MB_A_TRIAL:g})")
    slow = [at for at in AT_ONCE[1:] if rates[at] < GAIN * rates[1]]
    return int(bool(slow) or cpu >= CPU_MS_A_TURN or memory >= MB_A_TRIAL)


if __name__ == "__main__":
    sys.exit(main())
