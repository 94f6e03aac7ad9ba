"""Trials played in tests: models that are lists of replies, and the sample's domains."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from rule_cases import DATA, facts

from review_app.core.simulation import orchestrator
from review_app.core.simulation.records import Complete, Player, Reply, Request, Trial
from review_app.core.simulation.scripted import (
    Phrases,
    open_choices,
    script,
    scripted_agent,
    scripted_user,
)
from review_app.core.validity import TaskContext

PHRASES = Phrases(**json.loads((DATA / "prompts" / "run" / "en" / "scripted.json").read_text()))


def said(text: str, **more: Any) -> Reply:
    """A model's text."""
    return Reply(**{"text": text, "finish_reason": "stop", "cost_usd": 0.5, **more})


def called(*calls: tuple[str, Any], text: str = "", **more: Any) -> Reply:
    """A model's tool calls: (name, arguments as JSON or as raw text)."""
    calls = tuple(
        {
            "id": f"c{at}",
            "name": name,
            "arguments": raw if isinstance(raw, str) else json.dumps(raw),
        }
        for at, (name, raw) in enumerate(calls)
    )
    return Reply(text=text, tool_calls=calls, finish_reason="tool_calls", cost_usd=0.5, **more)


class Replies:
    """A model that gives these replies one after the other, the last again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.requests = list(replies), list[Request]()

    async def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


def played(
    agent: Iterable[Reply] | Complete,
    user: Iterable[Reply] | Complete,
    *,
    domain: str = "airline",
    task: Any = None,
    **more: Any,
) -> Trial:
    """A trial on the sample's database between two models."""
    sides = [side if callable(side) else Replies(*side) for side in (agent, user)]
    players = [Player(side, name) for side, name in zip(sides, ("policy", "scenario"), strict=True)]
    trial = orchestrator.play(task or {"id": "0"}, facts(domain).open(), *players, **more)
    return asyncio.run(trial)


def scripted(domain: str, task: Any) -> Trial:
    """A trial of the scripted players on a task of the sample."""
    known = facts(domain)
    laid_out = script(task, known.open(), PHRASES, open_choices(task, TaskContext(task, known)))
    return played(scripted_agent(laid_out), scripted_user(laid_out), domain=domain, task=task)
