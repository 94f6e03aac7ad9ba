"""Give each entity of a domain that has none its counterpart.

What the project has already holds first, then what the locale's files state; the rest is drawn,
seeded and in order of appearance, so that adding a record changes nobody's identity.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from review_app.core.locale.dictionary import City
from review_app.core.locale.locale import Locale
from review_app.core.locale.names import Gender, NamePool, PoolName, assign, redraw
from review_app.core.localize.entities import LINE, person
from review_app.core.localize.gathered import Gathered
from review_app.errors import BadInput
from review_app.models import Entity, EntityKind, EntityOrigin, Term
from review_app.notices import Notice

AddressParts = dict[str, str]


@dataclass(slots=True)
class _Rows:
    """The rows of a domain as they grow."""

    locale: Locale
    seed: int
    domain: str
    rows: dict[tuple[EntityKind, str], Entity]

    def has(self, kind: EntityKind, source: str) -> bool:
        return (kind, source) in self.rows

    def add(self, row: Entity) -> None:
        self.rows.setdefault((row.kind, row.source), row)

    def of(self, kind: EntityKind) -> dict[str, Entity]:
        return {source: row for (row_kind, source), row in self.rows.items() if row_kind == kind}

    def targets(self, kind: EntityKind) -> set[str]:
        return {row.target for row in self.of(kind).values()}

    def ranked(self, salt: str, source: str, choices: Sequence[str]) -> list[str]:
        """The choices in an order that depends on seed, domain and source alone."""
        return sorted(choices, key=lambda choice: self._draw(salt, source, choice))

    def _draw(self, *parts: str) -> bytes:
        text = "\x1f".join((str(self.seed), self.domain, *parts))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def assigned(
    gathered: Gathered, known: Iterable[Entity], locale: Locale, *, domain: str, seed: int
) -> list[Entity]:
    """A row for every entity that was found: those of the locale's files, the known ones, new ones.

    Args:
        gathered: Of the domain.
        known: Rows that the project has; kept as they are.
        locale: With its dictionaries.
        domain: Its written entities are taken.
        seed: Of the draws.

    Raises:
        BadInput: the locale has too few names, cities or street names; says which file to extend.
    """
    rows = _Rows(locale=locale, seed=seed, domain=domain, rows={})
    for row in (*known, *locale.written(domain)):
        rows.add(row)
    _cities(rows, gathered)
    _named(rows, gathered)
    _zips(rows, gathered)
    _streets(rows, gathered)
    _phones(rows, gathered)
    _names(rows, gathered)
    _products(rows, gathered)
    return list(rows.rows.values())


def _names(rows: _Rows, gathered: Gathered) -> None:
    """Components first, then every person of them; a person that has a row needs no components."""
    people = [pair for pair in gathered.people if not rows.has("person", " ".join(pair))]
    if not people:
        return
    pool = rows.locale.name_pool()
    parts: tuple[tuple[EntityKind, int, tuple[PoolName, ...]], ...] = (
        ("given_name", 0, pool.given),
        ("family_name", 1, pool.family),
    )
    for kind, at, names in parts:
        known = {row.source: _name(row) for row in rows.of(kind).values()}
        sources = list(dict.fromkeys(pair[at] for pair in people))
        drawn = assign(
            sources,
            names,
            seed=rows.seed,
            salt=f"{rows.domain}/{kind}",
            known=known,
            suits=_suiting(pool, gathered) if kind == "given_name" else _any_suits,
        )
        for source in sources:
            name = drawn[source]
            rows.add(
                Entity(
                    kind=kind,
                    source=source,
                    target=name.written,
                    reading=name.reading,
                    romanized=name.romanized,
                )
            )
    _people(rows, people, gathered, pool)


def _suiting(pool: NamePool, gathered: Gathered) -> Callable[[str, PoolName], bool]:
    return lambda source, name: pool.suits(name.written, gathered.given_gender(source))


def _any_suits(source: str, name: PoolName) -> bool:
    return True


def _people(
    rows: _Rows, people: Sequence[tuple[str, str]], gathered: Gathered, pool: NamePool
) -> None:
    """Everybody of given and family name; whose name is taken or of no such gender, anew."""
    taken = {(row.given, row.family) for row in rows.of("person").values()}
    roman = {row.romanized for row in rows.of("person").values()}
    for given, family in people:
        parts = rows.rows["given_name", given], rows.rows["family_name", family]
        row = person(f"{given} {family}", *parts, rows.locale)
        gender = gathered.gender(given, family)
        is_taken = (row.given, row.family) in taken or row.romanized in roman
        if is_taken or not pool.suits(row.given, gender):
            others = rows.of("person").values()
            new = replace(row, draw=1)
            row = redrawn(new, rows.locale, others, seed=rows.seed, gender=gender)
        rows.add(row)
        taken.add((row.given, row.family))
        roman.add(row.romanized)


def redrawn(
    row: Entity,
    locale: Locale,
    people: Iterable[Entity],
    *,
    seed: int,
    gender: Gender | None = None,
) -> Entity:
    """A person with the name of draw number `row.draw`, that nobody else of the domain has.

    Args:
        row: The person as it is.
        locale: Where to draw from.
        people: Of the domain.
        seed: Of the project.
        gender: Of the person; where it is not known that of the name so far.

    Raises:
        BadInput: the locale has no free name left.
    """
    others = [other for other in people if other.source != row.source]
    pool = locale.name_pool()
    given, family = redraw(
        row.source,
        pool.suiting(gender or pool.genders.get(row.given)),
        seed=seed,
        draw=row.draw,
        written={(other.given, other.family) for other in others},
        romanized={_pair(other.romanized) for other in others},
    )
    return replace(
        row,
        target=locale.full_name(given.written, family.written),
        given=given.written,
        family=family.written,
        reading=f"{given.reading} {family.reading}",
        romanized=f"{given.romanized} {family.romanized}",
        origin="invented",
    )


def _name(row: Entity) -> PoolName:
    return PoolName(row.target, row.reading, row.romanized)


def _cities(rows: _Rows, gathered: Gathered) -> None:
    stated = {(listed.source_city, listed.source_state): listed for listed in rows.locale.cities}
    for city, state in gathered.cities:
        if rows.has("city", city):
            continue
        chosen = stated.get((city, state)) or _spare_city(rows, city, state)
        origin: EntityOrigin = "file" if chosen.source_city else "invented"
        rows.add(Entity(kind="city", source=city, target=chosen.city, origin=origin))
        rows.add(Entity(kind="state", source=state, target=chosen.state, origin=origin))


def _named(rows: _Rows, gathered: Gathered) -> None:
    """Places that only texts name, as far as the locale states what stands for them."""
    for listed in rows.locale.cities:
        if listed.source_city and ("city", listed.source_city) in gathered.named:
            rows.add(_stated("city", listed.source_city, listed.city))
            rows.add(_stated("state", listed.source_state, listed.state))
        elif listed.source_state and ("state", listed.source_state) in gathered.named:
            rows.add(_stated("state", listed.source_state, listed.state))


def _stated(kind: EntityKind, source: str, target: str) -> Entity:
    return Entity(kind=kind, source=source, target=target, origin="file")


def _spare_city(rows: _Rows, city: str, state: str) -> City:
    """A city that nothing else stands for, of the state's counterpart if it has one."""
    taken, states = rows.targets("city"), rows.of("state")
    cities = rows.locale.cities
    free = {
        spare.city: spare for spare in cities if not spare.source_city and spare.city not in taken
    }
    if state in states:
        near = [spare for spare in free.values() if spare.state == states[state].target]
    else:
        used = rows.targets("state") | {listed.state for listed in cities if listed.source_state}
        near = [spare for spare in free.values() if spare.state not in used]
    names = [spare.city for spare in near] or list(free)
    return free[_first(rows, "city", city, names, "cities.csv")]


def _first(
    rows: _Rows, kind: Literal["city", "street"], source: str, choices: Sequence[str], file: str
) -> str:
    if not choices:
        raise BadInput(_none_spare(kind, source), f"locales/{rows.locale.name}/{file}")
    return rows.ranked(kind, source, choices)[0]


def _none_spare(kind: Literal["city", "street"], source: str) -> Notice:
    if kind == "city":
        return Notice(
            "entity.no_city_left",
            "has no spare city left for {source!r}: add a row without a source",
            source=source,
        )
    return Notice(
        "entity.no_street_left",
        "has no spare street left for {source!r}: add a row without a source",
        source=source,
    )


def _zips(rows: _Rows, gathered: Gathered) -> None:
    prefixes = {listed.city: listed.zip_prefix for listed in rows.locale.cities}
    cities, taken = rows.of("city"), rows.targets("zip")
    for code, (city, _) in gathered.zips.items():
        if rows.has("zip", code):
            continue
        target = cities[city].target if city in cities else ""
        row = Entity("zip", code, _free_zip(rows.locale, prefixes.get(target, "000"), code, taken))
        taken.add(row.target)
        rows.add(row)


def _free_zip(locale: Locale, prefix: str, code: str, taken: set[str]) -> str:
    number = int(re.sub(r"\D", "", code) or 0)
    for step in range(10_000):
        digits = f"{(number + step) % 10_000:04}"
        candidate = locale.zip_form.format(prefix=prefix, digits=digits, last=digits[-2:])
        if candidate not in taken:
            return candidate
    problem = Notice("entity.no_free_zip", "has no free postal code for {code!r}", code=code)
    raise BadInput(problem, f"locales/{locale.name}/cities.csv")


def _streets(rows: _Rows, gathered: Gathered) -> None:
    stated = dict(rows.locale.streets)
    spare = [target for source, target in rows.locale.streets if not source]
    for line in gathered.streets:
        match = LINE.fullmatch(line.strip())
        if match is None or rows.has("address", line) or rows.has("street", match["street"]):
            continue
        street = match["street"]
        if street in stated:
            rows.add(Entity(kind="street", source=street, target=stated[street], origin="file"))
        else:
            taken = rows.targets("street")
            free = [target for target in spare if target not in taken]
            rows.add(Entity("street", street, _first(rows, "street", street, free, "streets.csv")))


def _phones(rows: _Rows, gathered: Gathered) -> None:
    taken, form = rows.targets("phone"), rows.locale.phone_form
    for phone in gathered.phones if form else ():
        if not rows.has("phone", phone):
            rows.add(Entity("phone", phone, _free_phone(form, phone, taken)))
            taken.add(rows.rows["phone", phone].target)


def _free_phone(form: str, phone: str, taken: set[str]) -> str:
    places = form.count("#")
    number = int(re.sub(r"\D", "", phone) or 0)
    for step in range(10**places):
        digits = iter(f"{(number + step) % 10**places:0{places}}")
        candidate = "".join(next(digits) if sign == "#" else sign for sign in form)
        if candidate not in taken:
            break
    return candidate


def _products(rows: _Rows, gathered: Gathered) -> None:
    """Names and options that no dictionary has stay as they are, and `verify` reports them."""
    named = {
        product.source: product.target
        for product in rows.locale.products
        if product.kind == "product"
    }
    valued: Mapping[tuple[str, str], str] = {
        (product.option, product.source): product.target
        for product in rows.locale.products
        if product.kind == "option"
    }
    for source in gathered.products:
        if source in named:
            rows.add(Entity(kind="product", source=source, target=named[source], origin="file"))
    for option, value in gathered.options:
        target = valued.get((option, value)) or valued.get(("", value))
        if target is not None:
            source = f"{option}={value}"
            rows.add(Entity(kind="option", source=source, target=target, origin="file"))


def _pair(romanized: str) -> tuple[str, str]:
    given, _, family = romanized.partition(" ")
    return given, family


def airports(terms: Iterable[Term], domain: str) -> list[Entity]:
    """Airport codes and their cities, which the glossary holds, as rows."""
    kinds: Mapping[str, EntityKind] = {"Airport Code": "airport", "Airport Name": "place"}
    return [
        Entity(kind=kinds[term.category], source=source, target=term.target, origin="file")
        for term in terms
        if term.category in kinds and term.domain in (None, domain)
        for source in (term.source, *term.variants)
    ]
