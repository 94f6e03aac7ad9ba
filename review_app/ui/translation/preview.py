"""Exactly what would be sent for a text, as plain text."""

from __future__ import annotations

import streamlit as st

from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.localization import translation, translation_plan

CHOICES = 50


def show(store: Store, domain: str, prompt: str) -> None:
    """Search for a text of the template's kind, and the messages in which it would be sent."""
    kind = prompt.removeprefix("translate/") if prompt.startswith("translate/") else ""
    st.html(f"<b>{text('translation.preview')}</b>")
    row = st.columns([1, 2], gap="small")
    words = row[0].text_input(
        text("translation.search"),
        key="translation_search",
        icon=":material/search:",
        placeholder=text("translation.search"),
        label_visibility="collapsed",
    )
    wanted = QueueFilter(domain=domain, kind="" if kind == "system" else kind, search=words)
    entries = {entry.id: entry for entry in read_model.queue_entries(store, wanted, limit=CHOICES)}
    if not entries:
        st.info(text("translation.no_match"), icon=":material/filter_alt_off:")
        return
    if st.session_state.get("translation_segment") not in entries:
        st.session_state["translation_segment"] = next(iter(entries))
    chosen: str = row[1].selectbox(
        text("translation.segment"),
        list(entries),
        key="translation_segment",
        format_func=lambda segment_id: (
            f"{entries[segment_id].address} · {entries[segment_id].excerpt[:60]}"
        ),
        label_visibility="collapsed",
    )
    st.caption(text("translation.preview_help"))
    with session.guard():
        with st.spinner(text("translation.planning"), show_time=True):
            order = translation.order_of(store, domain, {})
            messages = translation_plan.preview(store, chosen, order)
        for message in messages:
            role = text(f"translation.role.{message['role']}")
            st.html(f"<div class='jt-label'>{role}</div>")
            st.code(message["content"], language=None, wrap_lines=True, height=320)
