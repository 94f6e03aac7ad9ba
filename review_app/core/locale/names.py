"""Names of the target locale: Faker's lists and a locale's own, drawn by hash.

The only module that imports Faker, and of Faker only the lists of names: its generators draw a
name, its reading and its romanized form independently of one another. A draw depends on the seed,
what it is for and the source name alone, so that no order of calls and no other name changes it.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain

from review_app.core.formats.glossary import rows
from review_app.errors import BadInput
from review_app.notices import Notice

COLUMNS = ("kind", "written", "reading", "romanized")

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


def name_pool(
    faker_locale: str, extra_given: Iterable[PoolName] = (), extra_family: Iterable[PoolName] = ()
) -> NamePool:
    """Faker's names of a locale, then the extra ones; a later one like an earlier is left out.

    Names of several words or with an abbreviation are left out too, so that a full name can be
    taken apart again, and those that do not fold to ASCII letters.

    Args:
        faker_locale: As Faker writes it: `ja_JP`.
        extra_given: More given names, see `extra_names`.
        extra_family: More family names.

    Raises:
        BadInput: Faker has no names of this locale, or none of a kind is left and no extra one is
            given (Chinese, Russian: no pairs of a name and its romanized form).
    """
    return _pool(faker_locale, tuple(extra_given), tuple(extra_family))


def assign(
    names: Sequence[str],
    pool: Sequence[PoolName],
    *,
    seed: int,
    salt: str,
    known: Mapping[str, PoolName] | None = None,
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
            name = _ranked(free, seed, salt, source)[0]
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
    """The given names and the family names of a locale's `names.csv`.

    Its columns are kind (given or family), written, reading (empty: as written) and romanized.

    Raises:
        BadInput: columns are missing, a kind is unknown, a written form is empty, a romanized form
            is not of ASCII letters; names the line.
    """
    named: dict[str, list[PoolName]] = {"given": [], "family": []}
    for place, cells in rows(text, file, COLUMNS):
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
        reading = cells["reading"] or cells["written"]
        named[cells["kind"]].append(PoolName(cells["written"], reading, cells["romanized"]))
    return tuple(named["given"]), tuple(named["family"])


@cache
def _pool(
    locale: str, extra_given: tuple[PoolName, ...], extra_family: tuple[PoolName, ...]
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
    kinds = {"given": ("first_name", extra_given), "family": ("last_name", extra_family)}
    names = {
        kind: _distinct((*_listed(provider, person.Provider, prefix), *extra))
        for kind, (prefix, extra) in kinds.items()
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
    return NamePool(**names)


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
