"""Overview: what waits for me, how far everything is, and what blocks a release."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.overview import charts, curation, people
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.review import overview
from review_app.workflows.review.overview import FileProgress


def show_empty() -> None:
    """The designed state of a new project: what to do first."""
    with st.container(border=True, key="overview-empty"):
        st.html(f"<h2 class='jt-title'>{text('overview.empty.title')}</h2>")
        st.markdown(text("overview.empty.body"))
        st.page_link(
            "ui/project/page.py",
            label=text("overview.empty.link"),
            icon=":material/folder_open:",
            query_params=links.who_and_language(),
        )


def show_waiting(store: Store, person: Person) -> None:
    """One tile for each thing that asks for this person, with the way to it."""
    waiting = overview.waiting(store, person)
    tiles = [
        ("review", waiting.review, {"mine": "waiting"}),
        ("stale", waiting.stale, {"mine": "waiting", "state": "stale"}),
        ("drafts", waiting.drafts, {"mine": "drafted"}),
    ]
    if person.role == "maintainer":
        tiles.insert(1, ("contested", waiting.contested, {"state": "contested"}))
    heading("waiting", text("overview.done_today", count=waiting.done_today))
    for column, (name, count, query) in zip(st.columns(len(tiles)), tiles, strict=True):
        with column, st.container(border=True, key=f"overview-tile-{name}", height="stretch"):
            look = "" if count else " jt-muted"
            st.html(
                f"<div class='jt-label'>{text(f'overview.waiting.{name}')}</div>"
                f"<div style='font-size:1.7rem;line-height:1.3' class='{look}'>{count:,}</div>"
            )
            if count:
                links.to_review(text(f"overview.go.{name}"), ":material/arrow_forward:", **query)
            else:
                none = text(f"overview.none.{name}")
                st.html(f"<div class='jt-muted' style='font-size:0.86rem'>{none}</div>")


def heading(name: str, note: str = "") -> None:
    """A section's title, with a remark beside it."""
    aside = f" <span class='jt-muted' style='font-weight:400'>{escape(note)}</span>" if note else ""
    title = text(f"overview.title.{name}")
    st.html(f"<h2 style='font-size:1rem;padding:0.5rem 0 0;margin:0'>{title}{aside}</h2>")


def show_readiness(store: Store, files: list[FileProgress]) -> None:
    """What stands between here and a release, each with its count and link."""
    ready = overview.readiness(store, files)
    approved = ready.total - sum(ready.states.values())
    heading("readiness", text("overview.approved_of", count=approved, total=ready.total))
    if not (ready.states or ready.findings or ready.unaligned):
        st.success(text("overview.ready"), icon=":material/check_circle:")
    for state, count in ready.states.items():
        words = text("overview.blocker.state", state=text(f"common.state.{state}"), count=count)
        links.to_review(words, ":material/pending:", state=state)
    icons = {"error": "error", "warning": "warning", "info": "info"}
    for finding in ready.findings:
        words = text(
            "overview.blocker.finding",
            severity=text(f"common.severity.{finding.severity}"),
            name=_check_name(finding.code),
            code=finding.code,
            count=finding.segments,
        )
        links.to_review(words, f":material/{icons[finding.severity]}:", finding=finding.code)
    for domain, count in ready.unaligned.items():
        words = text("overview.blocker.unaligned", domain=domain, count=count)
        st.page_link(
            "ui/project/page.py",
            label=links.plain(words),
            icon=":material/link_off:",
            query_params={"section": "domains", "domain": domain} | links.who_and_language(),
        )


def _check_name(code: str) -> str:
    """The fault in words; a check that the catalogue does not know yet goes by its code."""
    key = f"overview.check.{code}"
    name = text(key)
    return code if name == key else name


with session.page("overview") as (store, person):
    files = overview.progress(store)
    if not files:
        show_empty()
        st.stop()
    show_waiting(store, person)
    if person.role == "maintainer":
        curation.show(store, person)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        heading("progress", text("overview.progress_note"))
        charts.show_progress(files)
        heading("burn_up")
        charts.show_burn_up(overview.burn_up(store))
        heading("people")
        people.show(overview.people_work(store))
    with right:
        show_readiness(store, files)
