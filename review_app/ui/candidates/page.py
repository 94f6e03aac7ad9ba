"""Candidates: tasks that fail too often, why each is here, one click to flag or to dismiss."""

from __future__ import annotations

import streamlit as st

from review_app.records.runs import Run
from review_app.store import Store
from review_app.ui.candidates import card
from review_app.ui.shared import grid, links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.runs import candidates

SHOWN = 20  # cards; the rest is a click away


def choose(store: Store, runs: list[Run]) -> tuple[int, bool]:
    """The run, and whether tasks that are answered are shown too; both kept in the URL."""
    named = {str(run.id): f"{run.id} · {run.name}" for run in runs}
    grid.remember("candidates", "run", list(named))
    st.session_state["candidates_run"] = st.session_state["candidates_run"] or next(iter(named))
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    chosen: str = row.selectbox(
        text("candidates.run"),
        list(named),
        format_func=lambda number: named.get(number, number),
        key="candidates_run",
        label_visibility="collapsed",
        width=420,
    )
    every = row.toggle(text("candidates.answered"), key="candidates_answered")
    with row:
        links.to_page("runs", text("common.page.runs"), ":material/grid_on:", run=chosen)
        links.to_page("scores", text("common.page.scores"), ":material/scatter_plot:", run=chosen)
    links.keep_in_url("run", chosen, next(iter(named)))
    return int(chosen), every


def show(store: Store, run: int, *, every: bool) -> None:
    """The cards, the most suspect first, and what there is to say where there are none."""
    with st.spinner(text("candidates.looking"), show_time=True):
        suspects = candidates.find(store, run, every=True)
    answers = candidates.answered(store, run)
    listed = [suspect for suspect in suspects if suspect.standing == "candidate"]
    waiting = [suspect for suspect in listed if suspect.task_id not in answers]
    incomplete = sum(suspect.standing == "incomplete" for suspect in suspects)
    st.caption(
        text("candidates.counts", tasks=len(suspects), candidates=len(listed), waiting=len(waiting))
        + (" " + text("candidates.incomplete", count=incomplete) if incomplete else "")
    )
    if words := card.unproved(suspects):
        st.warning(words, icon=":material/help:")
    shown = listed if every else waiting
    if not shown:
        key = "none" if not listed else "all_answered"
        st.success(text(f"candidates.{key}"), icon=":material/check_circle:")
    if any(suspect.is_model_or_settings for suspect in shown):
        st.warning(text("candidates.model_first"), icon=":material/tune:")
    if len(shown) > SHOWN and not st.toggle(
        text("candidates.show_all", count=len(shown)), key="candidates_all"
    ):
        shown = shown[:SHOWN]
    for at, suspect in enumerate(shown, 1):
        card.show(store, run, suspect, answers.get(suspect.task_id), at)


with session.page("candidates") as (store, person):
    if person.role != "maintainer":
        st.info(text("runs.maintainers"), icon=":material/lock:")
        st.stop()
    runs = read_model.runs(store)
    if not runs:
        st.info(text("runs.none"), icon=":material/play_circle:")
        links.to_page("runs", text("common.page.runs"), ":material/play_circle:")
        st.stop()
    session.show_notice()
    run, every = choose(store, runs)
    show(store, run, every=every)
