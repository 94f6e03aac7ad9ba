"""The editor of the Review page: text with autosave, answers, findings, and refused saves."""

from __future__ import annotations

from datetime import datetime
from html import escape
from pathlib import Path
from zoneinfo import ZoneInfo

import streamlit as st

from review_app.core.review import rules, textdiff
from review_app.models import Person
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.ui.review import actions
from review_app.ui.shared import markup, session
from review_app.ui.shared.i18n import finding_text, text
from review_app.workflows.review import answers
from review_app.workflows.review.card import Card

CATEGORIES = ("terminology", "accuracy", "linguistic", "style", "locale", "design")
"""MQM's top-level error types that apply to a text."""
SEVERITIES = ("minor", "major", "critical", "neutral")

_desk = st.components.v2.component(
    "jt_desk", js=Path(__file__).with_name("desk.js").read_text(encoding="utf-8")
)


def show(store: Store, card: Card, person: Person, wanted: QueueFilter) -> None:
    """The text area with its buttons, what the checks found, and a conflict if there is one."""
    version = card.segment.version
    key = actions.text_key(card.segment.id, version)
    conflict = card.draft is not None and card.draft.base_version != version
    if conflict:
        _conflict(card)
    elif key not in st.session_state:
        st.session_state[key] = card.draft.target if card.draft else card.segment.target or ""
    arguments = (card.segment.id, version, wanted)
    with st.form("edit", border=False, enter_to_submit=False):
        st.text_area(
            text("review.edit"), key=key, height=_height(card), label_visibility="collapsed"
        )
        _buttons(card, person, arguments)
    if actions.asking(card.segment.id) == "request":
        _request_form(arguments)
    settles = rules.may_settle(card.segment.state, person)
    hint = "review.adjudicate_help" if settles else "review.approve_help"
    saved(card.segment.id, version, card.draft.saved_at if card.draft else "", hint)
    _findings(card)


def _height(card: Card) -> int:
    longest = max(len(card.segment.target or ""), len(card.segment.source) // 2)
    lines = max(longest // 46, (card.segment.target or card.segment.source).count("\n")) + 2
    return min(max(lines, 3), 14) * 24 + 20


def _buttons(card: Card, person: Person, arguments: tuple[str, int, QueueFilter]) -> None:
    row = st.container(horizontal=True, gap="small")
    settles = rules.may_settle(card.segment.state, person)
    row.form_submit_button(
        text("review.adjudicate" if settles else "review.approve"),
        key="approve",
        type="primary",
        shortcut="Ctrl+Enter",
        on_click=actions.approve,
        args=arguments,
    )
    row.form_submit_button(
        text("review.request"), key="ask", on_click=actions.ask, args=("request", *arguments[:2])
    )
    for name, shortcut, back in (("previous", "Ctrl+Up", True), ("next", "Ctrl+Down", False)):
        row.form_submit_button(
            text(f"review.{name}"),
            key=name,
            shortcut=shortcut,
            on_click=actions.step,
            args=(*arguments, back),
        )
    row.form_submit_button(text("review.undo"), key="undo", on_click=actions.undo)


def _request_form(arguments: tuple[str, int, QueueFilter]) -> None:
    """The reason for a change, with an MQM mark; drawn only when it was asked for."""
    with st.form("request_form", enter_to_submit=False):
        st.text_area(text("review.reason"), key="reason", height=80)
        row = st.container(horizontal=True, vertical_alignment="bottom")
        shown = {name: text(f"review.mqm.{name}") for name in (*CATEGORIES, *SEVERITIES)}
        row.selectbox(
            text("review.mqm"),
            ["", *CATEGORIES],
            format_func=(shown | {"": "—"}).__getitem__,
            key="mark_category",
            width=220,
        )
        row.selectbox(
            text("review.mqm_severity"),
            SEVERITIES,
            format_func=shown.__getitem__,
            key="mark_severity",
            width=140,
        )
        row.form_submit_button(
            text("review.request_send"),
            key="request",
            type="primary",
            on_click=actions.request_change,
            args=arguments,
        )
        row.form_submit_button(text("common.cancel"), key="request_cancel", on_click=actions.ask)


@st.fragment
def saved(segment_id: str, version: int, saved_at: str, hint: str) -> None:
    """Keep what is being typed, and say when it was kept; redraws only itself."""
    key = actions.text_key(segment_id, version)
    typed = _desk(
        key="desk",
        data={"key": key, "segment": segment_id, "version": version},
        on_typed_change=lambda: None,
    ).typed
    if typed and typed["segment"] == segment_id and typed["version"] == version:
        with session.guard(), session.opened() as store:
            saved_at = answers.save_draft(
                store,
                segment_id,
                session.current_person(store),
                target=str(typed["text"]),
                base_version=version,
            )
    st.caption(text("review.saved", time=_clock(saved_at)) if saved_at else text(hint))


def _clock(moment: str) -> str:
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    return datetime.fromisoformat(moment).astimezone(zone).strftime("%H:%M:%S")


def _findings(card: Card) -> None:
    if not card.findings:
        return
    rows = []
    for finding in card.findings:
        words = escape(finding_text(finding.finding))
        if finding.dismissed:
            who = card.people.get(finding.dismissed.person_id, "?")
            why = escape(f"{who}: {finding.dismissed.reason}")
            words = f"<s>{words}</s> <span class='jt-muted'>{why}</span>"
        rows.append(
            f"{markup.severity(finding.finding.severity)} "
            f"<span class='jt-mono jt-muted'>{finding.finding.code}</span> {words}"
        )
    st.html(markup.items(rows))
    if actions.asking(card.segment.id) == "dismiss":
        _dismiss_form(card)
    else:
        st.button(
            text("review.dismiss"),
            key="ask_dismiss",
            type="tertiary",
            icon=":material/visibility_off:",
            on_click=actions.ask,
            args=("dismiss", card.segment.id, card.segment.version),
        )


def _dismiss_form(card: Card) -> None:
    """Which finding is no fault and why; drawn only when it was asked for."""
    row = st.container(horizontal=True, vertical_alignment="bottom", border=True)
    open_findings = {finding.fingerprint: finding for finding in card.findings}
    shown = {
        name: f"{stored.finding.code} {finding_text(stored.finding)}"
        for name, stored in open_findings.items()
    }
    chosen = row.selectbox(
        text("review.finding"),
        list(open_findings),
        format_func=shown.__getitem__,
        key=f"dismiss-{card.segment.id}",
        width=300,
    )
    withdraw = open_findings[chosen].dismissed is not None
    row.text_input(
        text("review.dismiss_reason"), key="dismiss_reason", disabled=withdraw, width=230
    )
    row.button(
        text("review.dismiss_withdraw" if withdraw else "review.dismiss_send"),
        key="dismiss",
        on_click=actions.dismiss,
        args=(card.segment.id, chosen, withdraw),
    )


def _conflict(card: Card) -> None:
    """Somebody saved meanwhile: base, theirs and mine, and one click for each hunk of mine."""
    draft, segment = card.draft, card.segment
    if draft is None:
        return
    theirs, mine = segment.target or "", draft.target
    base = next((r.target for r in card.revisions if r.version == draft.base_version), "")
    st.warning(text("review.conflict", base=draft.base_version, theirs=segment.version))
    columns = st.columns(3)
    for column, name, content in zip(
        columns,
        ("base", "theirs", "mine"),
        (markup.block(base), markup.difference(base, theirs), markup.difference(base, mine)),
        strict=True,
    ):
        column.html(
            f'<div class="jt-label">{escape(text(f"review.conflict.{name}"))}</div>{content}'
        )
    hunks = [piece for piece in textdiff.pieces(theirs, mine) if piece.changed]
    take = st.pills(
        text("review.conflict.hunks"),
        range(len(hunks)),
        format_func=lambda n: f"{_short(hunks[n].old)} → {_short(hunks[n].new)}",
        selection_mode="multi",
        default=range(len(hunks)),
        key=f"hunks-{segment.id}-{segment.version}",
    )
    merged = textdiff.merged(theirs, mine, take)
    st.session_state[actions.text_key(segment.id, segment.version)] = merged
    st.button(
        text("review.conflict.drop"),
        key="conflict_drop",
        on_click=actions.drop_draft,
        args=(segment.id, segment.version),
    )


def _short(content: str) -> str:
    content = content.replace("\n", "⏎") or "∅"
    return content if len(content) <= 14 else f"{content[:13]}…"
