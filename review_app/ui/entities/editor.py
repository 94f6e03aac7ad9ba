"""The chosen entity: what stands for it, locking, undo, and the texts that are out of date."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from review_app.core.localize.occurrences import Index
from review_app.models import Entity, Person
from review_app.store import Store
from review_app.ui.entities import history, outcome, places
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import entity_edits
from review_app.workflows.localization.entity_edits import EntityEffect

FIELDS = {
    "person": ("family", "given", "reading", "romanized"),
    "given_name": ("target", "reading", "romanized"),
    "family_name": ("target", "reading", "romanized"),
}
"""What can be written of a kind; the target alone of any other."""


def chosen() -> int | None:
    """The id of the chosen entity, kept in the URL."""
    if "entities_entity" not in st.session_state:
        asked = st.query_params.get("entity", "")
        st.session_state["entities_entity"] = int(asked) if asked.isdigit() else None
    number: int | None = st.session_state["entities_entity"]
    links.keep_in_url("entity", "" if number is None else str(number))
    return number


def open_row(entity: int | None) -> None:
    """Show the entity chosen in the grid; None if the choice was taken back."""
    st.session_state["entities_entity"] = entity


def close() -> None:
    """Show no entity."""
    open_row(None)
    st.session_state["entities_turn"] = st.session_state.get("entities_turn", 0) + 1


# -- the editor --------------------------------------------------------------------------------


def show(store: Store, person: Person, domain: str, rows: list[Entity], index: Index) -> None:
    """The chosen entity, or a line that says how to choose one."""
    old = next((row for row in rows if row.id == chosen()), None)
    if old is None:
        st.html(f"<div class='jt-muted'>{text('entities.choose')}</div>")
        return
    with st.container(border=True, key="entities-editor"):
        left, right = st.columns([5, 4], gap="medium")
        with left:
            new = _fields(old)
            _show_buttons(store, person, domain, old, new)
            _show_outdated(store, person, domain, old)
        with right:
            places.show(domain, index.get((old.kind, old.source), ()))
        history.show(store, person, domain, old)


def _fields(old: Entity) -> Entity:
    """The form; returns the entity as it is typed now."""
    kind = text(f"entities.kind.{old.kind}")
    st.markdown(f"**{links.plain(old.source)}** → **{links.plain(old.target)}** · {kind}")
    names = FIELDS.get(old.kind, ("target",))
    typed: dict[str, Any] = {}
    for column, name in zip(st.columns(len(names), gap="small"), names, strict=True):
        key = f"entity_{old.id}_{old.version}_{name}"
        st.session_state.setdefault(key, getattr(old, name))
        typed[name] = str(column.text_input(text(f"entities.column.{name}"), key=key))
    return replace(old, **typed)


def _show_buttons(store: Store, person: Person, domain: str, old: Entity, new: Entity) -> None:
    effect: EntityEffect | None = None
    if new != old:
        with session.guard():
            effect = entity_edits.preview(store, new)
    if effect is not None:
        st.caption(
            text(
                "entities.effect",
                entities=len(effect.changes),
                texts=len(effect.affected),
                requeued=len(effect.requeued),
            )
        )
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    if row.button(
        text("common.save"),
        key="entities_save",
        type="primary",
        icon=":material/save:",
        disabled=effect is None,
    ):
        with session.guard():
            outcome.note(entity_edits.override(store, person, new), "saved", domain, old.source)
            st.rerun()
    if row.button(
        text("entities.unlock" if old.locked else "entities.lock"),
        key="entities_lock",
        icon=":material/lock_open:" if old.locked else ":material/lock:",
        help=text("entities.lock_help"),
    ):
        with session.guard():
            entity_edits.set_locked(store, person, old, locked=not old.locked)
            st.session_state["entities_done"] = None
            st.rerun()
    if old.kind == "person" and row.button(
        text("entities.redraw"),
        key="entities_redraw",
        icon=":material/casino:",
        disabled=old.locked,
        help=text("entities.redraw_help"),
    ):
        with session.guard():
            outcome.note(entity_edits.redraw(store, person, old), "redrawn", domain, old.source)
            st.rerun()
    if old.version > 1 and row.button(
        text("entities.undo"), key="entities_undo", icon=":material/undo:"
    ):
        outcome.undo(store, person, domain, {old.id: old.version - 1})
    row.button(text("entities.close"), key="entities_close", on_click=close, type="tertiary")


def _show_outdated(store: Store, person: Person, domain: str, entity: Entity) -> None:
    """Texts that hold what stood for the entity before, and the button that brings them along."""
    changes, texts = entity_edits.outdated(store, entity)
    if not texts:
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.warning(text("entities.outdated", count=len(texts)), icon=":material/sync_problem:")
    if row.button(
        text("entities.replace", count=len(texts)),
        key="entities_replace",
        icon=":material/find_replace:",
    ):
        outcome.replace_in(store, person, domain, list(changes))
    places.show_texts(texts)
