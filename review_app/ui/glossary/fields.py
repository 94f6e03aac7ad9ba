"""The form of one term. What is typed stands in the session until it is saved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st

from review_app.models import Term, TermMode
from review_app.store import Store
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model

LISTS = ("variants", "accepted", "exceptions")
PLAIN = ("source", "target", "mode", "domain", "category", "note")


def fill(prefix: str, values: Mapping[str, Any]) -> None:
    """Put values into the form, as the audit keeps them: lists as JSON texts."""
    for name in PLAIN:
        st.session_state[f"{prefix}_{name}"] = values.get(name) or ""
    for name in LISTS:
        st.session_state[f"{prefix}_{name}"] = "\n".join(json.loads(values.get(name) or "[]"))


def show(store: Store, prefix: str, old: Term | None) -> Term:
    """Show the form; returns the term as it is typed now, complete or not."""
    _start(prefix, old)
    first = st.columns(2, gap="small")
    first[0].text_input(text("glossary.column.source"), key=f"{prefix}_source")
    first[1].text_input(text("glossary.column.target"), key=f"{prefix}_target")
    second = st.columns(3, gap="small")
    second[0].selectbox(
        text("glossary.column.mode"),
        list(get_args(TermMode)),
        format_func=lambda mode: text(f"glossary.mode.{mode}"),
        key=f"{prefix}_mode",
        help=text("glossary.mode_help"),
    )
    domains = [info.name for info in read_model.domains(store)]
    if old and old.domain and old.domain not in domains:
        domains.append(old.domain)
    second[1].selectbox(
        text("glossary.column.domain"),
        ["", *domains],
        format_func=lambda name: name or text("glossary.everywhere"),
        key=f"{prefix}_domain",
    )
    second[2].text_input(text("glossary.column.category"), key=f"{prefix}_category")
    third = st.columns(3, gap="small")
    for column, name in zip(third, LISTS, strict=True):
        column.text_area(
            text(f"glossary.column.{name}"),
            key=f"{prefix}_{name}",
            height=78,
            placeholder=text("glossary.one_per_line"),
            help=text(f"glossary.help.{name}"),
        )
    st.text_input(text("glossary.column.note"), key=f"{prefix}_note")
    return _typed(prefix)


def _start(prefix: str, old: Term | None) -> None:
    term = old or Term("", "")
    for name in PLAIN:
        st.session_state.setdefault(f"{prefix}_{name}", getattr(term, name) or "")
    for name in LISTS:
        st.session_state.setdefault(f"{prefix}_{name}", "\n".join(getattr(term, name)))


def _typed(prefix: str) -> Term:
    plain = {name: str(st.session_state[f"{prefix}_{name}"]).strip() for name in PLAIN}
    mode = next(mode for mode in get_args(TermMode) if mode == plain["mode"])
    return Term(
        source=plain["source"],
        target=plain["target"],
        mode=mode,
        domain=plain["domain"] or None,
        category=plain["category"],
        note=plain["note"],
        variants=_lines(f"{prefix}_variants"),
        accepted=_lines(f"{prefix}_accepted"),
        exceptions=_lines(f"{prefix}_exceptions"),
    )


def _lines(key: str) -> tuple[str, ...]:
    lines = str(st.session_state[key]).splitlines()
    return tuple(line.strip() for line in lines if line.strip())
