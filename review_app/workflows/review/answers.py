"""Answer a segment: approve, edit, request a change, adjudicate, undo. Each is one transaction.

The rules themselves are in `core.review.rules`; this module applies them to the store. Whoever
saves a text here has it checked before the function returns: there is no other way to save one.
The search index follows by a trigger.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from review_app.core.review import rules
from review_app.errors import NotAllowed, ReviewError, StaleEdit
from review_app.models import Decision, Mark, Person, Segment, Verdict
from review_app.store import Store
from review_app.workflows.review import checks, standing

# -- answers ---------------------------------------------------------------------------------


def submit(
    store: Store,
    segment_id: str,
    person: Person,
    *,
    verdict: Verdict,
    expected_version: int,
    target: str | None = None,
    note: str = "",
    marks: Sequence[Mark] = (),
) -> Segment:
    """Answer a segment, as the Review page and the command line do.

    Args:
        store: The review database.
        segment_id: Which segment.
        person: Who answers.
        verdict: `approve`, `edit`, `request_change` or `adjudicate`. Approving a text that is given
            in `target` saves it where it is another one than the text in force; where others
            disagree, a maintainer settles on it.
        expected_version: The version the person read.
        target: The text; None is the one in force.
        note: The reason.
        marks: MQM error marks on the text.

    Raises:
        StaleEdit: another version is in force by now; a text is kept as the person's draft.
        NotAllowed: not for this person to answer, or not like this.
        ReviewError: an empty text, or a change requested without a reason.
    """
    if verdict == "approve" and target is not None:
        contested = rules.may_settle(store.segments.get(segment_id).state, person)
        verdict = "adjudicate" if contested else "edit"
    if verdict == "edit":
        return edit(
            store, segment_id, person, target=target or "", expected_version=expected_version
        )
    if verdict == "adjudicate":
        return adjudicate(
            store, segment_id, person, expected_version=expected_version, target=target, note=note
        )
    answered = answer(
        store,
        segment_id,
        person,
        verdict=verdict,
        expected_version=expected_version,
        note=note,
        marks=marks,
    )
    return _checked(store, answered)


def _checked(store: Store, segment: Segment) -> Segment:
    """The segment, once its findings are those of its text."""
    checks.bring_up_to_date(store, [segment.id])
    return segment


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
        return standing.refresh_state(store, segment_id)


def edit(
    store: Store, segment_id: str, person: Person, *, target: str, expected_version: int
) -> Segment:
    """Save a new version; it counts as its author's answer. The same text again is an approval.

    Raises:
        StaleEdit: another version is in force; the text is kept as the person's draft.
        ReviewError: an empty text.
    """
    return _checked(store, _save(store, segment_id, person, target, expected_version))


def edit_all(store: Store, person: Person, texts: Iterable[tuple[Segment, str]]) -> list[Segment]:
    """Save a new version of many segments as they were read; what was saved is checked at the end.

    Raises:
        StaleEdit: another version of one is in force; those before it are saved and checked.
        ReviewError: an empty text; likewise.
    """
    saved: list[Segment] = []
    try:
        for segment, target in texts:
            saved.append(_save(store, segment.id, person, target, segment.version))
    finally:
        checks.bring_up_to_date(store, [segment.id for segment in saved])
    return saved


def _save(
    store: Store, segment_id: str, person: Person, target: str, expected_version: int
) -> Segment:
    """What `edit` does before it checks."""
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
        return standing.refresh_state(store, segment_id)


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
        settled = standing.refresh_state(store, segment_id)
    return _checked(store, settled)


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
        undone = standing.refresh_state(store, last.segment_id)
    return _checked(store, undone)


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
    return standing.refresh_state(store, segment_id)


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


# -- drafts ------------------------------------------------------------------------------------


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
