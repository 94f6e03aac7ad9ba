"""What a variant does to a domain: its localizer, its pack and how it takes translated texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from review_app.core.locale.glossary import Glossary
from review_app.core.locale.grammar import Grammar
from review_app.core.locale.locale import Locale
from review_app.core.locale.pack import Pack
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.prose.value_words import PLACES
from review_app.core.localize.restoration import Restorer, entity_forms
from review_app.core.localize.sums import sums_of
from review_app.core.localize.values import Localizer, ValueRules
from review_app.core.localize.variants import LanguageSide, VariantRecipe, mixed_pack
from review_app.models import Entity, EntityKind, SegmentKind, Term


@dataclass(frozen=True, slots=True)
class Derivation:
    """One variant of one domain, without its data."""

    variant: VariantRecipe
    locale: Locale
    localizer: Localizer
    mentions: Mentions
    traces: Mentions
    """Finds what a translation still has of the source: there every word counts."""
    restored: Callable[[str], str]
    """Brings a translation, which has everything localized, to what the variant keeps."""

    def side(self, kind: SegmentKind) -> LanguageSide:
        """In which language the variant has the texts of a kind."""
        sides: Mapping[SegmentKind, LanguageSide] = {
            "guideline": self.variant.guideline,
            "tool": self.variant.descriptions,
            "database": self.variant.returns,
            "message": self.variant.returns,
        }
        return sides.get(kind, self.variant.texts)

    def text(self, kind: SegmentKind, source: str, translation: str | None) -> tuple[str, bool]:
        """The text that the variant has, and whether it stands in for a missing translation."""
        if self.side(kind) == "source":
            return self.mentions.adapted(source), False
        if translation is None:
            return self.mentions.adapted(source), True
        return self.restored(translation), False


@dataclass(frozen=True, slots=True)
class Ground:
    """What every variant of a domain is made of."""

    domain: str
    rules: ValueRules
    locale: Locale
    entities: Sequence[Entity]
    terms: Sequence[Term]
    source: Pack
    pack: Pack
    grammar: Grammar | None = None
    """Of the source language; None replaces the glossary's words wherever they stand."""


def derive(
    ground: Ground,
    variant: VariantRecipe,
    texts: Mapping[str, str],
    ids: Iterable[tuple[EntityKind, str]] = (),
    database: Any = None,
) -> Derivation:
    """The derivation of a variant.

    Args:
        ground: Of the domain.
        variant: The recipe.
        texts: Source text -> translation of the texts in the database.
        ids: (kind, source value) of ids and e-mails of the domain, for the way back.
        database: The source's; where its amounts add up, they do in the localized one.
    """
    adapted = variant.entities == "target"
    locale = ground.locale
    if not adapted:
        locale = replace(locale, zone=("", ""), country="", address_unit="")
    entities = EntityMap(_kept(ground.entities, variant), locale)
    pack = mixed_pack(ground.source, ground.pack, variant, ground.locale.money)
    money = ground.locale.money if adapted else None
    glossary = Glossary(_terms(ground.terms, variant), ground.locale.name)
    mentions = Mentions(entities, glossary, ground.domain, money, ground.grammar)
    known = texts if variant.returns == "target" else {}
    localizer = Localizer(
        rules=ground.rules,
        entities=entities,
        source=ground.source,
        pack=pack,
        money=money,
        prose=lambda text: known[text] if text in known else mentions.adapted(text),
    )
    if money is not None and money.sums == "added":
        sums = sums_of(ground.rules.sums, database, localizer.converted)
        localizer = replace(localizer, sums=sums)
    restorer = Restorer(_forms_back(ground, variant, ids), None if adapted else ground.locale.money)
    return Derivation(
        variant=variant,
        locale=locale,
        localizer=localizer,
        mentions=mentions,
        traces=Mentions(entities, glossary, ground.domain, money),
        restored=restorer.restored,
    )


def _kept(entities: Iterable[Entity], variant: VariantRecipe) -> list[Entity]:
    """Products and their options are what tools return; everything else is an entity."""
    sides = {"product": variant.returns, "option": variant.returns}
    return [row for row in entities if sides.get(row.kind, variant.entities) == "target"]


def _terms(terms: Iterable[Term], variant: VariantRecipe) -> list[Term]:
    """The terms by which a source text is adapted: none of those that the variant keeps."""
    return [
        term
        for term in terms
        if (variant.entities if term.category in PLACES else variant.values) == "target"
    ]


def _forms_back(
    ground: Ground, variant: VariantRecipe, ids: Iterable[tuple[EntityKind, str]]
) -> dict[str, str]:
    forms: dict[str, str] = {}
    if variant.entities == "source":
        whole = EntityMap(ground.entities, ground.locale)
        pairs = [(value, whole.value(kind, value)) for kind, value in ids]
        forms |= entity_forms(whole, pairs)
        zone = ground.locale.zone
        forms |= {zone[1]: zone[0]} if zone[1] else {}
    if variant.values == "source":
        forms |= {
            term.target: term.source
            for term in ground.terms
            if term.mode == "exact"
            and term.domain in (None, ground.domain)
            and term.category not in PLACES
        }
    return forms
