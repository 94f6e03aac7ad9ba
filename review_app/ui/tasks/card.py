"""One task: its head with the way back and onward, then its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from review_app.models import Person, Segment
from review_app.store import Store
from review_app.ui.shared import curation_words, links
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import actions, flags, patch_history, rules, story
from review_app.ui.tasks import list as tasks_list
from review_app.workflows import read_model
from review_app.workflows.benchmark import environments
from review_app.workflows.curation import patches, validity
from review_app.workflows.curation.validity import Checked


def show(store: Store, person: Person, domain: str, task_id: str) -> None:
    """Everything about one task."""
    if task_id not in environments.tasks(store, domain):
        st.warning(links.plain(text("tasks.gone", task=task_id, domain=domain)))
        st.button(text("tasks.back"), key="tasks_back", on_click=close)
        return
    task = patches.task(store, domain, task_id)
    checked = validity.inspect(store, domain, task_id)[task_id]
    segments = story.segments(store, domain, task_id)
    _show_head(store, person, domain, task_id, checked, segments)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        story.show(store, task, segments)
        story.show_gold(store, domain, task)
    with right:
        rules.show(store, person, domain, task, checked)
        flags.show(store, person, domain, task_id)
        patch_history.show(store, domain, task_id)


def opened() -> str:
    """The id of the task that is shown; empty for the list."""
    return str(st.session_state.get("tasks_task", ""))


def follow_url() -> None:
    """Show the task that the URL names, where the URL is what changed."""
    asked = st.query_params.get("task", "")
    if st.session_state["arrived"] or asked != st.session_state.get("tasks_asked", ""):
        st.session_state["tasks_task"] = asked
    st.session_state["tasks_asked"] = asked


def close() -> None:
    """Back to the list."""
    open_task("")
    links.keep_in_url("task", "")


def open_task(task_id: str) -> None:
    """Show another task."""
    st.session_state["tasks_asking"] = None
    st.session_state["tasks_task"] = task_id


def _show_head(
    store: Store,
    person: Person,
    domain: str,
    task_id: str,
    checked: Sequence[Checked],
    segments: Sequence[Segment],
) -> None:
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("tasks.back"),
        key="tasks_back",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=close,
    )
    _show_neighbours(row, task_id)
    row.html(
        f"<b>{safe(domain)} {safe(task_id)}</b> {_levels(checked)} "
        f"{_patches(store, domain, task_id)}"
    )
    if person.role == "maintainer":
        row.button(
            text("tasks.flag"),
            key="tasks_flag",
            icon=":material/flag:",
            on_click=actions.ask,
            args=("flag", ""),
        )
        with row:
            links.to_page(
                "patch", text("tasks.patch"), ":material/build:", domain=domain, task=task_id
            )
            if domain in environments.domains(store):
                links.to_page(
                    "environment",
                    text("common.page.environment"),
                    ":material/terminal:",
                    domain=domain,
                    task=task_id,
                )
    if segments:
        with row:
            links.to_page(
                "review",
                text("common.page.review"),
                ":material/rate_review:",
                segment=segments[0].id,
            )


def _show_neighbours(row: st.delta_generator.DeltaGenerator, task_id: str) -> None:
    """The way to the task before and after, in the list that this one was opened from."""
    ids: list[str] = st.session_state.get("tasks_ids", [])
    at = ids.index(task_id) if task_id in ids else -1
    for name, step, shortcut in (("previous", -1, "Ctrl+Up"), ("next", 1, "Ctrl+Down")):
        there = at + step
        row.button(
            text(f"tasks.{name}"),
            key=f"tasks_{name}",
            type="tertiary",
            shortcut=shortcut,
            disabled=at < 0 or not 0 <= there < len(ids),
            on_click=open_task,
            args=(ids[there] if 0 <= there < len(ids) else "",),
        )


def _levels(checked: Sequence[Checked]) -> str:
    counts = Counter(str(hit.violation.level) for hit in checked if hit.open)
    words = tasks_list.levels(counts)
    look = "error" if counts["error"] else "warning" if counts["warning"] else "approved"
    return f"<span class='jt-state jt-{look}'>{words or text('tasks.nothing_open')}</span>"


def _patches(store: Store, domain: str, task_id: str) -> str:
    states = Counter(patch.state for patch in read_model.patches(store, domain, task_id))
    chosen = next((state for state in ("proposed", "approved") if states[state]), "")
    return curation_words.badge("patch", chosen) if chosen else ""
