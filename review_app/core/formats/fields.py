"""Which strings of a structured file are text: patterns, written as data.

A pattern is a path of components joined by `/`:

    name        this member
    *           any member or list entry
    {product}   any member or list entry; its key is bound to `product`
    *{plan_id}  any member or list entry that is an object; its own `plan_id` is bound, and list
                entries are told apart by it instead of by their position
                (`*{function.name}` looks into the entry's `function`)

The address of a text is a template of the bound names and `{text}`, the text itself. Several places
that give the same address and hold the same text are one unit with several occurrences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.notices import Notice


@dataclass(frozen=True, slots=True)
class TextField:
    """One kind of text in a file."""

    address: str
    """Template of the part after `#`: `products/{product_id}/name`."""
    paths: tuple[str, ...]
    """Patterns of all places where the text occurs."""
    section: str = ""
    """Template of the name shown to people."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The texts in the databases of one domain, by file name."""

    files: Mapping[str, tuple[TextField, ...]] = field(default_factory=dict)

    def of(self, file: str) -> tuple[TextField, ...]:
        """The fields of a file, whatever folder it is in."""
        return self.files.get(file.rpartition("/")[2], ())


NO_FIELDS = Fields()


def parse_fields(text: str, domain: str) -> Fields:
    """The fields that `fields.toml` gives for a domain; none for an unknown one.

    Args:
        text: TOML: for each domain and file an array of tables with the members of `TextField`.
        domain: `retail`.

    Raises:
        BadInput: not TOML, or a table has other members or a template names what no path binds.
    """
    files = parse_toml(text, "fields.toml").get(domain, {})
    return Fields({file: tuple(_field(file, entry) for entry in files[file]) for file in files})


def _field(file: str, entry: Mapping[str, object]) -> TextField:
    address, paths, section = entry.get("address"), entry.get("paths"), entry.get("section", "")
    if not (isinstance(address, str) and isinstance(paths, list) and isinstance(section, str)):
        problem = Notice(
            "file.field_incomplete", "a field needs address and section (texts) and paths (list)"
        )
        raise BadInput(problem, file)
    text_field = TextField(address, tuple(map(str, paths)), section)
    for path in text_field.paths:
        unbound = _names(address) | _names(section)
        unbound -= _names(path) | {"text"}
        if unbound:
            problem = Notice(
                "file.name_not_in_path",
                "no {name!r} in path {path!r}",
                name=min(unbound),
                path=path,
            )
            raise BadInput(problem, "fields.toml", address)
    return text_field


def _names(template: str) -> set[str]:
    return set(re.findall(r"\{([^}]*)\}", template))


TASK_FIELDS = tuple(
    TextField(f"{{id}}/{path}", (f"*{{id}}/{path}",), "task {id}")
    for path in (
        "description/purpose",
        "description/relevant_policies",
        "description/notes",
        "user_scenario/persona",
        "user_scenario/instructions",
        "user_scenario/instructions/task_instructions",
        "user_scenario/instructions/reason_for_call",
        "user_scenario/instructions/known_info",
        "user_scenario/instructions/unknown_info",
        "ticket",
        "initial_state/message_history/{n}/content",
        "evaluation_criteria/nl_assertions/{n}",
        "evaluation_criteria/env_assertions/{n}/message",
    )
)
"""Source: tau2-bench data model of tasks; the parts that people or models read."""


def _tool_field(address: str, *paths: str) -> TextField:
    tool = "{function.name}"
    return TextField(f"{tool}/{address}", tuple(f"*{tool}/{path}" for path in paths), tool)


def _schema_paths(schema: str) -> tuple[str, ...]:
    """Where a JSON schema keeps the values of a closed set."""
    inside = (schema, f"{schema}/items", f"{schema}/anyOf/*")
    return tuple(path for at in inside for path in (f"{at}/enum/*", f"{at}/const"))


_PARAMETER, _DEFS = "function/parameters/properties/{name}", "function/parameters/$defs/{type}"
_RETURN_DEFS = "x_returns/$defs/{type}"

TOOL_FIELDS = (
    _tool_field("description", "function/description"),
    _tool_field("parameters/{name}", f"{_PARAMETER}/description"),
    _tool_field("parameters/{name}/enum/{text}", *_schema_paths(_PARAMETER)),
    _tool_field("$defs/{type}", f"{_DEFS}/description", f"{_RETURN_DEFS}/description"),
    _tool_field("$defs/{type}/enum/{text}", f"{_DEFS}/enum/*", f"{_RETURN_DEFS}/enum/*"),
    _tool_field(
        "$defs/{type}/{name}",
        f"{_DEFS}/properties/{{name}}/description",
        f"{_RETURN_DEFS}/properties/{{name}}/description",
    ),
    _tool_field(
        "$defs/{type}/{name}/enum/{text}",
        *_schema_paths(f"{_DEFS}/properties/{{name}}"),
        *_schema_paths(f"{_RETURN_DEFS}/properties/{{name}}"),
    ),
    _tool_field("returns", "x_returns/properties/returns/description"),
    _tool_field("returns/enum/{text}", *_schema_paths("x_returns/properties/returns")),
    _tool_field("raises/{n}", "x_raises/{n}/desc"),
)
"""OpenAI function form; `x_returns` and `x_raises` carry the rest of a tool's docstring."""

MESSAGE_FIELDS = (TextField("{key}", ("{key}",)),)
