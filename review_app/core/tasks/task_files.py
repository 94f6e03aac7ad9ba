"""Task files as text: what changes in a task is written anew, every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from review_app.core.formats.edits import Edit, splice
from review_app.core.formats.json_text import (
    entry_spans,
    escapes_non_ascii,
    literal,
    parse_json,
    spans,
)
from review_app.core.formats.slots import SlotPath
from review_app.core.tasks.operations import Task
from review_app.models import Span

_SIGNS = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)
"""The characters of a JSON string as they are written, with their escapes."""


def with_tasks(raw: str, changed: Mapping[str, Task], file: str = "tasks.json") -> str:
    """A task file with other versions of some of its tasks.

    Of a text only what differs is written; of a list or an object whose members are other ones
    the whole, with the indentation, the line ends and the escapes of the file.

    Args:
        raw: A JSON list of tasks.
        changed: Task id -> the whole task; ids that the file lacks are passed over.
        file: Named in errors.

    Raises:
        BadInput: not JSON.
    """
    values: dict[SlotPath, tuple[Any, Any]] = {}
    for at, task in enumerate(parse_json(raw, file)):
        after = changed.get(str(task.get("id")))
        if after is not None:
            values |= {path: (old, new) for path, old, new in _changes(task, after, (at,))}
    located = spans(raw, values)
    return splice(raw, [_edit(raw, located[path], *pair) for path, pair in values.items()])


def _changes(old: Any, new: Any, path: SlotPath) -> Iterator[tuple[SlotPath, Any, Any]]:
    """Yield the smallest values that differ, with their paths."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        for name, member in old.items():
            yield from _changes(member, new[name], (*path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, entry in enumerate(old):
            yield from _changes(entry, new[at], (*path, at))
    elif old != new or type(old) is not type(new):
        yield path, old, new


def _edit(raw: str, span: Span, old: Any, new: Any) -> Edit:
    """The edit that writes a value in the place of another one."""
    start, end = span
    ascii_only = escapes_non_ascii(raw.removeprefix("\ufeff"))
    if not (isinstance(old, str) and isinstance(new, str)):
        return span, _written(raw, span, new, ascii_only=ascii_only)
    before = _SIGNS.findall(raw[start + 1 : end - 1])
    after = _SIGNS.findall(literal(new, ascii_only=ascii_only)[1:-1])
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    first = start + 1 + sum(map(len, before[:head]))
    last = end - 1 - sum(map(len, before[len(before) - tail :]))
    return (first, last), "".join(after[head : len(after) - tail])


def _alike(signs: Sequence[str], others: Sequence[str]) -> int:
    """With how many characters both begin, however these are escaped."""
    count = 0
    for sign, other in zip(signs, others, strict=False):
        if sign != other and json.loads(f'"{sign}"') != json.loads(f'"{other}"'):
            break
        count += 1
    return count


def _written(raw: str, span: Span, value: Any, *, ascii_only: bool) -> str:
    """A value in the form of the file; in one line where the old one is."""
    start, end = span
    old = raw[start:end]
    line = raw[raw.rfind("\n", 0, start) + 1 : start]
    base = line[: len(line) - len(line.lstrip(" \t"))]
    is_inline = "\n" not in old and old[0] in "[{" and old.strip("[]{} ") != ""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=None if is_inline else _step(raw))
    return text.replace("\n", ("\r\n" if "\r\n" in raw else "\n") + base)


def _step(raw: str) -> int | str | None:
    """By what the file indents; None if it does not."""
    start = entry_spans(raw)[0][0]
    line = raw[raw.rfind("\n", 0, start) + 1 : start]
    rest, _, following = raw[start + 1 :].partition("\n")
    first = following[: len(following) - len(following.lstrip(" \t"))]
    base = line if not line.strip() else ""
    return first.removeprefix(base) or None if first and not rest.strip() else None
