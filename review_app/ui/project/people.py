"""Project page: who works on it."""

from __future__ import annotations

from html import escape
from typing import get_args

import streamlit as st

from review_app.models import Person, PersonRole
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import project, read_model

ROLES: tuple[PersonRole, ...] = get_args(PersonRole)


def show_first(store: Store) -> None:
    """Add the first person: the only thing that can be done without being somebody."""
    with st.container(border=True, key="project-first", width=620):
        st.html(
            f"<h2 class='jt-title'>{text('project.first.title')}</h2>"
            f"<div class='jt-muted'>{text('project.first.body')}</div>"
        )
        _show_form("maintainer")


def show(store: Store, person: Person) -> None:
    """Everybody, with role and whether they take part; changing that needs a maintainer."""
    may = person.role == "maintainer"
    if not may:
        st.caption(text("project.people.maintainer"))
    widths = [3, 2, 1.4, 4]
    head = st.columns(widths)
    for column, title in zip(head, ("person", "role", "active"), strict=False):
        column.html(f"<div class='jt-label'>{text(f'project.column.{title}')}</div>")
    everybody = read_model.people(store)
    leads = [member.id for member in everybody if member.active and member.role == "maintainer"]
    for member in everybody:
        # The last maintainer stays one: nobody else could make another.
        fixed = not may or leads == [member.id]
        name, role, active, _ = st.columns(widths, vertical_alignment="center")
        look = "" if member.active else " class='jt-muted'"
        name.html(f"<div{look}>{escape(member.name)}</div>")
        st.session_state[f"role_{member.id}"] = member.role
        st.session_state[f"active_{member.id}"] = member.active
        role.selectbox(
            text("project.column.role"),
            ROLES,
            format_func=lambda value: text(f"common.role.{value}"),
            key=f"role_{member.id}",
            disabled=fixed,
            label_visibility="collapsed",
            on_change=_change,
            args=(member.id,),
        )
        active.toggle(
            text("project.column.active"),
            key=f"active_{member.id}",
            disabled=fixed,
            label_visibility="collapsed",
            on_change=_change,
            args=(member.id,),
        )
    if may:
        st.html(f"<div style='padding-top:0.6rem'><b>{text('project.people.add')}</b></div>")
        _show_form("annotator")
    st.caption(text("project.people.note"))


def _change(number: int) -> None:
    """Write what was chosen for one person."""
    with session.guard(), session.opened() as store:
        actor = session.current_person(store)
        project.change_person(
            store,
            read_model.person(store, number),
            role=st.session_state[f"role_{number}"],
            active=st.session_state[f"active_{number}"],
            actor=actor.name,
        )


def _show_form(role: PersonRole) -> None:
    st.session_state.setdefault("new_role", role)
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    row.text_input(text("project.column.person"), key="new_name", width=260)
    row.selectbox(
        text("project.column.role"),
        ROLES,
        format_func=lambda value: text(f"common.role.{value}"),
        key="new_role",
        width=170,
        help=text("project.role_help"),
    )
    row.button(
        text("project.people.add_button"),
        key="new_add",
        type="primary",
        icon=":material/person_add:",
        on_click=_add,
    )
    session.show_notice()


def _add() -> None:
    """Add whom the form names; the first person is at work at once."""
    with session.noted(), session.opened() as store:
        first = not any(person.active for person in read_model.people(store))
        actor = "setup" if first else session.current_person(store).name
        added = project.add_person(
            store, st.session_state["new_name"], st.session_state["new_role"], actor=actor
        )
        st.session_state["new_name"] = ""
        if first:
            st.session_state["person"] = added.id
