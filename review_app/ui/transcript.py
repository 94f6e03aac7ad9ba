"""Transcript: one trial's conversation beside its gold, and whose fault it was."""

from __future__ import annotations

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.store.runs import Run
from review_app.ui import (
    curation_words,
    links,
    run_words,
    session,
    transcript_rail,
    transcript_talk,
    transcript_verdict,
)
from review_app.ui.i18n import text
from review_app.workflows import running, telling
from review_app.workflows.running import Cell
from review_app.workflows.staging import Stage
from review_app.workflows.telling import Told


@st.cache_resource(max_entries=2, show_spinner=False)
def _stage(_store: Store, path: str, run: int, config_hash: str) -> Stage | None:
    return telling.stage_of(_store, _store.runs.get(run))


@st.cache_resource(max_entries=16, show_spinner=False)
def _told(_store: Store, path: str, unit: int, version: int) -> Told:
    run = _store.runs.get(_store.units.get(unit).run_id)
    return telling.tell(_store, unit, _stage(_store, path, run.id, run.config_hash))


def choose(store: Store, runs: list[Run]) -> int | None:
    """Run, task and trial; the trial is kept in the URL."""
    asked = st.query_params.get("unit", "")
    unit = store.units.get(int(asked)) if asked.isdigit() else None
    named = {each.id: f"{each.id} · {each.name}" for each in runs}
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    st.session_state["transcript_run"] = unit.run_id if unit else runs[0].id
    number: int = row.selectbox(
        text("transcript.run"), list(named), format_func=lambda one: named.get(one, str(one)),
        key="transcript_run", label_visibility="collapsed", width=420, on_change=_open_run,
    )  # fmt: skip
    cells = [cell for cell in running.cells(store, store.runs.get(number)) if _is_told(cell)]
    if not cells:
        st.info(text("transcript.nothing_yet"), icon=":material/hourglass_empty:")
        return None
    here = unit or cells[0].attempts[-1]
    _show_way(row, cells, here.task_id)
    links.keep_in_url("unit", str(here.id))
    trials = [cell for cell in cells if cell.task_id == here.task_id]
    marks = "".join(run_words.mark(cell, is_open=here in cell.attempts) for cell in trials)
    row.html(f"{run_words.mono(here.task_id)} {marks}")
    with row:
        links.to_page("runs", text("common.page.runs"), ":material/grid_on:", run=str(number))
        links.to_page("tasks", text("common.page.tasks"), ":material/task:",
                      domain=store.runs.get(number).domain, task=here.task_id)  # fmt: skip
    return here.id


def _is_told(cell: Cell) -> bool:
    return cell.attempts[-1].state == "done"


def _open_run() -> None:
    with session.noted(), session.opened() as store:
        done = [each for each in store.units.of_run(st.session_state["transcript_run"])
                if each.state == "done"]  # fmt: skip
        links.keep_in_url("unit", str(done[0].id) if done else "")


def _show_way(row: st.delta_generator.DeltaGenerator, cells: list[Cell], task_id: str) -> None:
    firsts: dict[str, int] = {}
    for cell in cells:
        firsts.setdefault(cell.task_id, cell.attempts[-1].id)
    at = list(firsts).index(task_id) if task_id in firsts else 0
    for name, there, shortcut in (("previous", at - 1, "Ctrl+Up"), ("next", at + 1, "Ctrl+Down")):
        is_there = 0 <= there < len(firsts)
        unit = list(firsts.values())[there] if is_there else 0
        row.button(
            text(f"transcript.{name}"), key=f"transcript_{name}", type="tertiary",
            shortcut=shortcut, disabled=not is_there, on_click=links.keep_in_url,
            args=("unit", str(unit)),
        )  # fmt: skip


def show(store: Store, person: Person, unit: int) -> None:
    """The conversation, and the rail beside it."""
    told = _told(store, str(store.path), unit, store.units.get(unit).version)
    left, right = st.columns([13, 7], gap="medium")
    with left:
        st.html(transcript_talk.talk(told.messages, told.recount.steps if told.recount else {})
                or curation_words.quiet(text("transcript.empty")))  # fmt: skip
    with right:
        transcript_rail.show(store, told)
        transcript_verdict.show(store, person, told)


with session.page("transcript") as (store, person):
    if person.role != "maintainer":
        st.info(text("runs.maintainers"), icon=":material/lock:")
        st.stop()
    runs = store.runs.list()
    if not runs:
        st.info(text("runs.none"), icon=":material/play_circle:")
        links.to_page("runs", text("common.page.runs"), ":material/play_circle:")
        st.stop()
    session.show_notice()
    unit = choose(store, runs)
    if unit is not None:
        show(store, person, unit)
