"""Tasks: what is suspect, and everything about one task: story, gold, rules, flags, patches."""

from __future__ import annotations

import streamlit as st

from review_app.ui import session, tasks_card, tasks_list
from review_app.ui.i18n import text

with session.page("tasks") as (store, person):
    with st.container():  # there with and without a notice, so that what follows stays in place
        session.show_notice()
    domains = tasks_list.domains(store)
    if not domains:
        st.info(text("tasks.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project.py", label=text("common.page.project"))
        st.stop()
    task_id = st.query_params.get("task", "")
    if task_id:
        tasks_card.show(store, person, tasks_list.domain_of(domains), task_id)
    else:
        tasks_list.show(store, domains)
