"""The source texts as a model gets them: names, places, amounts and the zone are the target's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from review_app.core.localize.entities import EntityMap
from review_app.core.localize.prose.bearers import named_in
from review_app.models import Segment
from review_app.store import Store
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.localization import undecided
from review_app.workflows.localization.translation_plan import Adapt, Waits, as_it_is, nothing_waits


def adapted(store: Store, domain: str) -> Adapt:
    """Gives the text that is sent for a segment of this domain.

    Words of the glossary stay: a model is told them as terms, and inflects them. Where the
    project's target locale has no rules, all texts stay as they are.

    Raises:
        NotFound: no such domain.
        BadInput: a file of the domain or of the locale is broken.

    Example:
        "You are Mia Li (mia_li_3668) and pay $100." ->
        "You are 加藤 香織 (kaori_kato_3668) and pay 15,000円."
    """
    target = store.people.project().target_locale
    if target not in localization_entities.locales():
        return as_it_is
    entities = localization_entities.entity_map(store, domain)
    mentions = undecided.mentions_of(store, domain)
    named = _people_of_tasks(store.segments.all(domain), entities)

    @cache
    def text(source: str, people: tuple[str, ...]) -> str:
        here = (
            mentions.among(entities.rows["person", name] for name in people) if people else mentions
        )
        return here.adapted(source)

    def adapt(segment: Segment) -> str:
        return text(segment.source, named.get(_task_of(segment), ()))

    return adapt


def waiting(store: Store, domain: str) -> Waits:
    """Says of a segment how much it names that a person has to decide before it is sent.

    Raises:
        NotFound, BadInput: as `adapted`.
    """
    if store.people.project().target_locale not in localization_entities.locales():
        return nothing_waits
    mentions = undecided.mentions_of(store, domain)
    accepted = {(m.kind, m.source) for m in undecided.accepted(store, domain) if not m.record}

    @cache
    def count(text: str) -> int:
        return sum((m.kind, m.source) not in accepted for m in mentions.undecided(text))

    return lambda segment: count(segment.source)


def _people_of_tasks(
    segments: Iterable[Segment], entities: EntityMap
) -> dict[str, tuple[str, ...]]:
    """Task -> whom its texts name in full: there a given name alone means one of them."""
    named: dict[str, dict[str, None]] = {}
    for segment in segments:
        if segment.kind == "task":
            for row in named_in(segment.source, entities.people):
                named.setdefault(_task_of(segment), {})[row.source] = None
    return {task: tuple(people) for task, people in named.items()}


def _task_of(segment: Segment) -> str:
    return segment.address.partition("/")[0] if segment.kind == "task" else ""
