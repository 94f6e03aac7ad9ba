"""The project's sample localized without a review database: from its files alone."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from review_app.core.envs import Environment, Pristine, environment_class, open_environment
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.pack import Pack
from review_app.core.localize import counterparts, expected_amounts, gathered
from review_app.core.localize.derivation import Derivation, Ground, derive
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.expected_amounts import Amounts
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.tasks import TaskLocalizer
from review_app.core.localize.values import Localizer
from review_app.core.localize.variants import VariantRecipe, parse_variants
from review_app.core.tasks.replay import Replay, replay_task
from review_app.models import Entity, Term
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.review import glossary

DATA = Path(__file__).resolve().parent.parent / "data"
FOLDER = DATA / "sample" / "tau2" / "domains"
VARIANTS: Mapping[str, VariantRecipe] = parse_variants((DATA / "variants.toml").read_text("utf-8"))


@cache
def database(domain: str, name: str = "db") -> Any:
    """A database of the sample as plain JSON; None where the domain has none. Read only."""
    for read, ending in ((json.loads, "json"), (tomllib.loads, "toml")):
        path = FOLDER / domain / f"{name}.{ending}"
        if path.is_file():
            return read(path.read_text("utf-8"))
    return None


@cache
def tasks(domain: str) -> dict[str, Any]:
    """The raw tasks of a domain of the sample by id. Read only."""
    found = json.loads((FOLDER / domain / "tasks.json").read_text("utf-8"))
    return {task["id"]: task for task in found}


@cache
def ground(domain: str, locale: str) -> Ground:
    """What every variant of a domain of the sample is made of."""
    into, rules = localization_entities.locale(locale), localization_entities.rules(domain)
    trees = [("database", database(domain)), ("user_database", database(domain, "user_db"))]
    found = gathered.gather(rules, trees, gathered.calls(tasks(domain).values()))
    entities = counterparts.assigned(found, (), into, domain=domain, seed=1)
    terms = glossary.terms_of(locale)
    return Ground(
        domain,
        rules,
        into,
        [*entities, *counterparts.airports(terms, domain)],
        terms,
        localization_entities.source_pack(domain),
        localization_entities.pack(domain, locale),
        localization_entities.grammar(),
    )


@cache
def sample(domain: str, locale: str = "ja", variant: str = "j-tau") -> Sample:
    """A domain of the sample, localized."""
    here = ground(domain, locale)
    localized = derive(here, VARIANTS[variant], {})
    source = _states(domain, database(domain), database(domain, "user_db"), here.source)
    return Sample(domain, here, localized, source)


def _states(domain: str, tree: Any, user: Any, pack: Pack) -> tuple[Pristine, Pristine | None]:
    made = environment_class(domain)
    return made.load(tree, pack), None if user is None else made.load_user(user, pack)


@dataclass(frozen=True)
class Sample:
    """A domain of the sample, its source loaded, and its localization."""

    domain: str
    ground: Ground
    derivation: Derivation
    source: tuple[Pristine, Pristine | None]

    @property
    def localizer(self) -> Localizer:
        """What localizes values."""
        return self.derivation.localizer

    @cached_property
    def states(self) -> tuple[Pristine, Pristine | None]:
        """The localized databases, loaded."""
        user = database(self.domain, "user_db")
        return _states(
            self.domain,
            self.localizer.database(database(self.domain)),
            None if user is None else self.localizer.user_database(user),
            self.localizer.pack,
        )

    def source_environment(self) -> Environment:
        """A fresh environment of the source."""
        return open_environment(self.domain, self.source[0], self.ground.source, self.source[1])

    def environment(self, pack: Pack | None = None) -> Environment:
        """A fresh environment of the localized domain, with another pack if one is named."""
        state, user = self.states
        return open_environment(self.domain, state, pack or self.localizer.pack, user)

    def tasks(self, **more: Any) -> TaskLocalizer:
        """What localizes tasks."""
        return TaskLocalizer(self.localizer, self.derivation.mentions, **more)

    def replays(self, task: Mapping[str, Any], pack: Pack | None = None) -> tuple[Replay, Replay]:
        """What a task does to the source, and localized to the localized domain."""
        made = self.tasks().calls(task)
        return replay_task(self.source_environment(), task), replay_task(
            self.environment(pack), made
        )

    def amounts(self, task: Mapping[str, Any]) -> Amounts:
        """The amounts that a task's calls show."""
        return expected_amounts.gather(self.localizer, *self.replays(task))


@dataclass(frozen=True)
class Words:
    """A few entities by hand, and what finds and localizes them in an airline or retail domain."""

    entities: EntityMap
    mentions: Mentions
    localizer: Localizer


def words(
    *rows: Entity, domain: str = "retail", terms: tuple[Term, ...] = (), **locale: Any
) -> Words:
    """The Japanese locale with these entities and terms only."""
    here = ground(domain, "ja")
    into = replace(here.locale, **locale)
    entities = EntityMap([*rows, *counterparts.airports(terms, domain)], into)
    mentions = Mentions(entities, Glossary(terms, "ja"), domain, into.money)
    localizer = Localizer(
        here.rules, entities, here.source, here.pack, into.money, mentions.adapted
    )
    return Words(entities, mentions, localizer)


def pack_with(pack: Pack, section: str, changed: Mapping[str, str]) -> Pack:
    """A pack with other values or messages: `pack_with(pack, "words.cabin", {"economy": "x"})`."""
    part, _, name = section.partition(".")
    if part == "words":
        return replace(pack, words={**pack.words, name: {**pack.words[name], **changed}})
    return replace(pack, messages={**pack.messages, **changed})
