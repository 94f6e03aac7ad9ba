"""The glossary as files: download, and import with a preview."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Literal

import streamlit as st

from review_app.errors import BadInput
from review_app.models import Person, Term
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.glossary import editor
from review_app.ui.shared import progress, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.review import glossary
from review_app.workflows.review.glossary import TermImport

MEDIA = {"csv": "text/csv", "tbx": "application/x-tbx+xml"}
COMPARED = tuple(field.name for field in fields(Term) if field.name not in ("id", "version"))


def show(store: Store, person: Person) -> None:
    """Downloads for everybody, import for maintainers."""
    with st.expander(text("glossary.files"), icon=":material/sync_alt:", key="glossary_files"):
        row = st.container(horizontal=True, gap="small")
        forms: tuple[Literal["csv", "tbx"], ...] = ("csv", "tbx")
        for form in forms:
            row.download_button(
                text(f"glossary.download_{form}"),
                partial(_written, form),
                file_name=f"glossary.{form}",
                mime=MEDIA[form],
                key=f"glossary_download_{form}",
                icon=":material/download:",
                on_click="ignore",
            )
        if person.role != "maintainer":
            st.caption(text("glossary.import_maintainer"))
            return
        turn = st.session_state.get("glossary_turn", 0)
        upload = st.file_uploader(
            text("glossary.import"), type=["csv", "tbx", "xml"], key=f"glossary_upload_{turn}"
        )
        if upload is not None:
            with session.guard():
                terms = glossary.read_terms(_decoded(upload.getvalue(), upload.name), upload.name)
                _show_plan(store, person, terms)


def _written(form: Literal["csv", "tbx"]) -> bytes:
    with session.opened() as store:
        return glossary.write_terms(store, form).encode("utf-8")


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            Notice("ui.not_utf8", "is not UTF-8: save it as UTF-8 and upload it again"), name
        ) from error


def _show_plan(store: Store, person: Person, terms: list[Term]) -> None:
    """What the file would add and change, field by field, and the button that does it."""
    plan = glossary.compare_terms(store, terms)
    st.html(
        "<b>"
        + text(
            "glossary.plan",
            added=len(plan.added),
            changed=len(plan.changed),
            same=plan.same,
            conflicting=len(plan.conflicting),
        )
        + "</b>"
    )
    if plan.conflicting:
        st.error(text("glossary.conflicts"), icon=":material/error:")
        st.dataframe(
            {text("glossary.column.conflict"): list(map(notice_text, plan.conflicting))},
            hide_index=True,
            key="glossary_conflicts",
        )
    _show_changes(plan)
    blocked = bool(plan.conflicting) or not (plan.added or plan.changed)
    if st.button(text("glossary.apply"), key="glossary_apply", type="primary", disabled=blocked):
        with session.guard():
            done = glossary.import_terms(store, person, terms, progress=progress.bar("checks"))
            notice = text("glossary.imported", added=len(done.added), changed=len(done.changed))
            editor.open_term(None, notice)
            st.rerun()


def _show_changes(plan: TermImport) -> None:
    names = {
        name: text(f"glossary.column.{name}") for name in ("source", "target", "mode", "domain")
    }
    if plan.added:
        st.html(f"<div class='jt-label'>{text('glossary.added')}</div>")
        rows = [{names[name]: getattr(term, name) or "" for name in names} for term in plan.added]
        st.dataframe(
            rows,
            hide_index=True,
            height=min(36 + 28 * len(rows), 240),
            row_height=28,
            key="glossary_plan_added",
        )
    if plan.changed:
        st.html(f"<div class='jt-label'>{text('glossary.changed')}</div>")
        changes = [
            {
                names["source"]: old.source,
                text("glossary.column.field"): text(f"glossary.column.{name}"),
                text("glossary.column.is"): _flat(getattr(old, name)),
                text("glossary.column.becomes"): _flat(getattr(new, name)),
            }
            for old, new in plan.changed
            for name in COMPARED
            if getattr(old, name) != getattr(new, name)
        ]
        st.dataframe(
            changes,
            hide_index=True,
            height=min(36 + 28 * len(changes), 240),
            row_height=28,
            key="glossary_plan_changed",
        )


def _flat(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value or "")
