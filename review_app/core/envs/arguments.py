"""Arguments that cannot be handed to a tool at all, whatever the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 64
"""Arguments nested deeper than this are refused."""
MAX_BITS = 1024
"""Integers beyond the range of a float are refused."""


def hostile(arguments: Mapping[str, Any]) -> str:
    """Why arguments cannot be handed to a tool at all; empty if they can.

    They must be plain JSON, nested at most `MAX_DEPTH` deep, integers within the range of a float.
    """
    level: list[Any] = [arguments]
    for _ in range(MAX_DEPTH):
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, int) and value.bit_length() > MAX_BITS:
                return "a number is too large"
            if isinstance(value, Mapping):
                if not all(isinstance(key, str) for key in value):
                    return "a key is not a string"
                deeper.extend(value.values())
            elif isinstance(value, list):
                deeper.extend(value)
            elif not (value is None or isinstance(value, str | int | float)):
                return f"{type(value).__name__} is not JSON"
        if not deeper:
            return ""
        level = deeper
    return "nested too deep"
