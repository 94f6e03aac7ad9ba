"""Old trials by today's tasks: whether a repair would have changed what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from review_app.core.envs import Environment
from review_app.core.scoring.reward import ScoredRun as Scored
from review_app.core.scoring.reward import score
from review_app.core.scoring.run_scores import Summary, summarize
from review_app.core.tasks.patches import task_hash
from review_app.errors import NotFound
from review_app.json_types import Json
from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import entities
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.runs import attribution, plan, snapshot


@dataclass(frozen=True, slots=True)
class Today:
    """A run's domain as it is today."""

    tasks: Mapping[str, Json]
    """Id -> task; tasks that are no longer there are not."""
    open: Callable[[], Environment]


def today(store: Store, run: Run) -> Today:
    """A run's tasks and environment as they are today.

    Those of a run that was played here are derived in its variant, with the patches that are in
    force now; those of an imported one are as they are imported.
    """
    if run.domain not in environments.domains(store):
        return Today({}, _nothing)
    names = list(store.runs.tasks(run.id))
    if run.origin == "imported" and not run.locale:
        known = environments.tasks(store, run.domain)
        tasks = {name: known[name].task for name in names if name in known}
        return Today(tasks, environments.load(store, run.domain).open)
    entities.rows(store, run.domain)  # what is new gets its counterpart first: that is a write
    with store.read():
        if run.origin == "imported":
            choice = DerivationChoice(variant=run.variant, locale=run.locale)
        else:
            started = plan.of_run(run)
            choice = DerivationChoice(variant=run.variant, locale=started.locale, use=started.use)
        derived = Derived(store, run.domain, choice)
        there = [name for name in names if name in derived.tasks]
        return Today({name: snapshot.derived_task(derived, name) for name in there}, derived.open)


def task_today(store: Store, run_id: int, task_id: str) -> Json:
    """A task of a run as it is today.

    Raises:
        NotFound: it is no longer there.
    """
    run = store.runs.get(run_id)
    tasks = today(store, run).tasks
    if task_id not in tasks:
        raise NotFound(
            "run.task_gone_today",
            "domain {domain!r} has no task {task!r} today",
            domain=run.domain,
            task=task_id,
        )
    return tasks[task_id]


def score_today(store: Store, run_id: int, profile: str | None = None) -> Summary:
    """A run's scores where each trial counts by its task as it is today.

    What the players did stays what it was: a trial of a task that tells the user something else
    today may be unfair. Tasks that are no longer there are left out.

    Args:
        store: The review database.
        run_id: The run.
        profile: One of `accounting.PROFILES`; None: the run's own.

    Raises:
        NotFound: no such run.
        BadInput: no such profile.
    """
    run = store.runs.get(run_id)
    chosen = attribution.scoring_profile(profile or run.profile)
    now, rows = today(store, run), store.runs.tasks(run_id)
    units = [
        _rescored(store, unit, now, rows[unit.task_id].notes.get("hash"))
        for unit in store.units.of_run(run_id)
        if unit.state == "done" and unit.task_id in now.tasks
    ]
    entries = attribution.entries(units, chosen, attribution.human_causes(store, run_id))
    return summarize(entries, chosen, now.tasks, run.trials)


def _rescored(store: Store, unit: TrialUnit, now: Today, before: object) -> TrialUnit:
    task = now.tasks[unit.task_id]
    if unit.fault is not None or before == task_hash(dict(task)):
        return unit
    messages = store.units.messages(unit.id)
    said = (unit.reward_info or {}).get("nl_assertions") or ()
    wanted = (task.get("evaluation_criteria") or {}).get("nl_assertions") or ()
    known = {check.get("nl_assertion"): bool(check.get("met")) for check in said}
    is_judged = all(assertion in known for assertion in wanted)
    met = [known[assertion] for assertion in wanted] if is_judged else None
    run = Scored(messages, unit.termination_reason or "", met, strict=False)
    return replace(unit, reward=score(task, run, now.open()).reward)


def _nothing() -> Environment:
    raise NotFound("run.domain_not_imported", "the domain is not imported")
