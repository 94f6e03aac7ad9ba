"""Where the entities of a domain occur: in records, calls of tasks, and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from review_app.core.localize.entities import LINE, EntityMap, letters_of
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.values import Place, ValueRules
from review_app.json_types import JsonPath
from review_app.models import Segment

OccurrenceKey = tuple[str, str]
"""Kind and source of an entity; also `amount` and `zone`, as texts write them."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where an entity occurs: a record, a call of a task, or a text."""

    file: str
    address: str
    """Record (`users/mia_li_3668`), call (`7/evaluation_criteria/actions/2`) or segment address."""
    task: str = ""
    """The task's id, for a call."""
    segment: str = ""
    """The segment's id, for a text."""


Index = Mapping[OccurrenceKey, tuple[Occurrence, ...]]

_CALLS = (
    ("initial_state", "initialization_actions"),
    ("evaluation_criteria", "actions"),
    ("evaluation_criteria", "env_assertions"),
)


class Indexer:
    """Collects where entities occur. What it is given is walked once.

    Args:
        rules: What stands where.
        entities: Of the domain; sources alone matter, not what stands for them.
        mentions: Finds entities in texts.
    """

    def __init__(self, rules: ValueRules, entities: EntityMap, mentions: Mentions) -> None:
        self._rules, self._entities, self._mentions = rules, entities, mentions
        self._places: dict[OccurrenceKey, dict[Occurrence, None]] = {}

    def index(self) -> Index:
        """Every entity that occurs, with its places in the order in which they were given."""
        return {key: tuple(places) for key, places in self._places.items()}

    def add_database(self, file: str, place: Place, tree: Any) -> None:
        """A database, record by record."""
        last: JsonPath = ()
        where = Occurrence(file, "")
        for path, kind, value in self._rules.leaves(self._rules.node(place), tree):
            record = _record(path, value)
            if record != last:
                last, where = record, Occurrence(file, "/".join(map(str, record)))
            self._note(kind, value, where)

    def add_task(self, file: str, task: Mapping[str, Any]) -> None:
        """The calls of a task: initializations, gold actions, assertions."""
        name = str(task.get("id", ""))
        for outer, inner in _CALLS:
            for at, call in enumerate((task.get(outer) or {}).get(inner) or ()):
                where = Occurrence(file, f"{name}/{outer}/{inner}/{at}", task=name)
                tool = call.get("name") or call.get("func_name") or ""
                node = self._rules.node("arguments", tool)
                for _, kind, value in self._rules.leaves(node, call.get("arguments") or {}):
                    self._note(kind, value, where)

    def add_text(self, segment: Segment) -> None:
        """A source text."""
        self._prose(segment.source, Occurrence(segment.file, segment.address, segment=segment.id))

    def _note(self, kind: str, value: Any, where: Occurrence) -> None:
        if kind == "prose" and isinstance(value, str):
            self._prose(value, where)
            return
        for key in self._keys(kind, value):
            self._places.setdefault(key, {})[where] = None

    def _prose(self, text: str, where: Occurrence) -> None:
        for mention in self._mentions.find(text):
            if mention.kind in ("amount", "zone"):
                self._places.setdefault((mention.kind, mention.source), {})[where] = None
            else:
                self._note(mention.kind, mention.row, where)

    def _keys(self, kind: str, value: Any) -> Iterator[OccurrenceKey]:
        if isinstance(value, dict):
            yield from self._object_keys(kind, value)
        elif not isinstance(value, str):
            return
        elif kind in ("user_id", "email"):
            yield from self._person(value.partition("@")[0])
            yield from self._row(kind, value)
        elif kind in ("person", "full_name"):
            yield from self._person(value)
        elif kind == "street":
            yield from self._street(value)
        elif kind == "product" and (row := self._entities.product(value)):
            yield row.kind, row.source
        else:
            yield from self._row(kind, value)

    def _object_keys(self, kind: str, value: Mapping[str, Any]) -> Iterator[OccurrenceKey]:
        if kind == "options":
            for option, content in value.items():
                yield from self._row("option", f"{option}={content}")
        elif kind == "person":
            yield from self._person(f"{value.get('first_name')} {value.get('last_name')}")

    def _person(self, name: str) -> Iterator[OccurrenceKey]:
        """The person with these letters, given or family name first, and both names."""
        known = self._entities.people.get(letters_of(name))
        if known is None and len(parts := name.split()) > 1:
            known = self._entities.people.get(letters_of(" ".join((*parts[1:], parts[0]))))
        if known is not None:
            given, _, family = known.source.rpartition(" ")
            yield "person", known.source
            yield from self._row("given_name", given)
            yield from self._row("family_name", family)

    def _street(self, line: str) -> Iterator[OccurrenceKey]:
        yield from self._row("address", line)
        match = LINE.fullmatch(line.strip())
        yield from self._row("street", match["street"] if match else line)

    def _row(self, kind: str, value: str) -> Iterator[OccurrenceKey]:
        if row := self._entities.get(kind, value):  # type: ignore[arg-type]
            yield row.kind, row.source


def _record(path: JsonPath, value: Any) -> JsonPath:
    """The path of the record that a leaf belongs to; the name of a record belongs to it."""
    return (*path, str(value)) if len(path) == 1 else path[:2]
