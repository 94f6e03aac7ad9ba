"""Project page: is the database sound, and a copy of it."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import project


def show(store: Store, person: Person) -> None:
    """Examine on demand, and download a backup."""
    path = store.path.resolve()
    size = path.stat().st_size / 2**20
    st.html(
        f"<div>{text('project.database.file')} "
        f"<span class='jt-mono'>{escape(str(path))}</span> ({size:,.1f} MB)</div>"
    )
    row = st.container(horizontal=True, gap="small")
    examined = row.button(
        text("project.database.examine"),
        key="database_examine",
        icon=":material/health_and_safety:",
    )
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%MZ")
    row.download_button(
        text("project.database.backup"),
        backup,
        file_name=f"jtau-review-{stamp}.db",
        mime="application/vnd.sqlite3",
        key="database_backup",
        icon=":material/download:",
        on_click="ignore",
    )
    st.caption(text("project.database.note"))
    if examined:
        with st.spinner(text("project.database.examining"), show_time=True):
            problems = project.examine(store.path)
        if not problems:
            st.success(text("project.database.sound"), icon=":material/check:")
            return
        st.error(text("project.database.broken", count=len(problems)), icon=":material/error:")
        listed = "".join(
            f"<li class='jt-mono'>{escape(notice_text(problem))}</li>" for problem in problems[:100]
        )
        st.html(f"<ul class='jt-list'>{listed}</ul>")


def backup() -> bytes:
    """A consistent copy of the database, made when the button is pressed."""
    with session.opened() as store, tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "backup.db"
        project.back_up(store, target)
        return target.read_bytes()
