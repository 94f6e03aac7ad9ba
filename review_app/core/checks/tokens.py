"""Identifiers, dates, times and names that a tool call needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from rapidfuzz.distance import OSA

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.core.locale.tokens import Token, is_entity, protected_tokens, same_token
from review_app.models import Segment

# Also full-width letters and digits: ＃Ｗ１２３ is what becomes of #W123 in some input methods.
_RUN = re.compile(
    r"[\w#@.\-{}＃－＿]*[A-Za-z0-9Ａ-Ｚａ-ｚ０-９][A-Za-z0-9_#Ａ-Ｚａ-ｚ０-９}＿]*", re.ASCII
)


class _Comparison(NamedTuple):
    lost: list[Token]
    """Source tokens without a counterpart or a near miss."""
    altered: list[tuple[Token, str, int]]
    """Source token, what the target has instead, and where."""
    added: list[Token]
    """Target tokens without a counterpart that are nobody's near miss."""


@check("TOK001", "error", "{token} is missing from the translation")
def protected_token_lost(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """An identifier, date or name that a tool call needs is missing from the translation.

    The agent copies it from the text into tool arguments; without it the task cannot be solved.
    E-mails, phone numbers and postal codes are localized and may change; of a user id only the
    number must stay; glossary values have a check of their own.

    Flags: "Cancel order #W1234567" -> "注文をキャンセルする"
    Passes: "Cancel order #W1234567 of 2024-05-15" -> "2024年5月15日の #W1234567 を取り消す"
    Source: identifiers of the tau2-bench databases.
    """
    for token in _compare(segment.source, segment.target or "", ctx).lost:
        yield CheckFault((token.start, token.end), in_source=True, token=token.text)


@check("TOK002", "error", "{token} has become {found}")
def protected_token_altered(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """An identifier, date or name differs from the source in a few characters.

    Flags: "Cancel order #W1234567" -> "注文 #W1234576 をキャンセルする"
    Passes: "Your user id is mei_brown_7075" -> "ユーザーIDは kaori_kato_7075 です"
    Source: identifiers of the tau2-bench databases.
    """
    for token, near, at in _compare(segment.source, segment.target or "", ctx).altered:
        yield CheckFault((at, at + len(near)), token=token.text, found=near)


@check("TOK003", "warning", "{token} is not in the source")
def protected_token_added(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """The translation names an identifier, date or tool that the source does not name.

    Flags: "Cancel the order" -> "注文 #W1234567 をキャンセルする"
    Passes: "Cancel the order" -> "注文をキャンセルする"
    Source: identifiers of the tau2-bench databases.
    """
    for token in _compare(segment.source, segment.target or "", ctx).added:
        yield CheckFault((token.start, token.end), token=token.text)


@lru_cache(maxsize=64)
def _compare(source: str, target: str, ctx: Context) -> _Comparison:
    wanted = _wanted(source, ctx)
    present = [token for token in protected_tokens(target) if not is_entity(token)]
    absent = [token for token in wanted if not _is_present(token, target, present, ctx)]
    known = [*wanted, *protected_tokens(source)]
    extra = [
        token
        for token in present
        if not _occurs(token.text, source) and not _is_known(token, known, ctx)
    ]
    kept = {token.text for token in wanted}
    lost, altered = [], []
    for token in absent:
        near = _near_miss(token, target, extra, kept)
        if near is None:
            lost.append(token)
        else:
            altered.append((token, *near))
    claimed = [(at, at + len(text)) for _, text, at in altered]
    added = [
        token
        for token in extra
        if not any(start < token.end and token.start < end for start, end in claimed)
    ]
    return _Comparison(lost, altered, added)


def _wanted(source: str, ctx: Context) -> list[Token]:
    """Each protected token once; not those that the glossary or the entity map replaces."""
    replaced = [
        (match.start, match.end)
        for match in ctx.glossary.in_source(source, ctx.domain)
        if match.term.mode == "exact"
    ]
    unique: dict[str, Token] = {}
    for token in protected_tokens(source):
        if not is_entity(token) and (token.start, token.end) not in replaced:
            unique.setdefault(token.text, token)
    return list(unique.values())


def _is_present(token: Token, target: str, present: list[Token], ctx: Context) -> bool:
    if _occurs(token.text, target) or any(same_token(token, other) for other in present):
        return True
    renamed = _renamed(token.text, ctx)
    return renamed != token.text and _occurs(renamed, target)


def _is_known(token: Token, known: list[Token], ctx: Context) -> bool:
    """Whether a token of the target stands for one of the source, perhaps renamed."""
    return any(
        same_token(token, other) or _renamed(other.text, ctx) == token.text for other in known
    )


def _renamed(text: str, ctx: Context) -> str:
    for old, new in ctx.endings:
        if text.endswith(old):
            return text.removesuffix(old) + new
    return text


def _occurs(token: str, text: str) -> bool:
    return bool(re.search(rf"(?<![A-Za-z0-9_]){re.escape(token)}(?![A-Za-z0-9_])", text))


def _near_miss(
    token: Token, target: str, extra: list[Token], kept: set[str]
) -> tuple[str, int] | None:
    """The stretch of the target that looks like a mistyped token, with its start."""
    if token.kind in ("date", "time"):
        other = next((moment for moment in extra if moment.kind == token.kind), None)
        return (other.text, other.start) if other else None
    limit = 1 if len(token.text) < 8 else 2
    near = [
        (distance, run[0], run.start())
        for run in _RUN.finditer(target)
        if run[0] not in kept
        and (distance := OSA.distance(token.text, normalize("NFKC", run[0]))) <= limit
    ]
    return min(near)[1:] if near else None
