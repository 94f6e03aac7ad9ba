"""Project page: write the reviewed files out."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from pathlib import Path

import streamlit as st

from review_app.errors import BadInput, ExportBlocked
from review_app.models import STATES, Person
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.shared import downloads, links, progress, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.release import export
from review_app.workflows.review import overview

EXPORTS = Path("exports")
LISTED = 200


def show(store: Store, person: Person) -> None:
    """Name a folder, see what is missing, export, and take the files along."""
    domains = [info.name for info in read_model.domains(store)]
    if not domains:
        st.info(text("project.export.nothing"), icon=":material/folder_open:")
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    st.session_state.setdefault("export_name", "export")
    row.text_input(
        text("project.export.name"),
        key="export_name",
        width=260,
        help=text("project.export.name_help", folder=EXPORTS.resolve()),
    )
    domain = row.selectbox(
        text("project.column.domain"),
        ["", *domains],
        format_func=lambda name: name or text("common.all"),
        key="export_domain",
        width=200,
    )
    row.toggle(text("project.export.incomplete"), key="export_incomplete")
    pressed = row.button(
        text("project.export.go"), key="export_go", type="primary", icon=":material/upload:"
    )
    _show_missing(store, domain)
    if pressed:
        st.session_state.pop("export_report", None)
        with session.guard():
            st.session_state["export_report"] = _export(store, domain or None)
    _show_written()


def _show_missing(store: Store, domain: str) -> None:
    """How many segments are not approved, by state, each with the way to them."""
    states: Counter[str] = Counter()
    for file in overview.progress(store):
        if domain in ("", file.domain):
            states.update(file.states)
    approved = states.pop("approved", 0)
    total = approved + states.total()
    st.html(f"<div>{text('project.export.approved', count=approved, total=total)}</div>")
    row = st.container(horizontal=True, gap="small")
    for state in STATES:
        if states[state]:
            words = text(
                "overview.blocker.state", state=text(f"common.state.{state}"), count=states[state]
            )
            query = {"state": state} | ({"domain": domain} if domain else {})
            with row:
                links.to_review(words, ":material/pending:", **query)
    if states.total():
        st.caption(text("project.export.missing_note"))


def _export(store: Store, domain: str | None) -> dict[str, object]:
    """Write the folder; returns what was written, or what is missing, as plain JSON values."""
    name = str(st.session_state["export_name"]).strip()
    if not re.fullmatch(r"[\w][\w.-]{0,80}", name):
        raise BadInput(
            Notice("ui.bad_folder_name", "is no folder name: use letters, digits, - _ and . only"),
            name,
        )
    try:
        report = export.export(
            store,
            EXPORTS / name,
            domain=domain,
            allow_incomplete=bool(st.session_state["export_incomplete"]),
            progress=progress.bar("export"),
        )
    except ExportBlocked as blocked:
        return {"folder": "", "files": {}, "missing": list(blocked.missing)}
    return {"folder": report.folder, "files": report.files, "missing": report.missing}


def _show_written() -> None:
    report = st.session_state.get("export_report")
    if not report:
        return
    missing, files = report["missing"], report["files"]
    if not report["folder"]:
        st.error(text("project.export.blocked", count=len(missing)), icon=":material/block:")
    else:
        place = links.plain(str(Path(report["folder"]).resolve()))
        st.success(
            text("project.export.done", count=len(files), folder=place), icon=":material/check:"
        )
        st.download_button(
            text("project.export.zip"),
            lambda: downloads.archive(Path(report["folder"]), [*files, folder_swap.MANIFEST]),
            file_name=f"{Path(report['folder']).name}.zip",
            mime="application/zip",
            key="export_zip",
            icon=":material/download:",
            on_click="ignore",
        )
        rows = "".join(
            f"<tr><td class='jt-mono'>{escape(name)}</td><td class='jt-mono'>{hashed}</td></tr>"
            for name, hashed in files.items()
        )
        head = f"<th>{text('project.column.file')}</th><th>SHA-256</th>"
        st.html(f"<table class='jt-table'><tr>{head}</tr>{rows}</table>")
    if missing:
        with st.expander(text("project.export.missing", count=len(missing)), key="export_missing"):
            listed = "".join(
                f"<li class='jt-mono'>{escape(line)}</li>" for line in missing[:LISTED]
            )
            st.html(f"<ul class='jt-list'>{listed}</ul>")
            if len(missing) > LISTED:
                st.caption(text("project.report.more", count=len(missing) - LISTED))
