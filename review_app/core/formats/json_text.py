"""JSON text: reading it, and where its parts stand, so that they can be replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from review_app.core.formats.edits import Edit
from review_app.core.formats.slots import Keyed, SlotPath, SlotStep, member_of
from review_app.errors import BadInput
from review_app.models import Span
from review_app.notices import Notice

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPE = re.compile(
    r"(?<!\\)(?:\\\\)*\\u(?:00[89a-f]|0[1-9a-f][0-9a-f]|[1-9abcef][0-9a-f]{2}|d[0-7][0-9a-f]"
    r"|d[89ab][0-9a-f]{2}\\ud[c-f])",
    re.IGNORECASE,
)


class _Branch(dict[SlotStep, "_Branch"]):
    """The paths that are looked for, as a tree."""

    wanted = False


def parse_json(raw: str, file: str) -> Any:
    """The value of a JSON text; a byte order mark before it is fine.

    Raises:
        BadInput: not JSON, with line and column.
    """
    try:
        return json.loads(raw.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise BadInput(
            Notice("file.not_json", "not JSON: {problem}", problem=error.msg), file, place
        ) from error
    except (ValueError, RecursionError) as error:
        problem = Notice("file.json_unusable", "not usable as JSON: {problem}", problem=str(error))
        raise BadInput(problem, file) from error


def escapes_non_ascii(raw: str) -> bool:
    r"""Whether new text must be written in ASCII: the file does so and has `\u` escapes to show."""
    return raw.isascii() and _ESCAPE.search(raw) is not None


def literal(text: str, *, ascii_only: bool) -> str:
    """A JSON string literal. Lone surrogates, which no encoding can hold, are always escaped."""
    written = json.dumps(text, ensure_ascii=ascii_only)
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", written)


def spans(raw: str, paths: Iterable[SlotPath]) -> dict[SlotPath, Span]:
    """Where the values of these paths stand in a valid JSON text; absent paths are left out.

    Of members with the same name the last counts, as for a JSON parser.
    """
    root = _Branch()
    for path in paths:
        branch = root
        for step in path:
            branch = branch.setdefault(step, _Branch())
        branch.wanted = True
    located: dict[SlotPath, Span] = {}
    _scan(raw, int(raw.startswith("\ufeff")), root, (), located)
    return located


def entry_spans(raw: str) -> list[Span]:
    """Where the entries of the list stand that a JSON text consists of."""
    return [span for span, _ in _entries(raw, raw.index("[") + 1)]


def with_members(raw: str, span: Span, members: Sequence[tuple[str, str]]) -> Edit:
    """The edit that adds members (name and value as JSON text) to the end of an object.

    Args:
        raw: The file.
        span: Where the object stands.
        members: At least one, none of them in the object yet.
    """
    start, end = span
    first = _skip(raw, start + 1)
    if raw[first] == "}":
        return (first, first), ", ".join(f"{name}: {value}" for name, value in members)
    last = start + len(raw[start : end - 1].rstrip(" \t\n\r"))
    glue = raw[start + 1 : first]
    return (last, last), "".join(f",{glue or ' '}{name}: {value}" for name, value in members)


def _scan(raw: str, at: int, branch: _Branch, path: SlotPath, located: dict[SlotPath, Span]) -> int:
    """Record the wanted spans under the value at `at`; the end of that value."""
    at = _skip(raw, at)
    if raw[at] == "{" and branch:
        end = _scan_object(raw, at, branch, path, located)
    elif raw[at] == "[" and branch:
        end = _scan_list(raw, at, branch, path, located)
    else:
        end = _DECODER.raw_decode(raw, at)[1]
    if branch.wanted:
        located[path] = (at, end)
    return end


def _scan_object(
    raw: str, at: int, branch: _Branch, path: SlotPath, located: dict[SlotPath, Span]
) -> int:
    inside: dict[str, Mapping[SlotPath, Span]] = {}
    at = _skip(raw, at + 1)
    while raw[at] != "}":
        key, at = _DECODER.raw_decode(raw, at)
        at = _skip(raw, _skip(raw, at) + 1)
        below = branch.get(key)
        if below is None:
            at = _DECODER.raw_decode(raw, at)[1]
        else:
            of_member: dict[SlotPath, Span] = {}
            inside[key] = of_member
            at = _scan(raw, at, below, (*path, key), of_member)
        at = _next(raw, at)
    for spans_below in inside.values():
        located.update(spans_below)
    return at + 1


def _scan_list(
    raw: str, at: int, branch: _Branch, path: SlotPath, located: dict[SlotPath, Span]
) -> int:
    members = {step.member for step in branch if isinstance(step, Keyed)}
    seen: set[SlotStep] = set()
    end = _skip(raw, at + 1)
    for index, (span, value) in enumerate(_entries(raw, at + 1)):
        steps: list[SlotStep] = [index]
        steps += [Keyed(member, member_of(value, member) or "") for member in members]
        for step in steps:
            if step in branch and step not in seen:
                seen.add(step)
                _scan(raw, span[0], branch[step], (*path, step), located)
        end = span[1]
    return _next(raw, end) + 1


def _entries(raw: str, at: int) -> Iterator[tuple[Span, Any]]:
    at = _skip(raw, at)
    while raw[at] != "]":
        value, end = _DECODER.raw_decode(raw, at)
        yield (at, end), value
        at = _next(raw, end)


def _next(raw: str, at: int) -> int:
    """The start of what follows a value: the next value, or the closing bracket."""
    at = _skip(raw, at)
    return _skip(raw, at + 1) if raw[at] == "," else at


def _skip(raw: str, at: int) -> int:
    match = _SPACE.match(raw, at)
    return match.end() if match else at
