"""Runs in tests: a model server whose players have a known skill, and runs without a server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import model_server as server
from model_server import ModelServer, says

from review_app.core.simulation.records import Request
from review_app.core.simulation.scripted import scripted_agent, scripted_user
from review_app.records.project import Pulse
from review_app.store import Store
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs import lifecycle, play, snapshot
from review_app.workflows.runs.lifecycle import RunPlan, RunStatus
from review_app.workflows.runs.snapshot import Stage

Payload = dict[str, Any]
Answer = Callable[[Payload], server.Reply]
Who = tuple[str, str, int, int]
"""Side, task, trial, attempt."""


def played(store: Store, plan: RunPlan, reporter: Reporter | None = None) -> RunStatus:
    """A run that is played in this process."""
    run = lifecycle.prepare(store, None, plan)
    return go_on(store, run, reporter)


def go_on(store: Store, run: int, reporter: Reporter | None = None) -> RunStatus:
    """Play what is left of a run in this process."""
    play.play_run(store, run, reporter or Reporter(Pulse()))
    return lifecycle.status(store, run)


class Cast:
    """Players behind a model server. They know by the seed which trial a request belongs to.

    Args:
        stage: What the run is made of.
        seed: Of the run.
        trials: Of each task.
        skilled: Whether the agent can do a task in a trial; one that cannot says it is done.
        fault: May answer instead of a player; None lets the player answer.
    """

    def __init__(
        self,
        stage: Stage,
        seed: int = 1,
        trials: int = 3,
        skilled: Callable[[str, int], bool] = lambda task, trial: True,
        fault: Callable[[Who, Payload], server.Reply | None] = lambda who, payload: None,
    ) -> None:
        self.stage, self.skilled, self.fault = stage, skilled, fault
        self.asked: Counter[Who] = Counter()
        self._scripts = {task: stage.script(task) for task in stage.tasks}
        self._units = {
            play.seed_of(seed, task, trial, attempt): (task, trial, attempt)
            for task in stage.tasks
            for trial in range(trials)
            for attempt in range(1 + lifecycle.REFILLS)
        }

    def __call__(self, payload: Payload) -> server.Reply:
        if payload.get("seed") is None:
            return says("OK")
        task, trial, attempt = self._units[payload["seed"]]
        side = "agent" if "<policy>" in payload["messages"][0]["content"] else "user"
        who = (side, task, trial, attempt)
        self.asked[who] += 1
        return self.fault(who, payload) or self._answer(side, task, trial, payload)

    def _answer(self, side: str, task: str, trial: int, payload: Payload) -> server.Reply:
        script = self._scripts[task]
        if side == "agent" and not self.skilled(task, trial):
            return says(self.stage.phrases.closing)
        if not self.skilled(task, trial):
            script = replace(script, blocks=script.blocks[-1:], ending="###STOP###")
        player = scripted_agent(script) if side == "agent" else scripted_user(script)
        request = Request("agent", payload["messages"])
        reply = asyncio.run(player(request))  # type: ignore[arg-type]
        calls = [(call["name"], call["arguments"]) for call in reply.tool_calls]
        return says(
            reply.text or None, tool_calls=calls, finish_reason="tool_calls" if calls else "stop"
        )


def stage_of(store: Store, plan: RunPlan) -> Stage:
    """What a run by this plan is made of, choices that the scenarios leave open included."""
    run = store.runs.get(lifecycle.prepare(store, None, replace(plan, agent="scripted")))
    return snapshot.stage(store, run)


def settings(monkeypatch: Any, where: ModelServer, **more: str) -> None:
    """Let all roles be played by a server, without patience."""
    monkeypatch.setenv("JTAU_API_BASE", where.url)
    monkeypatch.setenv("JTAU_API_KEY", "sk-test")
    for role in ("AGENT", "USER", "JUDGE"):
        monkeypatch.setenv(f"JTAU_{role}_MODEL", "openai/test")
        monkeypatch.setenv(f"JTAU_{role}_ATTEMPTS", more.get("attempts", "1"))
        monkeypatch.setenv(f"JTAU_{role}_DEADLINE_S", more.get("deadline_s", "20"))


def verdict(payload: Payload) -> server.Reply:
    """A judge that blames the agent, finds one error of the user, and every assertion met."""
    asked = payload["messages"][1]["content"]
    if "<expected_outcomes>" in asked:
        count = asked.split("<expected_outcomes>")[1].strip().count("\n")
        results = [{"met": True, "reasoning": "seen"}] * count
        return says("```json\n" + json.dumps({"results": results}) + "\n```")
    if "<evaluation_criteria>" in asked:
        return says(json.dumps({"cause": "agent", "reasoning": "did nothing", "turn_idx": 2}))
    error = {"turn_idx": 1, "error_tags": ["non_fluent_language"], "severity": "minor"}
    return says(json.dumps({"errors": [error], "summary": "stiff"}))
