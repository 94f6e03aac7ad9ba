"""Tasks: what is suspect, and everything about one task: story, gold, rules, flags, patches."""

from __future__ import annotations

import streamlit as st

from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import card
from review_app.ui.tasks import list as tasks_list


@st.fragment
def workspace(domain: str) -> None:
    """One task; its buttons redraw this and nothing else."""
    with session.guard(), session.opened() as store:
        with st.container():  # there with and without a notice, so that the rest stays in place
            session.show_notice()
        task_id = card.opened()
        if not task_id:
            st.rerun()
        card.show(store, session.current_person(store), domain, task_id)
        links.keep_quietly("task", task_id)


with session.page("tasks") as (store, person):
    domains = tasks_list.domains(store)
    if not domains:
        st.info(text("tasks.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    card.follow_url()
    if card.opened():
        workspace(tasks_list.domain_of(domains))
    else:
        tasks_list.show(store, domains)
