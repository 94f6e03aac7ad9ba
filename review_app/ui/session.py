"""What every page starts with: who I am, the store, the guard, the look."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from review_app.config import db_path
from review_app.errors import ReviewError
from review_app.models import Person
from review_app.store import Store
from review_app.ui import i18n
from review_app.ui.i18n import text

PAGES = {
    "overview": ":material/dashboard:",
    "review": ":material/rate_review:",
    "glossary": ":material/dictionary:",
    "environment": ":material/terminal:",
    "project": ":material/folder_open:",
}
"""Page file to its icon, in the order of the menu."""

STYLE = Path(__file__).with_name("style.css")


@st.cache_resource(show_spinner=False)
def _freeze_imports(page_name: str) -> None:
    """Take what a page's imports made out of garbage collection, once a process.

    Streamlit collects after every run, with the messages to the browser waiting: 100 ms a click.
    """
    gc.collect()
    gc.freeze()


def prepare() -> None:
    """Set the look. The first Streamlit call of a run."""
    st.set_page_config(page_title="J-tau review", layout="wide", initial_sidebar_state="collapsed")
    st.html(STYLE)


def pages() -> list[StreamlitPage]:
    """The pages, with their titles in the interface's language."""
    folder = Path(__file__).parent
    return [
        st.Page(
            folder / f"{name}.py",
            title=text(f"common.page.{name}"),
            icon=icon,
            url_path=name,
            default=name == "overview",
        )
        for name, icon in PAGES.items()
    ]


@contextmanager
def guard() -> Iterator[None]:
    """Show what went wrong as one line, never as a traceback."""
    try:
        yield
    except ReviewError as error:
        st.error(str(error), icon=":material/error:")


@contextmanager
def opened() -> Iterator[Store]:
    """A store of this script run's own; closed when the block ends."""
    store = Store(db_path())
    try:
        yield store
    finally:
        store.close()


@contextmanager
def page(name: str) -> Iterator[tuple[Store, Person]]:
    """Open a page: its store and who is at work. Refuses work until somebody is chosen."""
    with entrance(name) as (store, person):
        if person is None:
            st.info(text("common.who.needed"), icon=":material/person:")
            st.stop()
        yield store, person
        _freeze_imports(name)


@contextmanager
def entrance(name: str) -> Iterator[tuple[Store, Person | None]]:
    """Open a page that shows something before somebody is chosen: where people are added."""
    with guard(), opened() as store:
        yield store, _who(store, name)


def current_person(store: Store) -> Person:
    """Who is at work, in a callback or a fragment of a page that is open already."""
    return store.people.get(int(st.session_state["person"]))


def _who(store: Store, page_name: str) -> Person | None:
    """The header line: page title, language, and the person, kept in the URL over a reload."""
    everybody = [person for person in store.people.all() if person.active]
    names = {person.id: person.name for person in everybody}
    if "person" not in st.session_state:
        asked = st.query_params.get("me", "")
        st.session_state["person"] = int(asked) if asked.isdigit() and int(asked) in names else None
    if st.session_state["person"] not in names:
        st.session_state["person"] = None
    if "language" not in st.session_state:
        st.session_state["language"] = i18n.language()
    title, language, who = st.columns([6, 1, 1.6], vertical_alignment="center", gap="small")
    title.html(f"<h1 class='jt-title'>{text(f'common.page.{page_name}')}</h1>")
    language.selectbox(
        text("common.who.language"),
        list(i18n.LANGUAGES),
        format_func=i18n.LANGUAGES.__getitem__,
        key="language",
        label_visibility="collapsed",
    )
    who.selectbox(
        text("common.who.label"),
        list(names),
        format_func=lambda number: names.get(number, "?"),
        index=None,
        placeholder=text("common.who.placeholder"),
        key="person",
        label_visibility="collapsed",
    )
    person = next((p for p in everybody if p.id == st.session_state["person"]), None)
    st.query_params["lang"] = st.session_state["language"]
    if person is not None:
        st.query_params["me"] = str(person.id)
    return person
