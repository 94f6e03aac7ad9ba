"""Statistics of curation: groups of tasks (Table 12), rule hits before and after patches, flags."""

from __future__ import annotations

import streamlit as st

from review_app.store import Store
from review_app.ui.overview import curation
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.ui.statistics import tables
from review_app.ui.tasks import list as tasks_list
from review_app.workflows.curation import statistics
from review_app.workflows.curation.statistics import Statistics


def counted(store: Store, domains: list[str]) -> Statistics:
    """The counts; made again when a patch, a flag, a task or a rule changes."""
    edition = repr([tasks_list.edition(store, name) for name in domains])
    with st.spinner(text("statistics.counting"), show_time=True):
        return _counted(store, str(store.path), edition)


@st.cache_data(max_entries=4, show_spinner=False)
def _counted(_store: Store, path: str, edition: str) -> Statistics:
    return statistics.statistics(_store)


with session.page("statistics") as (store, person):
    if person.role != "maintainer":
        st.info(text("statistics.maintainers"), icon=":material/lock:")
        st.stop()
    domains = tasks_list.domains(store)
    if not domains:
        st.info(text("tasks.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    counts = counted(store, domains)
    tables.show_groups(counts.table12)
    tables.show_rules(counts.rule_hits)
    tables.show_flags(counts.flags)
    tables.show_solvable(curation.solvable(store))
