"""Entities as files: download, import with a preview, and names from published tasks."""

from __future__ import annotations

from functools import partial

import streamlit as st

from review_app.errors import BadInput
from review_app.models import Entity, Person
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.entities import editor, outcome
from review_app.ui.shared import grid, links, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.localization import entity_files
from review_app.workflows.localization.entity_files import EntityImport


def show(store: Store, person: Person, domain: str) -> None:
    """Download, and import of a CSV file or of published tasks."""
    with st.expander(text("entities.files"), icon=":material/sync_alt:", key="entities_files"):
        st.download_button(
            text("entities.download"),
            partial(_written, domain),
            file_name=f"entities_{domain}.csv",
            mime="text/csv",
            key="entities_download",
            icon=":material/download:",
            on_click="ignore",
        )
        turn = st.session_state.get("entities_turn", 0)
        upload = st.file_uploader(
            text("entities.import"),
            type=["csv", "json"],
            key=f"entities_upload_{turn}",
            help=text("entities.import_help"),
        )
        if upload is not None:
            with session.guard():
                rows, problems = _read(store, domain, upload.getvalue(), upload.name)
                for problem in problems:
                    st.warning(links.plain(notice_text(problem)), icon=":material/report:")
                _show_plan(store, person, domain, rows)


def _written(domain: str) -> bytes:
    with session.opened() as store:
        return entity_files.write_entities(store, domain).encode("utf-8")


def _read(
    store: Store, domain: str, content: bytes, name: str
) -> tuple[list[Entity], tuple[Notice, ...]]:
    """The rows of a file, and what it leaves open."""
    try:
        words = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            Notice("ui.not_utf8", "is not UTF-8: save it as UTF-8 and upload it again"), name
        ) from error
    if name.lower().endswith(".csv"):
        return entity_files.read_entities(words, name, domain), ()
    inferred = entity_files.infer(store, domain, entity_files.parse_tasks(words, name))
    return list(inferred.rows), inferred.problems


def _show_plan(store: Store, person: Person, domain: str, rows: list[Entity]) -> None:
    plan = entity_files.compare(store, domain, rows)
    counts = {
        "added": len(plan.added),
        "changed": len(plan.changed),
        "displaced": len(plan.displaced),
    }
    st.html(f"<b>{text('entities.plan', same=plan.same, **counts)}</b>")
    _show_changes(plan)
    if st.button(
        text("entities.apply"),
        key="entities_apply",
        type="primary",
        disabled=not any(counts.values()),
    ):
        done = entity_files.import_entities(store, person, domain, rows)
        outcome.note(done.effect, "imported", domain)
        editor.close()
        st.rerun()


def _show_changes(plan: EntityImport) -> None:
    pairs = [(None, row) for row in plan.added] + [*plan.changed, *plan.displaced]
    if not pairs:
        return
    rows = [
        {
            text("entities.column.kind"): text(f"entities.kind.{new.kind}"),
            text("entities.column.source"): new.source,
            text("entities.column.is"): old.target if old else "",
            text("entities.column.becomes"): new.target,
        }
        for old, new in pairs
    ]
    st.dataframe(
        rows,
        hide_index=True,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(rows), 240),
        row_height=grid.ROW_PX,
        key="entities_plan",
    )
