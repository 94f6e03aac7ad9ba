"""Draw a whole group anew: what would change first, then the button that does it."""

from __future__ import annotations

import streamlit as st

from review_app.core.localize.entity_changes import EntityGroup
from review_app.models import Person
from review_app.store import Store
from review_app.ui.entities import outcome
from review_app.ui.shared import grid, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.localization import entity_edits
from review_app.workflows.localization.entity_edits import EntityEffect

PREVIEW_S = 60
"""How old the shown preview may be. Drawing looks anew."""


@st.cache_data(ttl=PREVIEW_S, max_entries=8, show_spinner=False)
def _planned(
    _store: Store, path: str, edition: str, domain: str, group: EntityGroup
) -> EntityEffect:
    return entity_edits.regeneration(_store, domain, group)


def show(store: Store, person: Person, domain: str, group: EntityGroup) -> None:
    """The section of a group; it computes nothing before the preview is asked for."""
    with st.expander(
        text("entities.bulk"), icon=":material/casino:", key=f"entities_bulk_{domain}_{group}"
    ):
        st.html(f"<div class='jt-muted'>{text('entities.bulk_help')}</div>")
        edition = read_model.entities_edition(store)
        asked = (domain, group, edition)
        if st.button(text("entities.bulk_preview"), key="entities_bulk_preview"):
            st.session_state["entities_bulk"] = asked
        if st.session_state.get("entities_bulk") != asked:
            return
        with session.guard():
            with st.spinner(text("entities.drawing"), show_time=True):
                plan = _planned(store, str(store.path), edition, domain, group)
            _show_plan(plan)
            if st.button(
                text("entities.bulk_apply", count=len(plan.changes)),
                key="entities_bulk_apply",
                type="primary",
                disabled=not plan.changes,
            ):
                with st.spinner(text("entities.saving"), show_time=True):
                    done = entity_edits.regenerate(store, person, domain, group)
                outcome.note(done, "regenerated", domain)
                st.rerun()


def _show_plan(plan: EntityEffect) -> None:
    if not plan.changes:
        st.info(text("entities.bulk_none"), icon=":material/lock:")
        return
    st.html(
        "<b>"
        + text(
            "entities.effect",
            entities=len(plan.changes),
            texts=len(plan.affected),
            requeued=len(plan.requeued),
        )
        + "</b>"
    )
    rows = [
        {
            text("entities.column.kind"): text(f"entities.kind.{old.kind}"),
            text("entities.column.source"): old.source,
            text("entities.column.is"): old.target,
            text("entities.column.becomes"): new.target,
        }
        for old, new in plan.changes
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(rows), 260),
        row_height=grid.ROW_PX,
        key="entities_bulk_plan",
    )
