"""What a run is started with: who plays, by which endpoints, and what it will about cost."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import msgspec

from review_app import llm
from review_app.core.localize.variants import DEFAULT, chosen
from review_app.core.simulation.scripted import MODEL
from review_app.errors import BadInput
from review_app.notices import Notice
from review_app.records.runs import Run
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import derived_domain
from review_app.workflows.localization.derived_domain import Use
from review_app.workflows.runs import attribution

AgentKind = Literal["model", "oracle", "scripted"]
"""`model`: a model on both sides; `oracle`: the agent is told the gold steps; `scripted`: no model
at all, both sides play the gold actions."""
ROLES = ("agent", "user", "judge")
_AT_LEAST_ONE = ("trials", "max_steps", "max_errors", "concurrency")

_STEPS_OF_A_TRIAL = 12
_TOKENS_OUT_OF_A_STEP = 120
_CHARACTERS_OF_A_TOKEN = 2.5
"""Between English, about 4, and Japanese, about 1.3."""


@dataclass(frozen=True, slots=True)
class RunPlan:
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
class RunEstimate:
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
    undecided: int
    """Tasks whose trials stay without a score until a judge reads their assertions."""


def of_run(run: Run) -> RunPlan:
    """What a run that was played here was started with; a budget raised later is in it."""
    return msgspec.convert(run.plan, RunPlan)


def agent_kind(plan: RunPlan, environ: Mapping[str, str] = os.environ) -> AgentKind:
    """Who plays: what the plan says, else a model where one is configured, else the script."""
    if plan.agent is not None:
        return plan.agent
    endpoint = llm.endpoint("agent", model=plan.agent_model, environ=environ)
    return "model" if endpoint.api_base or endpoint.api_key else "scripted"


def endpoints(plan: RunPlan, kind: AgentKind) -> dict[str, llm.Endpoint]:
    """Role -> its endpoint, for the roles that a model plays.

    Raises:
        BadInput: a setting cannot be used.
    """
    named = {"agent": plan.agent_model, "user": plan.user_model, "judge": plan.judge_model}
    roles = () if kind == "scripted" else ("agent", "user")
    if plan.judge:
        roles = (*roles, "judge")
    return {role: llm.endpoint(role, model=named[role] or None) for role in roles}


def frozen_endpoints(run: Run, *, judge: bool = False) -> dict[str, llm.Endpoint]:
    """Role -> endpoint with the model and parameters that the run started with.

    Addresses and keys are those of the settings today.

    Args:
        run: The run.
        judge: Only the judge, whether the run was started with one or not.
    """
    if judge:
        kept = run.models.get("judge") or {}
        configured = {"judge": llm.endpoint("judge", model=kept.get("model"))}
    else:
        names = [name for name in ROLES if name in run.models]
        if run.agent_kind == "scripted":
            names = [name for name in names if name == "judge"]
        configured = {name: llm.endpoint(name, model=run.models[name]["model"]) for name in names}
    return {
        name: replace(endpoint, parameters=run.models[name]["parameters"])
        if name in run.models
        else endpoint
        for name, endpoint in configured.items()
    }


def estimate(store: Store, plan: RunPlan) -> RunEstimate:
    """What a run will about cost, from the sizes of its prompts; calls nobody.

    Raises:
        BadInput: the plan is none that can be started.
        NotFound: no such domain, variant or task.
    """
    kind = checked(store, plan)
    known = endpoints(plan, kind)
    tasks = len(plan.tasks) or len(task_ids(store, plan.domain))
    trials = tasks * plan.trials
    texts = sum(
        len(store.documents.texts(document.id)[0])
        for document in store.documents.of(plan.domain)
        if document.kind in ("policy", "tool")
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
    return RunEstimate(
        tasks=tasks,
        trials=trials,
        requests=totals["requests"],
        tokens_in=totals["tokens_in"],
        tokens_out=totals["tokens_out"],
        cost_usd=cost,
        unpriced=tuple(dict.fromkeys(unpriced)),
        agent=kind,
        models=model_names(known),
        undecided=_undecided(store, plan, kind),
    )


def _undecided(store: Store, plan: RunPlan, kind: AgentKind) -> int:
    if plan.judge or kind == "scripted":
        return 0
    known = environments.tasks(store, plan.domain)
    criteria = [
        known[name].task.get("evaluation_criteria") or {}
        for name in plan.tasks or task_ids(store, plan.domain)
    ]
    return sum(
        "NL_ASSERTION" in (asked.get("reward_basis") or ()) and bool(asked.get("nl_assertions"))
        for asked in criteria
    )


def model_names(known: Mapping[str, llm.Endpoint]) -> dict[str, str]:
    """Role -> model, scripted players named as what they are."""
    named = {role: known[role].model if role in known else MODEL for role in ("agent", "user")}
    return named | ({"judge": known["judge"].model} if "judge" in known else {})


def task_ids(store: Store, domain: str) -> tuple[str, ...]:
    """Ids of the tasks that a run of a domain plays if none are named."""
    tasks = environments.tasks(store, domain)
    return tuple(name for name, gold in tasks.items() if gold.file == environments.TASKS)


def checked(store: Store, plan: RunPlan) -> AgentKind:
    """Who plays a plan that can be started."""
    store.documents.require(plan.domain)
    chosen(derived_domain.variants(), plan.variant)
    known = environments.tasks(store, plan.domain)
    if unknown := [name for name in plan.tasks if name not in known]:
        problem = Notice(
            "run.task_unknown",
            "domain {domain!r} has no task {task!r}",
            domain=plan.domain,
            task=unknown[0],
        )
        raise BadInput(problem, "", "tasks")
    if plan.profile is not None:
        attribution.scoring_profile(plan.profile)
    kinds = get_args(AgentKind)
    if plan.agent is not None and plan.agent not in kinds:
        problem = Notice(
            "run.agent_unknown",
            "no agent {agent!r}: use one of {known}",
            agent=plan.agent,
            known=kinds,
        )
        raise BadInput(problem)
    for name in _AT_LEAST_ONE:
        if (count := getattr(plan, name)) < 1:
            problem = Notice("run.too_few", "must be 1 or more, is {given}", given=count)
            raise BadInput(problem, "", name)
    return agent_kind(plan)
