"""Plan a translation by a model: which texts are to do, in which requests, for how much.

Calls nobody. A text that a person wrote, answered or is typing is never to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from review_app import llm
from review_app.core.review.rules import text_hash
from review_app.core.translation import prompts, request
from review_app.core.translation.answer import Complaint
from review_app.core.translation.prompts import Message, Templates
from review_app.core.translation.request import Batch
from review_app.llm import Endpoint
from review_app.models import KINDS, Segment, SegmentKind
from review_app.records.localization import TranslationStanding
from review_app.store import Store
from review_app.workflows.localization import prompts as localization_prompts
from review_app.workflows.review import checks

CONCURRENCY = 4

Adapt = Callable[[Segment], str]
Waits = Callable[[Segment], int]
Reason = Literal["to do", "a person's", "translated", "given up", "undecided"]


def as_it_is(segment: Segment) -> str:
    """The source text, with entities and amounts as they are."""
    return segment.source


def nothing_waits(_: Segment) -> int:
    """No text names anything that a person has to decide."""
    return 0


@dataclass(frozen=True, slots=True)
class TranslationOrder:
    """What to translate, and with what."""

    domain: str
    endpoint: Endpoint
    again: bool = False
    """Also machine drafts of another source, glossary, model or prompt, and what was given up."""
    addresses: tuple[str, ...] = ()
    """Only these segments; empty for all."""
    kinds: tuple[SegmentKind, ...] = ()
    """Only texts of these kinds; empty for all."""
    concurrency: int = CONCURRENCY
    adapt: Adapt = as_it_is
    """Gives the text that is sent for a segment; answers are checked against it."""
    waits: Waits = nothing_waits
    """How much a segment names without a counterpart; it is not sent before that is decided."""


@dataclass(frozen=True, slots=True)
class TranslationPlan:
    """What a translation would do."""

    batches: tuple[Batch, ...]
    made_from: Mapping[str, str]
    """By segment to translate: names source, terms, model and prompt."""
    attempts: Mapping[str, int]
    """By segment: how often exactly this was asked before and given up."""
    counts: Mapping[Reason, int]
    undecided: int
    """Mentions without a counterpart, for which texts wait."""
    tokens_in: int
    """Estimated from characters."""
    tokens_out: int
    cost_usd: float | None
    """Estimated; None where the model has no known price: not the same as 0."""


class TranslationSetup:
    """What requests are made of, read once: rules, templates, model."""

    def __init__(self, store: Store, order: TranslationOrder) -> None:
        self.rules = checks.rules(store)
        self.context = self.rules.context(order.domain)
        self.languages = localization_prompts.languages(store)
        self.templates: dict[str, Templates] = {
            kind: localization_prompts.templates_for(store, kind) for kind in KINDS
        }
        self.model = order.endpoint.model
        self.parameters = dict(order.endpoint.parameters)

    def made_from(self, segment: Segment) -> str:
        """Names everything that a translation of this text depends on."""
        terms = prompts.offered([segment], self.rules.glossary)
        return request.fingerprint(
            text_hash(segment.source),
            prompts.terms_version(terms),
            self.model,
            self.templates[segment.kind].version,
            self.languages,
        )

    def messages(
        self, batch: Batch, complaints: Mapping[str, Complaint] | None = None
    ) -> list[Message]:
        """What is sent for a batch, or to ask for its faulty texts again."""
        return prompts.messages(
            batch, self.templates[batch.kind], self.languages, self.rules.glossary, complaints
        )

    def request_hash(
        self, batch: Batch, complaints: Mapping[str, Complaint] | None, turn: tuple[int, int]
    ) -> str:
        """Names a request; neighbours that only give context do not count.

        Args:
            batch: The texts.
            complaints: On a retry.
            turn: How often these texts were given up before, and which retry this is: the same
                question once more is another request.
        """
        earlier = [[k, c.previous, [*map(str, c.faults)]] for k, c in (complaints or {}).items()]
        terms = prompts.offered(list(batch.wanted.values()), self.rules.glossary)
        return request.fingerprint(
            "translate",
            [text_hash(segment.source) for segment in batch.wanted.values()],
            prompts.terms_version(terms),
            self.model,
            self.parameters,
            self.templates[batch.kind].version,
            self.languages,
            earlier,
            turn,
        )


def plan(store: Store, order: TranslationOrder) -> TranslationPlan:
    """What there is to translate, in which batches, and an estimate of what it costs.

    Calls nobody. The same plan again after it was carried out is empty.

    Raises:
        NotFound: no such domain or address.
    """
    store.documents.require(order.domain)
    return plan_at(store, order, TranslationSetup(store, order))


def plan_at(store: Store, order: TranslationOrder, setup: TranslationSetup) -> TranslationPlan:
    """The plan, from what was read already."""
    chosen = {store.segments.at(order.domain, address).id for address in order.addresses}
    standing = store.translations.standing(order.domain)
    sources = list(store.segments.all(order.domain))
    texts = [replace(segment, source=order.adapt(segment)) for segment in sources]
    made_from: dict[str, str] = {}
    attempts: dict[str, int] = {}
    counts: Counter[Reason] = Counter()
    undecided = 0
    for source, segment in zip(sources, texts, strict=True):
        if (chosen and segment.id not in chosen) or segment.kind not in (order.kinds or KINDS):
            continue
        mine = standing[segment.id]
        basis = setup.made_from(segment) if _is_open(segment, mine, order) else ""
        reason = _reason(segment, mine, basis, order)
        if reason == "to do" and (waits := order.waits(source)):
            reason, undecided = "undecided", undecided + waits
        counts[reason] += 1
        if reason == "to do":
            made_from[segment.id] = basis
            is_same = mine.last is not None and mine.last.made_from == basis
            attempts[segment.id] = mine.attempts if is_same else 0
    batches = tuple(request.batches(texts, made_from.keys()))
    messages = (message for batch in batches for message in setup.messages(batch))
    sent = sum(_tokens(message["content"]) for message in messages)
    wanted = (segment for batch in batches for segment in batch.wanted.values())
    back = sum(20 + _tokens(segment.source) * 3 // 2 for segment in wanted)
    cost = llm.price_usd(order.endpoint, sent, back) if batches else 0.0
    return TranslationPlan(
        batches=batches,
        made_from=made_from,
        attempts=attempts,
        counts=dict(counts),
        undecided=undecided,
        tokens_in=sent,
        tokens_out=back,
        cost_usd=cost,
    )


def _adapted_texts(store: Store, domain: str, adapt: Adapt) -> list[Segment]:
    """The segments of a domain, their sources as they are sent."""
    return [replace(segment, source=adapt(segment)) for segment in store.segments.all(domain)]


def _is_open(segment: Segment, standing: TranslationStanding, order: TranslationOrder) -> bool:
    """Whether what a text was made from matters at all."""
    return not standing.is_persons and (order.again or not (segment.target or "").strip())


def _reason(
    segment: Segment, standing: TranslationStanding, basis: str, order: TranslationOrder
) -> Reason:
    """Why a segment is to do, or is not."""
    last = standing.last
    is_same = last is not None and last.made_from == basis
    if standing.is_persons:
        return "a person's"
    if not segment.source.strip():
        return "translated"
    if not (segment.target or "").strip():
        return "given up" if is_same and not order.again else "to do"
    if not order.again:
        return "translated"
    if last is not None and last.version == segment.version:
        return "translated" if is_same and not last.faults else "to do"
    # A draft that was imported: only its source can be out of date.
    return "translated" if standing.drafted_from == segment.source_hash else "to do"


def _tokens(text: str) -> int:
    """A rough number of tokens: four ASCII characters are one, any other character is one."""
    ascii_only = sum(letter.isascii() for letter in text)
    return ascii_only // 4 + len(text) - ascii_only


def preview(store: Store, segment_id: str, order: TranslationOrder) -> list[Message]:
    """Exactly what would be sent for the batch in which this segment is to be translated.

    A segment that is not to do is shown as if it were the only one.

    Args:
        store: The review database.
        segment_id: Which segment.
        order: How its domain would be translated.
    """
    segment = store.segments.get(segment_id)
    setup = TranslationSetup(store, order)
    wanted = set(plan_at(store, order, setup).made_from)
    texts = _adapted_texts(store, segment.domain, order.adapt)
    batches = request.batches(texts, wanted if segment_id in wanted else {segment_id})
    mine = next(b for b in batches if segment_id in {text.id for text in b.wanted.values()})
    return setup.messages(mine)
