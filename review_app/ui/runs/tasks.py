"""Which tasks a new run plays: all, those of a filter, or chosen ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from review_app.store import Store
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import list as tasks_list
from review_app.workflows.curation.statistics import TaskRow
from review_app.workflows.runs import lifecycle

WAYS = ("all", "filter", "chosen")
FILTERS: Mapping[str, Callable[[TaskRow], bool]] = {
    "repaired": lambda row: row.group in ("repair", "both"),
    "unmodified": lambda row: row.group == "unmodified",
    "patched": lambda row: row.patch_state is not None,
    "flagged": lambda row: row.flags > 0,
    "errors": lambda row: bool(row.levels.get("error")),
    "warnings": lambda row: bool(row.levels.get("error") or row.levels.get("warning")),
}


def choose(store: Store, domain: str) -> tuple[str, ...] | None:
    """Task ids; empty for all of the domain, None where the choice has none."""
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    way = row.segmented_control(
        text("runs.tasks"),
        WAYS,
        format_func=lambda choice: text(f"runs.tasks.{choice}"),
        default="all",
        key="runs_tasks",
        required=True,
    )
    known = lifecycle.task_ids(store, domain)
    if way == "all":
        row.caption(text("runs.tasks_of", count=len(known)))
        return ()
    if way == "chosen":
        chosen: list[str] = row.multiselect(
            text("runs.ids"), known, key=f"runs_ids_{domain}", placeholder=text("runs.pick")
        )
        return tuple(chosen) or None
    name: str = row.selectbox(
        text("runs.filter"),
        list(FILTERS),
        format_func=lambda choice: text(f"runs.filter.{choice}"),
        key="runs_filter",
        width=260,
    )
    passing = {choice.task_id for choice in tasks_list.rows(store, domain) if FILTERS[name](choice)}
    tasks = tuple(choice for choice in known if choice in passing)
    row.caption(text("runs.tasks_of", count=len(tasks)))
    return tasks or None
