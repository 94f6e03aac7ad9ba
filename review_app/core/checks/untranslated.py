"""Text left in the source language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.core.locale.tokens import protected_tokens
from review_app.models import Segment

# Languages in which a longer stretch of Latin words can only be a remainder.
_OTHER_SCRIPT = frozenset(
    ["ja", "zh", "ko", "ru", "uk", "bg", "el", "he", "ar", "fa", "hi", "bn", "ta", "te", "th"]
)
_CODE = re.compile(r"```.*?```|`[^`\n]*`|<[^<>\n]*>", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_RUN = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?(?:[ ,;:]+[A-Za-z]+(?:['’][a-z]+)?){5,}")
_ENOUGH = 3
"""Fewer words than this may be names or labels that stay."""


@check("UNT001", "warning", "{words} words of the source language are left: {sample}")
def text_left_untranslated(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """The translation is the source text, mostly Latin words, or has a long stretch of them.

    Identifiers, code, acronyms and terms that stay as they are do not count. For target languages
    in Latin script only an unchanged text is found.

    Flags: "Ask for the user id first." -> "Ask for the user id first."
    Passes: "Call get_user_details first." -> "まず get_user_details を呼び出します。"
    Source: segments that a machine draft skipped.
    """
    target = segment.target or ""
    hidden = _hidden(target, ctx)
    words = _words(hidden)
    if len(_words(_hidden(segment.source, ctx))) < _ENOUGH or len(words) < _ENOUGH:
        return
    span = None
    if target.strip() == segment.source.strip():
        span = (0, len(target))
    elif ctx.target_locale.split("-")[0] in _OTHER_SCRIPT:
        span = _remainder(hidden, words)
    if span:
        text = target[span[0] : span[1]].strip()
        yield CheckFault(span, words=len(_words(hidden[span[0] : span[1]])), sample=_shorten(text))


def _remainder(hidden: str, words: list[str]) -> tuple[int, int] | None:
    letters = sum(character.isalpha() and not character.isascii() for character in hidden)
    # A word of English is about as long as two letters of kanji and kana.
    if 2 * len(words) > letters:
        return (0, len(hidden))
    run = _RUN.search(hidden)
    return run.span() if run else None


def _hidden(text: str, ctx: Context) -> str:
    """The text with everything blanked that may stay; positions do not move."""
    spans = [match.span() for match in _CODE.finditer(text)]
    spans += [(token.start, token.end) for token in protected_tokens(text)]
    spans += [
        (match.start, match.end)
        for match in ctx.glossary.in_source(text, ctx.domain)
        if match.term.mode == "keep"
    ]
    for start, end in spans:
        text = text[:start] + "_" * (end - start) + text[end:]
    return text


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if len(word) > 1 and not word.isupper()]


def _shorten(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
