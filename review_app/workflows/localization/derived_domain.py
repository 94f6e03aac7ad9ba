"""A localized domain: derived from source, approved texts, entities and packs, in any variant.

Nothing is stored; the same data, variant and seed give the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from review_app.config import data_text
from review_app.core import formats
from review_app.core.envs import Environment, Pristine, environment_class, open_environment
from review_app.core.formats.structured import address_prefix, parse_structured
from review_app.core.localize import counterparts, expected_amounts, gathered
from review_app.core.localize.derivation import Derivation, Ground, derive
from review_app.core.localize.tasks import LocalizedTask, TaskLocalizer
from review_app.core.localize.values import Place
from review_app.core.localize.variants import DEFAULT, VariantRecipe, chosen, parse_variants
from review_app.core.proof import leftovers
from review_app.core.tasks.patches import Patch
from review_app.core.tasks.replay import Replay, replay_task
from review_app.json_types import Json
from review_app.models import Entity, EntityKind, Segment, SegmentKind, Term
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.environments import GoldTask, Playground
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.review import glossary

Use = Literal["approved", "current"]
"""Which translations count: approved ones, or whatever there is."""
_RECORDS = ("users", "orders", "reservations")


@dataclass(frozen=True, slots=True)
class DerivationChoice:
    """What is derived."""

    variant: str = DEFAULT
    locale: str | None = None
    """None is the project's target locale."""
    seed: int | None = None
    """None is the project's; another one draws names anew, for this time only."""
    use: Use = "approved"
    assertions: Literal["source", "target"] = "target"
    fixes: bool = True
    """False leaves out the patches that the variant would have."""


@dataclass(frozen=True)
class DerivedText:
    """A text of the derived domain."""

    kind: SegmentKind
    text: str
    stands_in: bool
    """Whether it is the adapted source, because nothing is translated yet."""


class Derived:
    """One domain in one variant. Parts are made when they are asked for."""

    def __init__(self, store: Store, domain: str, choice: DerivationChoice | None = None) -> None:
        self.domain, self.choice = domain, choice or DerivationChoice()
        self.variant: VariantRecipe = chosen(variants(), self.choice.variant)
        self.source: Playground = environments.load(store, domain)
        self.documents: list[Document] = store.documents.of(domain)
        self.originals: dict[str, GoldTask] = environments.tasks(store, domain)
        """Tasks as imported."""
        self.raw: dict[str, str] = {
            document.file: store.documents.texts(document.id)[0] for document in self.documents
        }
        target = store.people.project().target_locale
        own_seed = self.choice.seed
        self.seed = localization_entities.seed_of(store) if own_seed is None else own_seed
        self._is_target = self.choice.locale in (None, target)
        self.segments: list[Segment] = list(store.segments.all(domain))
        self._localized_tasks: dict[str, list[LocalizedTask]] = {}
        self.ground = ground(store, domain, self.choice)
        self.known_patches = tasks_in_force.in_force(store, domain, self.ground.locale.name)
        self.patches = self._applied()
        self.tasks: dict[str, GoldTask] = {
            key: self._repaired(gold) for key, gold in self.originals.items()
        }
        self.derivation: Derivation = derive(
            self.ground,
            self.variant,
            self._database_texts(),
            list(self.ids),
            self._tree(environments.DATABASES),
        )

    def _applied(self) -> tuple[Patch, ...]:
        """The patches that the variant has: where nothing is localized repairs at most."""
        if not (self.variant.fixes and self.choice.fixes):
            return ()
        return tuple(
            patch
            for patch in self.known_patches
            if patch.layer == "repair" or not self.variant.is_source
        )

    def _repaired(self, gold: GoldTask) -> GoldTask:
        return GoldTask(gold.file, tasks_in_force.repaired(gold.task, self.patches))

    # -- data ----------------------------------------------------------------------------------

    @cached_property
    def database(self) -> Any:
        """The agent's database, localized, as plain JSON."""
        return self.derivation.localizer.database(self._tree(environments.DATABASES))

    @cached_property
    def user_database(self) -> Any:
        """The user's database, localized; None where the domain has none."""
        tree = self._tree(environments.USER_DATABASES)
        return None if tree is None else self.derivation.localizer.user_database(tree)

    @cached_property
    def states(self) -> tuple[Pristine, Pristine | None]:
        """The localized databases, loaded."""
        environment, pack = environment_class(self.domain), self.derivation.localizer.pack
        user = self.user_database
        return (
            environments.loaded(environment.load, self.database, pack),
            None if user is None else environments.loaded(environment.load_user, user, pack),
        )

    def open(self) -> Environment:
        """A fresh environment of the localized domain."""
        state, user_state = self.states
        return open_environment(self.domain, state, self.derivation.localizer.pack, user_state)

    @cached_property
    def ids(self) -> list[tuple[EntityKind, str]]:
        """User ids and e-mails of the source database: they have no rows of their own."""
        rules = localization_entities.rules(self.domain)
        ids: dict[tuple[EntityKind, str], None] = {}
        tree = self._tree(environments.DATABASES)
        for _, kind, value in rules.leaves(rules.node("database"), tree):
            if kind in ("user_id", "email") and isinstance(value, str):
                ids[kind, value] = None  # type: ignore[index]
        return list(ids)

    def _tree(self, names: tuple[str, ...]) -> Any:
        name = next((name for name in names if name in self.raw), None)
        return None if name is None else parse_structured(name, self.raw[name])

    @cached_property
    def values(self) -> frozenset[str]:
        """Every string of the localized databases."""
        trees = (self.database, self.user_database)
        return frozenset(text for tree in trees for _, text in leftovers.strings(tree))

    # -- texts ---------------------------------------------------------------------------------

    @cached_property
    def texts(self) -> dict[str, DerivedText]:
        """Every text of the domain but for those of tasks, by its address."""
        return {
            segment.address: self.standing(segment)
            for segment in self.segments
            if segment.kind != "task"
        }

    def standing(self, segment: Segment) -> DerivedText:
        """What the variant has in the place of a source text."""
        text, stands_in = self.derivation.text(
            segment.kind, segment.source, self.translation(segment)
        )
        return DerivedText(segment.kind, text, stands_in)

    def translation(self, segment: Segment) -> str | None:
        """The translation of a text that counts, None where there is none."""
        counts = self.choice.use == "current" or segment.state == "approved"
        return segment.target if counts and self._is_target else None

    def trees(self) -> Iterator[tuple[Place, Any, Any]]:
        """Yield place, source and localized data of each database."""
        yield "database", self.source.state.tree, self.database
        if self.source.user_state is not None:
            yield "user_database", self.source.user_state.tree, self.user_database

    def database_translations(self) -> Iterator[tuple[str, str, str]]:
        """Yield address, source and translation of what is text in the databases."""
        for segment in self.segments:
            translation = self.translation(segment)
            if segment.kind == "database" and translation is not None:
                yield segment.address, segment.source, translation

    def _database_texts(self) -> dict[str, str]:
        """Source text -> translation of what is text in the databases."""
        return {source: text for _, source, text in self.database_translations()}

    # -- tasks ---------------------------------------------------------------------------------

    @cached_property
    def _task_localizers(self) -> dict[str, TaskLocalizer]:
        """One for each task file; addresses are relative to it."""
        localizers: dict[str, TaskLocalizer] = {}
        for document in self.documents:
            if document.kind == "task":
                prefix = address_prefix(document.file)
                imported = self._imported_texts(document)
                texts = {
                    segment.address.removeprefix(prefix): self.derivation.restored(translation)
                    for segment in self.segments
                    if segment.file == document.file
                    and self.variant.texts == "target"
                    and (imported is None or imported.get(segment.address) == segment.source)
                    and (translation := self.translation(segment)) is not None
                }
                localizers[document.file] = TaskLocalizer(
                    localizer=self.derivation.localizer,
                    mentions=self.derivation.mentions,
                    texts=texts,
                    assertions=self.choice.assertions,
                )
        return localizers

    def _imported_texts(self, document: Document) -> dict[str, str] | None:
        """Source texts of a file where they may differ from those that are translated.

        Translations are of repaired tasks; a variant without repairs cannot use those of texts that
        a repair changes.
        """
        if self.patches or all(patch.layer != "repair" for patch in self.known_patches):
            return None
        units = formats.units(document.file, self.raw[document.file])
        return {unit.address: unit.text for unit in units}

    def replays(self, gold: GoldTask) -> tuple[Replay, Replay]:
        """What a task's gold actions do to the source, and localized to the localized domain."""
        localized = self._task_localizers[gold.file].calls(gold.task)
        return replay_task(self.source.open(), gold.task), replay_task(self.open(), localized)

    def task(self, gold: GoldTask, original: Json) -> LocalizedTask:
        """A task of the localized domain: repaired, localized, its localization patches applied."""
        source, target = self.replays(gold)
        return self.localized(gold, original, source, target)

    def localized(
        self, gold: GoldTask, original: Json, source: Replay, target: Replay, *, but: str = ""
    ) -> LocalizedTask:
        """A task of the localized domain, its gold actions replayed already.

        Args:
            gold: With its repairs.
            original: As imported.
            source: Replay of the source's gold actions.
            target: Replay of the localized ones.
            but: Id of a localization patch that is left out.
        """
        amounts = expected_amounts.gather(
            self.derivation.localizer, source, target, self._records(gold.task, source)
        )
        localized = self._task_localizers[gold.file].task(gold.task, amounts)
        patches = [patch for patch in self.patches if patch.id != but]
        done = tasks_in_force.with_localizations(localized.task, original, patches, self.derivation)
        # Where texts are the source's on purpose none stands in for a translation.
        stand_ins = localized.stand_ins if self.variant.texts == "target" else ()
        return replace(localized, task=done, stand_ins=stand_ins)

    def localized_tasks(self, file: str) -> list[LocalizedTask]:
        """All tasks of a file, in its order; made once."""
        if file not in self._localized_tasks:
            raw = parse_structured(file, self.raw[file])
            golds = [GoldTask(file, task) for task in raw]
            localized = [self.task(self._repaired(gold), gold.task) for gold in golds]
            self._localized_tasks[file] = localized
        return self._localized_tasks[file]

    def repaired_text(self, file: str, *, only: str | None = None) -> str:
        """A task file of the source with the variant's repairs, or with those of one task."""
        patches = [patch for patch in self.patches if only in (None, patch.task_id)]
        return tasks_in_force.repaired_text(self.raw[file], file, patches)

    def stand_ins(self) -> list[str]:
        """Addresses of the texts whose adapted source stands in for a translation."""
        files = {document.file for document in self.documents if document.kind == "task"}
        addresses = [address for address, text in self.texts.items() if text.stands_in]
        for file in sorted(files):
            for localized in self.localized_tasks(file):
                addresses += [f"{file}#{address}" for address in localized.stand_ins]
        return addresses

    def _records(self, task: Json, replay: Replay) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
        """Yield the records of its users and their products, and whether it names them."""
        known = self.source.state.tree.get("products", {})
        words = set(re.findall(r"[a-z]+", json.dumps(task).casefold()))
        products: dict[str, None] = {}
        for user in dict.fromkeys(self._users(task, replay)):
            for path, record in self._records_of.get(user, ()):
                yield path, record, False
                items = record.get("items") or ()
                products.update({item["product_id"]: None for item in items})
        for key in products:
            if key in known:
                name = re.findall(r"[a-z]{3,}", str(known[key].get("name", "")).casefold())
                is_named = any({word, f"{word}s"} & words for word in name)
                yield ("products", key), known[key], is_named

    @cached_property
    def _records_of(self) -> dict[str, list[tuple[tuple[str, ...], Any]]]:
        """The records of each user of the source, by user id."""
        tree = self.source.state.tree
        records: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
        for table in _RECORDS:
            for key, record in (tree.get(table) or {}).items():
                records.setdefault(record.get("user_id", ""), []).append(((table, key), record))
        return records

    def _users(self, task: Json, replay: Replay) -> Iterator[str]:
        rules = self.derivation.localizer.rules
        for call in gathered.calls([task]):
            name = call.get("name") or ""
            node = rules.node("arguments", name)
            for _, kind, value in rules.leaves(node, call.get("arguments") or {}):
                if kind == "user_id":
                    yield value
        for step in replay.steps:
            for _, kind, value in rules.leaves(rules.node("results", step.name), step.value):
                if kind == "user_id":
                    yield value
        yield from self._named_users(task)

    def _named_users(self, task: Json) -> Iterator[str]:
        """Users that only the instructions name: by id, e-mail, or name (and postal code)."""
        scenario = (task.get("user_scenario") or {}).get("instructions")
        parts = scenario.values() if isinstance(scenario, Mapping) else (scenario,)
        text = "\n".join(str(part) for part in parts if part)
        users = self.source.state.tree.get("users") or {}
        for mention in self.derivation.mentions.find(text):
            if mention.kind in ("user_id", "email", "person"):
                named = self._called.get(_key(mention.source), [])
                local = [key for key in named if str(_zip(users[key])) in text]
                yield from local if len(named) > 1 else named

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        """User ids by id, e-mail and name."""
        users: dict[str, list[str]] = {}
        for key, record in (self.source.state.tree.get("users") or {}).items():
            name = record.get("name") or {}
            whole = f"{name.get('first_name', '')} {name.get('last_name', '')}"
            for identifier in (key, str(record.get("email", "")), whole):
                users.setdefault(_key(identifier), []).append(key)
        return users


def _key(identifier: str) -> str:
    return "".join(filter(str.isalnum, identifier.casefold()))


def _zip(record: Json) -> object:
    return (record.get("address") or {}).get("zip")


def variants() -> dict[str, VariantRecipe]:
    """The recipes by name."""
    return parse_variants(data_text("variants.toml"))


def ground(store: Store, domain: str, choice: DerivationChoice) -> Ground:
    """What every variant of a domain is made of, in the chosen locale and with the chosen seed."""
    target = store.people.project().target_locale
    name = choice.locale or target
    entities, terms = _entities(store, domain, name, target, choice.seed)
    return Ground(
        domain=domain,
        rules=localization_entities.rules(domain),
        locale=localization_entities.locale(name),
        entities=entities,
        terms=terms,
        source=localization_entities.source_pack(domain),
        pack=localization_entities.pack(domain, name),
        grammar=localization_entities.grammar(),
    )


def _entities(
    store: Store, domain: str, name: str, target: str, seed: int | None
) -> tuple[list[Entity], list[Term]]:
    """Entities and terms: the project's, or those that another locale's files give."""
    if name == target:
        entity_map = localization_entities.entity_map(store, domain, seed=seed)
        return list(entity_map.rows.values()), store.terms.all()
    terms = glossary.terms_of(name)
    rows = counterparts.assigned(
        localization_entities.gathered(store, domain),
        (),
        localization_entities.locale(name),
        domain=domain,
        seed=localization_entities.seed_of(store) if seed is None else seed,
    )
    return [*rows, *counterparts.airports(terms, domain)], terms
