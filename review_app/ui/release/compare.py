"""What differs between two releases: a table an area, and all of it as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import streamlit as st

from review_app.store import Store
from review_app.ui.release import ways
from review_app.ui.shared import curation_words, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.ui.shared.markup import difference
from review_app.workflows.release import compare, signatures
from review_app.workflows.release.compare import ReleaseDiff, ReleaseDifference

SHOWN = 100
"""Differences of an area that are shown; the download has them all."""
LONG = 2000
"""Characters of a text that are shown."""


@st.cache_resource(show_spinner=False, max_entries=8)
def _diff(old: str, new: str, manifests: tuple[str, str]) -> ReleaseDiff:
    """The differences of two folders; they change only with their manifests."""
    return compare.compare(Path(old), Path(new))


def show(store: Store, asked: str) -> None:
    """The differences of `A,B`, the older release and the newer one."""
    ways.back()
    names = [name.strip() for name in asked.split(",", 1)]
    if len(names) < 2 or not all(names):
        st.info(text("release.compare_two"), icon=":material/compare_arrows:")
        return
    old, new = (signatures.named(store, name) for name in names)
    diff = _diff(old.folder, new.folder, (old.manifest_hash, new.manifest_hash))
    st.html(f"<h2 class='jt-title'>{safe(old.name)} → {safe(new.name)}</h2>")
    if not diff.differences:
        st.success(text("release.no_difference"), icon=":material/check_circle:")
        return
    counts = diff.counts()
    said = " · ".join(f"{text(f'release.area.{area}')} {n:,}" for area, n in counts.items())
    row = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    row.html(escape(said))
    row.download_button(
        text("release.as_markdown"),
        lambda: replace(diff, old=old.name, new=new.name).markdown(),
        file_name=f"{old.name}_{new.name}.md",
        mime="text/markdown",
        key="release_markdown",
        icon=":material/download:",
        on_click="ignore",
    )
    for area, count in counts.items():
        _show_area(area, [known for known in diff.differences if known.area == area], count)


def _show_area(area: str, differences: Sequence[ReleaseDifference], count: int) -> None:
    title = text(f"release.area.{area}")
    if not count:
        st.html(curation_words.heading(title, text("release.same")))
        return
    st.html(curation_words.heading(title, f"{count:,}"))
    head = [text(f"release.column.{name}") for name in ("place", "what")]
    st.html(run_words.table(head, map(_row, differences[:SHOWN])))
    if count > SHOWN:
        st.html(curation_words.quiet(text("release.and_more", count=count - SHOWN)))


def _row(known: ReleaseDifference) -> tuple[str, str]:
    place = f"<div style='min-width:16rem;max-width:30rem'>{run_words.mono(known.place)}</div>"
    old, new = (known.old or "")[:LONG], (known.new or "")[:LONG]
    if known.old is None or known.new is None:
        word = "added" if known.old is None else "removed"
        badge = curation_words.badge("status", word)
        look = "ins" if known.old is None else "del"
        return place, f"{badge} <span class='jt-{look}'>{safe(old or new)}</span>"
    return place, difference(_whole(old), _whole(new))


def _whole(content: str) -> str:
    """A text without half characters, which no page can hold."""
    return content.encode("utf-8", "backslashreplace").decode()
