"""Change what stands for entities: what a person may write, and drawing many of them anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from review_app.core.locale.locale import Locale
from review_app.core.localize.counterparts import assigned, redrawn
from review_app.core.localize.entities import LINE, completed, person
from review_app.core.localize.gathered import Gathered
from review_app.errors import ReviewError
from review_app.models import Entity, EntityKind
from review_app.notices import Notice

EntityGroup = Literal["people", "addresses", "products"]
GROUPS: Mapping[EntityGroup, tuple[EntityKind, ...]] = {
    "people": ("person", "given_name", "family_name", "user_id", "email"),
    "addresses": ("city", "state", "zip", "country", "street", "address", "phone"),
    "products": ("product", "option", "value"),
}
"""The kinds whose rows are kept in the project, as people look for them."""

DRAWN: tuple[EntityGroup, ...] = ("people", "addresses")
"""Groups of which something is drawn; products come from a dictionary."""

EntityKey = tuple[EntityKind, str]
_STEP = 1_000_003
"""Between the seeds of two draws: projects choose small seeds."""


# -- one entity --------------------------------------------------------------------------------


def corrected(row: Entity, old: Entity, locale: Locale) -> Entity:
    """The row as a person typed it: trimmed, and a new name's full form written out."""
    typed = replace(
        row,
        target=row.target.strip(),
        given=row.given.strip(),
        family=row.family.strip(),
        reading=" ".join(row.reading.split()),
        romanized=" ".join(row.romanized.split()),
    )
    if typed.kind != "person" or (typed.given, typed.family) == (old.given, old.family):
        return typed
    return completed(typed, locale)


def require_sound(changed: Sequence[Entity], rows: Iterable[Entity]) -> None:
    """Nothing, if these may stand for their sources.

    Args:
        changed: Rows as they shall be.
        rows: The rows of the domain; those of the same sources are passed over.

    Raises:
        ReviewError: something is empty or not ASCII, or stands for another source already.
    """
    own = {_key(row) for row in changed}
    taken = {mark: row for row in rows if _key(row) not in own for mark in _marks(row)}
    for row in changed:
        _require_complete(row)
        for mark in _marks(row):
            other = taken.setdefault(mark, row)
            if other is not row:
                taken_target = row.target if mark[0] == "person" else mark[-1]
                raise ReviewError(
                    "entity.taken",
                    "{target!r} stands for {other!r} already, it cannot stand for {source!r} too: "
                    "choose another, or change that one first",
                    target=taken_target,
                    other=other.source,
                    source=row.source,
                )


def _require_complete(row: Entity) -> None:
    if row.kind == "person" and not (row.given and row.family):
        raise ReviewError(
            "entity.name_incomplete",
            "{source!r} needs a given name and a family name: fill in both",
            source=row.source,
        )
    if not row.target:
        raise ReviewError(
            "entity.empty", "{source!r} needs a replacement: fill it in", source=row.source
        )
    words = {"person": 2, "given_name": 1, "family_name": 1}.get(row.kind)
    parts = row.romanized.split()
    if words and not (
        len(parts) == words and all(part.isascii() and part.isalpha() for part in parts)
    ):
        shape = (
            Notice("entity.two_names", "given and family name")
            if words == 2
            else Notice("entity.one_word", "one word")
        )
        raise ReviewError(
            "entity.not_romanized",
            "the romanized form {romanized!r} of {source!r} has to be {shape} in the letters A to "
            "Z: user ids are built of it",
            romanized=row.romanized,
            source=row.source,
            shape=shape,
        )


def _marks(row: Entity) -> Iterator[tuple[str, ...]]:
    """Yield what no other row may have too."""
    if row.kind == "person":
        yield "person", row.given, row.family
        if row.romanized:
            yield "romanized", row.romanized.title()
    elif row.kind == "option":
        yield "option", row.source.partition("=")[0], row.target
    else:
        yield row.kind, row.target


def displaced(rows: Sequence[Entity], coming: Sequence[Entity]) -> list[Entity]:
    """Drawn people whose name somebody else is to have now: they have to be drawn anew."""
    own = {_key(row) for row in coming}
    taken = {mark for row in coming for mark in _marks(row)}
    return [
        row
        for row in rows
        if row.kind == "person"
        and _is_drawn(row)
        and _key(row) not in own
        and any(mark in taken for mark in _marks(row))
    ]


def followers(old: Entity, new: Entity, rows: Iterable[Entity], locale: Locale) -> list[Entity]:
    """The people that were built of a given or family name, built of the new one.

    Those that a person, a file or a draw of their own named stay.
    """
    following, name = [], (old.kind, old.source, old.target)
    for row in rows:
        if _is_drawn(row) and name in _components(row):
            given, family = _parts(row, old, new)
            renamed = person(row.source, given, family, locale)
            following.append(replace(renamed, id=row.id, version=row.version))
    return following


def _components(row: Entity) -> set[tuple[EntityKind, str, str]]:
    """Kind, source and target of the two names of a person."""
    if row.kind != "person":
        return set()
    given, _, family = row.source.rpartition(" ")
    return {("given_name", given, row.given), ("family_name", family, row.family)}


def _parts(row: Entity, old: Entity, new: Entity) -> tuple[Entity, Entity]:
    """The names of a person as rows, one of them new."""
    readings = (row.reading.split(" ") + ["", ""])[:2]
    romanized = (row.romanized.split(" ") + ["", ""])[:2]
    given = Entity(
        kind="given_name", source="", target=row.given, reading=readings[0], romanized=romanized[0]
    )
    family = Entity(
        kind="family_name",
        source="",
        target=row.family,
        reading=readings[1],
        romanized=romanized[1],
    )
    return (new, family) if old.kind == "given_name" else (given, new)


def drawn_anew(row: Entity, rows: Iterable[Entity], locale: Locale, *, seed: int) -> Entity:
    """A person with another name, that nobody else of the domain has.

    Raises:
        BadInput: the locale has no free name left.
    """
    people = [entity for entity in rows if entity.kind == "person"]
    return redrawn(replace(row, draw=row.draw + 1), locale, people, seed=seed)


# -- many --------------------------------------------------------------------------------------


def regenerated(
    gathered: Gathered,
    rows: Sequence[Entity],
    locale: Locale,
    *,
    domain: str,
    seed: int,
    group: EntityGroup,
) -> list[tuple[Entity, Entity]]:
    """(as it is, drawn anew) of every row of a group that is drawn and not locked.

    Args:
        found: What the domain has.
        rows: What the project has for it.
        locale: Where to draw from.
        domain: Whose.
        seed: Of the project.
        group: People or addresses.

    Raises:
        BadInput: the locale has too few names, cities or streets.
    """
    free = _free(gathered, rows, (group,))
    draw = 1 + max((row.draw for row in rows if _key(row) in free), default=0)
    drawn = _drawn(gathered, rows, free, locale, domain=domain, seed=seed + _STEP * draw)
    return [
        (old, replace(drawn[key], draw=draw, id=old.id, version=old.version))
        for old in rows
        if (key := _key(old)) in free and key in drawn
    ]


def of_seed(
    gathered: Gathered, rows: Sequence[Entity], locale: Locale, *, domain: str, seed: int
) -> list[Entity]:
    """The rows as another seed draws them; what is locked or not drawn stays."""
    free = _free(gathered, rows, DRAWN)
    drawn = _drawn(gathered, rows, free, locale, domain=domain, seed=seed)
    return [
        replace(drawn[key], id=row.id, version=row.version)
        if (key := _key(row)) in free and key in drawn
        else row
        for row in rows
    ]


def occurring(gathered: Gathered) -> set[EntityKey]:
    """Kind and source of everything that was found, the names of people one by one too."""
    lines = (LINE.fullmatch(line.strip()) for line in gathered.streets)
    sources: dict[EntityKind, Iterable[str]] = {
        "person": (f"{given} {family}" for given, family in gathered.people),
        "given_name": (given for given, _ in gathered.people),
        "family_name": (family for _, family in gathered.people),
        "city": (city for city, _ in gathered.cities),
        "state": (state for _, state in gathered.cities),
        "address": gathered.streets,
        "street": (line["street"] for line in lines if line),
        "zip": gathered.zips,
        "phone": gathered.phones,
        "product": gathered.products,
        "option": (f"{option}={value}" for option, value in gathered.options),
    }
    named: set[EntityKey] = {
        (kind, source)
        for kind in GROUPS["addresses"]
        for named_kind, source in gathered.named
        if named_kind == kind
    }
    return named | {(kind, source) for kind, of_kind in sources.items() for source in of_kind}


def _drawn(
    gathered: Gathered,
    rows: Sequence[Entity],
    free: Collection[EntityKey],
    locale: Locale,
    *,
    domain: str,
    seed: int,
) -> dict[EntityKey, Entity]:
    kept = [row for row in rows if _key(row) not in free]
    drawn = assigned(gathered, kept, locale, domain=domain, seed=seed)
    return {_key(row): row for row in drawn}


def _free(
    gathered: Gathered, rows: Iterable[Entity], groups: Iterable[EntityGroup]
) -> set[EntityKey]:
    """The rows that may be drawn anew without parting what belongs together.

    A name that a kept person is built of stays, and the state of a city that is kept.
    """
    kinds = {kind for group in groups for kind in GROUPS[group]}
    present, all_rows = occurring(gathered), list(rows)
    free = {
        _key(row)
        for row in all_rows
        if row.kind in kinds and _is_drawn(row) and _key(row) in present
    }
    kept = {_key(row) for row in all_rows} - free
    stays: set[EntityKey] = {
        ("state", state) for city, state in gathered.cities if ("city", city) in kept
    }
    used = {part for row in all_rows if _key(row) in kept for part in _components(row)}
    names = (row for row in all_rows if (row.kind, row.source, row.target) in used)
    return free - stays - {_key(row) for row in names}


def _is_drawn(row: Entity) -> bool:
    return row.origin == "invented" and not row.locked


def _key(row: Entity) -> EntityKey:
    return row.kind, row.source
