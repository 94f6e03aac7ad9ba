"""Localize plain data: databases, arguments and results, by what stands where.

Which value is what is data, `data/formats/values.toml`; this module reads it and walks.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args

from review_app.core.locale.money import MoneyRule
from review_app.core.locale.pack import Pack
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.sums import Path, SumRules, Sums, summed
from review_app.errors import BadInput
from review_app.json_types import JsonPath
from review_app.notices import Notice

Place = Literal["database", "user_database", "arguments", "results"]
Leaf = tuple[JsonPath, str, Any]
"""Path, kind and value."""
Prose = Callable[[str], str]
"""Adapts a free text."""

ENTITY_KINDS = (
    "user_id",
    "email",
    "phone",
    "city",
    "state",
    "zip",
    "country",
    "street",
    "airport",
    "place",
    "product",
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PLAIN = frozenset(
    {*ENTITY_KINDS, "unit", "money", "expression", "prose", "full_name", "person", "options"}
)


@dataclass(slots=True)
class Node:
    """What is known about the values at one path."""

    kind: str = ""
    keys: str = ""
    """Kind of the names of the members."""
    children: dict[str, Node] = field(default_factory=dict)
    any: Node | None = None
    """For members without a node of their own."""
    sums: tuple[Path, ...] = ()
    """Amounts of a record that may add up others."""

    def at(self, key: str | int) -> Node | None:
        """The node of a member or list entry."""
        return self.children.get(str(key)) or self.any if self.children else self.any


@dataclass(frozen=True, slots=True)
class ValueRules:
    """What stands where in one domain; empty for a domain that the file does not list."""

    places: Mapping[Place, Node]
    sums: SumRules = field(default_factory=dict)

    def node(self, place: Place, *path: str | int) -> Node | None:
        """The node at a path, or None where nothing is known."""
        node: Node | None = self.places.get(place)
        for key in path:
            node = self.resolved(node)
            node = node.at(key) if node else None
        return self.resolved(node)

    def record(self, key: str) -> Node | None:
        """The node of a record of the table whose id this member is: `line_id` -> lines."""
        return self.node("database", key.removesuffix("_id") + "s", 0)

    def leaves(self, node: Node | None, value: Any, path: JsonPath = ()) -> Iterator[Leaf]:
        """Path, kind and value of all that has a kind in a value, objects as a whole.

        Names of members that have a kind are told as values, under the path of their object.
        """
        collected: list[Leaf] = []
        self._collect(collected, node, value, path)
        return iter(collected)

    def _collect(
        self, collected: list[Leaf], node: Node | None, value: Any, path: JsonPath
    ) -> None:
        node = self.resolved(node)
        if node and node.kind == "as record" and isinstance(value, dict):
            node = self.record(next(iter(value), ""))
        if node is None:
            return
        if node.kind:
            collected.append((path, node.kind, value))
        for key, member in _members(value):
            if node.keys:
                collected.append((path, node.keys, key))
            if inner := node.at(key):
                self._collect(collected, inner, member, (*path, key))

    def resolved(self, node: Node | None) -> Node | None:
        """The node, or what it refers to."""
        if node and node.kind.startswith("as ") and node.kind != "as record":
            return self.node("database", *node.kind.removeprefix("as ").split("/"))
        return node


@dataclass(frozen=True, slots=True)
class Localizer:
    """Localizes the data of one domain.

    Every method takes plain JSON and gives new plain JSON. A value that is not what its place
    promises (a number for a name) stays as it is: a tool refuses it in either language.
    """

    rules: ValueRules
    entities: EntityMap
    source: Pack
    pack: Pack
    money: MoneyRule | None
    """None keeps amounts."""
    prose: Prose
    sums: Sums = field(default_factory=dict)
    """Amounts of the source database that add up others, with what these come to."""

    def database(self, tree: Any) -> Any:
        """The agent's database."""
        return self.walk(self.rules.node("database"), tree)

    def user_database(self, tree: Any) -> Any:
        """The user's database."""
        return self.walk(self.rules.node("user_database"), tree)

    def arguments(self, tool: str, arguments: Any) -> Any:
        """The arguments of a call, of an initialization function or of an assertion."""
        return self.walk(self.rules.node("arguments", tool), arguments)

    def result(self, tool: str, value: Any) -> Any:
        """What a tool returned, parsed."""
        return self.walk(self.rules.node("results", tool), value)

    def record(self, place: Place, path: JsonPath, value: Any) -> Any:
        """A record of a database, given its path in the source database."""
        return self.walk(self.rules.node(place, *path), value)

    def path(self, place: Place, path: JsonPath) -> JsonPath:
        """Where the localized database holds what the source's holds at a path."""
        localized: list[str | int] = []
        for at, key in enumerate(path):
            node = self.rules.node(place, *path[:at])
            localized.append(self.key(node, key) if isinstance(key, str) else key)
        return tuple(localized)

    def key(self, node: Node | None, key: str) -> str:
        """The name of a member."""
        if node and node.keys:
            return str(self.value(node.keys, key))
        return self.pack.key(key)

    def walk(self, node: Node | None, value: Any) -> Any:
        """Any value, given what is known about its place."""
        node = self.rules.resolved(node)
        if isinstance(value, dict):
            return self._object(self._of_record(node, value), value)
        if isinstance(value, list):
            return [self.walk(node.at(at) if node else None, item) for at, item in enumerate(value)]
        return self.value(node.kind, value) if node and node.kind else value

    def value(self, kind: str, value: Any) -> Any:
        """One value of a kind."""
        if kind == "money":
            return self.price(value)
        if not isinstance(value, str):
            return value
        if kind.startswith(("word ", "folded ")):
            manner, _, name = kind.partition(" ")
            return self.word(name, value, folded=manner == "folded")
        if kind in ENTITY_KINDS:
            return self.entities.value(kind, value)  # type: ignore[arg-type]
        if kind == "full_name":
            return self.entities.full_name(value)
        if kind == "unit":
            return self.entities.unit(value)
        return self.prose(value) if kind == "prose" else value

    def word(self, name: str, value: str, *, folded: bool = False) -> str:
        """A value that tools compare; one that the source's pack does not know stays.

        Args:
            name: Of the field in the pack.
            value: Of the source.
            folded: Whether the tool compares without regard to case.
        """
        fold = str.casefold if folded else str
        for canonical, here in self.source.words.get(name, {}).items():
            if fold(here) == fold(value):
                return self.pack.word(name, canonical)
        return value

    def amount(self, value: Any) -> Any:
        """An amount in the target currency, an integer or a float as it was."""
        if not isinstance(value, int | float) or self.money is None:
            return value
        value = int(value) if isinstance(value, bool) else value  # tools take true for 1
        if isinstance(value, float) and not math.isfinite(value):
            return value
        converted = self.converted(Decimal(str(value)))
        return float(converted) if isinstance(value, float) else int(converted)

    def converted(self, amount: Decimal) -> Decimal:
        """An exact amount in the target currency; itself where amounts are kept."""
        if self.money is None:
            return amount
        try:
            return Decimal(self.money.expected(amount))
        except InvalidOperation:  # more digits than any amount has
            return amount

    def price(self, value: Any) -> Any:
        """An amount that may be written as text, which some tools take too."""
        if not isinstance(value, str) or not _NUMBER.fullmatch(value):
            return self.amount(value)
        return f"{self.amount(float(value) if '.' in value else int(value))}"

    def _of_record(self, node: Node | None, value: Mapping[str, Any]) -> Node | None:
        if node and node.kind == "as record":
            return self.rules.record(next(iter(value), ""))
        return node

    def _object(self, node: Node | None, value: dict[str, Any]) -> dict[str, Any]:
        if node and node.kind == "options":
            return {key: self._option(key, member) for key, member in value.items()}
        named = self._named(value) if node and node.kind == "person" else {}
        localized = {}
        for key, member in value.items():
            inner = node.at(key) if node else None
            if key in named:
                member = named[key]
            elif inner or isinstance(member, dict | list):
                member = self.walk(inner, member)
            localized[self.key(node, key)] = member
        if node and node.sums and self.sums:
            summed(value, localized, node.sums, self.sums, self.pack.key)
        return localized

    def _option(self, key: str, value: Any) -> Any:
        return self.entities.option(key, value) if isinstance(value, str) else value

    def _named(self, value: Mapping[str, Any]) -> dict[str, str]:
        given, family = value.get("first_name"), value.get("last_name")
        if isinstance(given, str) and isinstance(family, str):
            given, family = self.entities.name(given, family)
            return {"first_name": given, "last_name": family}
        if isinstance(given, str):
            return {"first_name": self.entities.value("given_name", given)}
        if isinstance(family, str):
            return {"last_name": self.entities.value("family_name", family)}
        return {}


def parse_values(text: str, domain: str) -> ValueRules:
    """What `values.toml` says about a domain.

    Raises:
        BadInput: not TOML, or an unknown section or kind.
    """
    try:
        domains = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(
            Notice("variant.not_toml", "not TOML: {problem}", problem=str(error)), "values.toml"
        ) from error
    sections = dict(_table(domains.get(domain, {}), domain))
    sums = _sum_rules(_table(sections.pop("sums", {}), f"{domain}.sums"), domain)
    if unknown := [name for name in sections if name not in get_args(Place)]:
        raise BadInput(
            Notice("entity.unknown_section", "unknown section {name!r}", name=unknown[0]),
            "values.toml",
            domain,
        )
    tables = {place: _table(section, f"{domain}.{place}") for place, section in sections.items()}
    rules = ValueRules({place: _tree(entries, domain) for place, entries in tables.items()}, sums)  # type: ignore[misc]
    for entries in tables.values():
        for path, kind in entries.items():
            if kind.startswith("as ") and rules.resolved(Node(kind)) is None:
                raise BadInput(
                    Notice("entity.kind_undescribed", "nothing is said of {kind!r}", kind=kind),
                    "values.toml",
                    f"{domain}.{path}",
                )
    for record, pairs in sums.items():
        if node := rules.node("database", *record):
            node.sums = tuple(whole for whole, _ in pairs)
    return rules


def _sum_rules(entries: Mapping[str, Any], domain: str) -> SumRules:
    rules: dict[Path, tuple[tuple[Path, Path], ...]] = {}
    for place, parts in entries.items():
        record, _, whole = place.partition("//")
        if not whole or not isinstance(parts, str):
            raise BadInput(
                Notice("entity.no_sum", "{place!r} must be record//amount = parts", place=place),
                "values.toml",
                f"{domain}.sums",
            )
        at = tuple(record.split("/"))
        pair = tuple(whole.split("/")), tuple(parts.split("/"))
        rules[at] = (*rules.get(at, ()), pair)
    return rules


def _table(value: Any, address: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(Notice("variant.no_table", "must be a table"), "values.toml", address)
    return value


def _tree(entries: Mapping[str, Any], domain: str) -> Node:
    root = Node()
    for path, kind in entries.items():
        if not isinstance(kind, str):
            raise BadInput(
                Notice("entity.no_kind", "{kind} is no kind", kind=repr(kind)),
                "values.toml",
                f"{domain}.{path}",
            )
        node = root
        for part in path.split("/"):
            if part == "*":
                node.any = node.any or Node()
                node = node.any
            else:
                node = node.children.setdefault(part, Node())
        if kind.startswith("keys "):
            node.keys = _known(kind.removeprefix("keys "), path, domain)
        else:
            node.kind = _known(kind, path, domain)
    _share_defaults(root)
    return root


def _share_defaults(node: Node) -> None:
    """Let a named member have what is said of any member: `*/user_id` holds for every tool."""
    for child in node.children.values():
        if node.any:
            _lay_under(child, node.any)
        _share_defaults(child)
    if node.any:
        _share_defaults(node.any)


def _lay_under(node: Node, default: Node) -> None:
    node.kind, node.keys = node.kind or default.kind, node.keys or default.keys
    for key, child in default.children.items():
        _lay_under(node.children.setdefault(key, Node()), child)
    if default.any:
        node.any = node.any or Node()
        _lay_under(node.any, default.any)


def _known(kind: str, path: str, domain: str) -> str:
    if kind in _PLAIN or kind.startswith(("word ", "folded ", "as ")):
        return kind
    raise BadInput(
        Notice("entity.unknown_kind", "unknown kind {kind!r}", kind=kind),
        "values.toml",
        f"{domain}.{path}",
    )


def _members(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
