"""How a text stands: its state derived from the answers that count, inside a transaction."""

from __future__ import annotations

from review_app.core.review import rules
from review_app.models import Segment
from review_app.store import Store


def refresh_state(store: Store, segment_id: str) -> Segment:
    """Derive answers and state from the decisions again, inside the caller's transaction."""
    segment = store.segments.get(segment_id)
    row = store.segments.review_row(segment_id)
    answers = rules.standing_answers(
        store.reviews.decisions(segment_id),
        version=segment.version,
        source_hash=segment.source_hash,
        counts_from=row["counts_from"],
    )
    state = rules.review_state(
        answers,
        needed=segment.needed,
        author=row["author_id"],
        translated=segment.target is not None,
        recheck=row["recheck"] is not None,
    )
    store.reviews.put_answers(segment_id, answers)
    recheck = None if state == "approved" else row["recheck"]
    store.segments.put_review(segment_id, state=state, answered=len(answers), recheck=recheck)
    return store.segments.get(segment_id)


def send_back(store: Store, segment_id: str, reason: str) -> Segment:
    """Set the answers about a text aside because of a rule, inside the caller's transaction.

    Args:
        store: The review database.
        segment_id: An approved text.
        reason: `term cabin`, `entity Mia Li`.
    """
    newest = store.reviews.newest_decision(segment_id)
    store.segments.send_back(segment_id, counts_from=newest, reason=reason)
    return refresh_state(store, segment_id)
