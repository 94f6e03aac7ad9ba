"""Whether the gold hands the user over to a person when the instructions lead there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_app.core.validity.asked.sentences import HAND_OVER, find_word, is_denied_after, words_of
from review_app.core.validity.context import TaskContext, Text
from review_app.core.validity.registry import RuleFault, rule

_DOMAINS = ("airline", "retail")
_CLAUSE = re.compile(r"[,;:、（(]")
_CHANGES = ("cancel", "return", "exchange")


@rule(
    "ASK-02",
    "warning",
    "the user asks for a person if it cannot be done; the gold neither does it nor hands over",
    domains=_DOMAINS,
)
def neither_done_nor_handed_over(ctx: TaskContext) -> Iterator[RuleFault]:
    """The user wants a change, or else a person; the gold actions end with neither.

    Flags: "refund it to your other card, and if the agent cannot help, transfer to a human", the
        gold only looks things up (retail 25).
    Passes: the same with a hand-over, or with the change; "you do not want to be transferred".
    Precision: 1 of 1 on the real tasks.
    Source: Table 10, retail 25 and 26.
    """
    if not ctx.steps or _hands_over(ctx) or any(write.step.ok for write in ctx.writes()):
        return
    if any(find_word(ctx, change, ctx.said) for change in _CHANGES):
        for sentence in _asks_for_person(ctx):
            yield RuleFault(sentence.pointer)
            return


@rule(
    "ASK-03",
    "warning",
    "the gold hands over after {tool}; nothing in the instructions leads there",
    domains=_DOMAINS,
)
def handed_over_unasked(ctx: TaskContext) -> Iterator[RuleFault]:
    """The gold makes the change that is asked for and hands over all the same.

    Flags: a return, then a hand-over, and nobody asks for a person (retail 26).
    Passes: a hand-over alone, because nothing can be done; a user who asks for a person.
    Precision: 1 of 1 on the real tasks.
    Source: Table 10, retail 25 and 26.
    """
    done = [write for write in ctx.writes() if write.step.ok]
    for step in ctx.steps:
        earlier = [write for write in done if write.at < step.at]
        if step.step.name == HAND_OVER and earlier and not any(_asks_for_person(ctx)):
            yield RuleFault(step.pointer, tool=earlier[-1].step.name)


def _hands_over(ctx: TaskContext) -> bool:
    return any(step.step.name == HAND_OVER for step in ctx.steps)


def _asks_for_person(ctx: TaskContext) -> Iterator[Text]:
    """Sentences in which the user asks for a person: one that no word of `not` denies."""
    for sentence in ctx.sentences_at if find_word(ctx, "human", ctx.said) else ():
        for start, end in words_of(ctx, "human").spans(sentence.text):
            clause = _CLAUSE.split(sentence.text[:start])[-1]
            after = sentence.text[end:]
            if not find_word(ctx, "not", clause) and not is_denied_after(ctx, after):
                yield sentence
                break
