"""Whose fault a trial was: what I say, and after that what the judge and others say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from review_app.models import Person
from review_app.notices import Notice
from review_app.records.runs import TrialVerdict
from review_app.store import Store
from review_app.ui.shared import curation_words, run_words, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model
from review_app.workflows.runs import attribution
from review_app.workflows.runs.transcript import Transcript


def show(store: Store, person: Person, trial: Transcript) -> None:
    """The form, my verdict, and the others' once I have answered or asked for the judge's."""
    said = read_model.verdicts(store, unit=trial.unit.id)
    people = [verdict for verdict in said if verdict.layer == "human"]
    mine = [verdict for verdict in people if verdict.person_id == person.id]
    st.html(curation_words.heading(text("transcript.verdict")))
    names = {verdict.id: verdict.name for verdict in read_model.people(store)}
    if mine:
        for verdict in people:
            st.html(_told(verdict, names.get(verdict.person_id or 0, "?")))
    _form(trial)
    _show_judge([verdict for verdict in said if verdict.layer == "judge"], trial.unit.id)


def cause_words(cause: str) -> str:
    """Whom somebody blames, in words."""
    return text(f"runs.cause.{cause or 'unknown'}")


def _told(verdict: TrialVerdict, name: str) -> str:
    turn = "" if verdict.turn is None else text("transcript.in_message", number=verdict.turn)
    return (
        f"<div style='font-size:0.88rem'><b>{safe(cause_words(verdict.cause))}</b> "
        f"<span class='jt-muted'>{safe(name)} {curation_words.moment(verdict.created_at)} "
        f"{turn}</span> {safe(verdict.note)}</div>"
    )


def _form(trial: Transcript) -> None:
    unit = trial.unit.id
    with st.form(f"verdict_form_{unit}", enter_to_submit=False):
        st.segmented_control(
            text("transcript.cause"),
            attribution.CAUSES,
            format_func=cause_words,
            key=f"verdict_cause_{unit}",
            label_visibility="collapsed",
        )
        row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        row.number_input(
            text("transcript.turn"),
            min_value=0,
            max_value=max(len(trial.messages) - 1, 0),
            value=None,
            step=1,
            key=f"verdict_turn_{unit}",
            width=130,
        )
        row.text_input(text("transcript.note"), key=f"verdict_note_{unit}")
        st.form_submit_button(
            text("transcript.say"),
            key="verdict_say",
            type="primary",
            shortcut="Ctrl+Enter",
            on_click=_say,
            args=(unit,),
        )


def _show_judge(said: Sequence[TrialVerdict], unit: int) -> None:
    if not said:
        st.html(curation_words.quiet(text("transcript.no_judge")))
        return
    if not st.toggle(text("transcript.ask_judge"), key=f"verdict_judge_{unit}"):
        return
    for kind in ("cause", "user_review", "assertions"):
        verdict = attribution.latest(said, "judge", kind)
        if verdict is not None:
            st.html(_judged(verdict))


def _judged(verdict: TrialVerdict) -> str:
    head = f"<b>{text(f'transcript.judge.{verdict.kind}')}</b>"
    who = f"<span class='jt-muted'>{safe(verdict.model)}</span>"
    cause = f" {safe(cause_words(verdict.cause))}" if verdict.kind == "cause" else ""
    turn = "" if verdict.turn is None else f" {text('transcript.in_message', number=verdict.turn)}"
    errors = "".join(_error(user_error) for user_error in verdict.content.get("errors") or ())
    problem = notice_text(Notice.from_json(str(verdict.content.get("problem") or "")))
    raw = curation_words.folded(
        text("transcript.raw"), f"<div class='jt-text jt-mono'>{safe(verdict.raw)}</div>"
    )
    return (
        f"<div class='jt-info' style='padding:0.2rem 0.6rem;font-size:0.88rem'>{head}{cause}{turn} "
        f"{who}<div>{safe(verdict.note)}</div>{errors}<div>{safe(problem)}</div>{raw}</div>"
    )


def _error(user_error: Mapping[str, Any]) -> str:
    tags = ", ".join(str(tag) for tag in user_error.get("tags") or ())
    words = f"{user_error.get('turn_idx')} · {user_error.get('severity')} · {tags}"
    return f"<div>{run_words.mono(words)} {safe(str(user_error.get('reasoning') or ''))}</div>"


def _say(unit: int) -> None:
    with session.noted(), session.opened() as store:
        cause = st.session_state.get(f"verdict_cause_{unit}")
        if not cause:
            st.session_state["notice"] = ("warning", text("transcript.cause_needed"))
            return
        attribution.judge(
            store,
            session.current_person(store),
            unit,
            cause=cause,
            turn=st.session_state.get(f"verdict_turn_{unit}"),
            note=str(st.session_state.get(f"verdict_note_{unit}") or ""),
        )
        st.session_state["notice"] = ("success", text("transcript.noted"))
