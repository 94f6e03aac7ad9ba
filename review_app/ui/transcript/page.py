"""Transcript: one trial's conversation beside its gold, and whose fault it was."""

from __future__ import annotations

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import curation_words, links, session
from review_app.ui.shared.i18n import text
from review_app.ui.transcript import choice, rail, verdict
from review_app.ui.transcript import talk as transcript_talk
from review_app.workflows import read_model
from review_app.workflows.runs import transcript
from review_app.workflows.runs.snapshot import Stage
from review_app.workflows.runs.transcript import Transcript


@st.cache_resource(max_entries=2, show_spinner=False)
def _stage(_store: Store, path: str, run: int, config_hash: str) -> Stage | None:
    return transcript.stage_of(_store, _store.runs.get(run))


@st.cache_resource(max_entries=16, show_spinner=False)
def _told(_store: Store, path: str, unit: int, version: int) -> Transcript:
    run = _store.runs.get(_store.units.get(unit).run_id)
    return transcript.of_trial(_store, unit, _stage(_store, path, run.id, run.config_hash))


def show(store: Store, person: Person, unit: int, version: int) -> None:
    """The conversation, and the rail beside it."""
    trial = _told(store, str(store.path), unit, version)
    left, right = st.columns([13, 7], gap="medium")
    with left:
        steps = trial.recount.steps if trial.recount else {}
        talk = transcript_talk.talk(trial.messages, steps)
        st.html(talk or curation_words.quiet(text("transcript.empty")))
    with right:
        rail.show(store, trial)
        verdict.show(store, person, trial)


with session.page("transcript") as (store, person):
    if person.role != "maintainer":
        st.info(text("runs.maintainers"), icon=":material/lock:")
        st.stop()
    every = read_model.runs(store)
    runs = [run for run in every if read_model.trial_counts(store, run.id).get("done")]
    if not runs:
        words = text("transcript.nothing_yet" if every else "runs.none")
        st.info(words, icon=":material/play_circle:")
        links.to_page("runs", text("common.page.runs"), ":material/play_circle:")
        st.stop()
    session.show_notice()
    unit = choice.choose(store, runs)
    if unit.state == "done":
        show(store, person, unit.id, unit.version)
    else:
        st.info(text("transcript.not_ended"), icon=":material/hourglass_empty:")
