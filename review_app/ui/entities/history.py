"""Who changed an entity when, and the way back to each version."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Entity, Person
from review_app.records.localization import EntityChange
from review_app.store import Store
from review_app.ui.entities import outcome
from review_app.ui.shared import markup
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import entity_edits

SHOWN = 20
FIELDS = ("target", "reading", "romanized", "origin", "locked")


def show(store: Store, person: Person, domain: str, entity: Entity) -> None:
    """The newest changes first."""
    changes = entity_edits.history(store, entity)
    with st.expander(
        text("entities.history", count=len(changes)),
        icon=":material/history:",
        key=f"entities_history_{entity.id}",
    ):
        for change in changes[:SHOWN]:
            what, restore = st.columns([6, 1.4], vertical_alignment="center")
            what.html(_in_words(change))
            if change.old and restore.button(
                text("entities.restore"),
                key=f"entities_restore_{entity.id}_{change.old.version}",
                help=text("entities.restore_help"),
                type="tertiary",
                icon=":material/undo:",
            ):
                outcome.undo(store, person, domain, {entity.id: change.old.version})


def _in_words(change: EntityChange) -> str:
    op = "update" if change.old else "insert"
    head = (
        f"<span class='jt-muted'>{escape(change.at[:16].replace('T', ' '))} UTC</span> "
        f"<b>{escape(change.actor)}</b> {text(f'entities.op.{op}')}"
    )
    if change.old is None:
        return f"<div>{head}: {escape(change.new.target)}</div>"
    rows = [
        f"<tr><td class='jt-muted' style='width:8rem'>{text(f'entities.column.{name}')}</td>"
        f"<td>{markup.difference(_said(change.old, name), _said(change.new, name))}</td></tr>"
        for name in FIELDS
        if getattr(change.old, name) != getattr(change.new, name)
    ]
    return f"<div>{head}<table class='jt-table'>{''.join(rows)}</table></div>"


def _said(entity: Entity, name: str) -> str:
    if name == "origin":
        return text(f"entities.origin.{entity.origin}")
    if name == "locked":
        return text(f"entities.{'yes' if entity.locked else 'no'}")
    return str(getattr(entity, name))
