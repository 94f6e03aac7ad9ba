"""Replacing parts of a text while every other byte stays."""

from __future__ import annotations

from collections.abc import Iterable

from review_app.models import Span

Edit = tuple[Span, str]
"""Where the text that is replaced stands, and the new one."""


def splice(raw: str, edits: Iterable[Edit]) -> str:
    """`raw` with the text between each start and end replaced; spans must not overlap."""
    parts, last = [], 0
    for (start, end), text in sorted(edits, key=lambda edit: edit[0]):
        parts += [raw[last:start], text]
        last = end
    return "".join([*parts, raw[last:]])
