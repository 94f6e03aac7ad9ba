"""What every page starts with: who I am, the store, the guard, the look."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from review_app.config import db_path
from review_app.errors import ReviewError, StaleEdit
from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import i18n
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model

PAGES = {
    "overview": ":material/dashboard:",
    "review": ":material/rate_review:",
    "glossary": ":material/dictionary:",
    "translation": ":material/translate:",
    "entities": ":material/badge:",
    "tasks": ":material/task:",
    "patch": ":material/difference:",
    "statistics": ":material/bar_chart:",
    "environment": ":material/terminal:",
    "runs": ":material/play_circle:",
    "transcript": ":material/forum:",
    "candidates": ":material/checklist:",
    "scores": ":material/scatter_plot:",
    "project": ":material/folder_open:",
    "release": ":material/inventory_2:",
}
"""Page (its folder beside this one) to its icon."""
SECTIONS = {
    "": ("overview", "review", "project", "release"),
    "localize": ("glossary", "translation", "entities"),
    "curate": ("tasks", "patch", "statistics", "environment"),
    "run": ("runs", "transcript", "candidates", "scores"),
}
"""Menu to its pages; the first stand alone. URLs do not depend on it."""

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


def pages() -> dict[str, list[StreamlitPage]]:
    """The pages by menu, with their titles in the interface's language."""
    return {
        text(f"common.section.{section}") if section else "": [_page(name) for name in names]
        for section, names in SECTIONS.items()
    }


def _page(name: str) -> StreamlitPage:
    return st.Page(
        Path(__file__).parents[1] / name / "page.py",
        title=text(f"common.page.{name}"),
        icon=PAGES[name],
        url_path=name,
        default=name == "overview",
    )


@contextmanager
def _caught(tell: Callable[[ReviewError], object]) -> Iterator[None]:
    try:
        yield
    except ReviewError as error:
        tell(error)


def guard(shown: Callable[[str], str] = str) -> AbstractContextManager[None]:
    """Show what went wrong as one line, never as a traceback.

    Args:
        shown: `links.plain` where it repeats what somebody typed, which may look like Markdown.
    """
    return _caught(
        lambda error: st.error(shown(notice_text(error.notice)), icon=":material/error:")
    )


def noted() -> AbstractContextManager[None]:
    """The guard of callbacks: they run before the page, which shows the notice when it is drawn."""
    st.session_state.pop("notice", None)
    return _caught(_note)


def _note(error: ReviewError) -> None:
    stale = isinstance(error, StaleEdit)
    words = text("common.stale_save") if stale else notice_text(error.notice)
    st.session_state["notice"] = ("warning" if stale else "error", words)


def show_notice(shown: Callable[[str], str] = str) -> None:
    """What the last callback left to say; `shown` as in `guard`."""
    level, words = st.session_state.pop("notice", ("", ""))
    if level:
        {"error": st.error, "warning": st.warning, "success": st.success, "info": st.info}[level](
            shown(words)
        )


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
    """Open a page that shows something before somebody is chosen: where people are added.

    `session_state["arrived"]` tells it whether another page was shown before.
    """
    with guard(), opened() as store:
        st.session_state["arrived"] = st.session_state.get("page_shown") != name
        st.session_state["page_shown"] = name
        yield store, _who(store, name)


def current_person(store: Store) -> Person:
    """Who is at work, in a callback or a fragment of a page that is open already."""
    return read_model.person(store, int(st.session_state["person"]))


def _who(store: Store, page_name: str) -> Person | None:
    """The header line: page title, language, and the person, kept in the URL over a reload."""
    everybody = [person for person in read_model.people(store) if person.active]
    names = {person.id: person.name for person in everybody}
    if "person" not in st.session_state:
        asked = st.query_params.get("me", "")
        st.session_state["person"] = int(asked) if asked.isdigit() else None
    # Assigned anew on every page: a widget's state is dropped with the page that drew it.
    chosen = st.session_state["person"]
    st.session_state["person"] = chosen if chosen in names else None
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
    _keep_in_url(st.session_state["language"], person)
    return person


def _keep_in_url(language: str, person: Person | None) -> None:
    """Keep who and which language over a reload; one step of the browser's history at most."""
    wanted = {"lang": language} | ({"me": str(person.id)} if person else {})
    if any(st.query_params.get(name) != value for name, value in wanted.items()):
        st.query_params.update(wanted)
