"""Who changed a term when, field by field."""

from __future__ import annotations

import json
from html import escape

import streamlit as st

from review_app.models import Term
from review_app.records.project import AuditChange
from review_app.store import Store
from review_app.ui.glossary import fields
from review_app.ui.shared import markup
from review_app.ui.shared.i18n import text
from review_app.workflows.review import glossary

SHOWN = 20
FIELDS = (*fields.PLAIN, *fields.LISTS)


def show(store: Store, term: Term, prefix: str) -> None:
    """The newest changes first, each with a way to put the values before it into the form."""
    changes = glossary.history(store, term)
    with st.expander(
        text("glossary.history", count=len(changes)),
        icon=":material/history:",
        key=f"glossary_history_{term.id}",
    ):
        for number, change in enumerate(changes[:SHOWN]):
            what, restore = st.columns([6, 1.4], vertical_alignment="center")
            what.html(_in_words(change))
            if change.old:
                restore.button(
                    text("glossary.restore"),
                    key=f"glossary_restore_{term.id}_{number}",
                    help=text("glossary.restore_help"),
                    on_click=fields.fill,
                    args=(prefix, json.loads(change.old)),
                    type="tertiary",
                    icon=":material/undo:",
                )


def _in_words(change: AuditChange) -> str:
    old = json.loads(change.old) if change.old else {}
    new = json.loads(change.new) if change.new else {}
    head = (
        f"<span class='jt-muted'>{escape(change.at[:16].replace('T', ' '))} UTC</span> "
        f"<b>{escape(change.actor)}</b> {text(f'glossary.op.{change.op}')}"
    )
    if not old:
        return f"<div>{head}</div>"
    rows = [
        f"<tr><td class='jt-muted' style='width:8rem'>{text(f'glossary.column.{name}')}</td>"
        f"<td>{markup.difference(_flat(old.get(name)), _flat(new.get(name)))}</td></tr>"
        for name in FIELDS
        if old.get(name) != new.get(name)
    ]
    return f"<div>{head}<table class='jt-table'>{''.join(rows)}</table></div>"


def _flat(value: str | None) -> str:
    """A field as people read it; lists are JSON texts in the audit."""
    if value and value.startswith("["):
        return ", ".join(json.loads(value))
    return value or ""
