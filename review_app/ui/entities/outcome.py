"""What was done last to entities: told, undone, carried into the texts."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import entity_edits
from review_app.workflows.localization.entity_edits import EntityEffect


def note(effect: EntityEffect, done: str, domain: str, source: str = "") -> None:
    """Keep what was done, so that it is told, undone and carried into the texts."""
    zone = ZoneInfo(st.context.timezone or "UTC")
    st.session_state["entities_done"] = {
        "words": text(
            f"entities.done.{done}",
            source=source,
            count=len(effect.changes),
            requeued=len(effect.requeued),
            time=f"{datetime.now(zone):%H:%M:%S}",
        ),
        "before": effect.before,
        "texts": len(effect.affected) if effect.changes else 0,
        "domain": domain,
    }


def show_notice(store: Store, person: Person) -> None:
    """What was done last, with the way back and the way into the texts."""
    done = st.session_state.get("entities_done")
    if not done:
        return
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.success(links.plain(done["words"]), icon=":material/check:")
    if done["before"] and row.button(
        text("entities.undo"), key="entities_undo_done", icon=":material/undo:"
    ):
        undo(store, person, done["domain"], done["before"])
    if done["texts"] and row.button(
        text("entities.replace", count=done["texts"]),
        key="entities_replace_done",
        icon=":material/find_replace:",
    ):
        with session.guard():
            changes = entity_edits.changes_since(store, done["before"])
            replace_in(store, person, done["domain"], changes)


def undo(store: Store, person: Person, domain: str, before: dict[int, int]) -> None:
    """Put entities back and tell so."""
    with session.guard(), st.spinner(text("entities.saving")):
        effect = entity_edits.restore(store, person, before)
        note(effect, "undone", domain, effect.changes[0][1].source)
        st.rerun()


def replace_in(
    store: Store, person: Person, domain: str, changes: list[entity_edits.EntityPair]
) -> None:
    """Put what stands for entities now into the texts, as edits of this person."""
    with session.guard(), st.spinner(text("entities.saving")):
        edited = entity_edits.replace_in_texts(store, person, domain, changes)
        note(EntityEffect((), (), tuple(edited)), "replaced", domain)
        st.rerun()
