"""Project: import domains, add people, export, and keep the database healthy."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.project import database, domain_import, export, people
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import project as workflows_project
from review_app.workflows import read_model

SECTIONS = {
    "domains": domain_import.show,
    "people": people.show,
    "export": export.show,
    "database": database.show,
}


def choose_section() -> str:
    """Which part of the page is open, kept in the URL."""
    asked = st.query_params.get("section", "domains")
    if st.session_state.get("project_section") is None:
        st.session_state["project_section"] = asked if asked in SECTIONS else "domains"
    st.segmented_control(
        text("project.section"),
        list(SECTIONS),
        format_func=lambda name: text(f"project.section.{name}"),
        key="project_section",
        label_visibility="collapsed",
        required=True,
    )
    chosen = str(st.session_state["project_section"])
    links.keep_in_url("section", chosen, "domains")
    return chosen


def show_name(store: Store, person: Person) -> None:
    """The project's name and languages. The first import gives it a name that can be changed."""
    project = read_model.project(store)
    if not project.name:
        return
    if st.session_state.get("project_name_read") != project.name:
        st.session_state["project_name"] = project.name
        st.session_state["project_name_read"] = project.name
    st.session_state.setdefault("project_name", project.name)
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    row.text_input(text("project.name"), key="project_name", width=360)
    typed = str(st.session_state["project_name"]).strip()
    changed = bool(typed) and typed != project.name
    if row.button(text("common.save"), key="project_name_save", disabled=not changed):
        with session.guard():
            workflows_project.set_project(store, replace(project, name=typed), actor=person.name)
            st.rerun()
    row.html(
        "<div class='jt-muted' style='padding-bottom:0.4rem'>"
        + text("project.languages", source=project.source_locale, target=project.target_locale)
        + "</div>"
    )


with session.entrance("project") as (store, person):
    if not any(person.active for person in read_model.people(store)):
        people.show_first(store)
        st.stop()
    if person is None:
        st.info(text("common.who.needed"), icon=":material/person:")
        st.stop()
    show_name(store, person)
    SECTIONS[choose_section()](store, person)
