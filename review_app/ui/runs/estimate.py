"""What a run would cost, who plays it, and what is missing before it can start. Never a key."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from review_app.endpoints import Endpoint
from review_app.store import Store
from review_app.ui.shared import endpoint as shared_endpoint
from review_app.ui.shared import links, run_words, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.benchmark import files
from review_app.workflows.runs import lifecycle
from review_app.workflows.runs.plan import RunEstimate, RunPlan


def show(store: Store, plan: RunPlan) -> bool:
    """The estimate; returns whether the run can be started."""
    estimated, known = None, {}
    with session.guard():
        estimated = lifecycle.estimate(store, plan)
        known = lifecycle.endpoints(plan, estimated.agent)
    if estimated is None:
        return False
    st.html(_table(estimated, known))
    if estimated.unpriced and plan.budget_usd:
        st.warning(text("runs.budget_blind"), icon=":material/money_off:")
    missing = _missing(store, estimated, known)
    for words in missing:
        st.warning(words, icon=":material/key_off:")
    return not missing


def _table(estimated: RunEstimate, known: Mapping[str, Endpoint]) -> str:
    cost = text("runs.unpriced") if estimated.cost_usd is None else f"{estimated.cost_usd:,.2f} USD"
    named = {
        text(
            "runs.estimate.trials"
        ): f"{estimated.tasks:,} × {estimated.trials // max(estimated.tasks, 1)}"
        f" = {estimated.trials:,}",
        text("runs.estimate.requests"): f"{estimated.requests:,}",
        text("runs.estimate.tokens"): f"{estimated.tokens_in:,} + {estimated.tokens_out:,}",
        text("runs.estimate.cost"): f"<b>{safe(cost)}</b>",
    }
    for role in estimated.models:
        named[text(f"runs.role.{role}")] = _player(estimated, known.get(role), role)
    return run_words.facts(named)


def _player(estimated: RunEstimate, endpoint: Endpoint | None, role: str) -> str:
    if endpoint is None:
        return safe(text("runs.no_model"))
    facts = [shared_endpoint.host(endpoint)]
    if endpoint.key_from:
        facts.append(text("runs.key_from", place=endpoint.key_from))
    where = " · ".join(fact for fact in facts if fact)
    return f"{run_words.mono(estimated.models[role])} <div class='jt-muted'>{safe(where)}</div>"


def _missing(store: Store, estimated: RunEstimate, known: Mapping[str, Endpoint]) -> list[str]:
    words = [
        links.plain(text("runs.unset", role=text(f"runs.role.{role}"), name=role.upper()))
        for role, endpoint in known.items()
        if not shared_endpoint.is_set(endpoint)
    ]
    names = {info.name for info in read_model.domains(store)}
    if estimated.agent != "scripted" and files.SHARED_GUIDES not in names:
        words.append(links.plain(text("runs.no_guides", domain=files.SHARED_GUIDES)))
    return words
