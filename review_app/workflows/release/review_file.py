"""The review record of a release: read as somebody may have changed it, and put in again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from review_app.core.formats.keepable import unkeepable
from review_app.errors import BadInput
from review_app.models import Decision, Mark, PersonRole, Segment, SegmentState, Verdict
from review_app.notices import Notice
from review_app.store import Store
from review_app.workflows.review import standing

At = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")]
Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
_Shape = TypeVar("_Shape")


class RecordedDecision(msgspec.Struct, frozen=True):
    """An answer as the record has it."""

    id: Number
    person: str
    verdict: Verdict
    version: Number
    source_hash: str
    note: str
    marks: tuple[Mark, ...]
    at: At
    undoes: Number | None


class RecordedVersion(msgspec.Struct, frozen=True):
    """A version of a text as the record has it."""

    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)]
    base: Number
    target: str
    author: str
    origin: Literal["draft", "edit", "adjudication"]
    source_hash: str
    at: At


class RecordedText(msgspec.Struct, frozen=True):
    """A text with all that people did to it."""

    domain: str
    address: str
    state: SegmentState
    version: Number
    source_hash: str
    decisions: tuple[RecordedDecision, ...]
    versions: tuple[RecordedVersion, ...] = ()
    recheck: str | None = None
    counts_from: Number = 0


def shaped(value: Any, shape: type[_Shape], file: str, address: str) -> _Shape:
    """A JSON value as a record of this shape.

    Raises:
        BadInput: it has another one, or holds what no database can keep.
    """
    if (odd := unkeepable(value)) is not None:
        raise BadInput(odd[1], file, f"{address}/{odd[0]}")
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        problem = Notice(
            "release.record_odd", "is not as a release has it: {detail}", detail=str(error)
        )
        raise BadInput(problem, file, address) from error


def read_texts(text: str, file: str) -> list[RecordedText]:
    """The texts of a record, a line each.

    Raises:
        BadInput: a line is not as a release has it, or contradicts itself; names the line.
    """
    texts: list[RecordedText] = []
    seen: set[tuple[str, str] | int] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        recorded = _text(line, file, f"line {number}")
        own: set[tuple[str, str] | int] = {answer.id for answer in recorded.decisions}
        own.add((recorded.domain, recorded.address))
        if seen & own:
            problem = Notice("release.record_twice", "says of a text or an answer a second time")
            raise BadInput(problem, file, f"line {number}")
        seen |= own
        texts.append(recorded)
    return texts


def _text(line: str, file: str, place: str) -> RecordedText:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(Notice("release.not_json", "is not JSON"), file, place) from error
    recorded = shaped(value, RecordedText, file, place)
    versions = [version.version for version in recorded.versions]
    ids = [decision.id for decision in recorded.decisions]
    about = {decision.version for decision in recorded.decisions} | {recorded.version} - {0}
    about |= {version.base for version in recorded.versions} - {0}
    undone = {decision.undoes for decision in recorded.decisions} - {None}
    is_sound = (
        len(set(versions)) == len(versions)
        and ids == sorted(set(ids))
        and (not versions or about <= set(versions))
        and undone | {recorded.counts_from} - {0} <= set(ids)
    )
    if not is_sound:
        problem = Notice(
            "release.record_contradicts", "speaks of a version or an answer that it does not have"
        )
        raise BadInput(problem, file, place)
    return recorded


def read_people(text: str, file: str) -> dict[str, PersonRole]:
    """The people of a record by name, with their roles, in its order.

    Raises:
        BadInput: a row without a name, one that is there twice, or an unknown role.
    """
    people: dict[str, PersonRole] = {}
    try:
        listed = list(csv.DictReader(io.StringIO(text), strict=True))
    except csv.Error as error:
        problem = Notice(
            "release.record_odd", "is not as a release has it: {detail}", detail=str(error)
        )
        raise BadInput(problem, file) from error
    for number, row in enumerate(listed, 2):
        name, role = (row.get("person") or "").strip(), row.get("role")
        if not name or name in people or role not in ("annotator", "maintainer"):
            problem = Notice(
                "release.person_odd", "needs a name of its own, and a role that there is"
            )
            raise BadInput(problem, file, f"line {number}")
        people[name] = "maintainer" if role == "maintainer" else "annotator"
    return people


# -- putting it in -----------------------------------------------------------------------------


def put_in(
    store: Store, texts: Sequence[RecordedText], people: Mapping[str, int], file: str
) -> Iterator[Notice]:
    """Give texts without a version theirs, with every answer, inside the caller's transaction.

    Yields what cannot be taken: a text that the source does not have, one that stands otherwise.

    Raises:
        BadInput: somebody in it is not among the people.
    """
    known = {(segment.domain, segment.address): segment for segment in store.segments.all()}
    present: list[tuple[RecordedText, Segment]] = []
    for recorded in texts:
        segment = known.get((recorded.domain, recorded.address))
        if segment is None:
            yield Notice(
                "release.no_such_text",
                "{place}: the source has no such text",
                place=f"{recorded.domain}/{recorded.address}",
            )
        elif recorded.versions and not segment.version:
            present.append((recorded, segment))
    for recorded, segment in present:
        _put_versions(store, recorded, segment, people, file)
    ids = _put_decisions(store, present, people, file)
    for recorded, segment in present:
        yield from _settled(store, recorded, segment, ids)


def _person(people: Mapping[str, int], name: str, file: str, place: str) -> int:
    if name not in people:
        problem = Notice("release.nobody_named", "nobody is named {name!r} in it", name=name)
        raise BadInput(problem, file, place)
    return people[name]


def _put_versions(
    store: Store, recorded: RecordedText, segment: Segment, people: Mapping[str, int], file: str
) -> None:
    author: int | None = None
    for known in sorted(recorded.versions, key=lambda version: version.version):
        written = _person(people, known.author, file, recorded.address) if known.author else None
        row = (segment.id, known.version, known.base, known.target, written, known.origin)
        store.reviews.add_revisions([(*row, known.source_hash)], at=known.at)
        if known.version == recorded.version:
            author = written
            store.segments.put_target(
                segment.id, known.target, version=known.version, author=author, expected=0
            )


def _put_decisions(
    store: Store,
    texts: Sequence[tuple[RecordedText, Segment]],
    people: Mapping[str, int],
    file: str,
) -> dict[int, int]:
    """Append the answers in the order in which they were given; number there -> number here."""
    answers = [
        (decision, segment.id, recorded.address)
        for recorded, segment in texts
        for decision in recorded.decisions
    ]
    ids: dict[int, int] = {}
    for decision, segment_id, place in sorted(answers, key=lambda answer: answer[0].id):
        ids[decision.id] = store.reviews.add_made(
            Decision(
                id=0,
                segment_id=segment_id,
                person_id=_person(people, decision.person, file, place),
                verdict=decision.verdict,
                version=decision.version,
                source_hash=decision.source_hash,
                note=decision.note,
                marks=decision.marks,
                created_at=decision.at,
                undoes=None if decision.undoes is None else ids.get(decision.undoes),
            )
        )
    return ids


def _settled(
    store: Store, recorded: RecordedText, segment: Segment, ids: Mapping[int, int]
) -> Iterator[Notice]:
    """Say why a text waits, and derive its state; yield that it is another one than recorded."""
    in_force = {version.version: version.source_hash for version in recorded.versions}
    is_moved = in_force.get(recorded.version, segment.source_hash) != segment.source_hash
    recheck = recorded.recheck or ("source" if is_moved else None)
    if recorded.counts_from:
        store.segments.send_back(
            segment.id, counts_from=ids[recorded.counts_from], reason=recheck or "source"
        )
    store.segments.put_recheck(segment.id, recheck)
    state = standing.refresh_state(store, segment.id).state
    if state != recorded.state:
        yield Notice(
            "release.other_state",
            "{place}: was {before}, is {now}",
            place=f"{recorded.domain}/{recorded.address}",
            before=recorded.state,
            now=state,
        )
