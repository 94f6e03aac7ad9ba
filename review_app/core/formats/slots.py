"""The texts in a JSON-like value that its fields name, and where each of them occurs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from review_app.core.formats.fields import Field


@dataclass(frozen=True, slots=True)
class Keyed:
    """A step to the list entry whose `member` (dotted if nested) is `value`."""

    member: str
    value: str


Step = str | int | Keyed
Path = tuple[Step, ...]


@dataclass(slots=True)
class Slot:
    """One text with all places that hold it."""

    address: str
    section: str
    text: str
    paths: list[Path]


@dataclass(slots=True)
class _Node:
    """What may follow at one point of a pattern."""

    members: dict[str, _Node] = field(default_factory=dict)
    wild: dict[str, _Node] = field(default_factory=dict)
    """Wildcard component -> what follows it."""
    leaf: Field | None = None


def slots(value: Any, fields: tuple[Field, ...]) -> list[Slot]:
    """All non-blank texts of the fields, in file order.

    Another text under an address that is already taken gets `/2`, `/3` and so on behind it.
    """
    found: dict[str, Slot] = {}
    known: dict[tuple[object, ...], Slot] = {}
    places: list[_Found] = []
    _walk(value, _compiled(fields), {}, (), places)
    for rule, bound, path, text in places:
        key = (id(rule), text, *bound.items())
        slot = known.get(key)
        if slot is None:
            slot = known[key] = _slot(found, rule, bound, text)
        slot.paths.append(path)
    return list(found.values())


def _slot(found: dict[str, Slot], rule: Field, bound: Mapping[str, str], text: str) -> Slot:
    """The slot for this text, made if it is not found yet."""
    base = address = _filled(rule.address, {**bound, "text": text}, escape=True)
    count = 1
    while address in found and found[address].text != text:
        count += 1
        address = f"{base}/{count}"
    if address not in found:
        found[address] = Slot(address, _filled(rule.section, bound), text, [])
    return found[address]


def pointer(path: Path) -> str:
    """A path as JSON Pointer components, with ids instead of list positions where there are ids."""
    return "/".join(_escaped(str(s.value if isinstance(s, Keyed) else s)) for s in path)


def member_of(entry: Any, dotted: str) -> str | None:
    """The text that an object holds under a member, or under members joined by dots."""
    for name in dotted.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry if isinstance(entry, str) else None


@lru_cache(maxsize=64)
def _compiled(fields: tuple[Field, ...]) -> _Node:
    root = _Node()
    for rule in fields:
        for path in rule.paths:
            node = root
            for part in path.split("/"):
                branch = node.wild if part.startswith(("*", "{")) else node.members
                node = branch.setdefault(part, _Node())
            node.leaf = rule
    return root


_Found = tuple[Field, dict[str, str], Path, str]


def _walk(value: Any, node: _Node, bound: dict[str, str], path: Path, found: list[_Found]) -> None:
    if isinstance(value, str):
        if node.leaf and value and not value.isspace():
            found.append((node.leaf, bound, path, value))
    elif isinstance(value, dict):
        for key, child in value.items():
            if key in node.members:
                _walk(child, node.members[key], bound, (*path, key), found)
            for part, after in node.wild.items():
                _walk_wild(child, part, after, bound, (*path, key), found)
    elif isinstance(value, list) and node.wild:
        seen: set[str] = set()
        for index, child in enumerate(value):
            for part, after in node.wild.items():
                step = _entry_step(index, child, part, seen)
                _walk_wild(child, part, after, bound, (*path, step), found)


def _walk_wild(
    child: Any,
    part: str,
    after: _Node,
    bound: dict[str, str],
    path: Path,
    found: list[_Found],
) -> None:
    if part == "*":
        _walk(child, after, bound, path, found)
    elif part[0] == "{":
        step = path[-1]
        key = step.value if isinstance(step, Keyed) else str(step)
        _walk(child, after, {**bound, part[1:-1]: key}, path, found)
    elif isinstance(child, dict):
        name = member_of(child, part[2:-1])
        if name is not None:
            _walk(child, after, {**bound, part[2:-1]: name}, path, found)


def _entry_step(index: int, child: Any, part: str, seen: set[str]) -> Step:
    """The id of a list entry, unless it has none or an entry before it has the same."""
    name = member_of(child, part[2:-1]) if part.startswith("*{") else None
    if name is None or part + name in seen:
        return index
    seen.add(part + name)
    return Keyed(part[2:-1], name)


def _filled(template: str, bound: Mapping[str, str], *, escape: bool = False) -> str:
    parts = _parts(template)
    names = [bound[name] for name in parts[1::2]]
    filled = [*parts]
    filled[1::2] = [_escaped(text) for text in names] if escape else names
    return "".join(filled)


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[str, ...]:
    """Literal text at even, names at odd positions."""
    return tuple(re.split(r"\{([^}]*)\}", template))


def _escaped(component: str) -> str:
    return component.replace("~", "~0").replace("/", "~1")
