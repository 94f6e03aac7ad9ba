"""What is highlighted in a segment: glossary terms, their translations, and faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_app.ui.shared.i18n import finding_text
from review_app.ui.shared.markup import Highlight
from review_app.workflows.review.card import Card
from review_app.workflows.review.checks import Rules


def of_pair(card: Card, rules: Rules) -> tuple[Sequence[Highlight], Sequence[Highlight]]:
    """What to mark in the source and in the target: terms first, then faults over them."""
    segment, target = card.segment, card.segment.target or ""
    matches = rules.glossary.in_source(segment.source, segment.domain)
    terms = [
        Highlight(
            start=match.start,
            end=match.end,
            look="term",
            title=f"{match.term.source} → {match.term.target}  {match.term.category}",
        )
        for match in matches
    ]
    hits = [
        Highlight(
            start=start, end=end, look="hit", title=f"{match.term.source} → {match.term.target}"
        )
        for match in matches
        for start, end in rules.glossary.in_target(target, match.term)
    ]
    source_faults, target_faults = (_faults(card, in_source=side) for side in (True, False))
    return [*terms, *source_faults], [*hits, *target_faults] if target else []


def _faults(card: Card, *, in_source: bool) -> Iterator[Highlight]:
    for stored in card.findings:
        finding = stored.finding
        if finding.span and not stored.dismissed and finding.in_source == in_source:
            start, end = finding.span
            yield Highlight(start=start, end=end, look="fault", title=finding_text(finding))
