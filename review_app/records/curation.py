"""Flags, patches and what is kept with them, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from review_app.notices import Notice

if TYPE_CHECKING:
    from review_app.core.tasks.patches import Patch, PatchKind

EvidenceKind = Literal["rule", "finding", "replay", "run", "segment", "link"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing to look at."""

    kind: EvidenceKind
    ref: str
    """Rule code, fingerprint of a finding, hash of a replay, id of a run or segment, web address.
    """
    note: str | Notice = ""
    """A person's words, or what the app says of it."""


FlagState = Literal["open", "triaged", "patched", "wont_fix", "not_a_defect"]


FlagOutcome = Literal["patched", "wont_fix", "not_a_defect"]


RemarkKind = Literal["comment", "close", "reopen"]


@dataclass(frozen=True, slots=True)
class Flag:
    """A suspicion about a task."""

    id: int
    domain: str
    task_id: str
    title: str | Notice
    """A person's words, or what the app says; so is the description."""
    description: str | Notice
    kind: PatchKind | None
    """As for patches (Tables 9 and 10); None until somebody said."""
    severity: int
    """0 cosmetic, 1 minor, 2 changes results, 3 the task cannot be solved or scored."""
    evidence: tuple[Evidence, ...]
    owner_id: int | None
    state: FlagState
    resolution: str
    """How it was closed, in words."""
    reporter_id: int | None
    """None where it came with the benchmark."""
    issue_id: str
    """Its id in the benchmark's `issues` field; empty for flags made here."""
    extras: Mapping[str, Any]
    """Other fields of that issue, to be written back."""
    created_at: str
    changed_at: str
    version: int

    @property
    def closed(self) -> bool:
        """Whether it needs no more work."""
        return self.state not in ("open", "triaged")


@dataclass(frozen=True, slots=True)
class NewFlag:
    """A flag to be added."""

    domain: str
    task_id: str
    title: str | Notice
    description: str | Notice = ""
    kind: PatchKind | None = None
    severity: int = 1
    evidence: tuple[Evidence, ...] = ()
    reporter_id: int | None = None
    owner_id: int | None = None
    state: FlagState = "open"
    resolution: str = ""
    issue_id: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something said about a flag, a vote to close it, or its reopening. Never changed."""

    id: int
    flag_id: int
    person_id: int
    kind: RemarkKind
    outcome: FlagOutcome | None
    body: str
    created_at: str


@dataclass(frozen=True, slots=True)
class PatchDraft:
    """One person's unfinished patch of a task."""

    content: str
    """JSON, of whoever writes it."""
    saved_at: str


PatchState = Literal["proposed", "approved", "rejected", "inverted"]


@dataclass(frozen=True, slots=True)
class StoredPatch:
    """A patch with what people decided about it."""

    id: int
    patch: Patch
    """`patch.id` is its name: `airline/7/repair/1`."""
    locale: str
    """Of a localization; empty for a repair."""
    state: PatchState
    proposer_id: int
    approver_id: int | None
    """Who approved or rejected it; None while nobody did, and for patches of a pack."""
    origin: str
    """`pack ja` where it came reviewed with the app; empty where people wrote it here."""
    evidence: tuple[Evidence, ...]
    inverts: int | None
    """The patch that this one takes back."""
    note: str
    """What the person who decided said."""
    created_at: str
    decided_at: str | None
    version: int

    @property
    def pack(self) -> str:
        """The shipped pack that it came with; empty where people wrote it here."""
        return self.origin.removeprefix("pack ")

    @property
    def in_force(self) -> bool:
        """Whether it is applied where its base fits."""
        return self.state == "approved" and self.inverts is None


@dataclass(frozen=True, slots=True)
class NewPatch:
    """A patch to be added."""

    patch: Patch
    locale: str
    proposer_id: int
    evidence: tuple[Evidence, ...] = ()
    inverts: int | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A warning that a person accepted, with the reason."""

    person_id: int
    reason: str
    created_at: str
