"""A locale's dictionaries as records: cities, streets, products, and what is written by hand.

Each function reads the text of one CSV file of `data/locales/<locale>/`. What one file can prove of
a mapping is proved here: nothing is stated twice, and no two sources share a target.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from review_app.core.formats.glossary import csv_text, rows
from review_app.errors import BadInput
from review_app.models import Entity, EntityKind
from review_app.notices import Notice

CITY_COLUMNS = ("source_city", "source_state", "city", "state", "zip_prefix")
STREET_COLUMNS = ("source", "target")
PRODUCT_COLUMNS = ("kind", "option", "source", "target")
ENTITY_COLUMNS = ("domain", "kind", "source", "target", "given", "family", "reading", "romanized")

ProductKind = Literal["product", "option"]


@dataclass(frozen=True, slots=True)
class City:
    """A city of the source and the one that stands for it."""

    source_city: str
    """Empty, with `source_state`, in a spare row: a city to draw for a source nobody listed."""
    source_state: str
    """As the database writes it: `CA`."""
    city: str
    state: str
    zip_prefix: str
    """How postal codes of `city` begin: `530`."""


@dataclass(frozen=True, slots=True)
class ProductEntry:
    """A product's name or the value of one of its options, in both languages."""

    kind: ProductKind
    option: str
    """The option's key where the value has a translation of its own under it; empty otherwise."""
    source: str
    target: str


def cities(text: str, file: str) -> tuple[City, ...]:
    """The cities of a locale, in the order of the file, spare ones (without source) included.

    Source states map to states one to one, over all rows that have a source.

    Raises:
        BadInput: not the columns `CITY_COLUMNS`; an empty cell (but both source cells of a spare
            row); a source, city or postal prefix that occurs twice; a source state with two states,
            or a state with two source states. Names the line.
    """
    table, once = [], _Once(file)
    for place, row in rows(text, file, CITY_COLUMNS):
        city = City(**row)
        _filled(row, ("city", "state", "zip_prefix"), file, place)
        if bool(city.source_city) != bool(city.source_state):
            problem = Notice(
                "locale.city_without_state",
                "a source city needs its state; a spare row has neither",
            )
            raise BadInput(problem, file, place)
        if city.source_city:
            once.add("source", f"{city.source_city}, {city.source_state}", place)
            once.pair("state", city.source_state, city.state, place)
        once.add("city", city.city, place)
        once.add("zip_prefix", city.zip_prefix, place)
        table.append(city)
    return tuple(table)


def streets(text: str, file: str) -> tuple[tuple[str, str], ...]:
    """Street names (without number) and what stands for them; an empty source is a spare row.

    Raises:
        BadInput: not the columns `STREET_COLUMNS`; an empty target; a source or target that occurs
            twice. Names the line.
    """
    table, once = [], _Once(file)
    for place, row in rows(text, file, STREET_COLUMNS):
        _filled(row, ("target",), file, place)
        if row["source"]:
            once.add("source", row["source"], place)
        once.add("target", row["target"], place)
        table.append((row["source"], row["target"]))
    return tuple(table)


def products(text: str, file: str) -> tuple[ProductEntry, ...]:
    """Product names and option values with their translations, in the order of the file.

    A row that names an option goes before one of the same source that does not. Values without an
    option may share a target (`no` and `none` belong to different options); whether two values of
    one option do shows only in the database.

    Raises:
        BadInput: not the columns `PRODUCT_COLUMNS`; an unknown kind; a product with an option; an
            empty source or target; the same kind, option and source twice; two products, or two
            values of a named option, with one target. Names the line.
    """
    table, once = [], _Once(file)
    for place, row in rows(text, file, PRODUCT_COLUMNS):
        kind = next((kind for kind in get_args(ProductKind) if kind == row["kind"]), None)
        if kind is None:
            problem = Notice(
                "locale.product_kind_unknown",
                "unknown kind {kind!r}; write {kinds: or }",
                kind=row["kind"],
                kinds=get_args(ProductKind),
            )
            raise BadInput(problem, file, place)
        _filled(row, ("source", "target"), file, place)
        if kind == "product" and row["option"]:
            problem = Notice("locale.product_in_option", "a product's name belongs to no option")
            raise BadInput(problem, file, place)
        scope = f"{kind} {row['option']}".strip()
        once.add(_source_of(scope), row["source"], place)
        if scope != "option":
            once.add(_target_of(scope), row["target"], place)
        table.append(
            ProductEntry(
                kind=kind, option=row["option"], source=row["source"], target=row["target"]
            )
        )
    return tuple(table)


def written_entities(text: str, file: str, domain: str) -> list[Entity]:
    """The entities of one domain that are written by hand; rows of other domains are checked too.

    Raises:
        BadInput: not the columns `ENTITY_COLUMNS`; an unknown kind; no domain, source or target;
            the same kind and source, or kind and target, twice in a domain; a person without
            given name, family name or ASCII `romanized`, or whose full name does not hold both
            names. Names the line.
    """
    table, once = [], _Once(file)
    for place, row in rows(text, file, ENTITY_COLUMNS):
        kind = _entity_kind(row["kind"], file, place)
        _filled(row, ("domain", "source", "target"), file, place)
        if kind == "person":
            _check_person(row, file, place)
        once.add(_source_of(f"{row['domain']} {kind}"), row["source"], place)
        # `no` and `none` of two options may be one word in the target.
        scope = f"{kind} {row['source'].partition('=')[0]}" if kind == "option" else kind
        once.add(_target_of(f"{row['domain']} {scope}"), row["target"], place)
        if row["domain"] == domain:
            table.append(_entity(kind, row))
    return table


def entities_to_csv(entities: Iterable[Entity], domain: str) -> str:
    """Entities of a domain as a CSV text in the columns of `written_entities`; Excel opens it."""
    cells = (
        (domain, *(str(getattr(row, name)) for name in ENTITY_COLUMNS[1:])) for row in entities
    )
    return csv_text(ENTITY_COLUMNS, cells)


class _Once:
    """What has been stated so far, and on which line."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.seen: dict[tuple[str | Notice, str], tuple[str, str]] = {}

    def add(self, what: str | Notice, value: str, place: str) -> None:
        if (what, value) in self.seen:
            problem = Notice(
                "locale.stated_twice",
                "{what} {value!r} occurs twice, first on {first}",
                what=what,
                value=value,
                first=self.seen[what, value][1],
            )
            raise BadInput(problem, self.file, place)
        self.seen[what, value] = value, place

    def pair(self, what: str, source: str, target: str, place: str) -> None:
        """Hold that source and target belong to each other and to nothing else."""
        for side, value, other in ((f"source {what}", source, target), (what, target, source)):
            known, first = self.seen.setdefault((side, value), (other, place))
            if known != other:
                problem = Notice(
                    "locale.goes_with_another",
                    "{side} {value!r} goes with {known!r} on {first}, here with {other!r}",
                    side=side,
                    value=value,
                    known=known,
                    first=first,
                    other=other,
                )
                raise BadInput(problem, self.file, place)


def _source_of(scope: str) -> Notice:
    return Notice("locale.source_of", "source of {scope}", scope=scope)


def _target_of(scope: str) -> Notice:
    return Notice("locale.target_of", "target of {scope}", scope=scope)


def _filled(row: Mapping[str, str], names: tuple[str, ...], file: str, place: str) -> None:
    for name in names:
        if not row[name].strip():
            raise BadInput(Notice("locale.cell_empty", "{name} is empty", name=name), file, place)


def _entity(kind: EntityKind, row: Mapping[str, str]) -> Entity:
    return Entity(
        kind=kind,
        source=row["source"],
        target=row["target"],
        given=row["given"],
        family=row["family"],
        reading=row["reading"],
        romanized=row["romanized"],
        origin="file",
    )


def _entity_kind(text: str, file: str, place: str) -> EntityKind:
    kind: EntityKind | None = next((kind for kind in get_args(EntityKind) if kind == text), None)
    if kind is None:
        problem = Notice(
            "locale.entity_kind_unknown",
            "unknown kind {kind!r}; the kinds are {kinds}",
            kind=text,
            kinds=get_args(EntityKind),
        )
        raise BadInput(problem, file, place)
    return kind


def _check_person(row: Mapping[str, str], file: str, place: str) -> None:
    _filled(row, ("given", "family", "romanized"), file, place)
    if not row["romanized"].isascii():
        problem = Notice(
            "locale.romanized_not_ascii", "romanized {name!r} is not ASCII", name=row["romanized"]
        )
        raise BadInput(problem, file, place)
    for name in ("given", "family"):
        if row[name] not in row["target"]:
            problem = Notice(
                "locale.name_not_in_target",
                "the {column} name {name!r} is not in the target {target!r}",
                column=name,
                name=row[name],
                target=row["target"],
            )
            raise BadInput(problem, file, place)
