"""The source texts as a model gets them: names, places, amounts and the zone are the target's."""

from __future__ import annotations

from functools import cache

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
    text = cache(undecided.mentions_of(store, domain).adapted)

    def adapt(segment: Segment) -> str:
        return text(segment.source)

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
