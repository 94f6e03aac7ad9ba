"""Runs: plan one, say what it will cost, start it in a process of its own, watch, stop, resume."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from review_app.core.localize.variants import chosen
from review_app.core.scoring.accounting import PROFILES, CountedAs, counts
from review_app.errors import NotAllowed, ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.project import Job
from review_app.records.runs import NewRun, Run, TrialUnit
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.localization import derived_domain
from review_app.workflows.runs import attribution, budget, snapshot
from review_app.workflows.runs.plan import (
    AgentKind,
    RunPlan,
    agent_kind,
    checked,
    endpoints,
    estimate,
    frozen_endpoints,
    model_names,
    of_run,
    task_ids,
)

__all__ = [
    "AgentKind",
    "Cell",
    "RunPlan",
    "RunStatus",
    "agent_kind",
    "cancel",
    "cells",
    "endpoints",
    "estimate",
    "frozen_endpoints",
    "judge",
    "prepare",
    "resume",
    "start",
    "status",
    "task_ids",
]

REFILLS = 3
"""How often a trial that does not count is played again."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial number of one task: its attempts, and which of them counts."""

    task_id: str
    trial: int
    outcome: CountedAs | None
    """Under the run's profile; None: not finished yet."""
    attempts: tuple[TrialUnit, ...]
    """In order; the last one is what the matrix shows."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How far a run is."""

    run: Run
    job: Job | None
    state: Literal["waiting", "running", "cancelling", "stopped", "failed", "done"]
    """`stopped`: cancelled, or out of budget; it can be resumed, as one that failed."""
    problem: Notice | None
    """Why it stopped or failed."""
    is_out_of_budget: bool
    """Whether it needs a larger budget to go on."""
    units: Mapping[str, int]
    """Attempts by state: `waiting`, `running`, `done`."""
    outcomes: Mapping[str, int]
    """Trials by what the run's profile makes of them: `pass`, `fail`, `excluded`, `rerun`."""
    wanted: int
    """Trials to be played, refills not counted."""
    cost_usd: float | None
    unpriced: int
    """Replies without a known price."""

    @property
    def resumable(self) -> bool:
        """Whether `resume` has something to do."""
        return self.state in ("stopped", "failed")


# -- starting and stopping ---------------------------------------------------------------------


def prepare(store: Store, person: Person | None, plan: RunPlan) -> int:
    """Add a run without playing it; returns its id.

    Raises:
        NotAllowed: an annotator starts something that may cost money.
        BadInput: the plan is none that can be started, or a setting cannot be used.
        ReviewError: a model would play the user, and no guideline for it is imported.
        NotFound: no such domain, variant or task.
    """
    if person is not None and person.role != "maintainer":
        raise NotAllowed("run.only_maintainers_start", "a maintainer has to start runs")
    kind = checked(store, plan)
    if kind != "scripted":
        snapshot.require_guideline(store, plan.domain)
    known = endpoints(plan, kind)
    variant = chosen(derived_domain.variants(), plan.variant)
    locale = plan.locale or store.people.project().target_locale
    names = model_names(known)
    models = {
        role: {"model": name, "parameters": dict(known[role].parameters) if role in known else {}}
        for role, name in names.items()
    }
    new = NewRun(
        name=plan.name.strip() or f"{plan.domain} {variant.name}: {names['agent']}",
        domain=plan.domain,
        variant=variant.name,
        locale=locale,
        agent_kind=kind,
        models=models,
        profile=plan.profile or variant.scoring,
        trials=plan.trials,
        plan=asdict(plan),
        material={},
        seed=plan.seed,
        created_by=person.id if person else None,
    )
    with store.write(person.name if person else "runs"):
        return store.runs.add(new)


def start(store: Store, person: Person | None, plan: RunPlan) -> int:
    """Start a run in a process of its own; returns the run's id.

    Raises:
        ReviewError: another run of this domain is unfinished.
        NotAllowed: an annotator starts something that may cost money.
        BadInput: the plan is none that can be started, or a setting cannot be used.
        NotFound: no such domain, variant or task.
    """
    jobs.reap(store)
    if any(job.kind == "run" and job.domain == plan.domain for job in store.jobs.unfinished()):
        raise ReviewError(
            "run.unfinished",
            "a run of {domain!r} is unfinished: wait for it, or cancel it first",
            domain=plan.domain,
        )
    run = prepare(store, person, plan)
    job = jobs.start(store, person, "run", plan.domain, {"run": run})
    with store.write("runs"):
        store.runs.put_job(run, job)
    return run


def resume(
    store: Store, person: Person | None, run_id: int, *, budget_usd: float | None = None
) -> None:
    """Go on with a run that failed or was stopped; what is done and paid for is kept.

    Args:
        store: The review database.
        person: Who resumes it.
        run_id: The run.
        budget_usd: From now on, for the whole run; None: as before.

    Raises:
        ReviewError: it is under way, imported, or another run of its domain is unfinished.
        NotAllowed: an annotator starts something that may cost money.
        NotFound: no such run.
    """
    if person is not None and person.role != "maintainer":
        raise NotAllowed("run.only_maintainers_resume", "a maintainer has to resume runs")
    run = store.runs.get(run_id)
    if run.origin == "imported":
        raise ReviewError(
            "run.imported", "run {run} was imported: there is nothing to play", run=run_id
        )
    jobs.reap(store)
    if budget_usd is not None:
        budget.raise_to(store, person, run_id, budget_usd)
    job = None if run.job_id is None else store.jobs.get(run.job_id)
    if job is not None and job.state in ("failed", "cancelled"):
        jobs.resume(store, person, job.id)
    elif job is not None and job.is_unfinished:
        raise ReviewError(
            "run.under_way", "run {run} is under way: there is nothing to resume", run=run_id
        )
    else:
        new = jobs.start(store, person, "run", run.domain, {"run": run_id})
        with store.write("runs"):
            store.runs.put_job(run_id, new)


def cancel(store: Store, person: Person | None, run_id: int) -> str:
    """Ask a run to stop; returns the state of its job.

    Raises:
        ReviewError: it was never started.
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    if run.job_id is None:
        raise ReviewError("run.not_under_way", "run {run} is not under way", run=run_id)
    return jobs.cancel(store, person, run.job_id)


def judge(store: Store, person: Person | None, run_id: int, *, again: bool = False) -> int:
    """Let the judge speak on a run that is played, in a process of its own; returns the job's id.

    Args:
        store: The review database.
        person: Who starts it.
        run_id: The run.
        again: Also on what it has spoken on; the verdicts before stay.

    Raises:
        ReviewError: verdicts on another run of the domain are under way.
        NotAllowed: an annotator starts something that may cost money.
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    return jobs.start(store, person, "judge", run.domain, {"run": run_id, "again": again})


# -- watching ----------------------------------------------------------------------------------


def status(store: Store, run_id: int) -> RunStatus:
    """How far a run is.

    Raises:
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    job = None if run.job_id is None else store.jobs.get(run.job_id)
    units = store.units.of_run(run_id)
    outcomes = [cell.outcome for cell in cells(store, run, units)]
    states = Counter[str](unit.state for unit in units)
    priced = [unit.cost_usd for unit in units if unit.cost_usd is not None]
    return RunStatus(
        run=run,
        job=job,
        state=_state(run, job, states),
        problem=run.stopped or (job.error if job else None),
        is_out_of_budget=budget.is_why_it_stopped(store, run),
        units=states,
        outcomes=Counter(outcome for outcome in outcomes if outcome is not None),
        wanted=_wanted(store, run),
        cost_usd=sum(priced) if priced else None,
        unpriced=sum(unit.unpriced for unit in units),
    )


def _state(run: Run, job: Job | None, units: Mapping[str, int]) -> Any:
    if run.origin == "imported":
        return "done"
    if job is None:
        return "done" if units and set(units) == {"done"} else "waiting"
    if job.is_unfinished or job.state == "failed":
        return job.state
    return "stopped" if run.stopped or job.state == "cancelled" else "done"


def _wanted(store: Store, run: Run) -> int:
    tasks = len(store.runs.tasks(run.id))
    if not tasks and run.origin == "played":
        tasks = len(of_run(run).tasks) or len(task_ids(store, run.domain))
    return tasks * run.trials


def last_outcomes(store: Store, domain: str) -> dict[str, list[CountedAs | None]]:
    """The outcomes of each task's trials in the domain's latest run; empty if there is none."""
    outcomes: dict[str, list[CountedAs | None]] = {}
    for run in store.runs.list(domain, 1):
        for cell in cells(store, run):
            outcomes.setdefault(cell.task_id, []).append(cell.outcome)
    return outcomes


def cells(store: Store, run: Run, units: list[TrialUnit] | None = None) -> list[Cell]:
    """The matrix task by trial, in the order of the tasks, under the run's own profile."""
    profile, causes = PROFILES[run.profile], attribution.human_causes(store, run.id)
    grouped: dict[tuple[str, int], list[TrialUnit]] = {}
    for unit in store.units.of_run(run.id) if units is None else units:
        grouped.setdefault((unit.task_id, unit.trial), []).append(unit)
    matrix = []
    for (task_id, trial), attempts in grouped.items():
        last = attempts[-1]
        done = last.state == "done"
        outcome = counts(attribution.facts(last, causes.get(last.id)), profile) if done else None
        matrix.append(Cell(task_id=task_id, trial=trial, outcome=outcome, attempts=tuple(attempts)))
    return matrix
