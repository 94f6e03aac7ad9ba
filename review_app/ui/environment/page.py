"""Environment: run a domain's tools, or a task's gold actions, and see what they do."""

from __future__ import annotations

import streamlit as st

from review_app.store import Store
from review_app.ui.environment import calls as environment_calls
from review_app.ui.environment import forms, trace
from review_app.ui.environment import gold as environment_gold
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.benchmark import environments, tasks_in_force

NO_TASK = ""


def choose(store: Store, domains: list[str]) -> tuple[str, str | None]:
    """Domain and task, kept in the URL; the task is None where none is chosen."""
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    _remember("domain", domains)
    domain: str = row.selectbox(
        text("environment.domain"), domains, key="environment_domain", width=180
    )
    known = tasks_in_force.tasks(store, domain)
    asked = _remember("task", [NO_TASK, *known])
    task: str = row.selectbox(
        text("environment.task"),
        [NO_TASK, *known],
        format_func=lambda name: name or text("environment.no_task"),
        key="environment_task",
        width=560,
    )
    if asked:
        row.warning(links.plain(text("environment.unknown_task", task=asked, domain=domain)))
    links.keep_in_url("domain", domain)
    links.keep_in_url("task", task)
    return domain, task or None


def _remember(name: str, allowed: list[str]) -> str:
    """Take a choice from the URL, else as it was left; returns what the URL asks for in vain."""
    key = f"environment_{name}"
    asked = st.query_params.get(name, "")
    value = st.session_state.get(key) or asked or environment_calls.left(name)
    st.session_state[key] = value if value in allowed else allowed[0]
    return asked if value == asked and value not in allowed else ""


with session.page("environment") as (store, person):
    if person.role != "maintainer":
        st.info(text("environment.maintainers"), icon=":material/lock:")
        st.stop()
    domains = environments.domains(store)
    if not domains:
        st.info(text("environment.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    domain, task = choose(store, domains)
    calls = environment_calls.of(domain, task)
    done = environments.play(store, domain, task, calls)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        if task is not None:
            gold = tasks_in_force.tasks(store, domain)[task].task
            environment_gold.show(gold, calls, done.steps)
        forms.show(domain, environments.schemas(store, domain))
    with right:
        trace.show(done, calls)
