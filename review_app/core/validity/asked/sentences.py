"""Sentences that ask for something, and whether they do so on a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_app.core.validity.context import TaskContext, Text
from review_app.core.validity.texts import words_pattern

RETAIL = ("retail",)
CHANGES = ("cancel", "return", "exchange", "modify")
"""What a user may ask for: topics of the profile."""
HAND_OVER = "transfer_to_human_agents"
"""The tool that ends the agent's part."""


def topic(ctx: TaskContext, name: str) -> re.Pattern[str]:
    """What finds the words of a topic of the profile."""
    return words_pattern(ctx.facts.profile.words.get(name, ()))


def asking(ctx: TaskContext, *kinds: str) -> Iterator[tuple[Text, int]]:
    """Sentences that ask for a change without a condition, and where they first do so.

    A word of `not` before that place denies it.

    Args:
        ctx: The task.
        kinds: Topics of the profile: cancel, return, exchange, modify.
    """
    patterns = [topic(ctx, kind) for kind in kinds]
    for sentence in ctx.sentences_at:
        starts = [match.start() for pattern in patterns if (match := pattern.search(sentence.text))]
        if not starts or is_conditional(ctx, sentence.text):
            continue
        if not is_denied(ctx, sentence.text, min(starts)):
            yield sentence, min(starts)


def is_conditional(ctx: TaskContext, text: str) -> bool:
    """Whether a text holds a condition; "you wonder if" is none."""
    asked = topic(ctx, "wonder")
    return any(
        not asked.search(text[: match.start()][-_NEAR:])
        for match in topic(ctx, "if").finditer(text)
    )


def is_denied(ctx: TaskContext, sentence: str, place: int) -> bool:
    """Whether a word of `not` stands anywhere before a place of a sentence, or right after it."""
    after = sentence[place : place + _NEAR]
    return bool(topic(ctx, "not").search(sentence[:place]) or topic(ctx, "not_after").search(after))


_NEAR = 12
"""Letters around a word that belong to it."""
