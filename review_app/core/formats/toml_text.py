"""TOML text: reading it, and replacing strings in it while every other byte stays."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from review_app.core.formats.slots import Keyed, SlotPath, member_of
from review_app.errors import BadInput


def parse_toml(raw: str, file: str) -> dict[str, Any]:
    """The value of a TOML text; a byte order mark before it is fine.

    Raises:
        BadInput: not TOML, with line and column.
    """
    try:
        return tomllib.loads(raw.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise BadInput(f"not TOML: {error}", file) from error


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
        raise BadInput(f"cannot be rewritten: {error}", file) from error
    if bom + tomlkit.dumps(document) != raw:
        raise BadInput(
            "cannot be rewritten without touching other bytes; simplify its layout", file
        )
    for path, text in texts.items():
        _container(document, path)[path[-1]] = text
    return bom + tomlkit.dumps(document)


def _container(document: Any, path: SlotPath) -> Any:
    found = document
    for step in path[:-1]:
        if isinstance(step, Keyed):
            found = next(e for e in found if member_of(e, step.member) == step.value)
        else:
            found = found[step]
    return found


def write_toml(value: Mapping[str, Any]) -> str:
    """Plain data as TOML; members without a value (null) are left out, as TOML has none."""
    return tomlkit.dumps(_without_nulls(value))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
