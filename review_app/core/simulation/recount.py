"""A finished trial told again: what each write changed, and how far the end is from the gold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from review_app.core.envs.base import Environment, Requestor, Step
from review_app.core.scoring.reward import (
    ActionCheck,
    CommunicateCheck,
    check_actions,
    check_communicated,
)
from review_app.core.tasks.replay import gold_actions, gold_environment, prepared
from review_app.core.tasks.statediff import StateChange, changes
from review_app.json_types import Json

_AMOUNT = re.compile(r"(?<![\w.,])[$¥￥-]?\d[\d,]*(?:\.\d+)?円?(?![\w])")


@dataclass(frozen=True, slots=True)
class Recount:
    """A trial beside its gold."""

    steps: Mapping[tuple[int, int], Step]
    """(message, call in it) -> what the call does now; writes only, reads are not run again."""
    actions: tuple[ActionCheck, ...]
    """Each gold action, matched by a call of the trial or not."""
    gold: tuple[Step, ...]
    """The gold actions, run on the task's initial state; refused ones change nothing."""
    communicate: tuple[CommunicateCheck, ...]
    amounts: tuple[str, ...]
    """Numbers that the agent said, each once, in order."""
    differences: tuple[StateChange, ...]
    """Between the ends: `old` is what gold leaves behind, `new` what the trial left."""


def recount(task: Json, environment: Environment, messages: Sequence[Json]) -> Recount:
    """Tell a trial again by running its writes on the task's initial state.

    Args:
        task: Raw task, as it was run.
        environment: Fresh, of the task's domain. It is not changed.
        messages: The trial's, in the form of the results files.

    Raises:
        BadInput: the task's own initial state fails.
    """
    gold, gold_steps = gold_environment(environment.fork(), task)
    own = prepared(environment.fork(), task, history=False)
    steps: dict[tuple[int, int], Step] = {}
    for at, message in enumerate(messages):
        for number, call in enumerate(message.get("tool_calls") or ()):
            if step := _write(own, call):
                steps[at, number] = step
    criteria = task.get("evaluation_criteria") or {}
    return Recount(
        steps=steps,
        actions=check_actions(gold_actions(task), messages, environment),
        gold=gold_steps,
        communicate=check_communicated(criteria.get("communicate_info") or (), messages),
        amounts=_amounts(messages),
        differences=changes(gold.states(), own.states()),
    )


def _amounts(messages: Sequence[Json]) -> tuple[str, ...]:
    said = [str(m.get("content") or "") for m in messages if m.get("role") == "assistant"]
    return tuple(dict.fromkeys(amount for text in said for amount in _AMOUNT.findall(text)))


def _write(environment: Environment, call: Any) -> Step | None:
    if not isinstance(call, Mapping):
        return None
    side: Requestor = call.get("requestor") or "assistant"
    name = call.get("name", "")
    if environment.kind_of(name, side) != "write":
        return None
    return environment.call(name, call.get("arguments", {}), side)
