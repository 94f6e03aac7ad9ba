"""Review a segment: read it, answer, edit, undo, comment. Every write is one transaction.

The rules themselves are in `core.reviewrules`; this module applies them to the store.
"""

from __future__ import annotations

from collections.abc import Sequence

from review_app.core.review import rules
from review_app.errors import NotAllowed, ReviewError, StaleEdit
from review_app.models import Decision, Mark, Person, Segment, Verdict
from review_app.records.review import StoredFinding
from review_app.store import Store

# -- answers ---------------------------------------------------------------------------------


def answer(
    store: Store,
    segment_id: str,
    person: Person,
    *,
    verdict: Verdict,
    expected_version: int,
    note: str = "",
    marks: Sequence[Mark] = (),
) -> Segment:
    """Approve the version that was read, or ask for a change of it.

    Args:
        store: The review database.
        segment_id: Which segment.
        person: Who answers.
        verdict: `approve` or `request_change`; the latter needs a reason in `note`.
        expected_version: The version the person read.
        note: The reason.
        marks: MQM error marks on the text.

    Raises:
        StaleEdit: another version is in force by now.
        NotAllowed: an untranslated text; approving one's own text where one approval is needed.
        ReviewError: a change requested without a reason.
    """
    if verdict == "request_change" and not note.strip():
        raise ReviewError(
            "review.reason_missing", "say what should change: a request needs a reason"
        )
    with store.write(person.name):
        segment = _current(store, segment_id, person, expected_version)
        if segment.target is None:
            raise NotAllowed("review.untranslated", "there is no translation yet: write one first")
        author = store.segments.review_row(segment_id)["author_id"]
        if verdict == "approve" and segment.needed == 1 and author == person.id:
            raise NotAllowed(
                "review.own_version", "you wrote this version: somebody else has to approve it"
            )
        store.reviews.add_decision(
            segment_id,
            person.id,
            verdict,
            version=segment.version,
            source_hash=segment.source_hash,
            note=note.strip(),
            marks=marks,
        )
        store.reviews.drop_draft(segment_id, person.id)
        return refresh_state(store, segment_id)


def edit(
    store: Store, segment_id: str, person: Person, *, target: str, expected_version: int
) -> Segment:
    """Save a new version; it counts as its author's answer. The same text again is an approval.

    Raises:
        StaleEdit: another version is in force; the text is kept as the person's draft.
        ReviewError: an empty text.
    """
    text = _clean(target)
    if _unix(store.segments.get(segment_id).target or "") == text:
        return answer(
            store, segment_id, person, verdict="approve", expected_version=expected_version
        )
    save_draft(store, segment_id, person, target=text, base_version=expected_version)
    with store.write(person.name):
        segment = _current(store, segment_id, person, expected_version)
        version = _append(store, segment, text, author=person.id, origin="edit")
        store.reviews.add_decision(
            segment_id, person.id, "edit", version=version, source_hash=segment.source_hash
        )
        store.reviews.drop_draft(segment_id, person.id)
        return refresh_state(store, segment_id)


def adjudicate(
    store: Store,
    segment_id: str,
    person: Person,
    *,
    expected_version: int,
    target: str | None = None,
    note: str = "",
) -> Segment:
    """Settle a disagreement: keep the version in force, take an older one, or write a new one.

    The chosen version is approved at once; a maintainer's own new text needs the usual readers.

    Args:
        store: The review database.
        segment_id: Which segment.
        person: The maintainer.
        expected_version: The version that was read.
        target: The text to settle on; None keeps the version in force.
        note: Why.

    Raises:
        NotAllowed: the person is no maintainer, or wrote the version to keep; nobody disagrees.
        StaleEdit: another version is in force; a text is kept as the person's draft.
    """
    if person.role != "maintainer":
        raise NotAllowed("review.only_maintainers_adjudicate", "a maintainer has to adjudicate")
    text = None if target is None else _clean(target)
    if text is not None:
        save_draft(store, segment_id, person, target=text, base_version=expected_version)
    with store.write(person.name):
        segment = _current(store, segment_id, person, expected_version)
        if segment.state != "contested":
            raise NotAllowed(
                "review.not_contested",
                "nobody disagrees about this version: answer like everybody else",
            )
        version = segment.version
        if text is not None and text != _unix(segment.target or ""):
            older = [r for r in store.reviews.revisions(segment_id) if _unix(r.target) == text]
            author = older[-1].author_id if older else person.id
            text = older[-1].target if older else text
            version = _append(store, segment, text, author=author, origin="adjudication")
        elif store.segments.review_row(segment_id)["author_id"] == person.id:
            raise NotAllowed(
                "review.own_version_contested",
                "you wrote this version: another maintainer has to settle on it",
            )
        store.reviews.add_decision(
            segment_id,
            person.id,
            "adjudicate",
            version=version,
            source_hash=segment.source_hash,
            note=note.strip(),
        )
        store.reviews.drop_draft(segment_id, person.id)
        return refresh_state(store, segment_id)


def undo(store: Store, person: Person) -> Segment:
    """Take back one's own last decision; an edit gives way to the version before it.

    Raises:
        ReviewError: there is nothing to undo.
        NotAllowed: somebody wrote another version since; undoing would lose it.
    """
    with store.write(person.name):
        last = store.reviews.last_decision(person.id)
        if last is None:
            raise ReviewError(
                "review.nothing_to_undo", "you have decided nothing yet that could be undone"
            )
        segment = store.segments.get(last.segment_id)
        if last.verdict in ("edit", "adjudicate"):
            _take_back(store, segment, last)
        store.reviews.add_decision(
            last.segment_id,
            person.id,
            "undo",
            version=last.version,
            source_hash=last.source_hash,
            undoes=last.id,
        )
        _note_old_source(store, last.segment_id)
        return refresh_state(store, last.segment_id)


def _take_back(store: Store, segment: Segment, decision: Decision) -> None:
    """Put the version before an edit in force again; the edit stays in the history."""
    revisions = {r.version: r for r in store.reviews.revisions(segment.id)}
    about = [d.id for d in store.reviews.decisions(segment.id) if d.version == decision.version]
    wrote = revisions[decision.version].origin != "draft" and about[0] == decision.id
    if not wrote:
        return
    if segment.version != decision.version:
        raise NotAllowed(
            "review.edited_since",
            "somebody saved version {version} after your edit: edit it instead",
            version=segment.version,
        )
    base = store.reviews.base_of(segment.id, decision.version)
    before = revisions.get(base)
    store.segments.put_target(
        segment.id,
        before.target if before else None,
        version=base,
        author=before.author_id if before else None,
        expected=segment.version,
    )


def _note_old_source(store: Store, segment_id: str) -> None:
    """Say again that the text in force was written for another source: an answer had settled it."""
    segment = store.segments.get(segment_id)
    made_for = {r.version: r.source_hash for r in store.reviews.revisions(segment_id)}
    if made_for.get(segment.version, segment.source_hash) != segment.source_hash:
        store.segments.put_recheck(segment_id, "source")


def _current(store: Store, segment_id: str, person: Person, expected: int) -> Segment:
    """The segment, if the person may answer and the version that they read is still in force."""
    segment = store.segments.get(segment_id)
    if not person.active:
        raise NotAllowed(
            "people.inactive",
            "{person!r} is not active in this project: a maintainer can change it",
            person=person.name,
        )
    if not store.segments.review_row(segment_id)["active"]:
        raise NotAllowed(
            "review.source_gone",
            "the newest source does not have this text any more: go to the next one",
        )
    if segment.version != expected:
        texts = {r.version: r.target for r in store.reviews.revisions(segment_id)}
        raise StaleEdit(texts.get(expected, ""), segment.target or "", segment.version)
    return segment


def _append(store: Store, segment: Segment, text: str, *, author: int | None, origin: str) -> int:
    """Append a version and put it in force; returns its number."""
    version = 1 + max((r.version for r in store.reviews.revisions(segment.id)), default=0)
    store.reviews.add_revisions(
        [(segment.id, version, segment.version, text, author, origin, segment.source_hash)]
    )
    moved = not store.segments.put_target(
        segment.id, text, version=version, author=author, expected=segment.version
    )
    if moved:
        raise StaleEdit(segment.target or "", text, version)
    store.segments.put_recheck(segment.id, None)
    return version


def put_draft(store: Store, segment_id: str, text: str) -> Segment:
    """Put a machine's draft in force as a new version, inside the caller's transaction.

    The same text for the same source again is no new version.
    """
    segment = store.segments.get(segment_id)
    made_for = {r.version: r.source_hash for r in store.reviews.revisions(segment_id)}
    if (segment.target, made_for.get(segment.version)) != (text, segment.source_hash):
        _append(store, segment, text, author=None, origin="draft")
    return refresh_state(store, segment_id)


def _clean(target: str) -> str:
    """The text with the browser's line ends; refused if there is none."""
    if not target.strip():
        raise ReviewError(
            "review.text_empty", "the translation is empty: write something, or request a change"
        )
    return _unix(target)


def _unix(text: str) -> str:
    """Browsers send line feeds; a file's own line ends come back when it is written."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


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


# -- drafts, comments, dismissals --------------------------------------------------------------


def save_draft(
    store: Store, segment_id: str, person: Person, *, target: str, base_version: int
) -> str:
    """Keep what somebody is typing; returns when. The saved text itself is no draft."""
    with store.write(person.name):
        segment = store.segments.get(segment_id)
        if _unix(target) == _unix(segment.target or ""):
            store.reviews.drop_draft(segment_id, person.id)
            return ""
        return store.reviews.put_draft(segment_id, person.id, target, base_version)


def drop_draft(store: Store, segment_id: str, person: Person) -> None:
    """Throw a draft away."""
    with store.write(person.name):
        store.reviews.drop_draft(segment_id, person.id)


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
