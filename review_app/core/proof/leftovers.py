"""What must hold of a localized domain, beside the square: nothing left over, nothing lost.

Every function yields violations: what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as default
from typing import Any, Literal

from review_app.core.locale.pack import Pack
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.expected_amounts import number
from review_app.core.localize.prose.mention import Mention
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.values import Localizer, Place, ValueRules
from review_app.core.proof.square import SquareDifference
from review_app.json_types import JsonPath
from review_app.models import EntityKind, Severity, Span

Where = Literal["database", "user_database", "task", "call", "text", "entity"]


@dataclass(frozen=True, slots=True)
class ProofViolation:
    """Something that does not hold."""

    code: str
    severity: Severity
    where: Where
    record: str
    """A record's path, a task's id, a recorded call's id, a text's address, an entity's kind."""
    field: str
    """Inside the record; empty where the record as a whole is meant."""
    message: str
    """English; the interface renders `values` through its own catalogue."""
    values: Mapping[str, str] = default(default_factory=dict)
    span: Span | None = None
    """Where in the text, if it is about a stretch of one."""


RULES: Mapping[str, str] = {
    "LOC001": "square_broken",
    "LOC002": "source_left_over",
    "LOC003": "reference_broken",
    "LOC004": "mapping_not_injective",
    "LOC005": "value_not_in_vocabulary",
    "LOC006": "entity_not_mapped",
    "LOC007": "spelling_differs",
    "LOC008": "expected_word_kept",
    "LOC009": "source_undecided",
    "LOC010": "amount_unread",
    "LOC011": "amounts_contradict",
    "LOC012": "gender_differs",
}
"""Code -> name of what it finds."""

LEFTOVERS = ("LOC002", "LOC009", "LOC010")
"""Known to stand for something else, not known to, not read: a person may accept it with a reason.
"""

_ONE_TO_ONE: tuple[EntityKind, ...] = (
    "given_name",
    "family_name",
    "user_id",
    "email",
    "phone",
    "city",
    "state",
    "zip",
    "street",
    "address",
    "product",
    "airport",
)
_MAPPED = ("product", "city", "zip", "airport")


def leftovers(
    mentions: Mentions, texts: Iterable[tuple[Where, str, str, str]]
) -> Iterator[ProofViolation]:
    """Everything of the source locale that localized values and texts still name.

    Args:
        mentions: Of the domain; finds every written form.
        texts: (where, record, field, text); searched together, so that many short ones are fast.
    """
    # In quotes, so that nothing is found across two texts and a whole text is seen to be a value.
    blocks, starts, places, at = [], [], [], 0
    for where, record, name, text in texts:
        blocks.append(f'"{text}"\n')
        starts.append(at)
        places.append((where, record, name))
        at += len(blocks[-1])
    for mention in mentions.left("".join(blocks)) if blocks else ():
        at = bisect_right(starts, mention.start) - 1
        where, record, name = places[at]
        yield left_over(mention, where, record, name, mention.start - starts[at] - len('"'))


def left_over(
    mention: Mention, where: Where, record: str, name: str, start: int = 0
) -> ProofViolation:
    """A mention of the source in what should be localized, at `start` of its text."""
    values = {"found": mention.source, "kind": mention.kind}
    code, what = "LOC009", "say what stands for it"
    if mention.target:
        values["expected"] = mention.target
        code, what = "LOC002", f"{mention.target!r} stands for it"
    return ProofViolation(
        code=code,
        severity="error",
        where=where,
        record=record,
        field=name,
        message=f"{mention.source!r} ({mention.kind}) is left over: {what}",
        values=values,
        span=(start, start + len(mention.source)),
    )


def kept(task_id: str, place: str, text: str) -> ProofViolation | None:
    """A word of the source that must be said and has no counterpart, if the text has one."""
    if not re.search(r"[A-Za-z]{3}", text):
        return None
    message = f"{text!r} must be said, and is in no dictionary: add it to the glossary"
    return ProofViolation(
        code="LOC008",
        severity="warning",
        where="task",
        record=task_id,
        field=place,
        message=message,
        values={"value": text},
    )


def strings(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, str]]:
    """Yield path and text of every string in plain data, the names of members left out."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from strings(member, (*path, key))
    elif isinstance(value, list):
        for at, member in enumerate(value):
            yield from strings(member, (*path, at))


def database_texts(where: Place, tree: Any) -> list[tuple[Where, str, str, str]]:
    """The strings of a localized database for `leftovers`, each distinct one once."""
    at = _side(where)
    seen: dict[str, tuple[Where, str, str, str]] = {}
    for path, text in strings(tree):
        if text not in seen and number(text) is None:
            record, name = "/".join(map(str, path[:2])), "/".join(map(str, path[2:]))
            seen[text] = (at, record, name, text)
    return list(seen.values())


def _side(place: Place) -> Where:
    return "user_database" if place == "user_database" else "database"


def broken(difference: SquareDifference, where: Where, record: str) -> ProofViolation:
    """The square that does not commute, for a task or a recorded call."""
    at = "/".join(part for part in (difference.call, difference.record, difference.field) if part)
    values = {"expected": repr(difference.expected)[:300], "found": repr(difference.actual)[:300]}
    message = (
        f"call {difference.step} ({difference.call}), {difference.kind}: localizing what the "
        f"source gives is {values['expected']}, the localized domain gives {values['found']}"
    )
    return ProofViolation(
        code="LOC001",
        severity="error",
        where=where,
        record=record,
        field=at,
        message=message,
        values=values,
    )


def spelling(
    entities: EntityMap, texts: Iterable[tuple[str, str, str]]
) -> Iterator[ProofViolation]:
    """Translations of product names and options that differ from the dictionary's spelling.

    Args:
        entities: Of the domain.
        texts: (address, source, translation) of the texts in the database.
    """
    for address, source, translation in texts:
        parts = address.partition("#")[2].split("/")
        option = parts[-2] if "options" in parts and len(parts) >= 2 else ""
        row = entities.get("option", f"{option}={source}") or entities.get("product", source)
        if row is not None and row.target != translation:
            message = f"{source!r} is {row.target!r} in the dictionary, {translation!r} here"
            values = {"expected": row.target, "found": translation}
            yield ProofViolation(
                code="LOC007",
                severity="warning",
                where="text",
                record=address,
                field="",
                message=message,
                values=values,
            )


def vocabulary(
    localizer: Localizer, place: Place, tree: Any, record: str = ""
) -> Iterator[ProofViolation]:
    """Values of the source that tools compare and the source's pack does not have.

    Args:
        localizer: Of the domain.
        place: Of the tree.
        tree: Source data; the arguments of a call are given as `{tool: arguments}`.
        record: Where the tree stands, if it is not the database itself.
    """
    where: Where = "task" if place == "arguments" else _side(place)
    reported: set[tuple[str, str]] = set()
    for path, kind, value in localizer.rules.leaves(localizer.rules.node(place), tree):
        manner, _, name = kind.partition(" ")
        if manner not in ("word", "folded") or not isinstance(value, str):
            continue
        known = localizer.source.words.get(name, {}).values()
        fits = value in known or (
            manner == "folded" and value.casefold() in map(str.casefold, known)
        )
        if not fits and (name, value) not in reported:
            reported.add((name, value))
            at = "/".join(map(str, path))
            message = f"{value!r} is no {name}: tools compare it with {', '.join(known)}"
            values = {"value": value, "field": name}
            yield ProofViolation(
                code="LOC005",
                severity="error",
                where=where,
                record=record or at,
                field=at,
                message=message,
                values=values,
            )


def injectivity(
    entities: EntityMap, ids: Iterable[tuple[EntityKind, str]]
) -> Iterator[ProofViolation]:
    """Two sources with one counterpart, kind by kind; people by their written names.

    Args:
        entities: Of the domain.
        ids: (kind, source value) of user ids and e-mails, which have no rows.
    """
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in entities.rows.values():
        if row.kind == "person":
            groups["person", f"{row.family} {row.given}"].add(row.source)
        elif row.kind == "option":
            option = row.source.partition("=")[0]
            groups["option", f"{option}={row.target}"].add(row.source)
        elif row.kind in _ONE_TO_ONE:
            groups[row.kind, row.target].add(row.source)
    for entity_kind, value in ids:
        groups[entity_kind, entities.value(entity_kind, value)].add(value)
    for (kind, target), sources in groups.items():
        if target and len(sources) > 1:
            both = " and ".join(map(repr, sorted(sources)[:3]))
            message = f"{both} have the same counterpart {target!r}: change one"
            values = {"sources": both, "target": target}
            yield ProofViolation(
                code="LOC004",
                severity="error",
                where="entity",
                record=kind,
                field=target,
                message=message,
                values=values,
            )


def references(rules: ValueRules, tree: Any, pack: Pack) -> Iterator[ProofViolation]:
    """User ids and airports of a localized database that nothing stands for."""
    users = tree.get("users") if isinstance(tree, dict) else None
    for path, kind, value in rules.leaves(rules.node("database"), tree):
        if kind == "user_id" and isinstance(users, dict):
            known: Iterable[str] = users
        elif kind == "airport" and pack.places:
            known = pack.places
        else:
            continue
        if value not in known:
            record, name = "/".join(map(str, path[:2])), "/".join(map(str, path[2:]))
            message = f"{kind} {value!r} is nowhere in the localized domain"
            yield ProofViolation(
                code="LOC003",
                severity="error",
                where="database",
                record=record,
                field=name,
                message=message,
                values={"value": str(value)},
            )


def unmapped(localizer: Localizer, place: Place, tree: Any) -> Iterator[ProofViolation]:
    """Entities and options of the source that have no counterpart, each value once."""
    reported: set[tuple[str, str]] = set()
    for path, kind, value in localizer.rules.leaves(localizer.rules.node(place), tree):
        for sort, word, known in _looked_up(localizer, kind, value):
            if not known and (sort, word) not in reported:
                reported.add((sort, word))
                record, inside = "/".join(map(str, path[:2])), "/".join(map(str, path[2:]))
                message = f"{sort} {word!r} has no counterpart: add it to the dictionary"
                values = {"value": word, "kind": sort}
                yield ProofViolation(
                    code="LOC006",
                    severity="error",
                    where=_side(place),
                    record=record,
                    field=inside,
                    message=message,
                    values=values,
                )


def _looked_up(localizer: Localizer, kind: str, value: Any) -> Iterator[tuple[str, str, bool]]:
    """Yield kind, value and whether it has a counterpart."""
    entities = localizer.entities
    if kind == "options" and isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, str):
                source = f"{key}={member}"
                yield "option", source, entities.get("option", source) is not None
    elif kind in _MAPPED and isinstance(value, str):
        yield kind, value, entities.get(kind, value) is not None  # type: ignore[arg-type]
    elif kind == "user_id" and isinstance(value, str):
        yield kind, value, entities.person_of(value) is not None
