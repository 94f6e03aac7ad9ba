"""The source texts as a model gets them: names, places, amounts and the zone are the target's."""

from __future__ import annotations

from functools import cache

from review_app.core.locale.glossary import Glossary
from review_app.core.localize.mentions import Mentions
from review_app.core.localize.value_words import PLACES
from review_app.models import Segment
from review_app.store import Store
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.localization.translation_plan import Adapt, as_it_is


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
    places = [term for term in store.terms.all() if term.category in PLACES]
    mentions = Mentions(entities, Glossary(places, target), domain, entities.locale.money)
    text = cache(mentions.adapted)

    def adapt(segment: Segment) -> str:
        return text(segment.source)

    return adapt
