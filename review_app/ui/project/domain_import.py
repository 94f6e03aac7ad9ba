"""Project page: import a domain with a preview, and what is there already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.project import report as project_report
from review_app.ui.shared import progress, session
from review_app.ui.shared.i18n import text
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest


def show(store: Store, person: Person) -> None:
    """The form, the report of the last preview or import, then the imported domains."""
    with st.container(border=True, key="project-import"):
        _show_form(store, person)
    project_report.show_domains(store)


def _show_form(store: Store, person: Person) -> None:
    st.html(f"<b>{text('project.import.title')}</b>")
    first = st.columns([3, 1.2], gap="small")
    first[0].text_input(
        text("project.import.source"),
        key="import_source",
        placeholder="/home/me/tau2-bench",
        help=text("project.import.source_help"),
    )
    first[1].text_input(text("project.import.domain"), key="import_domain", placeholder="airline")
    second = st.columns(2, gap="small")
    second[0].text_input(
        text("project.import.draft"), key="import_draft", help=text("project.import.draft_help")
    )
    second[1].text_input(
        text("project.import.tools"), key="import_tools", help=text("project.import.tools_help")
    )
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    ready = bool(_typed("source") and _typed("domain"))
    look = row.button(
        text("project.import.preview"),
        key="import_preview",
        icon=":material/preview:",
        disabled=not ready,
    )
    go = row.button(
        text("project.import.go"),
        key="import_go",
        type="primary",
        icon=":material/download_done:",
        disabled=not ready,
    )
    if look or go:
        st.session_state.pop("import_report", None)
        with session.guard():
            st.session_state["import_report"] = _run(store, person, dry_run=look)
        if go and "import_report" in st.session_state:
            st.rerun()
    report = st.session_state.get("import_report")
    if report:
        project_report.show(report)


def _typed(name: str) -> str:
    return str(st.session_state.get(f"import_{name}", "")).strip()


def _request() -> ImportRequest:
    draft, tools = _typed("draft"), _typed("tools")
    return ImportRequest(
        source=Path(_typed("source")).expanduser(),
        domain=_typed("domain"),
        draft=Path(draft).expanduser() if draft else None,
        tools=Path(tools).expanduser() if tools else None,
        with_guides=True,
    )


def _run(store: Store, person: Person, *, dry_run: bool) -> dict[str, Any]:
    """Import, or say what an import would do."""
    report = import_domain.import_domain(
        store,
        _request(),
        actor=person.name,
        dry_run=dry_run,
        progress=progress.bar("import"),
        checking=progress.bar("checks"),
        indexing=progress.bar("search"),
    )
    return report.to_row()
