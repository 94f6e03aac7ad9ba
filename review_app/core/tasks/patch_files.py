"""Patch files: one JSON list of patches a domain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from review_app.core.formats.json_text import parse_json
from review_app.core.formats.keepable import unkeepable
from review_app.core.tasks.operations import operation_from_json
from review_app.core.tasks.patches import Layer, Patch, PatchKind
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice

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
        raise BadInput(Notice("operation.patches_not_list", "must be a list of patches"), file)
    if (odd := unkeepable(listed)) is not None:
        raise BadInput(odd[1], file, odd[0])
    patches = tuple(_patch(value, file, at) for at, value in enumerate(listed))
    seen: set[str] = set()
    for patch in patches:
        if patch.id in seen:
            problem = Notice("operation.patch_twice", "another patch has this id")
            raise BadInput(problem, file, patch.id)
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
        problem = Notice("operation.patch_not_object", "a patch must be an object")
        raise BadInput(problem, file, str(at))
    name = value["id"] if isinstance(value.get("id"), str) and value["id"] else str(at)
    if fault := _fault(value):
        raise BadInput(fault, file, name)
    operations = [
        operation_from_json(stated, file, f"{name}/operations/{number}")
        for number, stated in enumerate(value["operations"])
    ]
    fields = {field: value.get(field, "") for field in _TEXTS}
    return Patch(operations=tuple(operations), **fields)


def _fault(value: Json) -> Notice | None:
    """Why an object states no patch, its operations aside; None if it does."""
    for field in _TEXTS:
        content = value.get(field, "" if field in _OPTIONAL else None)
        if not isinstance(content, str) or not (content or field in _OPTIONAL):
            return Notice("operation.field_not_text", "{field!r} must be text", field=field)
        choices = _CHOICES.get(field, (content,))
        if content not in choices:
            return Notice(
                "operation.field_choice",
                "{field!r} must be one of {choices}",
                field=field,
                choices=choices,
            )
    if unknown := sorted(set(value) - {*_TEXTS, "operations"}):
        return Notice("operation.field_unknown", "unknown field {field!r}", field=unknown[0])
    operations = value.get("operations")
    if not isinstance(operations, list) or bool(operations) == bool(value.get("upstream")):
        return Notice(
            "operation.list_or_upstream",
            "`operations` must be a list, empty exactly where `upstream` has the fix",
        )
    return None
