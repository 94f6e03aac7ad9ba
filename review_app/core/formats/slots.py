"""The texts in a JSON-like value that its fields name, and where each of them occurs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from review_app.core.formats.fields import TextField
from review_app.json_paths import escaped


@dataclass(frozen=True, slots=True)
class Keyed:
    """A step to the list entry whose `member` (dotted if nested) is `value`."""

    member: str
    value: str


SlotStep = str | int | Keyed
SlotPath = tuple[SlotStep, ...]


@dataclass(slots=True)
class Slot:
    """One text with all places that hold it."""

    address: str
    section: str
    text: str
    paths: list[SlotPath]


@dataclass(slots=True)
class _Node:
    """What may follow at one point of a pattern."""

    members: dict[str, _Node] = field(default_factory=dict)
    wild: dict[str, _Wild] = field(default_factory=dict)
    """By component."""
    leaf: TextField | None = None


@dataclass(slots=True)
class _Wild:
    """A wildcard component: `*`, `{key}` or `*{member}`."""

    key: str
    member: str
    after: _Node = field(default_factory=_Node)

    @classmethod
    def of(cls, part: str) -> _Wild:
        by_member = part.startswith("*{")
        name = part.strip("*{}")
        return cls("" if by_member else name, name if by_member else "")


def slots(value: Any, fields: tuple[TextField, ...]) -> list[Slot]:
    """All non-blank texts of the fields, in file order.

    Another text under an address that is already taken gets `/2`, `/3` and so on behind it.
    """
    collected = _Collected()
    _walk(value, _compiled(fields), (), (), collected)
    return list(collected.slots.values())


def pointer(path: SlotPath) -> str:
    """A path as JSON Pointer components, with ids instead of list positions where there are ids."""
    return "/".join(escaped(str(s.value if isinstance(s, Keyed) else s)) for s in path)


def member_of(entry: Any, dotted: str) -> str | None:
    """The text that an object holds under a member, or under members joined by dots."""
    for name in dotted.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry if isinstance(entry, str) else None


@lru_cache(maxsize=64)
def _compiled(fields: tuple[TextField, ...]) -> _Node:
    root = _Node()
    for rule in fields:
        for path in rule.paths:
            node = root
            for part in path.split("/"):
                if part.startswith(("*", "{")):
                    node = node.wild.setdefault(part, _Wild.of(part)).after
                else:
                    node = node.members.setdefault(part, _Node())
            node.leaf = rule
    return root


_Bound = tuple[tuple[str, str], ...]
"""Names and what they are bound to, the outermost first."""


class _Collected:
    """The slots met so far, by address."""

    def __init__(self) -> None:
        self.slots: dict[str, Slot] = {}
        self._known: dict[tuple[int, _Bound, str], Slot] = {}

    def take(self, rule: TextField, bound: _Bound, path: SlotPath, text: str) -> None:
        """Note one more place; most places of a database hold a text that is known already."""
        key = (id(rule), bound, text)
        slot = self._known.get(key)
        if slot is None:
            slot = self._known[key] = self._slot(rule, dict(bound), text)
        slot.paths.append(path)

    def _slot(self, rule: TextField, bound: Mapping[str, str], text: str) -> Slot:
        base = address = _filled(rule.address, {**bound, "text": text}, escape=True)
        count = 1
        while address in self.slots and self.slots[address].text != text:
            count += 1
            address = f"{base}/{count}"
        if address not in self.slots:
            self.slots[address] = Slot(
                address=address, section=_filled(rule.section, bound), text=text, paths=[]
            )
        return self.slots[address]


def _walk(value: Any, node: _Node, bound: _Bound, path: SlotPath, collected: _Collected) -> None:
    if isinstance(value, str):
        if node.leaf and value and not value.isspace():
            collected.take(node.leaf, bound, path, value)
    elif isinstance(value, dict):
        # Most objects of a database hold one or two of the members, among many that are no text.
        for key in value if node.wild else filter(node.members.__contains__, value):
            child, below = value[key], (*path, key)
            if key in node.members:
                _walk(child, node.members[key], bound, below, collected)
            for wild in node.wild.values():
                _walk_wild(child, wild, bound, below, collected)
    elif isinstance(value, list) and node.wild:
        seen: set[tuple[str, str]] = set()
        for index, child in enumerate(value):
            for wild in node.wild.values():
                step = _entry_step(index, child, wild.member, seen)
                _walk_wild(child, wild, bound, (*path, step), collected)


def _walk_wild(
    child: Any, wild: _Wild, bound: _Bound, path: SlotPath, collected: _Collected
) -> None:
    if wild.key:
        step = path[-1]
        key = step.value if isinstance(step, Keyed) else str(step)
        bound = (*bound, (wild.key, key))
    elif wild.member:
        name = member_of(child, wild.member)
        if name is None:
            return
        bound = (*bound, (wild.member, name))
    _walk(child, wild.after, bound, path, collected)


def _entry_step(index: int, child: Any, member: str, seen: set[tuple[str, str]]) -> SlotStep:
    """The id of a list entry, unless it has none or an entry before it has the same."""
    name = member_of(child, member) if member else None
    if name is None or (member, name) in seen:
        return index
    seen.add((member, name))
    return Keyed(member, name)


def _filled(template: str, bound: Mapping[str, str], *, escape: bool = False) -> str:
    parts = _parts(template)
    names = [bound[name] for name in parts[1::2]]
    filled = [*parts]
    filled[1::2] = [escaped(text) for text in names] if escape else names
    return "".join(filled)


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[str, ...]:
    """Literal text at even, names at odd positions."""
    return tuple(re.split(r"\{([^}]*)\}", template))
