"""The inputs of a tool's form: one for each parameter, by its type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import streamlit as st

from review_app.core.envs.schema import Schema
from review_app.ui import links
from review_app.ui.i18n import text

Input = Literal["text", "integer", "number", "boolean", "choice", "open_choice", "json"]
_SIMPLE: Mapping[str, Input] = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "boolean",
}  # fmt: skip
_CONTAINERS: Mapping[str, type] = {"array": list, "object": dict}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter as the form shows it."""

    name: str
    input: Input
    is_required: bool
    description: str = ""
    choices: tuple[Any, ...] = ()
    default: Any = None
    example: str = ""
    """What an argument looks like, as JSON."""
    container: str = ""
    """`array` or `object` if it must be one."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was typed for a parameter."""

    name: str
    value: Any = None
    is_given: bool = False
    problem: str = ""


def fields(parameters: Schema) -> list[Field]:
    """The fields of a tool's form, in schema order."""
    definitions, required = parameters.get("$defs", {}), parameters.get("required", ())
    found = []
    for name, schema in parameters["properties"].items():
        options = [_resolved(one, definitions) for one in schema.get("anyOf", (schema,))]
        plain = options[0]
        kind: Input = _SIMPLE.get(plain.get("type", ""), "json") if len(options) == 1 else "json"
        if "enum" in plain:
            kind = "choice" if len(options) == 1 else "open_choice"
        found.append(
            Field(
                name,
                kind,
                name in required,
                schema.get("description", ""),
                tuple(plain.get("enum", ())),
                schema.get("default"),
                json.dumps(_example(plain, definitions), ensure_ascii=False),
                plain.get("type", "") if kind == "json" else "",
            )  # fmt: skip
        )
    return found


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    name = schema.get("$ref", "").removeprefix("#/$defs/")
    resolved: Schema = definitions[name] if name else schema
    return resolved


def _example(schema: Schema, definitions: Schema) -> Any:
    schema = _resolved(schema.get("anyOf", (schema,))[0], definitions)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [_example(schema["items"], definitions)]
    if kind == "object":
        members = schema.get("properties", {})
        return {name: _example(member, definitions) for name, member in members.items()}
    return {"integer": 1, "number": 1.5, "boolean": True}.get(str(kind), "…")


def show(field: Field, key: str) -> None:
    """The input of one parameter; its value is under `key` in the session."""
    label = links.plain(field.name) if field.is_required else text(
        "environment.optional", name=links.plain(field.name)
    )  # fmt: skip
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


def read(field: Field, typed: Any) -> Given:
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
