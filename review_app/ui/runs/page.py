"""Runs: start one, watch it, open its trials; take results files in and along."""

from __future__ import annotations

import streamlit as st

from review_app.store import Store
from review_app.ui.runs import files, start, status
from review_app.ui.runs import list as runs_list
from review_app.ui.shared import grid, links, session
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import list as tasks_list
from review_app.workflows import read_model

SECTIONS = ("list", "start", "import")


def choose(default: str) -> str:
    """Part of the page, kept in the URL."""
    grid.remember("runs", "section", SECTIONS)
    st.session_state["runs_section"] = st.session_state["runs_section"] or default
    st.segmented_control(
        text("runs.section"),
        SECTIONS,
        format_func=lambda name: text(f"runs.section.{name}"),
        key="runs_section",
        label_visibility="collapsed",
        required=True,
    )
    section = str(st.session_state["runs_section"])
    links.keep_in_url("section", section, default)
    return section


def show(store: Store, domains: list[str]) -> None:
    """The list of runs, the form of a new one, or the import of a file."""
    section = choose("list" if read_model.runs(store, limit=1) else "start")
    session.show_notice()
    if section == "start":
        start.show(store, domains)
    elif section == "import":
        files.show_import(store, domains)
    else:
        runs_list.show(store)


with session.page("runs") as (store, person):
    if person.role != "maintainer":
        st.info(text("runs.maintainers"), icon=":material/lock:")
        st.stop()
    asked = st.query_params.get("run", "")
    domains = tasks_list.domains(store)
    if asked.isdigit():
        status.show(store, int(asked))
    elif domains:
        show(store, domains)
    else:
        st.info(text("tasks.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
