"""Review: read a segment, answer, and be at the next one."""

from __future__ import annotations

import streamlit as st

from review_app.records.review import QueueFilter
from review_app.ui.review import actions, editor
from review_app.ui.review import card as review_card
from review_app.ui.review import queue as review_queue
from review_app.ui.review import side as review_side
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.review import card as cards


@st.fragment
def workspace(wanted: QueueFilter) -> None:
    """Queue, card and side panel; an answer redraws these and nothing else."""
    with session.guard(), session.opened() as store:
        person = session.current_person(store)
        segment_id = actions.current(store, person, wanted)
        if segment_id is None:
            review_queue.show_empty(store, wanted)
            return
        card = cards.card(store, segment_id, person)
        queue, middle, side = st.columns([1.25, 3.5, 1.35], gap="small")
        with middle:  # first: what a person waits for
            review_card.show(store, card)
            editor.show(store, card, person, wanted)
        with side:
            review_side.show(store, card, person)
        with queue:
            review_queue.show(store, card, person, wanted)


with session.page("review") as (store, _):
    if not read_model.domains(store):
        st.info(text("review.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    workspace(review_queue.filters(store))
