"""Values that JSON text and a database can hold, and those that they cannot."""

from __future__ import annotations

from math import isfinite
from typing import Any

from review_app.notices import Notice

DEEPEST = 200
"""How deep values may be nested; what is deeper cannot be written again."""
TOO_DEEP = Notice("file.too_deep", "nested too deep")

_Way = tuple["_Way | None", str | int]
"""How a value is reached: from which holder, by which key or index."""


def unkeepable(value: Any) -> tuple[str, Notice] | None:
    """Path (joined by `/`) and problem of a value that cannot be kept; None if all can.

    Half a character (a lone surrogate) has no place in any file, a number without an end none in
    JSON, and what is nested too deep is read and never written.

    Args:
        value: As JSON or TOML is parsed.
    """
    waiting: list[tuple[Any, _Way | None, int]] = [([value], None, 0)]
    while waiting:
        holder, way, depth = waiting.pop()
        if depth > DEEPEST + 1:
            return _place(way, 3), TOO_DEEP
        is_object = isinstance(holder, dict)
        if is_object and (name := _halved_key(holder)) is not None:
            return _place((way, name)), _half(name)
        for key, inner in holder.items() if is_object else enumerate(holder):
            # Large files pass through here value by value: what is usual is passed over at once.
            if isinstance(inner, str) and inner.isascii():
                continue
            if isinstance(inner, dict | list):
                waiting.append((inner, (way, key), depth + 1))
            elif (problem := _fault(inner)) is not None:
                return _place((way, key)), problem
    return None


def _halved_key(holder: dict[str, Any]) -> str | None:
    if all(map(str.isascii, holder)):
        return None
    return next(filter(_is_halved, holder), None)


def _is_halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _fault(value: Any) -> Notice | None:
    if isinstance(value, str):
        return _half(value) if _is_halved(value) else None
    if isinstance(value, float) and not isfinite(value):
        return Notice("file.no_number", "{value} is no number of JSON", value=str(value))
    return None


def _half(text: str) -> Notice:
    half = next(filter(_is_halved, text))
    return Notice(
        "file.half_a_character", "holds half a character, {half!r}: write it whole", half=half
    )


def _place(way: _Way | None, most: int = DEEPEST) -> str:
    keys: list[str] = []
    while way is not None:
        way, key = way
        keys.append(_printable(str(key)))
    return "/".join(keys[-2::-1][:most])


def _printable(key: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in key)
