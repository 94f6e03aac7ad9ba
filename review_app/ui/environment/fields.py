"""The fields of a tool's form, read from its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from review_app.core.envs.schema import ToolSchema

ParameterInput = Literal["text", "integer", "number", "boolean", "choice", "open_choice", "json"]
_SIMPLE: Mapping[str, ParameterInput] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A parameter as the form shows it."""

    name: str
    input: ParameterInput
    is_required: bool
    description: str = ""
    choices: tuple[Any, ...] = ()
    default: Any = None
    example: str = ""
    """What an argument looks like, as JSON."""
    container: str = ""
    """`array` or `object` if it must be one."""


def fields(parameters: ToolSchema) -> list[ParameterField]:
    """The fields of a tool's form, in schema order."""
    definitions, required = parameters.get("$defs", {}), parameters.get("required", ())
    form_fields = []
    for name, schema in parameters["properties"].items():
        options = [_resolved(option, definitions) for option in schema.get("anyOf", (schema,))]
        plain = options[0]
        kind: ParameterInput = (
            _SIMPLE.get(plain.get("type", ""), "json") if len(options) == 1 else "json"
        )
        if "enum" in plain:
            kind = "choice" if len(options) == 1 else "open_choice"
        form_fields.append(
            ParameterField(
                name=name,
                input=kind,
                is_required=name in required,
                description=schema.get("description", ""),
                choices=tuple(plain.get("enum", ())),
                default=schema.get("default"),
                example=json.dumps(_example(plain, definitions), ensure_ascii=False),
                container=plain.get("type", "") if kind == "json" else "",
            )
        )
    return form_fields


def _resolved(schema: ToolSchema, definitions: ToolSchema) -> ToolSchema:
    name = schema.get("$ref", "").removeprefix("#/$defs/")
    resolved: ToolSchema = definitions[name] if name else schema
    return resolved


def _example(schema: ToolSchema, definitions: ToolSchema) -> Any:
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
