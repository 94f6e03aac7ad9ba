"""What must come of a model that only babbles, looked up in the review database."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from review_app.core.scoring import empty_passes
from review_app.core.simulation.records import TerminationReason
from review_app.records.runs import TrialUnit
from review_app.store import Store
from review_app.workflows.runs import candidates, lifecycle, passes


@dataclass(frozen=True)
class Summary:
    """What came of it, and what should not have."""

    lines: tuple[str, ...]
    problems: tuple[str, ...]


def summary(db: Path, replies: Path) -> Summary:
    """The figures of a run and a translation, and every promise that they break.

    Args:
        db: The review database.
        replies: What the server noted: one reply a line.
    """
    noted = [json.loads(line) for line in replies.read_text(encoding="utf-8").splitlines()]
    store = Store(db)
    try:
        (run,) = store.runs.list()
        units = store.units.of_run(run.id)
        lines, problems = zip(
            _trials(store, run.id, units),
            _solvable(store, run.id),
            _stored(store, run.id, units, noted),
            _translations(store, noted),
            strict=True,
        )
        return Summary(lines, tuple(problem for listed in problems for problem in listed))
    finally:
        store.close()


def _trials(store: Store, run: int, units: list[TrialUnit]) -> tuple[str, list[str]]:
    """Every trial ends in a named outcome."""
    status = lifecycle.status(store, run)
    ends = Counter(unit.termination_reason for unit in units)
    line = f"{status.wanted} trials: {dict(status.outcomes)}, in {len(units)} attempts {dict(ends)}"
    problems = [
        f"trial {unit.id} of task {unit.task_id} is {unit.state}: {unit.termination_reason}"
        for unit in units
        if unit.state != "done" or unit.termination_reason not in get_args(TerminationReason)
    ]
    if status.state != "done" or sum(status.outcomes.values()) != status.wanted:
        problems.append(f"the run is {status.state} ({status.problem})")
    return line, problems


def _solvable(store: Store, run: int) -> tuple[str, list[str]]:
    """No task counts as shown solvable."""
    proved = passes.of_run(store, store.runs.get(run)).solvability
    listed = candidates.find(store, run, every=True)
    line = "; ".join(map(str, empty_passes.summary(proved))) or "no trial passed"
    problems = [f"task {task} counts as shown solvable" for task in proved.shown]
    problems += [
        f"task {suspect.task_id} is {suspect.shown} among the candidates"
        for suspect in listed
        if suspect.shown != proved.of(suspect.task_id)
    ]
    problems += [f"task {task} could not be looked at" for task in proved.unchecked]
    return line, problems


def _stored(
    store: Store, run: int, units: list[TrialUnit], noted: list[Any]
) -> tuple[str, list[str]]:
    """Every reply of the model in a run is stored once."""
    said = Counter(reply["text"] for reply in noted if reply["role"] == "run")
    kept = Counter(_kept(store, run, units))
    usage = [side for unit in units for side in unit.usage.values()]
    asked = sum(side["requests"] for side in usage) + len(store.units.verdicts(run=run))
    tokens = [sum(reply[way] for reply in noted) for way in ("in", "out")]
    line = (
        f"{said.total()} replies in trials and verdicts, {asked} counted, {kept.total()} stored; "
        f"with tries and translations {len(noted)} replies, {tokens[0]:,} tokens in and "
        f"{tokens[1]:,} out"
    )
    # Of a malformed call the call is kept, not the words beside it.
    calls = sum((unit.fault or {}).get("kind") == "malformed_tool_call" for unit in units)
    lost = said - kept
    problems = [f"a reply is lost: {text!r}" for text in lost] if lost.total() > calls else []
    problems += [f"a reply is there that nobody gave: {text!r}" for text in kept - said]
    if asked != said.total():
        problems.append(f"{said.total()} replies were given and {asked} are counted")
    return line, problems


def _kept(store: Store, run: int, units: list[TrialUnit]) -> Iterator[str]:
    """Yield the texts of the model that are stored."""
    for unit in units:
        for message in store.units.messages(unit.id):
            if message.get("raw_data"):
                yield message.get("content") or ""
        if (unit.fault or {}).get("kind") == "empty_output":
            yield (unit.fault or {})["detail"]
    for verdict in store.units.verdicts(run=run):
        yield verdict.raw


def _translations(store: Store, noted: list[Any]) -> tuple[str, list[str]]:
    """Every translation is refused, or marked by a check."""
    standing = store.translations.standing("airline")
    verdicts = Counter[str]()
    problems = []
    for segment, known in standing.items():
        if known.last is None:
            continue
        target = store.segments.get(segment).target
        is_marked = bool(store.findings.of(segment))
        verdict = "refused" if not target else "marked" if is_marked else "taken"
        verdicts[verdict] += 1
        if verdict == "taken":
            problems.append(f"{target!r} is taken for a translation of {segment}")
    requests = sum(reply["role"] == "translation" for reply in noted)
    line = f"{verdicts.total()} texts translated in {requests} requests: {dict(verdicts)}"
    return line, problems
