"""TOML text: replacing strings in it while every other byte stays, and writing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from review_app.core.formats.slots import Keyed, SlotPath, member_of
from review_app.errors import BadInput
from review_app.notices import Notice


def splice_toml(raw: str, texts: Mapping[SlotPath, str], file: str) -> str:
    """`raw` with these texts at these paths; only the last step of a path may be new.

    Raises:
        BadInput: the file does not survive reading and writing.
    """
    if not texts:
        return raw
    bom = "\ufeff" if raw.startswith("\ufeff") else ""
    try:
        document = tomlkit.parse(raw.removeprefix("\ufeff"))
    except TOMLKitError as error:
        problem = Notice(
            "file.not_rewritable", "cannot be rewritten: {problem}", problem=str(error)
        )
        raise BadInput(problem, file) from error
    if bom + tomlkit.dumps(document) != raw:
        problem = Notice(
            "file.layout_not_kept",
            "cannot be rewritten without touching other bytes; simplify its layout",
        )
        raise BadInput(problem, file)
    for path, text in texts.items():
        _container(document, path)[path[-1]] = text
    return bom + tomlkit.dumps(document)


def _container(document: Any, path: SlotPath) -> Any:
    container = document
    for step in path[:-1]:
        if isinstance(step, Keyed):
            entries = (entry for entry in container if member_of(entry, step.member) == step.value)
            container = next(entries)
        else:
            container = container[step]
    return container


def write_toml(value: Mapping[str, Any]) -> str:
    """Plain data as TOML; members without a value (null) are left out, as TOML has none."""
    return tomlkit.dumps(_without_nulls(value))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(held) for key, held in value.items() if held is not None}
    return [_without_nulls(entry) for entry in value] if isinstance(value, list) else value
