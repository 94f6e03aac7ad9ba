"""The chosen term: its fields, what an edit would affect, and its history."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import streamlit as st

from review_app.models import Person, Term
from review_app.store import Store
from review_app.ui.glossary import effect as glossary_effect
from review_app.ui.glossary import fields, history
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.review import glossary
from review_app.workflows.review.glossary import TermEffect

PREVIEW_S = 20
"""How old the shown effect of an edit may be. Saving looks anew."""


def open_term(term: int | None, notice: str = "") -> None:
    """Show a term (0: a new one, None: none) and forget what was typed about another."""
    st.session_state["glossary_term"] = term
    st.session_state["glossary_opened"] = None
    st.session_state["glossary_notice"] = notice
    st.session_state["glossary_turn"] = st.session_state.get("glossary_turn", 0) + 1


def open_row(term: int | None) -> None:
    """Show the term chosen in the grid; None if the choice was taken back."""
    st.session_state["glossary_term"] = term
    st.session_state["glossary_opened"] = None


def show_notice() -> None:
    """What the last save did, and the way back from a removal."""
    notice = st.session_state.get("glossary_notice")
    if not notice:
        return
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.success(links.plain(notice), icon=":material/check:")
    if st.session_state.get("glossary_removed"):
        row.button(
            text("glossary.undo_remove"),
            key="glossary_undo_remove",
            icon=":material/undo:",
            on_click=_bring_back_removed,
        )


@st.cache_data(ttl=PREVIEW_S, max_entries=32, show_spinner=False)
def _preview(
    _store: Store, path: str, edition: str, old: Term | None, new: Term | None
) -> TermEffect:
    """What an edit would affect; all sources are searched, so not for every click anew."""
    return glossary.preview(_store, old, new)


def show(store: Store, person: Person, violated: dict[int, int]) -> None:
    """The editor of the chosen term, or a line that says how to choose one."""
    number = chosen()
    if number is None:
        st.html(f"<div class='jt-muted'>{text('glossary.choose')}</div>")
        return
    old = next((term for term in read_model.terms(store) if term.id == number), None)
    if number and old is None:
        st.warning(text("glossary.gone"), icon=":material/delete:")
        return
    opened = st.session_state.get("glossary_opened")
    if opened is None:
        opened = st.session_state["glossary_opened"] = old.version if old else 0
    prefix = f"term_{number}_{opened}"
    with st.container(border=True, key="glossary-editor"):
        left, right = st.columns([5, 4], gap="medium")
        with left:
            if old and old.version != opened:
                st.warning(text("glossary.changed_meanwhile"), icon=":material/sync_problem:")
                st.button(
                    text("glossary.load"), key="glossary_load", on_click=open_term, args=(old.id,)
                )
            new = fields.show(store, prefix, old)
            read = replace(old, version=opened) if old else None
        complete = bool(new.source.strip() and new.target.strip())
        with st.spinner(text("glossary.looking"), show_time=True):
            edition = read_model.glossary_edition(store)
            effect = _preview(store, str(store.path), edition, old, new if complete else None)
        with right:
            glossary_effect.show(effect, old, violated.get(number, 0))
        with left:
            _show_buttons(store, person, read, new, effect)
        if old is not None:
            history.show(store, old, prefix)


def chosen() -> int | None:
    """The id of the chosen term, kept in the URL."""
    if "glossary_term" not in st.session_state:
        asked = st.query_params.get("term", "")
        st.session_state["glossary_term"] = int(asked) if asked.isdigit() else None
    number: int | None = st.session_state["glossary_term"]
    links.keep_in_url("term", "" if number is None else str(number))
    return number


def _show_buttons(
    store: Store, person: Person, old: Term | None, new: Term, effect: TermEffect
) -> None:
    changed = old is None or replace(new, id=old.id, version=old.version) != old
    complete = bool(new.source.strip() and new.target.strip())
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    saving = row.button(
        text("common.save"),
        key="glossary_save",
        type="primary",
        disabled=not complete or not changed,
        icon=":material/save:",
    )
    if old is not None:
        with row.popover(text("glossary.remove"), icon=":material/delete:", key="glossary_ask"):
            st.write(text("glossary.remove_ask", count=len(effect.affected)))
            if st.button(text("glossary.remove_yes"), key="glossary_remove", type="primary"):
                _save(store, person, old, None)
    row.button(
        text("glossary.close"),
        key="glossary_close",
        on_click=open_term,
        args=(None,),
        type="tertiary",
    )
    if changed and old is not None:
        row.html(f"<span class='jt-muted'>{text('glossary.unsaved')}</span>")
    if saving:
        _save(store, person, old, new)


def _save(store: Store, person: Person, old: Term | None, new: Term | None) -> None:
    """Save, check the affected segments again, and say what happened."""
    with session.guard(), st.spinner(text("glossary.checking"), show_time=True):
        effect = glossary.save_term(store, person, old, new)
        st.session_state["glossary_removed"] = asdict(old) if old and new is None else None
        zone = ZoneInfo(st.context.timezone or "UTC")
        done = "removed" if new is None else "saved"
        term = new or old
        notice = text(
            f"glossary.{done}",
            source=term.source if term else "",
            affected=len(effect.affected),
            requeued=len(effect.requeued),
            time=f"{datetime.now(zone):%H:%M:%S}",
        )
        open_term(old.id if old and new else None, notice)
        st.rerun()


def _bring_back_removed() -> None:
    """Fill the form of a new term with the one that was removed last."""
    values: dict[str, Any] = st.session_state["glossary_removed"]
    open_term(0)
    st.session_state["glossary_opened"] = 0
    st.session_state["glossary_removed"] = None
    packed = {
        name: json.dumps(value) if isinstance(value, list | tuple) else value
        for name, value in values.items()
    }
    fields.fill("term_0_0", packed)
