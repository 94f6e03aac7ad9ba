"""Enums and models among the classes of a checkout, with the classes they are made from."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from review_app.core.formats.python.names import Definition, Names, PythonModule
from review_app.core.formats.python.syntax import dotted_name

MAX_BASES = 20
"""How deep one class may lie below another."""

_OUTSIDE = ("", "abc", "builtins", "collections.abc", "datetime", "enum", "pydantic", "typing")
"""Modules whose names are known; a name that is imported from nowhere is one of them."""

_ENUMS = {"Enum", "IntEnum", "StrEnum"}
_BESIDE_ENUMS = {"str", "int", "float"}
_BESIDE_MODELS = {"ABC", "object"}

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ClassPart:
    """One class of those that make up another."""

    node: ast.ClassDef
    module: PythonModule


@dataclass(frozen=True, slots=True)
class PythonClass:
    """An enum or a model. `parts` are its bases that the checkout holds, and then itself."""

    kind: Literal["enum", "model"]
    parts: tuple[ClassPart, ...]


def python_class(definition: Definition, names: Names) -> PythonClass | None:
    """The class that a name stands for; None if a base is not known or it is something else."""
    parts: dict[_Key, ClassPart] = {}
    outside: set[str] = set()
    _descend(definition, names, parts, outside, ())
    if outside & _ENUMS and outside <= _ENUMS | _BESIDE_ENUMS:
        return PythonClass("enum", tuple(parts.values()))
    if "BaseModel" in outside and outside <= {"BaseModel"} | _BESIDE_MODELS:
        return PythonClass("model", tuple(parts.values()))
    return None


def known_name(dotted: str) -> str:
    """`List` of `typing.List`; nothing for names of modules that are not known."""
    module, _, name = dotted.rpartition(".")
    return name if module.removesuffix("_extensions") in _OUTSIDE else ""


def _descend(
    definition: Definition,
    names: Names,
    parts: dict[_Key, ClassPart],
    outside: set[str],
    below: tuple[_Key, ...],
) -> None:
    node = definition.node
    if definition.key in below or len(below) > MAX_BASES or not isinstance(node, ast.ClassDef):
        outside.add("")
        return
    names.spend(100 + len(node.body))
    for base in reversed(node.bases):
        meaning = names.meaning(dotted_name(base), definition.module)
        if isinstance(meaning, Definition):
            _descend(meaning, names, parts, outside, (*below, definition.key))
        else:
            outside.add(known_name(meaning))
    parts.setdefault(definition.key, ClassPart(node, definition.module))
