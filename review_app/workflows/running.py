"""Runs: plan one, say what it will cost, start it in a process of its own, watch, stop, resume."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from review_app import llm
from review_app.core.accounting import PROFILES, Outcome, counts
from review_app.core.localize.variants import DEFAULT, chosen
from review_app.errors import BadInput, NotAllowed, ReviewError
from review_app.models import Person
from review_app.store import Store
from review_app.store.jobs import Job
from review_app.store.runs import NewRun, Run
from review_app.store.units import Unit
from review_app.workflows import attributing, deriving, jobs, replaying
from review_app.workflows.deriving import Use

AgentKind = Literal["model", "oracle", "scripted"]
"""`model`: a model on both sides; `oracle`: the agent is told the gold steps; `scripted`: no model
at all, both sides play the gold actions."""
REFILLS = 3
"""How often a trial that does not count is played again."""
ROLES = ("agent", "user", "judge")

_STEPS_OF_A_TRIAL = 12
_TOKENS_OUT_OF_A_STEP = 120
_CHARACTERS_OF_A_TOKEN = 2.5
"""Between English, about 4, and Japanese, about 1.3."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is started with. Keys and addresses come from the settings, never from here."""

    domain: str
    name: str = ""
    variant: str = DEFAULT
    locale: str | None = None
    """None is the project's target locale."""
    use: Use = "current"
    """Which translations count."""
    tasks: tuple[str, ...] = ()
    """Ids; empty: all of `tasks.json`."""
    trials: int = 3
    agent: AgentKind | None = None
    """None: `model` where an endpoint is configured for the agent, else `scripted`."""
    agent_model: str | None = None
    """Instead of the configured one, as litellm names it; None: the configured one."""
    user_model: str | None = None
    judge_model: str | None = None
    judge: bool = False
    """Whether a model judges the finished trials."""
    profile: str | None = None
    """Scoring profile that decides what is played again; None: the variant's."""
    max_steps: int = 200
    max_errors: int = 10
    timeout_s: float = 1800.0
    """Longest time of a trial."""
    seed: int = 1
    budget_usd: float | None = None
    """No further request is made once so much is spent."""
    concurrency: int = 8
    """Trials at once, and requests at once of one endpoint."""
    scheduler: str | None = None
    """Address of a Dask cluster, `tcp://...`; None: in the job's own process."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will about cost."""

    tasks: int
    trials: int
    """Of all tasks together."""
    requests: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None: a model has no known price; 0 where no model is asked."""
    unpriced: tuple[str, ...]
    """Models without a known price: a budget cannot stop them."""
    agent: AgentKind
    models: Mapping[str, str]
    """Role -> model; `scripted (not a model)` where it is none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One trial number of one task: its attempts, and which of them counts."""

    task_id: str
    trial: int
    outcome: Outcome | None
    """Under the run's profile; None: not finished yet."""
    attempts: tuple[Unit, ...]
    """In order; the last one is what the matrix shows."""


@dataclass(frozen=True, slots=True)
class Status:
    """How far a run is."""

    run: Run
    job: Job | None
    state: Literal["waiting", "running", "cancelling", "stopped", "failed", "done"]
    """`stopped`: cancelled, or out of budget; it can be resumed, as one that failed."""
    problem: str
    """Why it stopped or failed, one line."""
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


# -- before the start --------------------------------------------------------------------------


def agent_kind(plan: Plan, environ: Mapping[str, str] = os.environ) -> AgentKind:
    """Who plays: what the plan says, else a model where one is configured, else the script."""
    if plan.agent is not None:
        return plan.agent
    endpoint = llm.endpoint("agent", model=plan.agent_model, environ=environ)
    return "model" if endpoint.api_base or endpoint.api_key else "scripted"


def endpoints(plan: Plan, kind: AgentKind) -> dict[str, llm.Endpoint]:
    """Role -> its endpoint, for the roles that a model plays.

    Raises:
        BadInput: a setting cannot be used.
    """
    named = {"agent": plan.agent_model, "user": plan.user_model, "judge": plan.judge_model}
    roles = () if kind == "scripted" else ("agent", "user")
    if plan.judge:
        roles = (*roles, "judge")
    return {role: llm.endpoint(role, model=named[role] or None) for role in roles}


def estimate(store: Store, plan: Plan) -> Estimate:
    """What a run will about cost, from the sizes of its prompts; calls nobody.

    Raises:
        BadInput: the plan is none that can be started.
        NotFound: no such domain, variant or task.
    """
    kind = _checked(store, plan)
    known = endpoints(plan, kind)
    tasks = len(plan.tasks) or len(task_ids(store, plan.domain))
    trials = tasks * plan.trials
    texts = sum(
        len(store.documents.texts(each.id)[0])
        for each in store.documents.of(plan.domain)
        if each.kind in ("policy", "tool")
    )
    prompt = int(texts / _CHARACTERS_OF_A_TOKEN) + 3000
    cost: float | None = 0.0
    totals, unpriced = Counter[str](), []
    for role, endpoint in known.items():
        asked = trials * (3 if role == "judge" else _STEPS_OF_A_TRIAL)
        size = 4000 if role != "agent" else prompt
        totals.update(requests=asked, tokens_in=asked * size)
        totals.update(tokens_out=asked * _TOKENS_OUT_OF_A_STEP)
        price = llm.price_usd(endpoint, asked * size, asked * _TOKENS_OUT_OF_A_STEP)
        if price is None:
            unpriced.append(endpoint.model)
        cost = None if price is None or cost is None else cost + price
    return Estimate(
        tasks, trials, totals["requests"], totals["tokens_in"], totals["tokens_out"], cost,
        tuple(dict.fromkeys(unpriced)), kind, model_names(known),
    )  # fmt: skip


def model_names(known: Mapping[str, llm.Endpoint]) -> dict[str, str]:
    """Role -> model, scripted players named as what they are."""
    from review_app.core.simulation.scripted import MODEL

    named = {role: known[role].model if role in known else MODEL for role in ("agent", "user")}
    return named | ({"judge": known["judge"].model} if "judge" in known else {})


def task_ids(store: Store, domain: str) -> tuple[str, ...]:
    """Ids of the tasks that a run of a domain plays if none are named."""
    found = replaying.tasks(store, domain)
    return tuple(name for name, gold in found.items() if gold.file == replaying.TASKS)


def _checked(store: Store, plan: Plan) -> AgentKind:
    """Who plays a plan that can be started."""
    store.documents.require(plan.domain)
    chosen(deriving.variants(), plan.variant)
    known = replaying.tasks(store, plan.domain)
    if odd := [name for name in plan.tasks if name not in known]:
        raise BadInput(f"domain {plan.domain!r} has no task {odd[0]!r}", "", "tasks")
    if plan.profile is not None and plan.profile not in PROFILES:
        raise BadInput(f"no profile {plan.profile!r}: use one of {', '.join(PROFILES)}")
    if plan.agent is not None and plan.agent not in get_args(AgentKind):
        raise BadInput(f"no agent {plan.agent!r}: use one of {', '.join(get_args(AgentKind))}")
    least = {"trials": 1, "max_steps": 1, "max_errors": 1, "concurrency": 1}
    for name, limit in least.items():
        if getattr(plan, name) < limit:
            raise BadInput(f"must be {limit} or more, is {getattr(plan, name)}", "", name)
    return agent_kind(plan)


# -- starting and stopping ---------------------------------------------------------------------


def prepare(store: Store, person: Person | None, plan: Plan) -> int:
    """Add a run without playing it; returns its id.

    Raises:
        NotAllowed: an annotator starts something that may cost money.
        BadInput: the plan is none that can be started, or a setting cannot be used.
        NotFound: no such domain, variant or task.
    """
    if person is not None and person.role != "maintainer":
        raise NotAllowed("a maintainer has to start runs")
    kind = _checked(store, plan)
    known = endpoints(plan, kind)
    variant = chosen(deriving.variants(), plan.variant)
    locale = plan.locale or store.people.project().target_locale
    names = model_names(known)
    models = {
        role: {"model": name, "parameters": dict(known[role].parameters) if role in known else {}}
        for role, name in names.items()
    }
    new = NewRun(
        name=plan.name.strip() or f"{plan.domain} {variant.name}: {names['agent']}",
        domain=plan.domain, variant=variant.name, locale=locale, agent_kind=kind, models=models,
        profile=plan.profile or variant.scoring, trials=plan.trials, plan=asdict(plan),
        material={}, seed=plan.seed, created_by=person.id if person else None,
    )  # fmt: skip
    with store.write(person.name if person else "runs"):
        return store.runs.add(new)


def start(store: Store, person: Person | None, plan: Plan) -> int:
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
            f"a run of {plan.domain!r} is unfinished: wait for it, or cancel it first"
        )
    run = prepare(store, person, plan)
    job = jobs.start(store, person, "run", plan.domain, {"run": run})
    with store.write("runs"):
        store.runs.put_job(run, job)
    return run


def resume(store: Store, person: Person | None, run_id: int) -> None:
    """Go on with a run that failed or was stopped; what is done and paid for is kept.

    Raises:
        ReviewError: it is under way, imported, or another run of its domain is unfinished.
        NotAllowed: an annotator starts something that may cost money.
        NotFound: no such run.
    """
    if person is not None and person.role != "maintainer":
        raise NotAllowed("a maintainer has to resume runs")
    run = store.runs.get(run_id)
    if run.origin == "imported":
        raise ReviewError(f"run {run_id} was imported: there is nothing to play")
    jobs.reap(store)
    job = None if run.job_id is None else store.jobs.get(run.job_id)
    if job is not None and job.state in ("failed", "cancelled"):
        jobs.resume(store, person, job.id)
    elif job is not None and job.is_unfinished:
        raise ReviewError(f"run {run_id} is under way: there is nothing to resume")
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
        raise ReviewError(f"run {run_id} is not under way")
    return jobs.cancel(store, person, run.job_id)


# -- watching ----------------------------------------------------------------------------------


def status(store: Store, run_id: int) -> Status:
    """How far a run is.

    Raises:
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    job = None if run.job_id is None else store.jobs.get(run.job_id)
    units = store.units.of_run(run_id)
    done = [each.outcome for each in cells(store, run, units)]
    priced = [each.cost_usd for each in units if each.cost_usd is not None]
    return Status(
        run, job, _state(run, job), run.stopped or (job.error if job else ""),
        Counter(each.state for each in units), Counter(each for each in done if each is not None),
        _wanted(store, run), sum(priced) if priced else None,
        sum(each.unpriced for each in units),
    )  # fmt: skip


def _state(run: Run, job: Job | None) -> Any:
    if run.origin == "imported":
        return "done"
    if job is None:
        return "waiting"
    if job.is_unfinished or job.state == "failed":
        return job.state
    return "stopped" if run.stopped or job.state == "cancelled" else "done"


def _wanted(store: Store, run: Run) -> int:
    tasks = len(store.runs.tasks(run.id))
    if not tasks and run.origin == "played":
        tasks = len(run.plan.get("tasks") or ()) or len(task_ids(store, run.domain))
    return tasks * run.trials


def cells(store: Store, run: Run, units: list[Unit] | None = None) -> list[Cell]:
    """The matrix task by trial, in the order of the tasks, under the run's own profile."""
    profile, causes = PROFILES[run.profile], attributing.human_causes(store, run.id)
    grouped: dict[tuple[str, int], list[Unit]] = {}
    for unit in store.units.of_run(run.id) if units is None else units:
        grouped.setdefault((unit.task_id, unit.trial), []).append(unit)
    made = []
    for (task_id, trial), attempts in grouped.items():
        last = attempts[-1]
        done = last.state == "done"
        outcome = counts(attributing.facts(last, causes.get(last.id)), profile) if done else None
        made.append(Cell(task_id, trial, outcome, tuple(attempts)))
    return made
