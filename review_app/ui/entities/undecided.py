"""What texts name without a counterpart: give one, or accept that it stays; what was accepted."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.core.localize.occurrences import Occurrence
from review_app.models import Person
from review_app.store import Store
from review_app.ui.entities import places
from review_app.ui.shared import grid, links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import undecided
from review_app.workflows.localization.undecided import Undecided

WIDTHS = {"kind": 110, "source": 260, "used": 90}


def show(store: Store, person: Person, domain: str) -> None:
    """The list; below it the chosen one with its two ways out, and its texts."""
    st.html(f"<div class='jt-muted'>{text('entities.undecided.about')}</div>")
    with st.spinner(text("entities.looking"), show_time=True):
        items = undecided.undecided(store, domain)
    if not items:
        st.success(text("entities.undecided.none", domain=domain), icon=":material/check:")
    else:
        chosen = st.session_state.get("entities_undecided") or 0
        chosen = chosen if chosen < len(items) else 0
        grid.show(
            "entities_undecided",
            [
                {
                    "kind": text(f"entities.kind.{item.kind}"),
                    "source": item.source,
                    "used": len(item.segments),
                }
                for item in items
            ],
            list(range(len(items))),
            opened=chosen,
            columns={
                name: (text(f"entities.column.{name}"), width) for name, width in WIDTHS.items()
            },
            on_open=_open,
        )
        _decide(store, person, domain, items[chosen])
    show_accepted(store, person, domain)


def _open(number: int | None) -> None:
    st.session_state["entities_undecided"] = number


def _decide(store: Store, person: Person, domain: str, item: Undecided) -> None:
    st.html(f"<b>{escape(item.source)}</b>")
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    with row.form("entities_undecided_give", border=False):
        target = st.text_input(text("entities.column.target"), key=f"undecided_to_{item.source}")
        if st.form_submit_button(text("entities.undecided.give"), type="primary"):
            with session.guard():
                undecided.give(store, person, domain, item.source, target)
                st.rerun()
    with row.form("entities_undecided_accept", border=False):
        why = st.text_input(text("entities.undecided.reason"), key=f"undecided_why_{item.source}")
        if st.form_submit_button(text("entities.undecided.accept")):
            with session.guard():
                undecided.accept(store, person, domain, item.source, why)
                st.rerun()
    texts = [Occurrence(place.file, place.address, segment=place.id) for place in item.segments]
    places.show(domain, texts)


def show_accepted(store: Store, person: Person, domain: str) -> None:
    """What people accepted to stay, each with its reason and a way back."""
    accepted = undecided.accepted(store, domain)
    if not accepted:
        return
    with st.expander(text("entities.undecided.accepted", count=len(accepted))):
        for number, mention in enumerate(accepted):
            line = st.container(horizontal=True, gap="small", vertical_alignment="center")
            place = f" ({mention.record})" if mention.record else ""
            line.write(links.plain(f"{mention.source}{place}: {mention.reason}"))
            if line.button(text("entities.undecided.withdraw"), key=f"undecided_back_{number}"):
                with session.guard():
                    undecided.withdraw(store, person, domain, mention.source, mention.record)
                    st.rerun()
