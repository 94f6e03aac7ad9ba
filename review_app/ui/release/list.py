"""The releases that were built, the newest first, and which two to compare."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.records.release import Release
from review_app.store import Store
from review_app.ui.release import ways
from review_app.ui.shared import curation_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.release import signatures

LOOKS = {"signed": "approved", "complete": "in_review", "incomplete": "contested"}
"""Whose colours the state of a release borrows."""


def newest(store: Store) -> list[Release]:
    """The newest release of every name: it took the folder of those before."""
    named: dict[str, Release] = {}
    for release in signatures.releases(store):
        named.setdefault(release.name, release)
    return list(named.values())


def state(release: Release) -> str:
    """`signed`, `complete` or `incomplete`, as colour and word."""
    word = "signed" if release.signed else "complete" if release.complete else "incomplete"
    shown = escape(text(f"release.state.{word}"))
    return f"<span class='jt-state jt-{LOOKS[word]}'>● {shown}</span>"


def signers(store: Store, release: Release) -> str:
    """The names of those who signed; nobody is said as such."""
    people = [read_model.person(store, known.person_id).name for known in release.signatures]
    return ", ".join(people) or text("release.nobody")


def show(store: Store) -> None:
    """Two lines a release; two of them can be compared."""
    releases = newest(store)
    st.html(curation_words.heading(text("release.releases")))
    if not releases:
        st.html(curation_words.quiet(text("release.none")))
        return
    for release in releases:
        with st.container(key=f"release-{release.id}", gap=None):
            row = st.container(horizontal=True, gap="small", vertical_alignment="center")
            with row:
                icon = ":material/arrow_forward:"
                ways.to(str(release.id), release.name, icon, release=release.name)
            row.html(state(release))
            st.html(_line(store, release))
    if len(releases) > 1:
        _choose_two([release.name for release in releases])


def _line(store: Store, release: Release) -> str:
    builder = read_model.person(store, release.built_by).name
    parts = [
        text("release.revision", number=release.revision),
        f"{release.recipe['variant']}: {', '.join(release.domains)}",
        text("release.built_by", person=builder, at=curation_words.moment(release.built_at)),
        text("release.signed_by", people=signers(store, release)),
    ]
    lines = f"<div class='jt-muted' style='font-size:0.86rem'>{safe(' · '.join(parts))}</div>"
    return lines + (
        f"<div style='font-size:0.88rem'>{safe(release.note)}</div>" if release.note else ""
    )


def _choose_two(names: list[str]) -> None:
    st.html(curation_words.heading(text("release.compare")))
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    old = row.selectbox(text("release.older_one"), names, index=1, key="release_old", width=170)
    new = row.selectbox(text("release.newer_one"), names, index=0, key="release_new", width=170)
    with row:
        label, pair = text("release.compare_go"), f"{old},{new}"
        ways.to("compare", label, ":material/compare_arrows:", compare=pair)
