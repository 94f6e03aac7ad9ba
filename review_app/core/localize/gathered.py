"""The entities of a domain, found in its databases, in the calls of its tasks, and in texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from review_app.core.locale.gazetteer import EMPTY, Gazetteer
from review_app.core.locale.names import Gender
from review_app.core.localize.values import Place, ValueRules
from review_app.core.localize.wrong_zips import wrong_zips
from review_app.json_paths import inside
from review_app.json_types import JsonPath

_FIRST = ("first_name", "last_name")


@dataclass(slots=True)
class Gathered:
    """The entities of a domain in order of appearance. Dictionaries are used as ordered sets."""

    people: dict[tuple[str, str], None] = field(default_factory=dict)
    """(given, family)"""
    cities: dict[tuple[str, str], None] = field(default_factory=dict)
    """(city, state)"""
    zips: dict[str, tuple[str, str]] = field(default_factory=dict)
    """zip -> (city, state)"""
    streets: dict[str, None] = field(default_factory=dict)
    """First lines of addresses, whole."""
    phones: dict[str, None] = field(default_factory=dict)
    products: dict[str, None] = field(default_factory=dict)
    options: dict[tuple[str, str], None] = field(default_factory=dict)
    """(option key, value)"""
    named: dict[tuple[str, str], None] = field(default_factory=dict)
    """(`city` or `state`, source) of what texts name, records or not."""
    genders: dict[tuple[str, str], Gender] = field(default_factory=dict)
    """(given, family) -> what texts say."""
    usual_genders: dict[str, Gender] = field(default_factory=dict)
    """Given name -> who is mostly called so."""

    def gender(self, given: str, family: str) -> Gender | None:
        """The gender of a person; what texts say wins over the name."""
        return self.genders.get((given, family)) or self.given_gender(given)

    def given_gender(self, given: str) -> Gender | None:
        """The gender of those with a given name: the usual one, else what a text says of one."""
        stated = (gender for (name, _), gender in self.genders.items() if name == given)
        return self.usual_genders.get(given) or next(stated, None)


def gather(
    rules: ValueRules,
    databases: Iterable[tuple[Place, Any]],
    calls: Iterable[Any],
    texts: Iterable[str] = (),
    gazetteer: Gazetteer = EMPTY,
) -> Gathered:
    """The entities in databases and in the calls of tasks; postal codes that texts get wrong, too.

    Args:
        rules: What stands where.
        databases: (`database` or `user_database`, parsed file).
        calls: `{"name" or "func_name", "arguments"}`: gold actions, initializations, assertions.
        texts: Each with all that belongs together, as what one task says.
        gazetteer: Of the source locale.
    """
    gathered = Gathered()
    for place, tree in databases:
        _gather(gathered, rules.leaves(rules.node(place), tree), tree)
    for call in calls:
        name = call.get("name") or call.get("func_name") or ""
        arguments = call.get("arguments") or {}
        _gather(gathered, rules.leaves(rules.node("arguments", name), arguments), arguments)
    known_texts = list(texts)
    for code, right in wrong_zips(known_texts, gathered.zips, gazetteer).items():
        gathered.zips[code] = gathered.zips[right]
    for text in known_texts:
        gathered.named.update({(s.kind, s.source): None for _, s in gazetteer.find(text)})
    return gathered


def _gather(gathered: Gathered, leaves: Iterable[tuple[JsonPath, str, Any]], tree: Any) -> None:
    for path, kind, value in leaves:
        if kind == "person" and isinstance(value, dict):
            if all(isinstance(value.get(key), str) for key in _FIRST):
                gathered.people[value["first_name"], value["last_name"]] = None
        elif kind == "options" and isinstance(value, dict):
            gathered.options.update({(k, v): None for k, v in value.items() if isinstance(v, str)})
        elif isinstance(value, str):
            _gather_text(gathered, kind, value, path, tree)


def _gather_text(gathered: Gathered, kind: str, value: str, path: JsonPath, tree: Any) -> None:
    if kind == "full_name" and " " in value:
        given, _, family = value.rpartition(" ")
        gathered.people[given, family] = None
    elif kind == "city":
        record = inside(tree, path[:-1])
        place = (value, str(record.get("state", "")))
        gathered.cities[place] = None
        code = record.get("zip", record.get("zip_code"))
        if isinstance(code, str):
            gathered.zips.setdefault(code, place)
    elif kind == "street":
        gathered.streets[value] = None
    elif kind == "phone":
        gathered.phones[value] = None
    elif kind == "product":
        gathered.products[value] = None


def calls(tasks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield every call in tasks: initializations, gold actions, assertions."""
    for task in tasks:
        criteria, start = task.get("evaluation_criteria") or {}, task.get("initial_state") or {}
        yield from start.get("initialization_actions") or ()
        yield from criteria.get("actions") or ()
        yield from criteria.get("env_assertions") or ()
