"""What to review next, and the list around it."""

from __future__ import annotations

from review_app.models import Person
from review_app.records.review import QueueEntry, QueueFilter
from review_app.store import Store

__all__ = ["QueueFilter", "next_segment", "page_of"]


def next_segment(
    store: Store, person: Person, wanted: QueueFilter, after: str | None = None
) -> str | None:
    """The id of the next segment that waits for this person, or None.

    People are sent to different runs of a file first; `after` goes on behind a segment.
    """
    seats = [
        member.id for member in store.people.all() if member.active and member.role == "annotator"
    ]
    seat = seats.index(person.id) if person.id in seats else person.id
    here = store.segments.get(after) if after else None
    return store.queue.next_waiting(wanted, person.id, seat=seat, seats=len(seats), after=here)


def page_of(
    store: Store, person: Person, wanted: QueueFilter, *, page: int, size: int = 20
) -> tuple[list[QueueEntry], int]:
    """One page of the segments that pass the filter, and how many pass in all."""
    total = store.queue.count(wanted, person.id)
    last = max((total - 1) // size, 0)
    offset = min(max(page, 0), last) * size
    return store.queue.entries(wanted, person.id, offset=offset, limit=size), total
