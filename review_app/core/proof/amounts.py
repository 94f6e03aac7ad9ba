"""What a proof finds of amounts: some that nobody can read, some that contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.stated_amounts import Contradiction
from review_app.core.proof.leftovers import ProofViolation, Where


def unread(
    mentions: Mentions, texts: Iterable[tuple[Where, str, str, str]]
) -> Iterator[ProofViolation]:
    """Amounts of the source in localized texts that the grammar cannot read: a person writes them.

    Args:
        mentions: Of the domain.
        texts: (where, record, field, text).
    """
    for where, record, name, text in texts:
        for start, end in mentions.unread(text):
            written = text[start:end]
            yield ProofViolation(
                code="LOC010",
                severity="error",
                where=where,
                record=record,
                field=name,
                message=f"{written!r} speaks of an amount that cannot be read: write it out",
                values={"found": written},
            )


def contradicting(task_id: str, contradiction: Contradiction) -> ProofViolation:
    """An amount of a task that another way of computing it gives differently."""
    values = {
        "amount": f"{contradiction.source:f}",
        "found": f"{contradiction.target:f}",
        "expected": f"{contradiction.derived:f}",
        "how": contradiction.how,
    }
    message = "{amount} is {found} here, and {expected} by {how}".format(**values)
    return ProofViolation(
        code="LOC011",
        severity="error",
        where="task",
        record=task_id,
        field="",
        message=message,
        values=values,
    )
