"""Scores: runs side by side under any profile, with coverage, intervals, causes, comparisons."""

from __future__ import annotations

from zlib import crc32

import streamlit as st

from review_app.core.scoring.accounting import PROFILES
from review_app.records.runs import Run
from review_app.store import Store
from review_app.ui.scores import pair, plot, tables, today
from review_app.ui.shared import grid, links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.runs import scores
from review_app.workflows.runs.scores import Grades

FIRST = 6  # runs shown until somebody chooses


@st.cache_data(max_entries=64, show_spinner=False)
def _grades(_store: Store, path: str, run: int, profile: str, edition: str) -> Grades:
    return scores.score(_store, run, profile or None)


def graded(store: Store, run: Run, profile: str) -> Grades:
    """A run's scores; made again when a trial ends or somebody gives a verdict."""
    said = [verdict.id for verdict in read_model.verdicts(store, run=run.id)]
    edition = repr(
        (run.version, read_model.trial_counts(store, run.id), crc32(repr(said).encode()))
    )
    return _grades(store, str(store.path), run.id, profile, edition)


def choose(runs: list[Run]) -> tuple[list[int], str]:
    """Runs and profile, kept in the URL."""
    named = {run.id: f"{run.id} · {run.name}" for run in runs}
    if "scores_runs" not in st.session_state:
        asked = st.query_params.get("runs") or st.query_params.get("run") or ""
        listed = [
            int(number) for number in asked.split(",") if number.isdigit() and int(number) in named
        ]
        st.session_state["scores_runs"] = listed or list(named)[:FIRST]
    st.session_state["scores_runs"] = [
        number for number in st.session_state["scores_runs"] if number in named
    ]
    chosen: list[int] = st.multiselect(
        text("scores.runs"),
        list(named),
        format_func=lambda number: named.get(number, str(number)),
        key="scores_runs",
        label_visibility="collapsed",
        placeholder=text("scores.pick"),
    )
    grid.remember("scores", "profile", ["", *PROFILES])
    st.segmented_control(
        text("scores.profile"),
        ["", *PROFILES],
        key="scores_profile",
        required=True,
        format_func=lambda number: number or text("scores.own_profile"),
        label_visibility="collapsed",
    )
    profile = str(st.session_state["scores_profile"])
    st.caption(text(f"scores.profile_note.{profile or 'own'}"))
    links.keep_in_url("profile", profile)
    links.keep_in_url("runs", ",".join(map(str, chosen)), ",".join(map(str, list(named)[:FIRST])))
    return chosen, profile


with session.page("scores") as (store, person):
    if person.role != "maintainer":
        st.info(text("runs.maintainers"), icon=":material/lock:")
        st.stop()
    runs = [
        run for run in read_model.runs(store) if read_model.trial_counts(store, run.id).get("done")
    ]
    if not runs:
        st.info(text("scores.none"), icon=":material/play_circle:")
        links.to_page("runs", text("common.page.runs"), ":material/play_circle:")
        st.stop()
    chosen, profile = choose(runs)
    if not chosen:
        st.info(text("scores.choose"), icon=":material/checklist:")
        st.stop()
    grades = {run.id: graded(store, run, profile) for run in runs if run.id in chosen}
    tables.show(grades)
    plot.show(grades)
    tables.show_profiles(grades)
    today.show(store, list(grades), profile)
    tables.show_causes(grades)
    pair.show(store, grades)
