"""Patch files: one JSON list of patches a domain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from review_app.core.formats.json_text import parse_json
from review_app.core.tasks.operations import operation_from_json
from review_app.core.tasks.patches import Layer, Patch, PatchKind
from review_app.errors import BadInput

_TEXTS = ("id", "domain", "task_id", "layer", "kind", "base_hash", "reason", "source", "upstream")
_CHOICES: Mapping[str, tuple[str, ...]] = {"layer": get_args(Layer), "kind": get_args(PatchKind)}
_OPTIONAL = ("upstream",)


def patches_from_json(text: str, file: str) -> tuple[Patch, ...]:
    """The patches of a file, in its order.

    Args:
        text: A JSON list of objects with the fields of `Patch`; `upstream` may be left out.
        file: Named in errors.

    Raises:
        BadInput: not JSON, a patch that is incomplete or says something unknown, or an id twice;
            names file and patch.
    """
    listed = parse_json(text, file)
    if not isinstance(listed, list):
        raise BadInput("must be a list of patches", file)
    patches = tuple(_patch(value, file, at) for at, value in enumerate(listed))
    seen: set[str] = set()
    for patch in patches:
        if patch.id in seen:
            raise BadInput("another patch has this id", file, patch.id)
        seen.add(patch.id)
    return patches


def patches_as_json(patches: Iterable[Patch]) -> str:
    """The text of a patch file; reading it gives the same patches.

    Members stand in a fixed order, one a line, so that two versions of a file can be compared.
    """
    listed = [_written(patch) for patch in patches]
    return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"


def _written(patch: Patch) -> dict[str, Any]:
    texts = {name: getattr(patch, name) for name in _TEXTS if name not in _OPTIONAL}
    if patch.upstream:
        texts["upstream"] = patch.upstream
    return {**texts, "operations": [operation.as_json() for operation in patch.operations]}


def _patch(value: Any, file: str, at: int) -> Patch:
    if not isinstance(value, dict):
        raise BadInput("a patch must be an object", file, str(at))
    name = value["id"] if isinstance(value.get("id"), str) and value["id"] else str(at)
    for field in _TEXTS:
        given = value.get(field, "" if field in _OPTIONAL else None)
        if not isinstance(given, str) or not (given or field in _OPTIONAL):
            raise BadInput(f"{field!r} must be text", file, name)
        if given not in _CHOICES.get(field, (given,)):
            raise BadInput(f"{field!r} must be one of {', '.join(_CHOICES[field])}", file, name)
    if unknown := sorted(set(value) - {*_TEXTS, "operations"}):
        raise BadInput(f"unknown field {unknown[0]!r}", file, name)
    listed = value.get("operations")
    if not isinstance(listed, list) or bool(listed) == bool(value.get("upstream")):
        problem = "`operations` must be a list, empty exactly where `upstream` has the fix"
        raise BadInput(problem, file, name)
    operations = [
        operation_from_json(each, file, f"{name}/operations/{number}")
        for number, each in enumerate(listed)
    ]
    fields = {field: value.get(field, "") for field in _TEXTS}
    return Patch(operations=tuple(operations), **fields)
