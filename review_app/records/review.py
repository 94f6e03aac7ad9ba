"""Documents, segments, the queue and findings, as rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review_app.models import Finding, SegmentKind, SegmentState


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a domain."""

    id: int
    domain: str
    file: str
    kind: SegmentKind
    source_hash: str
    draft_hash: str | None


@dataclass(frozen=True, slots=True)
class DomainInfo:
    """One imported domain."""

    name: str
    imported_at: str
    report: dict[str, Any]
    """What the last import said."""


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A finding that a person called no fault, with the reason."""

    person_id: int
    reason: str
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A finding as it is stored."""

    finding: Finding
    fingerprint: str
    """The same for the same fault however the text around it changes."""
    dismissed: Dismissal | None


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which segments to look at. Empty fields do not narrow.

    Attributes:
        mine: `waiting` for this person's answer, `answered` by them, `drafted`: typed, not saved.
        finding: A check's code, or `any`.
    """

    domain: str = ""
    file: str = ""
    kind: str = ""
    state: str = ""
    mine: str = ""
    finding: str = ""
    search: str = ""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One line of the queue."""

    id: str
    domain: str
    file: str
    section: str
    address: str
    state: SegmentState
    worst: str | None
    """Highest severity of its open findings."""
    excerpt: str


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A text somebody typed and has not saved."""

    target: str
    base_version: int
    saved_at: str


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """What an import needs to know of a segment that is there already."""

    id: str
    section: str
    position: int
    source_hash: str
    target: str | None
    version: int
    versions: int
    """How many there are; more than `version` after an undone edit."""
    recheck: str | None
    active: bool
    touched: bool
    """Whether a person ever decided on it or wrote it."""
    last_draft: str | None
    """The newest machine draft."""
    made_for: str | None
    """Hash of the source that the version in force was written for."""
