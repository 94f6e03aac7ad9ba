"""Sentences that ask for something, and whether they do so on a condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_app.core.validity.context import TaskContext, Text
from review_app.core.validity.texts import WordSearch, look_for
from review_app.json_types import JsonPath
from review_app.models import Span

RETAIL = ("retail",)
CHANGES = ("cancel", "return", "exchange", "modify")
"""What a user may ask for: topics of the profile."""
HAND_OVER = "transfer_to_human_agents"
"""The tool that ends the agent's part."""
_NEAR = 12
"""Letters around a word that belong to it."""


@dataclass(frozen=True, slots=True)
class AskedChange:
    """A sentence that asks for changes and states no condition."""

    pointer: JsonPath
    text: str
    starts: Mapping[str, int]
    """Change asked for -> where its word stands; one that is denied is left out."""

    def start(self, *changes: str) -> int | None:
        """Where the first of these changes is asked for; None if none is."""
        return min((self.starts[c] for c in changes if c in self.starts), default=None)


def requests(ctx: TaskContext) -> Sequence[AskedChange]:
    """The sentences of the instructions that ask for a change without a condition."""
    return ctx.once(_requests)


def _requests(ctx: TaskContext) -> Sequence[AskedChange]:
    return list(_find_requests(ctx))


def _find_requests(ctx: TaskContext) -> Iterator[AskedChange]:
    changes = [change for change in CHANGES if find_word(ctx, change, ctx.said)]
    for sentence in ctx.sentences_at if changes else ():
        spans = {change: find_word(ctx, change, sentence.text) for change in changes}
        starts = {
            change: span[0]
            for change, span in spans.items()
            if span and not _is_denied(ctx, sentence.text, span[0])
        }
        if starts and not is_conditional(ctx, sentence.text):
            yield AskedChange(pointer=sentence.pointer, text=sentence.text, starts=starts)


def asking(ctx: TaskContext, *changes: str) -> Iterator[tuple[Text, int]]:
    """Sentences that ask for one of some changes, and where they first do so."""
    for request in requests(ctx):
        start = request.start(*changes)
        if start is not None:
            yield Text(request.pointer, request.text), start


def words_of(ctx: TaskContext, topic: str) -> WordSearch:
    """What finds the words of a topic of the profile."""
    return look_for(ctx.facts.profile.words.get(topic, ()))


def find_word(ctx: TaskContext, topic: str, text: str) -> Span | None:
    """Where the first word of a topic of the profile stands in a part of the folded instructions.

    Looked for are only the words that the instructions hold; most instructions hold none.
    """
    spoken_of = ctx.once(_topics)
    if topic not in spoken_of:
        spoken_of[topic] = words_of(ctx, topic).held_by(ctx.said, ctx.tokens)
    return spoken_of[topic].first(text)


def _topics(_: TaskContext) -> dict[str, WordSearch]:
    """Topic -> its words that the instructions hold; filled as it is asked for."""
    return {}


def is_conditional(ctx: TaskContext, text: str) -> bool:
    """Whether a text holds a condition; "you wonder if" is none."""
    if not find_word(ctx, "if", text):
        return False
    conditions = words_of(ctx, "if").spans(text)
    return any(not find_word(ctx, "wonder", text[:start][-_NEAR:]) for start, _ in conditions)


def _is_denied(ctx: TaskContext, sentence: str, place: int) -> bool:
    """Whether a word of `not` stands anywhere before a place of a sentence, or right after it."""
    after = sentence[place : place + _NEAR]
    return bool(find_word(ctx, "not", sentence[:place]) or is_denied_after(ctx, after))


def is_denied_after(ctx: TaskContext, rest: str) -> bool:
    """Whether what stands before a text is denied by it, as in Japanese."""
    return bool(find_word(ctx, "not_after", rest) or find_word(ctx, "not_asked", rest))
