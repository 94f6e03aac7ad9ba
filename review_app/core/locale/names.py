"""Names of the target locale: Faker's lists and a locale's own, drawn by hash.

The only module that imports Faker, and of Faker only the lists of names: its generators draw a
name, its reading and its romanized form independently of one another. A draw depends on the seed,
what it is for and the source name alone, so that no order of calls and no other name changes it.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Literal, get_args

from review_app.core.formats.glossary import rows
from review_app.errors import BadInput
from review_app.notices import Notice

Gender = Literal["male", "female"]
COLUMNS = ("kind", "written", "reading", "romanized")
GENDER = "gender"
"""A further column that a table of names may have."""

_ADVICE = Notice("locale.add_names", "add rows to data/locales/<locale>/names.csv")
_KINDS = {"given": Notice("locale.given", "given"), "family": Notice("locale.family", "family")}
_SEVERAL_WORDS = frozenset(" .")
_SPELT_OUT = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "oe",
        "þ": "th",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "ẞ": "SS",
        "Æ": "Ae",
        "Œ": "Oe",
        "Ø": "Oe",
        "Þ": "Th",
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "ı": "i",
        "ə": "e",
        "ħ": "h",
        "Đ": "D",
        "Ð": "D",
        "Ł": "L",
        "Ə": "E",
        "Ħ": "H",
    }
)
"""Letters that Unicode does not take apart, and umlauts, which lose an `e` if it does."""


@dataclass(frozen=True, slots=True)
class PoolName:
    """One given name or one family name of the target locale."""

    written: str
    """As the database holds it: `篤司`."""
    reading: str
    """In the locale's own letters: `アツシ`; as written where a locale has no other."""
    romanized: str
    """In ASCII letters, nothing else: `Atsushi`."""


@dataclass(frozen=True, slots=True)
class NamePool:
    """All names of a locale. No two of a kind are written, read or romanized alike."""

    given: tuple[PoolName, ...]
    family: tuple[PoolName, ...]
    genders: Mapping[str, Gender] = field(default_factory=dict, compare=False)
    """Written given name -> who is called so; one that is not here suits everybody."""

    def suiting(self, gender: Gender | None) -> NamePool:
        """The pool with only the given names that a person of this gender may have."""
        if gender is None:
            return self
        given = tuple(name for name in self.given if self.suits(name.written, gender))
        return NamePool(given, self.family, self.genders)

    def suits(self, written: str, gender: Gender | None) -> bool:
        """Whether a person of this gender may have a given name; unknown contradicts nothing."""
        return gender is None or self.genders.get(written, gender) == gender


@dataclass(frozen=True, slots=True)
class NameTable:
    """The rows of a table of names."""

    given: tuple[PoolName, ...] = ()
    family: tuple[PoolName, ...] = ()
    genders: tuple[tuple[str, Gender], ...] = ()
    """(written given name, gender)"""


def name_pool(
    faker_locale: str,
    extra_given: Iterable[PoolName] = (),
    extra_family: Iterable[PoolName] = (),
    *,
    readings: NameTable | None = None,
) -> NamePool:
    """Faker's names of a locale, then the extra ones; a later one like an earlier is left out.

    Names of several words or with an abbreviation are left out too, so that a full name can be
    taken apart again, and those that do not fold to ASCII letters.

    Args:
        faker_locale: As Faker writes it: `ja_JP`.
        extra_given: More given names, see `extra_names`.
        extra_family: More family names.
        readings: How names of Faker's are read and romanized: its own lists have mistakes.

    Raises:
        BadInput: Faker has no names of this locale, or none of a kind is left and no extra one is
            given (Chinese, Russian: no pairs of a name and its romanized form).
    """
    return _pool(faker_locale, tuple(extra_given), tuple(extra_family), readings or NameTable())


def assign(
    names: Sequence[str],
    pool: Sequence[PoolName],
    *,
    seed: int,
    salt: str,
    known: Mapping[str, PoolName] | None = None,
    suits: Callable[[str, PoolName], bool] = lambda source, name: True,
) -> dict[str, PoolName]:
    """One name of the pool for each source name, no two alike in any form.

    In order of appearance each source name takes the free name that ranks highest for it, so
    another source name changes it only if it stands before it and took that one. A known name is
    kept as it is; nothing new is like any known one, also of those not asked for.

    Args:
        names: Source names; one that occurs again counts once.
        pool: Names of one kind, see `NamePool`.
        seed: Of the project.
        salt: What is drawn, `retail given`: the same source name draws differently elsewhere.
        known: Source name -> its name by an earlier call or by hand.
        suits: Whether a source name may become a name; where none is left that does, any may.

    Raises:
        BadInput: the pool is exhausted.

    Source:
        Ranking by hash: rendezvous hashing, Thaler and Ravishankar 1998.
    """
    known = known or {}
    result = {name: known.get(name) for name in names}
    taken = frozenset(chain.from_iterable(map(_forms, known.values())))
    free = [name for name in pool if taken.isdisjoint(_forms(name))]
    assigned = {}
    for source, name in result.items():
        if name is None:
            if not free:
                raise BadInput(_too_few(len(pool), len({*names, *known}), salt))
            suiting = [name for name in free if suits(source, name)]
            name = _ranked(suiting or free, seed, salt, source)[0]
            free = [other for other in free if _forms(name).isdisjoint(_forms(other))]
        assigned[source] = name
    return assigned


def redraw(
    person: str,
    pool: NamePool,
    *,
    seed: int,
    draw: int,
    written: Collection[tuple[str, str]],
    romanized: Collection[tuple[str, str]],
) -> tuple[PoolName, PoolName]:
    """A given and a family name for a whole person, drawn anew: the best pair that is free.

    Args:
        person: The full source name.
        pool: Where to draw from.
        seed: Of the project.
        draw: Which draw it is; the same draw gives the same person if the same pairs are taken.
        written: Pairs (given, family) that are taken, as written; among them what the person has.
        romanized: The same, romanized; case does not matter.

    Raises:
        BadInput: no pair is free.
    """
    given = _ranked(pool.given, seed, "given", person, draw)
    family = _ranked(pool.family, seed, "family", person, draw)
    taken_written = set(written)
    taken_romanized = {_folded(*pair) for pair in romanized}
    for first, last in _best_first(given, family):
        if (first.written, last.written) in taken_written:
            continue
        if _folded(first.romanized, last.romanized) not in taken_romanized:
            return first, last
    raise BadInput(
        Notice(
            "locale.no_pair_free",
            "no name is free for {person!r}: all {pairs} pairs of {given} given and {family} "
            "family names are taken; {advice}",
            person=person,
            pairs=len(given) * len(family),
            given=len(given),
            family=len(family),
            advice=_ADVICE,
        )
    )


def _too_few(names: int, needed: int, salt: str) -> Notice:
    return Notice(
        "locale.names_too_few",
        "the locale has {names} names for {salt!r}, but {needed} are needed; {advice}",
        names=names,
        salt=salt,
        needed=needed,
        advice=_ADVICE,
    )


def extra_names(text: str, file: str) -> tuple[tuple[PoolName, ...], tuple[PoolName, ...]]:
    """The given names and the family names of a locale's `names.csv`. Raises as `name_table`."""
    table = name_table(text, file)
    return table.given, table.family


def name_table(text: str, file: str) -> NameTable:
    """The names of a table: those that a locale adds, or how it reads those of Faker.

    Its columns are kind (given or family), written, reading (empty: as written) and romanized, and
    for given names gender (male, female, or empty: everybody's) if it likes.

    Raises:
        BadInput: columns are missing, a kind or gender is unknown, a written form is empty, a
            romanized form is not of ASCII letters; names the line.
    """
    named: dict[str, list[PoolName]] = {"given": [], "family": []}
    genders: dict[str, Gender] = {}
    header = text.partition("\n")[0].strip().split(",")
    for place, cells in rows(text, file, (*COLUMNS, GENDER) if GENDER in header else COLUMNS):
        if cells["kind"] not in named:
            problem = Notice(
                "locale.name_kind_unknown",
                "unknown kind {kind!r}; the kinds are {kinds: and }",
                kind=cells["kind"],
                kinds=tuple(named),
            )
            raise BadInput(problem, file, place)
        if not cells["written"]:
            problem = Notice("locale.written_empty", "the written form is empty")
            raise BadInput(problem, file, place)
        if not _is_ascii_word(cells["romanized"]):
            problem = Notice(
                "locale.romanized_not_letters",
                "romanized {name!r} is not ASCII letters",
                name=cells["romanized"],
            )
            raise BadInput(problem, file, place)
        if stated := cells.get(GENDER):
            genders[cells["written"]] = _gender(stated, file, place)
        reading = cells["reading"] or cells["written"]
        named[cells["kind"]].append(PoolName(cells["written"], reading, cells["romanized"]))
    return NameTable(tuple(named["given"]), tuple(named["family"]), tuple(genders.items()))


def usual_genders(text: str, file: str) -> dict[str, Gender]:
    """The gender of given names of the source, from a table with the columns name and gender.

    Raises:
        BadInput: other columns, or an unknown gender; names the line.
    """
    return {
        cells["name"]: _gender(cells[GENDER], file, place)
        for place, cells in rows(text, file, ("name", GENDER))
    }


def _gender(stated: str, file: str, place: str) -> Gender:
    gender: Gender | None = next((known for known in get_args(Gender) if known == stated), None)
    if gender is None:
        problem = Notice(
            "locale.gender_unknown",
            "{gender!r} is not one of {known: or }",
            gender=stated,
            known=get_args(Gender),
        )
        raise BadInput(problem, file, place)
    return gender


@cache
def listed_gender(given: str, faker_locale: str) -> Gender | None:
    """The gender that Faker's lists of a locale give a given name; None if both or neither do."""
    from faker.providers import person

    provider = vars(import_module(f"{person.__name__}.{faker_locale}"))["Provider"]
    return _listed_genders(provider).get(given)


@cache
def _pool(
    locale: str,
    extra_given: tuple[PoolName, ...],
    extra_family: tuple[PoolName, ...],
    readings: NameTable,
) -> NamePool:
    # Faker takes half a second to import, and most commands draw no names.
    from faker.providers import person
    from faker.utils.loading import list_module

    if locale not in list_module(person):
        raise BadInput(
            Notice(
                "locale.faker_unknown",
                "Faker has no names of locale {locale!r}; write it as 'ja_JP' or 'de_DE'",
                locale=locale,
            )
        )
    provider = vars(import_module(f"{person.__name__}.{locale}"))["Provider"]
    kinds = {
        "given": ("first_name", extra_given, readings.given),
        "family": ("last_name", extra_family, readings.family),
    }
    names = {
        kind: _distinct((*_read_as(_listed(provider, person.Provider, prefix), read), *extra))
        for kind, (prefix, extra, read) in kinds.items()
    }
    for kind, of_kind in names.items():
        if not of_kind:
            problem = Notice(
                "locale.faker_without_kind",
                "Faker has no {kind} names of locale {locale!r} that can be written in ASCII "
                "letters; {advice}",
                kind=_KINDS[kind],
                locale=locale,
                advice=_ADVICE,
            )
            raise BadInput(problem)
    genders = _listed_genders(provider) | dict(readings.genders)
    in_pool = {name.written for name in names["given"]} & genders.keys()
    return NamePool(**names, genders={written: genders[written] for written in in_pool})


def _read_as(names: Iterable[PoolName], readings: Iterable[PoolName]) -> Iterator[PoolName]:
    stated = {name.written: name for name in readings}
    return (stated.get(name.written, name) for name in names)


def _listed_genders(provider: type) -> dict[str, Gender]:
    """Given names that a Faker provider lists for one gender only."""
    listed: dict[Gender, set[str]] = {}
    for gender in get_args(Gender):
        pairs = getattr(provider, f"first_name_{gender}_pairs", ())
        names = getattr(provider, f"first_names_{gender}", ())
        listed[gender] = {pair[0] for pair in pairs} or set(names)
    return {
        name: gender
        for gender, names in listed.items()
        for name in names
        if sum(name in others for others in listed.values()) == 1
    }


def _listed(provider: type, default: type, prefix: str) -> Iterator[PoolName]:
    """The names of a Faker provider; lists it inherits from the English default are not its own."""
    if pairs := getattr(provider, f"{prefix}_pairs", None):
        yield from (PoolName(*pair) for pair in pairs)
        return
    for ending in ("s", "s_male", "s_female", "s_unisex"):
        names = getattr(provider, prefix + ending, None)
        if isinstance(names, Collection) and names is not getattr(default, prefix + ending, None):
            single = (name for name in names if _SEVERAL_WORDS.isdisjoint(name))
            yield from (PoolName(name, name, _romanized(name)) for name in single)


def _romanized(written: str) -> str:
    """In ASCII letters, or empty if folding does not get there: `Müller-Lüdenscheidt`, `王`."""
    spelt = unicodedata.normalize("NFC", written).translate(_SPELT_OUT)
    letters = "".join(filter(str.isalpha, unicodedata.normalize("NFKD", spelt)))
    return letters[:1].upper() + letters[1:] if letters.isascii() else ""


def _is_ascii_word(text: str) -> bool:
    return text.isascii() and text.isalpha()


def _distinct(names: Iterable[PoolName]) -> tuple[PoolName, ...]:
    taken: set[tuple[str, str]] = set()
    kept = []
    for name in names:
        if name.romanized and taken.isdisjoint(_forms(name)):
            kept.append(name)
            taken |= _forms(name)
    return tuple(kept)


def _forms(name: PoolName) -> set[tuple[str, str]]:
    """What no other name may share."""
    return {
        ("written", name.written),
        ("read", name.reading),
        ("romanized", name.romanized.lower()),
    }


def _folded(given: str, family: str) -> tuple[str, str]:
    return given.lower(), family.lower()


def _ranked(names: Iterable[PoolName], seed: int, *purpose: str | int) -> list[PoolName]:
    """The names in an order of their own for each seed and purpose; none moves for a new one."""
    start = hashlib.sha256(json.dumps((seed, *purpose)).encode())

    def weight(name: PoolName) -> bytes:
        state = start.copy()
        state.update(name.written.encode())
        return state.digest()

    return sorted(names, key=weight)


def _best_first(
    given: Sequence[PoolName], family: Sequence[PoolName]
) -> Iterator[tuple[PoolName, PoolName]]:
    """All pairs; those whose ranks add up to less come first."""
    for ranks in range(len(given) + len(family) - 1):
        for rank in range(max(0, ranks - len(family) + 1), min(ranks + 1, len(given))):
            yield given[rank], family[ranks - rank]
