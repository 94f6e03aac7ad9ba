"""A finished trial with everything that a person wants beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_app.core.scoring.empty_passes import EarlyStop, EmptyPass
from review_app.core.simulation.recount import Recount, recount
from review_app.errors import NotFound
from review_app.json_types import Json
from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.runs import passes, snapshot
from review_app.workflows.runs.snapshot import Stage


@dataclass(frozen=True, slots=True)
class Transcript:
    """A trial, its task and its conversation; beside its gold where that can be played."""

    run: Run
    unit: TrialUnit
    task: Json
    """As it was run."""
    messages: Sequence[Json]
    recount: Recount | None
    """None: there are no databases to run the writes on."""
    as_run: bool
    """Whether the databases are those of the run, not today's."""
    early: EarlyStop | None = None
    """How the user ended the trial before the agent's first turn, if it did."""
    empty: EmptyPass | None = None
    """Why a pass here proves nothing; None if it would prove something."""


def stage_of(store: Store, run: Run) -> Stage | None:
    """What a run is made of; None where that is not kept, as of imported runs."""
    return snapshot.load(store, run) if snapshot.is_staged(run) else None


def of_trial(store: Store, unit_id: int, stage: Stage | None) -> Transcript:
    """What happened in a trial.

    Args:
        store: The review database.
        unit_id: The trial.
        stage: Of its run (`stage_of`); without it the domain's imported databases are taken.

    Raises:
        NotFound: no such trial.
        BadInput: the task's own initial state fails.
    """
    unit = store.units.get(unit_id)
    run = store.runs.get(unit.run_id)
    task = _task(store, unit)
    messages = store.units.messages(unit_id)
    environment = None
    if stage is not None:
        environment = stage.open()
    elif run.domain in environments.domains(store):
        environment = environments.load(store, run.domain).open()
    early = passes.early_stop(store, unit, task)
    return Transcript(
        run=run,
        unit=unit,
        task=task,
        messages=messages,
        recount=None if environment is None else recount(task, environment, messages),
        as_run=stage is not None,
        early=early,
        empty=passes.why_empty(early, task, environment),
    )


def _task(store: Store, unit: TrialUnit) -> Json:
    rows = store.runs.tasks(unit.run_id)
    if unit.task_id not in rows:
        raise NotFound(
            "transcript.task_unknown",
            "run {run} has no task {task!r}",
            run=unit.run_id,
            task=unit.task_id,
        )
    task: Json = store.runs.content(rows[unit.task_id].task_hash)
    return task
