"""A trial as a person reads it: turns, calls with what they changed, the gold beside, verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from review_app.core.envs import Environment, Step
from review_app.core.scoring import check_communicated
from review_app.core.simulation.recount import Recount, recount
from review_app.core.tasks.statediff import changes, line
from review_app.store import Store
from review_app.store.runs import Run
from review_app.store.units import Unit, Verdict
from review_app.workflows import replaying, staging

Json = Mapping[str, Any]

_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a trial."""

    name: str
    arguments: Json
    requestor: str
    """`assistant` or `user`."""
    result: str
    """What the tool returned, whole."""
    error: bool
    changes: tuple[str, ...]
    """What it changed in the databases, a line each; empty for reads and refused calls."""
    turn_idx: int
    """Of the message with the result."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of agent or user."""

    turn_idx: int
    """Its number in the trial; verdicts refer to it."""
    role: str
    """`assistant`, `user`."""
    text: str
    calls: tuple[Call, ...]
    stop_token: str
    """The token in it that ended the trial."""
    finish_reason: str
    provider_reason: str
    cost_usd: float | None
    latency_s: float | None


@dataclass(frozen=True, slots=True)
class GoldCall:
    """One gold action beside the trial."""

    name: str
    arguments: Json
    requestor: str
    matched: bool
    """Whether any call of the trial does what it does."""
    refused: str
    """Why the gold action itself is refused; empty if it is not."""
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Something that had to be communicated."""

    expected: str
    found: bool
    hint: str
    """What a person would want to know of it."""
    near: tuple[str, ...]
    """Amounts that the agent did say, where the expected one is missing."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A trial with everything beside it."""

    unit: Unit
    run: Run
    task: Json
    """As it was run."""
    turns: tuple[Turn, ...]
    gold: tuple[GoldCall, ...]
    communicated: tuple[Said, ...]
    state_difference: tuple[str, ...]
    """What the final databases have otherwise than the gold ones, a line each."""
    verdicts: tuple[Verdict, ...]
    """Of judges and people, the oldest first."""
    is_replayed: bool
    """False: the databases of an imported run are not there, so changes and gold are left out."""


def transcript(store: Store, unit_id: int) -> Transcript:
    """A finished trial as a person reads it.

    Raises:
        NotFound: no such trial.
    """
    unit = store.units.get(unit_id)
    run = store.runs.get(unit.run_id)
    task = store.runs.content(unit.task_hash)
    messages = store.units.messages(unit_id)
    environment = _environment(store, run)
    told = None if environment is None else recount(task, environment, messages)
    return Transcript(
        unit=unit,
        run=run,
        task=task,
        turns=_turns(messages, told, unit.stop_token),
        gold=_gold(told),
        communicated=_communicated(task, messages),
        state_difference=() if told is None else tuple(map(line, told.differences)),
        verdicts=tuple(store.units.verdicts(unit=unit_id)),
        is_replayed=told is not None,
    )


def _environment(store: Store, run: Run) -> Environment | None:
    """The run's environment; for an imported run that of the source, if it is imported."""
    if staging.is_staged(run):
        return staging.load(store, run).open()
    if run.origin == "imported" and run.domain in replaying.domains(store):
        return replaying.load(store, run.domain).open()
    return None


def _turns(messages: Sequence[Json], told: Recount | None, stop: str) -> tuple[Turn, ...]:
    results = {m.get("id"): (at, m) for at, m in enumerate(messages) if m.get("role") == "tool"}
    steps = {} if told is None else told.steps
    return tuple(
        _turn(at, message, results, steps, stop if at == len(messages) - 1 else "")
        for at, message in enumerate(messages)
        if message.get("role") in ("assistant", "user")
    )


def _turn(
    at: int, message: Json, results: Mapping[Any, tuple[int, Json]],
    steps: Mapping[tuple[int, int], Step], stop: str,
) -> Turn:  # fmt: skip
    choices = (message.get("raw_data") or {}).get("choices") or [{}]
    return Turn(
        turn_idx=at,
        role=message["role"],
        text=str(message.get("content") or ""),
        calls=tuple(
            _call(call, message["role"], results, steps.get((at, number)))
            for number, call in enumerate(message.get("tool_calls") or ())
        ),
        stop_token=stop,
        finish_reason=str(choices[0].get("finish_reason") or ""),
        provider_reason=str(choices[0].get("provider_finish_reason") or ""),
        cost_usd=message.get("cost"),
        latency_s=message.get("generation_time_seconds"),
    )


def _call(
    call: Json, role: str, results: Mapping[Any, tuple[int, Json]], step: Step | None
) -> Call:
    at, answer = results.get(call.get("id"), (-1, {}))
    return Call(
        name=str(call.get("name", "")),
        arguments=call.get("arguments") or {},
        requestor=str(call.get("requestor") or role),
        result=str(answer.get("content") or ""),
        error=bool(answer.get("error")),
        changes=() if step is None else tuple(map(line, changes(step.before, step.after))),
        turn_idx=at,
    )


def _gold(told: Recount | None) -> tuple[GoldCall, ...]:
    if told is None:
        return ()
    return tuple(
        GoldCall(
            name=str(check.action.get("name", "")),
            arguments=check.action.get("arguments") or {},
            requestor=str(check.action.get("requestor") or "assistant"),
            matched=check.match,
            refused="" if step.ok else step.error,
            changes=tuple(map(line, changes(step.before, step.after))),
        )
        for check, step in zip(told.actions, told.gold, strict=True)
    )


def _communicated(task: Json, messages: Sequence[Json]) -> tuple[Said, ...]:
    wanted = (task.get("evaluation_criteria") or {}).get("communicate_info") or ()
    texts = [str(m.get("content") or "") for m in messages if m.get("role") == "assistant"]
    amounts = tuple(dict.fromkeys(each for text in texts for each in _AMOUNT.findall(text)))
    return tuple(
        Said(one.info, one.met, one.hint, () if one.met else amounts)
        for one in check_communicated(wanted, messages)
    )
