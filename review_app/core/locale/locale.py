"""A locale: everything that is particular to a target language and its country, from data files.

A locale is a folder under `data/locales/`. `locale.toml` holds the rules, the CSV files beside it
the dictionaries; a file that is absent is an empty dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from review_app.core.formats.glossary import rows
from review_app.core.locale.dictionary import (
    City,
    ProductEntry,
    cities,
    products,
    streets,
    written_entities,
)
from review_app.core.locale.gazetteer import EMPTY, HABITS, PLACES, Gazetteer, read_gazetteer
from review_app.core.locale.money import MoneyRule, money_rule
from review_app.core.locale.names import (
    NamePool,
    NameTable,
    PoolName,
    extra_names,
    name_pool,
    name_table,
)
from review_app.core.toml import NOT_A_TABLE, parse_toml
from review_app.errors import BadInput
from review_app.models import Entity
from review_app.notices import Notice

NameOrder = Literal["family_given", "given_family"]
RULES = "locale.toml"
OF_SOURCE = "source/"
"""Before the names of the files of the source locale."""


@dataclass(frozen=True, slots=True)
class Locale:
    """The rules and dictionaries of one locale."""

    name: str
    """`ja`; the name of its folder."""
    money: MoneyRule
    money_form: str
    """How an amount is written in prose: `{amount}円`."""
    faker: str
    """Faker's name of the locale: `ja_JP`."""
    name_order: NameOrder
    name_separator: str
    """Between the two names in prose."""
    address_line: str
    """`{town}{a}-{b}-{c}`, or with `{n}` the number as it is."""
    address_unit: str
    """`{number}号室`."""
    zip_form: str
    """`{prefix}-{digits}`: the city's prefix and the last digits of the source."""
    phone_form: str
    """Each `#` is a digit of the source, from its end: `090-####-####`."""
    country: str
    zone: tuple[str, str]
    """The time zone's name in the source and here: `EST`, `JST`."""
    cities: tuple[City, ...] = ()
    streets: tuple[tuple[str, str], ...] = ()
    products: tuple[ProductEntry, ...] = ()
    extra_names: tuple[tuple[PoolName, ...], tuple[PoolName, ...]] = ((), ())
    """Given and family names beyond Faker's."""
    readings: NameTable = NameTable()
    """How Faker's names are read and romanized, and the genders of all given names."""
    transcriptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """How names of the source locale are written in this one's letters: `Mia` -> `ミア`. Searched
    for, never written."""
    entities_text: str = ""
    gazetteer: Gazetteer = EMPTY
    """What texts of the source locale call its places."""

    def written(self, domain: str) -> list[Entity]:
        """The entities of a domain that were written by hand."""
        if not self.entities_text:
            return []
        return written_entities(self.entities_text, "entities.csv", domain)

    def name_pool(self) -> NamePool:
        """The names that people are drawn from. Raises BadInput as `names.name_pool`."""
        return name_pool(self.faker, *self.extra_names, readings=self.readings)

    def full_name(self, given: str, family: str) -> str:
        """A person's name as prose has it."""
        parts = (family, given) if self.name_order == "family_given" else (given, family)
        return self.name_separator.join(part for part in parts if part)


def read_locale(name: str, texts: Mapping[str, str]) -> Locale:
    """The locale in the texts of its folder.

    Args:
        name: Of the folder.
        texts: File name -> text; those of the source locale under `OF_SOURCE`.

    Raises:
        BadInput: `locale.toml` is absent or lacks a rule, or a dictionary is broken.
    """
    if RULES not in texts:
        problem = Notice("locale.rules_missing", "is missing: every locale needs one")
        raise BadInput(problem, f"{name}/{RULES}")
    rules = parse_toml(texts[RULES], f"{name}/{RULES}")
    names, address = _table(rules, "names", name), _table(rules, "address", name)
    money = money_rule(texts[RULES], f"{name}/{RULES}")
    return Locale(
        name=name,
        money=money,
        money_form=_money_form(_table(_table(rules, "money", name), "target", name)),
        faker=_text(names, "faker", "names", name),
        name_order=_name_order(names, name),
        name_separator=_text(names, "separator", "names", name),
        address_line=_text(address, "line", "address", name),
        address_unit=_text(address, "unit", "address", name),
        zip_form=_text(address, "zip", "address", name),
        phone_form=str(_table(rules, "phone", name).get("form", "")),
        country=_text(address, "country", "address", name),
        zone=_zone(_table(rules, "time", name), name),
        cities=_read(cities, texts, "cities.csv", ()),
        streets=_read(streets, texts, "streets.csv", ()),
        products=_read(products, texts, "products.csv", ()),
        extra_names=_read(extra_names, texts, "names.csv", _NO_NAMES),
        readings=_readings(texts),
        transcriptions=_read(_transcriptions, texts, "transcriptions.csv", {}),
        entities_text=texts.get("entities.csv", ""),
        gazetteer=_gazetteer(texts),
    )


def _gazetteer(texts: Mapping[str, str]) -> Gazetteer:
    places, habits = texts.get(OF_SOURCE + PLACES), texts.get(OF_SOURCE + HABITS)
    return EMPTY if places is None or habits is None else read_gazetteer(places, habits)


_T = TypeVar("_T")

_Names = tuple[tuple[PoolName, ...], tuple[PoolName, ...]]
_NO_NAMES: _Names = ((), ())


def _read(parse: Callable[[str, str], _T], texts: Mapping[str, str], file: str, empty: _T) -> _T:
    return parse(texts[file], file) if file in texts else empty


def _readings(texts: Mapping[str, str]) -> NameTable:
    """`readings.csv`, with the genders of the names that `names.csv` adds."""
    read = _read(name_table, texts, "readings.csv", NameTable())
    added = _read(name_table, texts, "names.csv", NameTable())
    return NameTable(read.given, read.family, (*read.genders, *added.genders))


def _table(rules: Mapping[str, Any], name: str, locale: str) -> Mapping[str, Any]:
    table = rules.get(name, {})
    if not isinstance(table, Mapping):
        raise BadInput(NOT_A_TABLE, f"{locale}/{RULES}", name)
    return table


def _text(table: Mapping[str, Any], key: str, section: str, locale: str) -> str:
    if not isinstance(table.get(key), str):
        problem = Notice("locale.rule_missing", "is missing; add it as a text")
        raise BadInput(problem, f"{locale}/{RULES}", f"{section}.{key}")
    return str(table[key])


def _name_order(names: Mapping[str, Any], locale: str) -> NameOrder:
    stated = _text(names, "order", "names", locale)
    order: NameOrder | None = next((o for o in get_args(NameOrder) if o == stated), None)
    if order is None:
        problem = Notice(
            "locale.name_order_unknown",
            "{order!r} is not one of ({known!r})",
            order=stated,
            known=get_args(NameOrder),
        )
        raise BadInput(problem, f"{locale}/{RULES}", "names")
    return order


def _zone(table: Mapping[str, Any], locale: str) -> tuple[str, str]:
    zone = table.get("zone", ["", ""])
    if not (isinstance(zone, list) and len(zone) == 2):
        problem = Notice("locale.zone_incomplete", "must be two names: source, target")
        raise BadInput(problem, f"{locale}/{RULES}", "time.zone")
    return str(zone[0]), str(zone[1])


def _transcriptions(text: str, file: str) -> Mapping[str, tuple[str, ...]]:
    written: dict[str, tuple[str, ...]] = {}
    for _, cells in rows(text, file, ("source", "target")):
        written[cells["source"]] = (*written.get(cells["source"], ()), cells["target"])
    return written


def _money_form(target: Mapping[str, Any]) -> str:
    form = target.get("form")
    return str(form) if form else f"{{amount}} {target.get('code', '')}"
