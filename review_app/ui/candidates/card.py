"""One candidate: why it is here, its trials, and what a maintainer does with it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from review_app.core.scoring.empty_passes import described
from review_app.models import Person
from review_app.records.curation import Flag
from review_app.store import Store
from review_app.ui.shared import curation_words, i18n, links, markup, rule_words, run_words, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import in_words, text
from review_app.workflows import read_model
from review_app.workflows.runs import candidates
from review_app.workflows.runs.candidates import Candidate, CandidateSignal


def show(store: Store, run: int, candidate: Candidate, answer: Flag | None, place: int) -> None:
    """A card; its place is the rank."""
    domain = read_model.run(store, run).domain
    with st.container(border=True, key=f"candidate-{candidate.task_id}"):
        st.html(_head(candidate, domain, place) + _signals(candidate) + _trials(candidate))
        if answer is not None:
            st.html(_answer(answer))
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        if answer is None:
            row.button(
                text("candidates.flag"),
                key=f"candidate_flag_{candidate.task_id}",
                icon=":material/flag:",
                on_click=_flag,
                args=(run, candidate.task_id),
                disabled=candidate.is_model_or_settings,
            )
            row.button(
                text("candidates.dismiss"),
                key=f"candidate_dismiss_{candidate.task_id}",
                icon=":material/block:",
                on_click=_ask,
                args=(candidate.task_id,),
            )
        with row:
            links.to_page(
                "tasks",
                text("candidates.task"),
                ":material/task:",
                domain=domain,
                task=candidate.task_id,
            )
        if st.session_state.get("candidates_asking") == candidate.task_id:
            _form(run, candidate.task_id)


def unproved(suspects: Sequence[Candidate]) -> str:
    """The tasks that are solved only by passes that prove nothing; empty if there are none."""
    tasks = [suspect.task_id for suspect in suspects if suspect.shown == "not_shown"]
    if not tasks:
        return ""
    return links.plain(text("candidates.not_shown", count=len(tasks), tasks=", ".join(tasks)))


# -- what it says ------------------------------------------------------------------------------


def _head(candidate: Candidate, domain: str, place: int) -> str:
    failed = text("candidates.failed", failed=candidate.failed, valid=candidate.valid)
    points = "model" if candidate.is_model_or_settings else "task"
    points = "early_stop" if candidate.is_early_stop else points
    look = "error" if points == "task" else "contested"
    left_out = text("candidates.left_out", count=candidate.uncounted) if candidate.uncounted else ""
    return (
        f"<div><span class='jt-muted'>{place}.</span> "
        f"<b>{safe(f'{domain} {candidate.task_id}')}</b>"
        f" &nbsp; <span class='jt-state jt-error'>{failed}</span> "
        f"<span class='jt-state jt-{look}'>{text(f'candidates.points.{points}')}</span> "
        f"<span class='jt-muted'>{left_out}</span></div>"
    )


def _signals(candidate: Candidate) -> str:
    rows = [_signal(signal) for signal in candidate.signals]
    for kind, count in candidate.agent_errors.items():
        words = text("candidates.agent_errors", count=count, kind=text(f"runs.kind.{kind}"))
        rows.append(safe(words))
    if candidate.early_stops:
        rows.append(safe(text("candidates.early_stops", count=candidate.early_stops)))
    if candidate.empty:
        rows.append(safe(i18n.notice_text(described(candidate.empty))))
    if not rows:
        return curation_words.quiet(text("candidates.no_signals"))
    return markup.items(rows)


def _signal(signal: CandidateSignal) -> str:
    if signal.kind == "rules":
        code, message = str(signal.note.values["rule"]), str(signal.note.values["message"])
        said = message if i18n.language() == "en" else rule_words.name(code, message)
        return f"<span class='jt-mono'>{safe(code)}</span> {safe(said)}"
    return f"{safe(i18n.notice_text(signal.note))} {_links(signal.units)}"


def _trials(candidate: Candidate) -> str:
    words = safe(text("candidates.trials"))
    return (
        f"<div style='font-size:0.88rem'><span class='jt-muted'>{words}</span> "
        f"{_links(candidate.units)}</div>"
    )


def _links(units: Sequence[int]) -> str:
    return " ".join(
        f"<a href='{safe(run_words.transcript_url(unit))}' target='_self'>#{unit}</a>"
        for unit in units
    )


def _answer(flag: Flag) -> str:
    said = safe(flag.resolution or in_words(flag.title))
    return (
        f"<div style='font-size:0.88rem'>{curation_words.badge('flag', flag.state)} "
        f"<span class='jt-muted'>{text('candidates.flag_no', number=flag.id)}</span> {said}</div>"
    )


# -- what is done with it ----------------------------------------------------------------------


def _form(run: int, task_id: str) -> None:
    with st.form("candidates_form", enter_to_submit=False):
        st.text_input(text("candidates.reason"), key="candidates_reason")
        row = st.container(horizontal=True, gap="small")
        row.form_submit_button(
            text("candidates.dismiss_send"),
            key="candidates_send",
            type="primary",
            shortcut="Ctrl+Enter",
            on_click=_dismiss,
            args=(run, task_id),
        )
        row.form_submit_button(text("common.cancel"), key="candidates_cancel", on_click=_ask)


def _ask(task_id: str = "") -> None:
    st.session_state["candidates_asking"] = task_id


def _found(store: Store, run: int, task_id: str) -> Candidate:
    return next(
        candidate for candidate in candidates.find(store, run) if candidate.task_id == task_id
    )


def _flag(run: int, task_id: str) -> None:
    with session.noted(), session.opened() as store:
        person: Person = session.current_person(store)
        flag = candidates.open_flag(store, person, run, _found(store, run, task_id))
        st.session_state["notice"] = ("success", text("candidates.flagged", number=flag.id))


def _dismiss(run: int, task_id: str) -> None:
    with session.noted(), session.opened() as store:
        reason = str(st.session_state.get("candidates_reason") or "")
        person: Person = session.current_person(store)
        candidates.dismiss(store, person, run, _found(store, run, task_id), reason=reason)
        _ask()
        st.session_state["notice"] = ("success", text("candidates.dismissed"))
