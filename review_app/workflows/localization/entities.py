"""The entities of imported domains: found, given counterparts, kept, and where they occur.

Reading is here; what people change is in `entity_edits`, files are in `entity_files`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached

from review_app.config import data_folder, data_text
from review_app.core.formats.fields import TASK_FIELDS
from review_app.core.formats.slots import slots
from review_app.core.locale.gazetteer import HABITS, PLACES
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.grammar import GIVEN_NAMES, GRAMMAR, Grammar, read_grammar
from review_app.core.locale.locale import OF_SOURCE, RULES, Locale, read_locale
from review_app.core.locale.pack import Pack, parse_pack
from review_app.core.localize.counterparts import airports, assigned
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.entity_changes import occurring, of_seed
from review_app.core.localize.gathered import Gathered, calls, gather
from review_app.core.localize.occurrences import Index, Indexer, Occurrence
from review_app.core.localize.prose.genders import stated_genders
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.values import Place, ValueRules, parse_values
from review_app.core.tasks.patches import Patch
from review_app.errors import BadInput
from review_app.models import Entity
from review_app.notices import Notice
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, tasks_in_force

SEED = "entity_seed"
"""The setting with the seed of the draws."""
DEFAULT_SEED = 1
SOURCE = "en"
"""The locale of the source's texts."""
INDEXES_KEPT = 8

_PLACES: tuple[tuple[Place, tuple[str, ...]], ...] = (
    ("database", environments.DATABASES),
    ("user_database", environments.USER_DATABASES),
)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What bringing the entities up to date did."""

    added: int
    total: int


# -- data files --------------------------------------------------------------------------------

SOURCE = "en"
"""The folder of the source language, as of its packs."""
source_pack = environments.english_pack


def pack(domain: str, locale: str) -> Pack:
    """The words of a domain in a locale, laid over those of the source."""
    files = sorted((data_folder() / "locales" / locale).glob(f"{domain}*.toml"))
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    return _pack(domain, tuple(texts.items()))


@lru_cache(maxsize=32)
def _pack(domain: str, texts: tuple[tuple[str, str], ...]) -> Pack:
    return parse_pack(dict(texts), source_pack(domain))


def locales() -> list[str]:
    """The locales that there are rules for, in alphabetical order."""
    return sorted(path.parent.name for path in (data_folder() / "locales").glob(f"*/{RULES}"))


def locale(name: str) -> Locale:
    """The locale of this name, as its files are now.

    Raises:
        BadInput: there is none, or one of its files is broken.
    """
    return _locale(name, _locale_texts(name))


def _locale_texts(name: str) -> tuple[tuple[str, str], ...]:
    if name not in locales():
        problem = Notice(
            "entity.locale_unknown",
            "no locale {name!r}; there are: {known!r}",
            name=name,
            known=tuple(locales()),
        )
        raise BadInput(problem, f"data/locales/{name}")
    files = sorted(
        path
        for path in (data_folder() / "locales" / name).iterdir()
        if path.name == RULES or path.suffix == ".csv"
    )
    source = [(OF_SOURCE + name, data_text("locales", SOURCE, name)) for name in (PLACES, HABITS)]
    return (*((path.name, path.read_text(encoding="utf-8")) for path in files), *source)


@lru_cache(maxsize=8)
def _locale(name: str, texts: tuple[tuple[str, str], ...]) -> Locale:
    return read_locale(name, dict(texts))


def rules(domain: str) -> ValueRules:
    """What stands where in a domain's data."""
    return _rules(domain, data_text("formats", "values.toml"))


@lru_cache(maxsize=16)
def _rules(domain: str, text: str) -> ValueRules:
    return parse_values(text, domain)


def grammar() -> Grammar:
    """What the words of the source language show."""
    folder = data_folder() / "locales" / SOURCE
    paths = [folder / name for name in (GRAMMAR, GIVEN_NAMES)]
    return _grammar(
        tuple((path.name, path.read_text(encoding="utf-8")) for path in paths if path.exists())
    )


@lru_cache(maxsize=4)
def _grammar(texts: tuple[tuple[str, str], ...]) -> Grammar:
    return read_grammar(dict(texts))


# -- rows --------------------------------------------------------------------------------------


def target_locale(store: Store) -> Locale:
    """The project's target locale. Raises BadInput if there are no rules for it."""
    return locale(store.people.project().target_locale)


def seed_of(store: Store) -> int:
    """The seed of the project's draws."""
    return int(store.settings.get(SEED, str(DEFAULT_SEED)))


def rows(store: Store, domain: str) -> list[Entity]:
    """The entities of a domain; what a newer source or locale has in addition is added first.

    Raises:
        NotFound: no such domain.
        BadInput: a file of the domain or of the locale is broken.
    """
    name = store.people.project().target_locale
    if store.settings.get(_setting(domain, name)) != _edition(store, domain):
        refresh(store, domain)
    return store.entities.of(domain, name)


def refresh(store: Store, domain: str, *, progress: Progress = silent) -> Refreshed:
    """Give what the source has without a counterpart its own; what is there stays as it is.

    Raises:
        NotFound, BadInput: as `rows`.
    """
    store.documents.require(domain)
    into, edition = target_locale(store), _edition(store, domain)
    note = Notice("entity.refreshing", "entities")
    progress(0, 2, note)
    seen = gathered(store, domain)
    with store.write("entities"):
        known = store.entities.of(domain, into.name)
        progress(1, 2, note)
        drawn = assigned(seen, known, into, domain=domain, seed=seed_of(store))
        new = [row for row in _used(store, drawn, seen, domain) if not row.id]
        store.entities.add(domain, into.name, new)
        store.settings.put(_setting(domain, into.name), edition)
    progress(2, 2, note)
    return Refreshed(len(new), len(known) + len(new))


def _used(store: Store, drawn: Iterable[Entity], seen: Gathered, domain: str) -> Iterator[Entity]:
    """Yield the rows that a domain has; the locale's files know those of other projects too."""
    present, files = occurring(seen), store.documents.of(domain)
    texts = [store.documents.texts(document.id)[0] for document in files]
    for row in drawn:
        kept = row.origin != "file" or (row.kind, row.source) in present
        if kept or any(row.source in text for text in texts):
            yield row


def _setting(domain: str, locale_name: str) -> str:
    return f"entities/{domain}/{locale_name}"


def _edition(store: Store, domain: str) -> str:
    """Names the files that the entities of a domain are made from."""
    files = [(document.file, document.source_hash) for document in store.documents.of(domain)]
    texts = _locale_texts(store.people.project().target_locale)
    repairs = [(repair.id, repair.base_hash) for repair in _repairs(store, domain)]
    contents = repr((files, texts, repairs) if repairs else (files, texts))
    return hashlib.sha256(contents.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def gathered(store: Store, domain: str) -> Gathered:
    """The entities in a domain's databases and calls, those that repairs bring in included."""
    tasks = [gold.task for gold in environments.tasks(store, domain).values()]
    repairs = _repairs(store, domain)
    names = {repair.task_id for repair in repairs}
    tasks += [tasks_in_force.repaired(task, repairs) for task in tasks if str(task["id"]) in names]
    trees = [(place, tree) for place, _, tree in _databases(store, domain)]
    texts = ["\n".join(slot.text for slot in slots([task], TASK_FIELDS)) for task in tasks]
    texts += [text.source for text in store.segments.all(domain) if text.kind != "task"]
    gazetteer, spoken = target_locale(store).gazetteer, grammar()
    seen = gather(rules(domain), trees, calls(tasks), texts, gazetteer)
    for row in airports(store.terms.all(), domain):  # the glossary says what these are
        seen.named.pop(("city", row.source), None)
    seen.genders = stated_genders(tasks, seen.people, spoken)
    for given, _ in seen.people:
        if gender := spoken.gender(given):
            seen.usual_genders[given] = gender
    return seen


def _repairs(store: Store, domain: str) -> list[Patch]:
    return [task for task in tasks_in_force.in_force(store, domain) if task.layer == "repair"]


def _databases(store: Store, domain: str) -> Iterator[tuple[Place, str, Mapping[str, Any]]]:
    for place, names in _PLACES:
        for file, tree in environments.plain_databases(store, domain, names).items():
            yield place, file, tree


def entity_map(store: Store, domain: str, *, seed: int | None = None) -> EntityMap:
    """What stands for what in a domain: its entities, and the airports of the glossary.

    Args:
        store: The review database.
        domain: Whose.
        seed: Another one than the project's draws anew what is drawn and not locked, for this
            answer only; nothing is stored.

    Raises:
        NotFound, BadInput: as `rows`.
    """
    stored, into = rows(store, domain), target_locale(store)
    if seed is not None and seed != seed_of(store):
        seen = gathered(store, domain)
        stored = of_seed(seen, stored, into, domain=domain, seed=seed)
    return EntityMap([*stored, *airports(store.terms.all(), domain)], into)


# -- occurrences -------------------------------------------------------------------------------


def occurrences(store: Store, domain: str, entity: Entity) -> tuple[Occurrence, ...]:
    """Where an entity occurs: records, calls of tasks, source texts."""
    return index(store, domain).get((entity.kind, entity.source), ())


def index(store: Store, domain: str) -> Index:
    """Where every entity of a domain occurs; made once for a state of the source."""
    return _indexed(store, domain, entity_map(store, domain))


def _state_of_source(store: Store, domain: str, entities: EntityMap) -> Hashable:
    sources = hashlib.sha256(repr(sorted(entities.rows)).encode("utf-8", "surrogatepass"))
    return (str(store.path), domain, _edition(store, domain), sources.hexdigest())


@cached(LRUCache(INDEXES_KEPT), key=_state_of_source, lock=Lock())
def _indexed(store: Store, domain: str, entities: EntityMap) -> Index:
    glossary = Glossary([], entities.locale.name)
    mentions = Mentions(entities, glossary, domain, entities.locale.money)
    indexer = Indexer(rules(domain), entities, mentions)
    for place, file, tree in _databases(store, domain):
        indexer.add_database(file, place, tree)
    for gold in environments.tasks(store, domain).values():
        indexer.add_task(gold.file, gold.task)
    for segment in store.segments.all(domain):
        indexer.add_text(segment)
    return indexer.index()


def fixed(store: Store, domain: str, group: str) -> dict[tuple[str, str], str]:
    """What is kept in the glossary or the locale's rules, as it stands in a domain.

    Args:
        store: The review database.
        domain: Whose.
        group: `airports`, `amounts` or `zones`.

    Returns:
        Kind and source, as in `index`, and what stands for it; in order of first occurrence.
    """
    entities, occurrences = entity_map(store, domain), index(store, domain)
    if group == "airports":
        rows_here = entities.of("airport", "place")
        return {(row.kind, row.source): row.target for row in rows_here if _key(row) in occurrences}
    kind = {"amounts": "amount", "zones": "zone"}[group]
    mentions = Mentions(
        EntityMap([], entities.locale),
        Glossary([], entities.locale.name),
        domain,
        entities.locale.money,
    )
    return {key: mentions.adapted(key[1]) for key in occurrences if key[0] == kind}


def _key(row: Entity) -> tuple[str, str]:
    return row.kind, row.source
