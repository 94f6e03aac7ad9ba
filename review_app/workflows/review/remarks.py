"""What people say beside their answers: comments on a text, and why a finding is no fault."""

from __future__ import annotations

from review_app.errors import ReviewError
from review_app.models import Person
from review_app.records.review import StoredFinding
from review_app.store import Store


def comment(store: Store, segment_id: str, person: Person, body: str) -> int:
    """Add a remark; returns its id."""
    if not body.strip():
        raise ReviewError("review.comment_empty", "the comment is empty")
    with store.write(person.name):
        store.segments.get(segment_id)
        return store.reviews.add_comment(segment_id, person.id, body.strip())


def resolve_comment(store: Store, comment_id: int, person: Person, *, resolved: bool) -> None:
    """Mark a remark as dealt with, or open it again."""
    with store.write(person.name):
        store.reviews.resolve_comment(comment_id, resolved=resolved)


def dismiss(
    store: Store,
    segment_id: str,
    finding: StoredFinding,
    person: Person,
    *,
    reason: str,
    withdraw: bool = False,
) -> None:
    """Call a finding no fault, with a reason; or take that back.

    Raises:
        ReviewError: no reason given.
    """
    if not reason.strip() and not withdraw:
        raise ReviewError(
            "review.dismissal_unexplained", "say why this is no fault: a dismissal needs a reason"
        )
    with store.write(person.name):
        store.findings.dismiss(
            segment_id,
            finding.finding.code,
            finding.fingerprint,
            person=person.id,
            reason=reason.strip(),
            withdraw=withdraw,
        )
