"""Show a segment to one person: what they may see of it."""

from __future__ import annotations

from dataclasses import dataclass

from review_app.core.review import rules
from review_app.models import Comment, Decision, Person, Revision, Segment, Verdict
from review_app.records.review import ReviewDraft, StoredFinding
from review_app.store import Store


@dataclass(frozen=True)
class Card:
    """One segment as one person may see it.

    Attributes:
        context: The segment's neighbours in the file, itself included, in order.
        my_answer: What this person answered about the version in force.
        waits: Whether an answer of this person is asked for.
        revisions: All versions; authors are None while others' answers are hidden.
        decisions: What others decided; empty until this person has answered.
        hidden: How many decisions and comments of others are held back until then.
        judged: The newest version this person answered about before the one in force.
        recheck: Why it went back to review (`source`, or the term), if it did.
        people: Names by person id; letters for a maintainer who has to adjudicate.
    """

    segment: Segment
    context: tuple[Segment, ...]
    findings: tuple[StoredFinding, ...]
    draft: ReviewDraft | None
    my_answer: Verdict | None
    waits: bool
    revisions: tuple[Revision, ...]
    decisions: tuple[Decision, ...]
    comments: tuple[Comment, ...]
    hidden: int
    judged: int | None
    recheck: str | None
    people: dict[int, str]

    @property
    def to_settle(self) -> tuple[Decision, ...]:
        """The answers that a disagreement is about, if this person may see and settle it."""
        if self.segment.state != "contested":
            return ()
        return tuple(d for d in self.decisions if d.version == self.segment.version)


def card(store: Store, segment_id: str, person: Person) -> Card:
    """The segment with everything this person may see of it.

    What others said stays hidden until the person has answered, the text is approved, or the person
    is a maintainer who has to adjudicate.

    Raises:
        NotFound: no such segment.
    """
    with store.read():
        segment = store.segments.get(segment_id)
        row = store.segments.review_row(segment_id)
        answers = store.reviews.answers(segment_id)
        decisions = store.reviews.decisions(segment_id)
        comments = store.reviews.comments(segment_id)
        revisions = store.reviews.revisions(segment_id)
        seen = (
            person.id in answers
            or segment.state == "approved"
            or rules.may_settle(segment.state, person)
        )
        own = tuple(d for d in decisions if d.person_id == person.id)
        shown = [c for c in comments if seen or c.person_id == person.id]
        judged = [d.version for d in own if d.version < segment.version and d.verdict != "undo"]
        return Card(
            segment=segment,
            context=tuple(store.segments.around(segment)),
            findings=tuple(store.findings.of(segment_id)),
            draft=store.reviews.draft(segment_id, person.id),
            my_answer=answers.get(person.id),
            waits=rules.waits_for(
                segment.state, person.id, answers, needed=segment.needed, author=row["author_id"]
            ),
            revisions=tuple(revisions if seen else map(_anonymous, revisions)),
            decisions=tuple(decisions) if seen else own,
            comments=tuple(shown),
            hidden=0 if seen else len(decisions) - len(own) + len(comments) - len(shown),
            judged=max(judged, default=None),
            recheck=row["recheck"],
            people=_names(store, segment, person),
        )


def _names(store: Store, segment: Segment, person: Person) -> dict[int, str]:
    """Names by id; while a maintainer has to adjudicate, reviewers are letters instead."""
    names = {member.id: member.name for member in store.people.all()}
    if not rules.may_settle(segment.state, person):
        return names
    others = [member for member in names if member != person.id]
    letters = {member: chr(ord("A") + at % 26) for at, member in enumerate(others)}
    return letters | {person.id: person.name}


def _anonymous(revision: Revision) -> Revision:
    return Revision(
        version=revision.version,
        target=revision.target,
        author_id=None,
        origin=revision.origin,
        source_hash=revision.source_hash,
        created_at=revision.created_at,
    )
