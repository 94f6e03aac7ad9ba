"""The flags of a task: raise one, discuss, triage, take over, close by two people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

import streamlit as st

from review_app.core.tasks.patches import PatchKind
from review_app.models import Person
from review_app.records.curation import Evidence, Flag, FlagOutcome, Remark
from review_app.store import Store
from review_app.ui.shared import curation_words, rule_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import in_words, language, notice_text, text
from review_app.ui.tasks import actions
from review_app.workflows import read_model
from review_app.workflows.curation import flags as curation_flags
from review_app.workflows.curation import validity
from review_app.workflows.curation.flags import FlagCard

SEVERITIES = (0, 1, 2, 3)


def show(store: Store, person: Person, domain: str, task_id: str) -> None:
    """Every flag, open ones first, and the form of a new one where it is asked for."""
    flags = sorted(
        read_model.flags(store, domain, task_id), key=lambda flag: (flag.closed, -flag.severity)
    )
    st.html(curation_words.heading(text("tasks.flags")))
    if person.role == "maintainer" and actions.asking("flag"):
        _raise_form(store, domain, task_id)
    elif not flags:
        st.html(curation_words.quiet(text("tasks.no_flags")))
    names = {member.id: member.name for member in read_model.people(store)}
    for flag in flags:
        with st.container(border=True, key=f"flag-{flag.id}"):
            card = curation_flags.card(store, flag.id)
            st.html(_in_words(card, names))
            if person.role == "maintainer":
                _buttons(person, flag)
                _form(store, flag)


# -- a new flag --------------------------------------------------------------------------------


def _raise_form(store: Store, domain: str, task_id: str) -> None:
    mark = actions.about()
    about = next(
        (
            hit.violation
            for hit in validity.inspect(store, domain, task_id)[task_id]
            if hit.fingerprint == mark
        ),
        None,
    )
    evidence: tuple[Evidence, ...] = ()
    if st.session_state.get("flag_prefilled") != (task_id, mark):
        st.session_state["flag_prefilled"] = (task_id, mark)
        st.session_state["flag_title"] = rule_words.message(about) if about else ""
        st.session_state["flag_description"] = ""
        st.session_state["flag_severity"] = 2 if about and about.level == "error" else 1
    if about:
        evidence = (Evidence("rule", about.code, validity.place_and_message(about)),)
    with st.form("flag_form", enter_to_submit=False):
        st.text_input(text("tasks.flag.title"), key="flag_title")
        row = st.container(horizontal=True, gap="small")
        row.selectbox(
            text("tasks.flag.kind"),
            ["", *get_args(PatchKind)],
            format_func=curation_words.kind,
            key="flag_kind",
            width=210,
        )
        row.selectbox(
            text("tasks.flag.severity"),
            SEVERITIES,
            format_func=curation_words.severity,
            key="flag_severity",
            width=230,
        )
        st.text_area(text("tasks.flag.description"), key="flag_description", height=80)
        if evidence:
            st.html(_evidence(evidence))
        buttons = st.container(horizontal=True, gap="small")
        buttons.form_submit_button(
            text("tasks.flag.send"),
            key="flag_send",
            type="primary",
            shortcut="Ctrl+Enter",
            on_click=actions.raise_flag,
            args=(domain, task_id, evidence),
        )
        buttons.form_submit_button(text("common.cancel"), key="flag_cancel", on_click=actions.ask)


def _evidence(listed: tuple[Evidence, ...]) -> str:
    rows = [
        f"<div class='jt-muted' style='font-size:0.88rem'>{text('tasks.evidence')}: "
        f"<span class='jt-mono'>{safe(curation_words.evidence(piece))}</span> "
        f"{safe(_note(piece))}</div>"
        for piece in listed
    ]
    return "".join(rows)


def _note(shown: Evidence) -> str:
    """What evidence says, in the interface's language."""
    if isinstance(shown.note, str):
        return shown.note
    if shown.kind == "rule" and language() != "en":
        values = shown.note.values
        name = rule_words.name(shown.ref, str(values["message"]))
        return f"{values.get('address', '')} {name}".strip()
    return notice_text(shown.note)


# -- one flag ----------------------------------------------------------------------------------


def _in_words(card: FlagCard, names: Mapping[int, str]) -> str:
    flag = card.flag
    reporter = names.get(flag.reporter_id or 0) or text("tasks.flag.imported")
    owner = names.get(flag.owner_id or 0) or text("tasks.flag.nobody")
    head = (
        f"{curation_words.badge('flag', flag.state)} <b>{safe(in_words(flag.title))}</b>"
        f"<div class='jt-muted'>#{flag.id} · {safe(curation_words.kind(flag.kind))} · "
        f"{safe(curation_words.severity(flag.severity))} · {safe(reporter)} "
        f"{curation_words.moment(flag.created_at)} · "
        f"{safe(text('tasks.flag.owner', name=owner))}</div>"
    )
    body = (
        f"<div class='jt-text'>{safe(in_words(flag.description))}</div>" if flag.description else ""
    )
    remarks = "".join(_remark(remark, names) for remark in card.remarks)
    waiting = ""
    if card.votes and not flag.closed:
        waiting = text("tasks.flag.waits", votes=len(card.votes), needed=card.needed)
        waiting = f"<div class='jt-warning' style='padding:0 0.4rem'>{waiting}</div>"
    parts = (head, body, _evidence(flag.evidence), remarks, waiting)
    return f"<div style='font-size:0.88rem'>{''.join(parts)}</div>"


def _remark(remark: Remark, names: Mapping[int, str]) -> str:
    at, vote = curation_words.moment(remark.created_at), _vote(remark.kind, remark.outcome)
    return (
        f"<div><b>{safe(names.get(remark.person_id, '?'))}</b> "
        f"<span class='jt-muted'>{at} {vote}</span> {safe(remark.body)}</div>"
    )


def _vote(kind: str, outcome: FlagOutcome | None) -> str:
    if kind == "close":
        return text("tasks.flag.vote", outcome=text(f"curation.flag.{outcome}"))
    return text("tasks.flag.reopened") if kind == "reopen" else ""


def _buttons(person: Person, flag: Flag) -> None:
    row = st.container(horizontal=True, gap="small")
    mine = flag.owner_id == person.id
    asks = ["comment", "reopen"] if flag.closed else ["comment", "triage", "close"]
    for name in asks:
        row.button(
            text(f"tasks.flag.{name}"),
            key=f"flag_{name}_{flag.id}",
            type="tertiary",
            on_click=actions.ask,
            args=(name, str(flag.id)),
        )
    if not flag.closed:
        row.button(
            text("tasks.flag.release" if mine else "tasks.flag.own"),
            key=f"flag_own_{flag.id}",
            type="tertiary",
            on_click=actions.own,
            args=(flag.id, flag.version),
            kwargs={"release": mine},
        )


def _form(store: Store, flag: Flag) -> None:
    """The form that one of the buttons asked for."""
    number = str(flag.id)
    if actions.asking("comment", number):
        _text_form("comment", "flag_comment", actions.comment, (flag.id,))
    elif actions.asking("reopen", number):
        arguments = (flag.id, flag.version)
        _text_form("reopen", "flag_reopen_reason", actions.reopen, arguments)
    elif actions.asking("triage", number):
        _triage_form(store, flag)
    elif actions.asking("close", number):
        _close_form(flag)


def _text_form(name: str, key: str, act: Callable[..., None], arguments: tuple[int, ...]) -> None:
    with st.form(f"flag_{name}_form", enter_to_submit=False):
        st.text_area(text(f"tasks.flag.{name}_label"), key=key, height=80)
        _submit(name, act, arguments)


def _triage_form(store: Store, flag: Flag) -> None:
    people = {person.id: person.name for person in read_model.people(store) if person.active}
    with st.form("flag_triage_form", enter_to_submit=False):
        row = st.container(horizontal=True, gap="small")
        kinds = list(get_args(PatchKind))
        row.selectbox(
            text("tasks.flag.kind"),
            kinds,
            format_func=curation_words.kind,
            index=kinds.index(flag.kind) if flag.kind else 0,
            key="flag_triage_kind",
            width=210,
        )
        row.selectbox(
            text("tasks.flag.severity"),
            SEVERITIES,
            format_func=curation_words.severity,
            index=flag.severity,
            key="flag_triage_severity",
            width=230,
        )
        row.selectbox(
            text("tasks.flag.owner_label"),
            [0, *people],
            format_func=lambda owner: people.get(owner) or text("tasks.flag.nobody"),
            index=[0, *people].index(flag.owner_id) if flag.owner_id in people else 0,
            key="flag_triage_owner",
            width=170,
        )
        _submit("triage", actions.triage, (flag.id, flag.version))


def _close_form(flag: Flag) -> None:
    with st.form("flag_close_form", enter_to_submit=False):
        st.selectbox(
            text("tasks.flag.outcome"),
            get_args(FlagOutcome),
            format_func=lambda outcome: text(f"curation.flag.{outcome}"),
            key="flag_outcome",
            width=210,
        )
        st.text_input(text("tasks.flag.reason"), key="flag_reason")
        needed = curation_flags.needed(flag.severity)
        if needed > 1:
            st.caption(text("tasks.flag.two_people", needed=needed))
        _submit("close", actions.close, (flag.id, flag.version))


def _submit(name: str, act: Callable[..., None], arguments: tuple[int, ...]) -> None:
    row = st.container(horizontal=True, gap="small")
    row.form_submit_button(
        text(f"tasks.flag.{name}"),
        key=f"flag_{name}_send",
        type="primary",
        shortcut="Ctrl+Enter",
        on_click=act,
        args=arguments,
    )
    row.form_submit_button(text("common.cancel"), key=f"flag_{name}_cancel", on_click=actions.ask)
