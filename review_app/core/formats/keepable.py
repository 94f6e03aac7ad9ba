"""Values that JSON text and a database can hold, and those that they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from review_app.notices import Notice

DEEPEST = 200
"""How deep values may be nested; what is deeper cannot be written again."""
TOO_DEEP = Notice("file.too_deep", "nested too deep")


def unkeepable(value: Any) -> tuple[str, Notice] | None:
    """Path (joined by `/`) and problem of a value that cannot be kept; None if all can.

    Half a character (a lone surrogate) has no place in any file, a number without an end none in
    JSON, and what is nested too deep is read and never written.
    """
    waiting: list[tuple[Any, tuple[str, ...]]] = [(value, ())]
    while waiting:
        holder, path = waiting.pop()
        if len(path) > DEEPEST:
            return "/".join(map(_printable, path[:3])), TOO_DEEP
        for key, inner in _members(holder):
            problem = _halved(key) if isinstance(key, str) else None
            if isinstance(inner, dict | list):
                waiting.append((inner, (*path, str(key))))
            elif isinstance(inner, str):
                problem = problem or _halved(inner)
            elif isinstance(inner, float) and not isfinite(inner):
                problem = Notice("file.no_number", "{value} is no number of JSON", value=str(inner))
            if problem is not None:
                return "/".join(map(_printable, (*path, str(key)))), problem
    return None


def _members(holder: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(holder, dict):
        yield from holder.items()
    elif isinstance(holder, list):
        yield from enumerate(holder)


def _halved(text: str) -> Notice | None:
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start : error.end][0]
        return Notice(
            "file.half_a_character", "holds half a character, {half!r}: write it whole", half=half
        )
    return None


def _printable(key: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in key)
