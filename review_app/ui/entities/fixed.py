"""Airports, amounts and time zones: kept elsewhere, shown with a way to where they are edited."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.core.localize.occurrences import Index
from review_app.store import Store
from review_app.ui.entities import places
from review_app.ui.shared import grid, links
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import entities

WIDTHS = {"source": 240, "target": 240, "used": 90}


def show(store: Store, domain: str, group: str, index: Index) -> None:
    """The grid of a group, and below it where the chosen one occurs."""
    known = entities.fixed(store, domain, group)
    keys = list(known)
    st.html(f"<div class='jt-muted'>{text(f'entities.fixed.{group}')}</div>")
    if group == "airports":
        st.page_link(
            "ui/glossary/page.py",
            label=text("entities.edit_airports"),
            icon=":material/dictionary:",
            query_params={"category": "Airport Code"} | links.who_and_language(),
        )
    if not keys:
        st.info(text("entities.fixed_none", domain=domain), icon=":material/badge:")
        return
    rows = [
        {"source": key[1], "target": target, "used": len(index.get(key, ()))}
        for key, target in known.items()
    ]
    chosen: int | None = st.session_state.get("entities_fixed")
    if chosen is not None and chosen >= len(keys):
        chosen = None
    grid.show(
        f"entities_{group}",
        rows,
        list(range(len(keys))),
        opened=chosen,
        columns={name: (text(f"entities.column.{name}"), width) for name, width in WIDTHS.items()},
        on_open=_open,
    )
    if chosen is not None:
        st.html(f"<b>{escape(keys[chosen][1])}</b>")
        places.show(domain, index.get(keys[chosen], ()))


def _open(number: int | None) -> None:
    st.session_state["entities_fixed"] = number
