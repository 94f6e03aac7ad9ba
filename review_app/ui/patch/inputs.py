"""The widgets of the patch editor's form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from review_app.ui.environment import inputs
from review_app.ui.patch import fields
from review_app.ui.patch.fields import Argument, FieldInput
from review_app.ui.shared import links
from review_app.ui.shared.i18n import text

_LINE = 44
"""Characters of a text area's line at the usual width."""


def show_entry(entry: FieldInput, key: str) -> None:
    """The input of a text or a criterion; its value is under `key` in the session."""
    st.session_state.setdefault(key, entry.shown)
    label = links.plain(str(entry.path[-1]))
    if entry.input == "components":
        st.multiselect(label, fields.components(entry), key=key)
        return
    hint = text("patch.one_a_line") if entry.input == "lines" else None
    st.text_area(label, key=key, height=_height(str(entry.shown)), help=hint)


def _height(content: str) -> int:
    lines = sum(len(line) // _LINE + 1 for line in content.split("\n"))
    return max(min(lines, 12) * 24 + 20, 68)


def show_argument(argument: Argument, key: str) -> None:
    """The input of an argument, by its type; with what the user has where that is known."""
    st.session_state.setdefault(key, argument.shown)
    label = links.plain(argument.field.name)
    shared: dict[str, Any] = {
        "key": key,
        "help": links.plain(argument.field.description) or None,
        "format_func": lambda value: _pick(argument, value),
        "accept_new_options": True,
    }
    if argument.is_many:
        st.multiselect(label, list(argument.picks), **shared)
    elif argument.picks:
        st.selectbox(
            label,
            list(argument.picks),
            index=None,
            placeholder=text("environment.choose"),
            **shared,
        )
    else:
        inputs.show(argument.field, key)


def _pick(argument: Argument, value: str) -> str:
    words = argument.picks.get(value, value)
    return value if words == value else f"{value} · {words}"
