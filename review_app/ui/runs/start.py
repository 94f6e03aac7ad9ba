"""The form of a new run: what, how often, with which models; what it costs and what is missing."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from review_app.core.localize.variants import DEFAULT, VariantRecipe
from review_app.core.scoring.accounting import PROFILES
from review_app.store import Store
from review_app.ui.runs import estimate
from review_app.ui.runs import tasks as runs_tasks
from review_app.ui.shared import grid, i18n, links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import derived_domain
from review_app.workflows.runs import lifecycle
from review_app.workflows.runs.lifecycle import AgentKind, RunPlan

AGENTS: tuple[AgentKind, ...] = get_args(AgentKind)
MODELS = ("agent", "user", "judge")


def show(store: Store, domains: list[str]) -> None:
    """Choices on the left; estimate, what is missing and the button on the right."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        plan = _plan(store, domains)
    with right, st.container(border=True, key="runs-plan"):
        is_ready = plan is not None and estimate.show(store, plan)
        st.button(
            text("runs.start"),
            key="runs_start",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_start,
            args=(plan,),
            disabled=not is_ready,
        )
        st.caption(text("runs.start_note"))


def _plan(store: Store, domains: list[str]) -> RunPlan | None:
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    grid.remember("runs", "domain", domains)
    st.session_state["runs_domain"] = st.session_state["runs_domain"] or domains[0]
    domain: str = row.selectbox(text("runs.fact.domain"), domains, key="runs_domain", width=130)
    variants = derived_domain.variants()
    names = list(variants)
    variant: str = row.selectbox(
        text("runs.fact.variant"), names, index=names.index(DEFAULT), key="runs_variant", width=160
    )
    trials = row.number_input(
        text("runs.fact.trials"), min_value=1, max_value=32, value=3, key="runs_trials", width=120
    )
    name: str = row.text_input(text("runs.name"), key="runs_name", width=230)
    st.caption(links.plain(_about(variants[variant])))
    tasks = runs_tasks.choose(store, domain)
    models = _models()
    limits = _limits()
    if tasks is None:
        return None
    return RunPlan(
        domain=domain,
        name=name,
        variant=variant,
        tasks=tasks,
        trials=int(trials),
        **models,
        **limits,
    )


def _about(variant: VariantRecipe) -> str:
    known = i18n.catalogue(i18n.language(), "runs")
    return known.get(f"variant.{variant.name}", variant.about)


def _models() -> dict[str, Any]:
    kind = st.segmented_control(
        text("runs.fact.agent"),
        AGENTS,
        format_func=lambda agent: text(f"runs.agent.{agent}"),
        default=lifecycle.agent_kind(RunPlan("")),
        key="runs_agent",
        required=True,
    )
    st.caption(text(f"runs.agent_note.{kind}"))
    judged = st.toggle(text("runs.judge"), key="runs_judge", help=text("runs.judge_help"))
    asked = [role for role in MODELS if (judged if role == "judge" else kind != "scripted")]
    named: dict[str, str | None] = {}
    row = st.container(horizontal=True, gap="small")
    for role in asked:
        typed = row.text_input(
            text("runs.model_of", role=text(f"runs.role.{role}")),
            key=f"runs_model_{role}",
            placeholder=text("runs.configured"),
            width=235,
        )
        named[f"{role}_model"] = typed.strip() or None
    return {"agent": kind, "judge": judged, **named}


def _limits() -> dict[str, Any]:
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    budget = row.number_input(
        text("runs.budget"),
        min_value=0.0,
        value=None,
        step=1.0,
        key="runs_budget",
        width=160,
        placeholder=text("runs.no_budget"),
    )
    with st.expander(text("runs.limits"), icon=":material/tune:", key="runs_limits"):
        line = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        steps = line.number_input(text("runs.max_steps"), 1, 2000, 200, key="runs_steps", width=130)
        errors = line.number_input(
            text("runs.max_errors"), 1, 200, 10, key="runs_errors", width=130
        )
        minutes = line.number_input(text("runs.minutes"), 1, 600, 30, key="runs_minutes", width=130)
        together = line.number_input(
            text("runs.concurrency"), 1, 256, 8, key="runs_concurrency", width=130
        )
        seed = line.number_input(text("runs.seed"), 0, 2**31, 1, key="runs_seed", width=110)
        profile = line.selectbox(
            text("runs.fact.profile"),
            ["", *PROFILES],
            key="runs_profile",
            width=170,
            format_func=lambda name: name or text("runs.variants_profile"),
        )
    return {
        "budget_usd": budget or None,
        "max_steps": int(steps),
        "max_errors": int(errors),
        "timeout_s": 60.0 * minutes,
        "concurrency": int(together),
        "seed": int(seed),
        "profile": profile or None,
    }


def _start(plan: RunPlan) -> None:
    with session.noted(), session.opened() as store:
        run = lifecycle.start(store, session.current_person(store), plan)
        links.keep_in_url("run", str(run))
