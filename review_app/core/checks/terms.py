"""Glossary terms."""

from __future__ import annotations

from collections.abc import Iterator

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.core.locale.glossary import Match
from review_app.models import Segment


@check("TRM001", "warning", "{source} should be rendered as {target}")
def required_term_missing(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """The source uses a glossary term and the translation has none of its accepted forms.

    Japanese is compared by tokens and lemmas: inflected forms pass, parts of other words do not.

    Flags: "Only basic economy flights" -> "エコノミーのフライトのみ"
    Passes: "Only basic economy flights" -> "ベーシックエコノミーのフライトのみ"
    Source: Tables 5 to 8.
    """
    for match in ctx.glossary.unmatched(segment.source, segment.target or "", ctx.domain):
        if match.term.mode != "exact":
            yield _fault(segment, match)


@check("TRM002", "warning", "{target} must not be used for {source}")
def forbidden_term_used(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """The translation uses a word that the glossary rules out for a word of the source.

    Flags: "Offer a certificate" -> "証明書を提供する"
    Passes: "Offer a certificate" -> "旅行クーポンを提供する"
    Source: derived from Tables 5 and 6.
    """
    target = segment.target or ""
    for term, start, end in ctx.glossary.forbidden(segment.source, target, ctx.domain):
        yield CheckFault((start, end), source=term.source or "anything", target=term.target)


@check("TRM003", "error", "the value {source} must be written {target}, character for character")
def exact_term_altered(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """A value that a tool compares is not in the translation as the localized tool spells it.

    Flags: "The status is 'cancelled'" -> "ステータスは「キャンセル済み」です"
    Passes: "The status is 'cancelled'" -> "ステータスは「キャンセル済」です"
    Source: Tables 5 to 8; values of the localized databases.
    """
    for match in ctx.glossary.unmatched(segment.source, segment.target or "", ctx.domain):
        if match.term.mode == "exact":
            yield _fault(segment, match)


def _fault(segment: Segment, match: Match) -> CheckFault:
    targets = dict.fromkeys(term.target for term in match.terms)
    return CheckFault(
        (match.start, match.end),
        in_source=True,
        source=segment.source[match.start : match.end],
        target=" / ".join(targets),
    )
