"""Read off published localized tasks who stands for whom.

Tasks are aligned by id and calls by `action_id`. Arguments give written names and user ids; user
ids stand in the instructions too. How a user whose id alone is known is written is looked for in
the published text, among the locale's names that are romanized like the id. Nothing is guessed:
what contradicts itself is reported, and left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from review_app.core.locale.locale import Locale
from review_app.core.locale.names import NamePool, PoolName
from review_app.core.localize.values import ValueRules
from review_app.json_types import Json
from review_app.models import Entity
from review_app.notices import Notice

NamePair = tuple[str, str]
"""Given and family name."""

_USER_ID = re.compile(r"(?<![A-Za-z0-9_])(?P<name>[a-z]+(?:_[a-z]+)+)_(?P<digits>\d+)(?!\d)")


@dataclass(frozen=True, slots=True)
class Inferred:
    """What published tasks tell of a domain's people."""

    rows: tuple[Entity, ...]
    """People, origin `inferred`. One without `romanized` stood in passenger lists only."""
    problems: tuple[Notice, ...]
    """What contradicts itself or is incomplete."""


@dataclass(slots=True)
class _Evidence:
    """What is said about one person of the source, each statement once."""

    written: dict[NamePair, str] = field(default_factory=dict)
    """Name in the target's letters -> the task that says so first."""
    romanized: dict[NamePair, str] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    """Published instructions of tasks with the user's id."""
    in_arguments: bool = False


def infer(
    rules: ValueRules,
    source_tasks: Iterable[Json],
    published_tasks: Iterable[Json],
    *,
    people: Iterable[str],
    locale: Locale,
    pool: NamePool,
) -> Inferred:
    """The people of a domain, as published tasks name them.

    Args:
        rules: What stands where in arguments.
        source_tasks: As imported.
        published_tasks: Their localized versions, with the same ids.
        people: Full names of the source's people, for the spelling of those known by id alone.
        locale: Of the published tasks.
        pool: Its names, to read and to write romanized ones.
    """
    published = {str(task.get("id")): task for task in published_tasks}
    spelt = {_letters(name): name for name in people}
    evidence: dict[str, _Evidence] = {}
    for task in source_tasks:
        number = str(task.get("id"))
        if number in published:
            _read_task(rules, number, task, published[number], spelt, evidence)
    return _concluded(evidence, locale, pool)


# -- evidence ----------------------------------------------------------------------------------


def _read_task(
    rules: ValueRules,
    number: str,
    source: Json,
    target: Json,
    spelt: Mapping[str, str],
    evidence: dict[str, _Evidence],
) -> None:
    ids, called = list(_ids(source, target)), set()
    for kind, old, new in _arguments(rules, source, target):
        if kind == "person" and (names := _named(old, new)):
            who = evidence.setdefault(" ".join(names[0]), _Evidence())
            who.written.setdefault(names[1], number)
            who.in_arguments = True
        elif kind == "user_id" and (matched := _matched(old, new)):
            ids.append(matched)
            called.add(matched)
    text = _instructions(target)
    for ids_name in dict.fromkeys(ids):
        old_name, new_name = ids_name
        given, _, family = new_name.partition("_")
        name = old_name.replace("_", " ")
        who = evidence.setdefault(spelt.get(_letters(name), name.title()), _Evidence())
        who.romanized.setdefault((given.capitalize(), family.capitalize()), number)
        who.texts[text] = None
        who.in_arguments |= ids_name in called


def _arguments(rules: ValueRules, source: Json, target: Json) -> Iterator[tuple[str, Any, Any]]:
    """Yield kind, source value and published value of the arguments of aligned calls."""
    published = {call.get("action_id"): call for call in _actions(target)}
    for call in _actions(source):
        other = published.get(call.get("action_id"), {})
        if other.get("name") != call.get("name"):
            continue
        node = rules.node("arguments", str(call.get("name")))
        leaves = {path: new for path, _, new in rules.leaves(node, other.get("arguments") or {})}
        for path, kind, old in rules.leaves(node, call.get("arguments") or {}):
            if path in leaves:
                yield kind, old, leaves[path]


def _actions(task: Json) -> Sequence[Json]:
    return (task.get("evaluation_criteria") or {}).get("actions") or ()


def _ids(source: Json, target: Json) -> Iterator[NamePair]:
    """Yield the user ids of the instructions, without digits: source and published."""
    published: dict[str, set[str]] = {}
    for match in _USER_ID.finditer(_instructions(target)):
        published.setdefault(match["digits"], set()).add(match["name"])
    for match in _USER_ID.finditer(_instructions(source)):
        for name in published.get(match["digits"], ()):
            yield match["name"], name


def _matched(old: Any, new: Any) -> NamePair | None:
    """The names of two user ids with the same digits."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return None
    ours, theirs = _USER_ID.fullmatch(old), _USER_ID.fullmatch(new)
    if ours and theirs and ours["digits"] == theirs["digits"]:
        return ours["name"], theirs["name"]
    return None


def _named(old: Any, new: Any) -> tuple[NamePair, NamePair] | None:
    ours, theirs = _name_in(old), _name_in(new)
    return (ours, theirs) if ours and theirs else None


def _name_in(record: Any) -> NamePair | None:
    """The given and family name of a person's object, if it has both."""
    if not isinstance(record, dict):
        return None
    given, family = record.get("first_name"), record.get("last_name")
    if not (isinstance(given, str) and isinstance(family, str)):
        return None
    return (given, family) if given and family else None


def _instructions(task: Json) -> str:
    return json.dumps(task.get("user_scenario"), ensure_ascii=False).replace("\\n", "\n")


# -- conclusions -------------------------------------------------------------------------------


def _concluded(evidence: Mapping[str, _Evidence], locale: Locale, pool: NamePool) -> Inferred:
    """The rows without contradiction; what arguments say goes before what texts say."""
    rows: dict[str, Entity] = {}
    problems: list[Notice] = []
    by_name: dict[NamePair, str] = {}
    for source, who in sorted(evidence.items(), key=lambda item: not item[1].in_arguments):
        if problem := _contradiction(source, who):
            problems.append(problem)
            continue
        row = _row(source, who, locale, pool)
        if isinstance(row, Notice):
            problems.append(row)
            continue
        other = by_name.setdefault((row.given, row.family), source)
        if other != source:
            problems.append(_same_name(source, other, row.target))
            continue
        if not row.romanized:
            problems.append(_not_romanized(source, row.target))
        rows[source] = row
    return Inferred(tuple(rows.values()), tuple(problems))


def _same_name(source: str, other: str, target: str) -> Notice:
    return Notice(
        "published.name_twice",
        "{source!r} and {other!r} are both {target!r}: only {other!r} is",
        source=source,
        other=other,
        target=target,
    )


def _not_romanized(source: str, target: str) -> Notice:
    return Notice(
        "published.not_romanized",
        "{source!r}: nothing says how {target!r} is romanized",
        source=source,
        target=target,
    )


def _contradiction(source: str, who: _Evidence) -> Notice | None:
    for names in (who.written, who.romanized):
        if len(names) > 1:
            return Notice(
                "published.several_names",
                "{source!r} has several names: {names:; }",
                source=source,
                names=tuple(_statement(" ".join(pair), task) for pair, task in names.items()),
            )
    return None


def _statement(name: str, task: str) -> Notice:
    return Notice("published.name_in_task", "{name} (task {task})", name=name, task=task)


def _row(source: str, who: _Evidence, locale: Locale, pool: NamePool) -> Entity | Notice:
    """The row of a person, or why there is none."""
    romanized = next(iter(who.romanized), ("", ""))
    written = next(iter(who.written), None) or _written_as(romanized, who.texts, locale, pool)
    if written is None:
        return Notice(
            "published.not_written",
            "{source!r}: no text says how {romanized!r} is written",
            source=source,
            romanized=" ".join(romanized),
        )
    names = [_by_written(name, half) for name, half in zip(written, _halves(pool), strict=True)]
    if not any(romanized) and all(names):
        romanized = (names[0].romanized, names[1].romanized)  # type: ignore[union-attr]
    return Entity(
        kind="person",
        source=source,
        target=locale.full_name(*written),
        given=written[0],
        family=written[1],
        reading=" ".join(name.reading for name in names if name) if all(names) else "",
        romanized=" ".join(romanized).strip(),
        origin="inferred",
    )


def _written_as(
    romanized: NamePair, texts: Iterable[str], locale: Locale, pool: NamePool
) -> tuple[str, str] | None:
    """The written name that is romanized so and stands in one of the texts."""
    given, family = (
        next((name.written for name in names if name.romanized == letters), "")
        for letters, names in zip(romanized, _halves(pool), strict=True)
    )
    if not given or not family:
        return None
    full = locale.full_name(given, family)
    forms = (full, full.replace(locale.name_separator or " ", ""))
    return (given, family) if any(form in text for form in forms for text in texts) else None


def _halves(pool: NamePool) -> tuple[tuple[PoolName, ...], tuple[PoolName, ...]]:
    return pool.given, pool.family


def _by_written(written: str, names: Iterable[PoolName]) -> PoolName | None:
    return next((name for name in names if name.written == written), None)


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name.casefold()))
