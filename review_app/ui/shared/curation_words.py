"""How the pages of curation write states, levels, kinds and groups: as colour and word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from html import escape
from zoneinfo import ZoneInfo

import streamlit as st

from review_app import json_paths
from review_app.core.tasks.operations import Task
from review_app.records.curation import Evidence
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text

_LOOKS = {
    "label": "draft",
    "proposed": "in_review",
    "rejected": "draft",
    "inverted": "stale",
    "open": "contested",
    "triaged": "in_review",
    "patched": "approved",
    "wont_fix": "draft",
    "not_a_defect": "draft",
    "inserted": "approved",
    "added": "approved",
    "removed": "error",
    "changed": "warning",
    "moved": "info",
}
"""Whose colours a word borrows; other words have colours of their own."""


def badge(family: str, word: str) -> str:
    """A word of a family (`level`, `patch`, `flag`, `status`) as a coloured badge."""
    shown = escape(text(f"curation.{family}.{word}"))
    return f"<span class='jt-state jt-{_LOOKS.get(word, word)}'>{shown}</span>"


def kind(name: str | None) -> str:
    """What is wrong, in words."""
    return text(f"curation.kind.{name or 'none'}")


def severity(number: int) -> str:
    """A flag's severity, in words."""
    return text(f"curation.severity.{number}")


def evidence(piece: Evidence) -> str:
    """What kind of thing to look at, and which."""
    return f"{text(f'curation.evidence.{piece.kind}')} {piece.ref}"


def moment(at: str | None) -> str:
    """A stored moment on the reader's clock: `2026-11-30 11:04`."""
    return _local(at, "%Y-%m-%d %H:%M")


def clock(at: str | None) -> str:
    """The time of day of a stored moment on the reader's clock: `11:04:31`."""
    return _local(at, "%H:%M:%S")


def _local(at: str | None, form: str) -> str:
    if not at:
        return ""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    return datetime.fromisoformat(at).astimezone(zone).strftime(form)


def heading(title: str, note: str = "") -> str:
    """The heading of a part of a page."""
    more = f" <span class='jt-muted'>{escape(note)}</span>" if note else ""
    return f"<div style='margin-top:0.5rem;font-size:0.95rem'><b>{escape(title)}</b>{more}</div>"


def quiet(words: str) -> str:
    """A line that says that there is nothing, or how to read what is there. Escapes."""
    return f"<div class='jt-muted' style='font-size:0.88rem'>{escape(words)}</div>"


def folded(summary: str, body: str) -> str:
    """Ready-made HTML that opens with a click; the summary is escaped."""
    return (
        f"<details style='font-size:0.88rem'><summary class='jt-muted'>{escape(summary)}</summary>"
        f"{body}</details>"
    )


def record(fields: Mapping[str, object]) -> str:
    """A record of a database, field by field."""
    rows = "".join(
        f"<tr><td class='jt-muted' style='width:9rem'>{safe(str(name))}</td>"
        f"<td class='jt-mono'>{safe(_plain(value))}</td></tr>"
        for name, value in fields.items()
    )
    return f"<table class='jt-table'>{rows}</table>"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def place(task: Task, address: str) -> object:
    """The value at a JSON pointer of a task; None where there is none."""
    value: object = json_paths.at(task, json_paths.keys(address))
    return value
