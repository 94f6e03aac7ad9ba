"""The inputs of a tool's form: one for each parameter, by its type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import streamlit as st

from review_app.ui.environment.fields import ParameterField
from review_app.ui.shared import links
from review_app.ui.shared.i18n import text

_CONTAINERS: Mapping[str, type] = {"array": list, "object": dict}


@dataclass(frozen=True, slots=True)
class Given:
    """What was typed for a parameter."""

    name: str
    value: Any = None
    is_given: bool = False
    problem: str = ""


def show(field: ParameterField, key: str) -> None:
    """The input of one parameter; its value is under `key` in the session."""
    label = (
        links.plain(field.name)
        if field.is_required
        else text("environment.optional", name=links.plain(field.name))
    )
    empty: dict[str, Any] = {"index": None, "placeholder": text("environment.choose")}
    shared: dict[str, Any] = {"key": key, "help": links.plain(field.description) or None}
    if field.input == "text":
        st.text_input(label, **shared)
    elif field.input in ("integer", "number"):
        is_whole = field.input == "integer"
        st.number_input(label, value=field.default, step=1 if is_whole else 0.5, **shared)
    elif field.input == "boolean":
        words = {True: "true", False: "false"}
        st.selectbox(label, [True, False], format_func=words.__getitem__, **empty, **shared)
    elif field.input in ("choice", "open_choice"):
        is_open = field.input == "open_choice"
        st.selectbox(label, field.choices, accept_new_options=is_open, **empty, **shared)
    else:
        st.text_area(label, height=90, placeholder=field.example, **shared)


def read(field: ParameterField, typed: Any) -> Given:
    """The argument that was typed, or why it is none. An empty text is one where it is required."""
    if typed is None or (typed == "" and (field.input == "json" or not field.is_required)):
        needed = text("environment.needed", name=field.name) if field.is_required else ""
        return Given(field.name, problem=needed)
    if field.input != "json":
        return Given(field.name, typed, True)
    try:
        value = json.loads(typed, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        problem = text("environment.not_json", name=field.name, problem=error)
        return Given(field.name, problem=problem)
    wanted = _CONTAINERS.get(field.container, object)
    if not isinstance(value, wanted):
        problem = text(f"environment.not_{field.container}", name=field.name, example=field.example)
        return Given(field.name, problem=problem)
    return Given(field.name, value, True)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
