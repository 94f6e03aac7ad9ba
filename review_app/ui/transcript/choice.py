"""Which trial is read: run, task, and the attempts at its trials. The URL names the trial."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.ui.shared import links, run_words, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.runs import lifecycle
from review_app.workflows.runs.lifecycle import Cell

RowContainer = st.delta_generator.DeltaGenerator


def choose(store: Store, runs: Sequence[Run]) -> TrialUnit:
    """The trial of the URL, else the first of the newest run, and the ways to others.

    Args:
        store: The review database.
        runs: Those with a finished trial; not empty.
    """
    here = _asked(store) or _first(store, runs[0].id)
    cells = lifecycle.cells(store, read_model.run(store, here.run_id))
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    named = {run.id: f"{run.id} · {run.name}" for run in runs}
    st.session_state["transcript_run"] = here.run_id
    row.selectbox(
        text("transcript.run"),
        list(named),
        format_func=lambda number: named.get(number, str(number)),
        key="transcript_run",
        label_visibility="collapsed",
        width=300,
        on_change=_open_run,
    )
    _show_tasks(row, cells, here)
    row.html("".join(_marks(cells, here)))
    with row:
        links.to_page("runs", text("common.page.runs"), ":material/grid_on:", run=str(here.run_id))
        links.to_page(
            "tasks",
            text("common.page.tasks"),
            ":material/task:",
            domain=read_model.run(store, here.run_id).domain,
            task=here.task_id,
        )
    links.keep_in_url("unit", str(here.id))
    return here


def _asked(store: Store) -> TrialUnit | None:
    asked = st.query_params.get("unit", "")
    return read_model.trial(store, int(asked)) if asked.isdigit() else None


def _first(store: Store, run: int) -> TrialUnit:
    return next(unit for unit in read_model.trials(store, run) if unit.state == "done")


def _marks(cells: Sequence[Cell], here: TrialUnit) -> list[str]:
    """The attempts at the task's trials, the open one framed."""
    return [
        run_words.mark(cell, at, is_open=attempt.id == here.id)
        for cell in cells
        if cell.task_id == here.task_id
        for at, attempt in enumerate(cell.attempts)
    ]


def _show_tasks(row: RowContainer, cells: Sequence[Cell], here: TrialUnit) -> None:
    firsts: dict[str, int] = {}
    for cell in cells:
        if cell.attempts[-1].state == "done":
            firsts.setdefault(cell.task_id, cell.attempts[-1].id)
    firsts.setdefault(here.task_id, here.id)
    tasks = list(firsts)
    st.session_state["transcript_task"] = here.task_id
    row.selectbox(
        text("transcript.task"),
        tasks,
        key="transcript_task",
        label_visibility="collapsed",
        width=150,
        on_change=_open_task,
        args=(firsts,),
    )
    at = tasks.index(here.task_id)
    for name, there, shortcut in (("previous", at - 1, "Ctrl+Up"), ("next", at + 1, "Ctrl+Down")):
        is_there = 0 <= there < len(tasks)
        row.button(
            text(f"transcript.{name}"),
            key=f"transcript_{name}",
            type="tertiary",
            shortcut=shortcut,
            disabled=not is_there,
            on_click=links.keep_in_url,
            args=("unit", str(firsts[tasks[there]] if is_there else here.id)),
        )


def _open_run() -> None:
    with session.noted(), session.opened() as store:
        first = _first(store, int(st.session_state["transcript_run"]))
        links.keep_in_url("unit", str(first.id))


def _open_task(firsts: dict[str, int]) -> None:
    links.keep_in_url("unit", str(firsts[st.session_state["transcript_task"]]))
