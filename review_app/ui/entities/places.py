"""Where an entity occurs: a table with links to the texts and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from review_app.core.localize.occurrences import Occurrence
from review_app.models import Segment
from review_app.ui.shared import grid, links
from review_app.ui.shared.i18n import text

SHOWN = 300
"""Places listed; the count says how many there are."""


def show(domain: str, places: Sequence[Occurrence]) -> None:
    """The places, texts and tasks first: they can be opened."""
    st.html(f"<b>{text('entities.places', count=len(places))}</b>")
    if not places:
        st.html(f"<div class='jt-muted'>{text('entities.no_places')}</div>")
        return
    ordered = sorted(places, key=lambda place: (not place.segment, not place.task))[:SHOWN]
    rows = [
        {
            "open": _url(domain, place),
            "what": _what(place),
            "file": place.file,
            "where": place.address.removeprefix(f"{place.file}#"),
        }
        for place in ordered
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(rows), 260),
        row_height=grid.ROW_PX,
        key="entities_places",
        column_config={
            "open": st.column_config.LinkColumn("", display_text=text("entities.open"), width=60),
            "what": st.column_config.Column(text("entities.column.what"), width=90),
            "file": st.column_config.Column(text("entities.column.file"), width=100),
            "where": st.column_config.Column(text("entities.column.where"), width=280),
        },
    )
    if len(places) > SHOWN:
        st.caption(text("entities.places_shown", count=SHOWN))


def _what(place: Occurrence) -> str:
    kind = "text" if place.segment else "call" if place.task else "record"
    return text(f"entities.place.{kind}")


def _url(domain: str, place: Occurrence) -> str:
    """A link that opens a new tab; a record has no page of its own."""
    if place.segment:
        return links.segment_url(place.segment)
    if place.task:
        query = {"domain": domain, "task": place.task} | links.who_and_language()
        return f"/environment?{urlencode(query)}"
    return ""


def show_texts(texts: Sequence[Segment]) -> None:
    """Texts with their translation, each with a link."""
    rows = [
        {
            "open": links.segment_url(occurrence.id),
            "state": text(f"common.state.{occurrence.state}"),
            "target": occurrence.target or "",
            "where": occurrence.address,
        }
        for occurrence in texts[:SHOWN]
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(rows), 180),
        row_height=grid.ROW_PX,
        key="entities_outdated",
        column_config={
            "open": st.column_config.LinkColumn("", display_text=text("entities.open"), width=60),
            "state": st.column_config.Column(text("entities.column.state"), width=80),
            "target": st.column_config.Column(text("entities.column.translation"), width=260),
            "where": st.column_config.Column(text("entities.column.where"), width=200),
        },
    )
