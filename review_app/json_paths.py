"""Places inside plain JSON: values read and copies made, and the pointers that name them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from review_app.json_types import JsonPath


def inside(value: Any, path: Iterable[str | int]) -> Any:
    """The value at a path; an index of a list may be given as its digits.

    Raises:
        LookupError: there is nothing.
    """
    for key in path:
        if isinstance(value, dict):
            value = value[key]
        elif isinstance(value, list) and (index := _index(value, key)) is not None:
            value = value[index]
        else:
            raise LookupError(key)
    return value


def at(value: Any, path: Iterable[str | int], otherwise: Any = None) -> Any:
    """The value at a path, or what stands for nothing.

    Example:
        {"a": [{"b": 1}]}, ("a", 0, "b") -> 1, the same with ("a", 7) -> None
    """
    try:
        return inside(value, path)
    except LookupError:
        return otherwise


def put(value: Any, path: JsonPath, new: Any) -> Any:
    """A copy with another value at a path; all else is shared.

    What has no such entry on the way is replaced by an object that has.
    """
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, list) and (index := _index(value, key)) is not None:
        return [*value[:index], put(value[index], rest, new), *value[index + 1 :]]
    holder = value if isinstance(value, dict) else {}
    return {**holder, key: put(holder.get(key), rest, new)}


def _index(entries: list[Any], key: str | int) -> int | None:
    """The key as an index of a list; None if the list has no such entry."""
    digits = str(key)
    return int(digits) if digits.isdecimal() and int(digits) < len(entries) else None


def pointer(path: Iterable[str | int]) -> str:
    """The JSON pointer of a path.

    Example:
        ("a/b", 0) -> "/a~1b/0"
    """
    return "".join(f"/{escaped(str(key))}" for key in path)


def keys(pointer: str) -> tuple[str, ...]:
    """The path that a JSON pointer writes, indexes as digits; what precedes its first `/` is lost.

    Example:
        "/a~1b/0" -> ("a/b", "0")
    """
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])


def escaped(key: str) -> str:
    """A key as a part of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")
