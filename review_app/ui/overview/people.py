"""Who did how much, and how often answers agreed."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.ui.shared.i18n import text
from review_app.workflows.review.overview import PersonWork


def show(work: list[PersonWork]) -> None:
    """The table of people, one row each."""
    names = ("person", "answered", "edited", "requested", "agreement")
    titles = [text(f"overview.column.{name}") for name in names]
    right = "<th class='jt-num' style='text-align:right'>"
    head = f"<th>{titles[0]}</th>" + "".join(f"{right}{title}</th>" for title in titles[1:])
    rows = "".join(_person_row(person_work) for person_work in work)
    st.html(f"<table class='jt-table'><tr>{head}</tr>{rows}</table>")
    st.caption(text("overview.agreement_note"))


def _person_row(work: PersonWork) -> str:
    name = escape(work.person.name)
    role = text(f"common.role.{work.person.role}" if work.person.active else "overview.inactive")
    agreement = text("overview.undefined")
    if work.agreement is not None:
        agreement = text("overview.agreed", share=work.agreement, pairs=work.compared)
    cells = (f"{work.answered:,}", f"{work.edited:,}", f"{work.requested:,}", agreement)
    numbers = "".join(f"<td class='jt-num'>{cell}</td>" for cell in cells)
    return f"<tr><td>{name} <span class='jt-muted'>{role}</span></td>{numbers}</tr>"
