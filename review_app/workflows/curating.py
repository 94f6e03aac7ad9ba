"""Patches of tasks from proposal to approval: two people, a base that stands, no new errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_app.core.tasks.edits import Conflict
from review_app.core.tasks.operations import Operation, Task
from review_app.core.tasks.patches import Kind, Layer, Patch
from review_app.core.tasks.rules import Violation
from review_app.errors import ReviewError
from review_app.models import Person
from review_app.store import Store
from review_app.store.evidence import Evidence
from review_app.store.patches import StoredPatch
from review_app.store.people import Change


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody wants to change in a task, and why."""

    domain: str
    task_id: str
    layer: Layer
    kind: Kind
    reason: str
    base_hash: str
    """`base_hash(...)` when the editor was opened."""
    edited: Task | None = None
    """The whole task after editing; or leave it out and give `operations`."""
    operations: tuple[Operation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    source: str = ""
    """Where the defect is reported; the proposer's name if empty."""


class BaseMoved(ReviewError):
    """The task changed since the patch was written. Nothing was saved.

    Args:
        base: The task both started from; None if it is not known any more.
        theirs: The task in force.
        mine: The task as the patch would make it of `base`; None if that cannot be said.
        conflicts: Places that both changed differently; empty: propose `merged` again.
    """

    def __init__(
        self, name: str, base: Task | None, theirs: Task, mine: Task | None,
        conflicts: Sequence[Conflict],
    ) -> None:  # fmt: skip
        super().__init__(
            f"{name}: the task changed since this was written; compare the three versions and "
            "propose it again"
        )
        self.base, self.theirs, self.mine = base, theirs, mine
        self.conflicts = tuple(conflicts)


class BreaksRules(ReviewError):
    """A patch would make an error-level rule fire that did not before. Nothing was saved."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        first = violations[0]
        super().__init__(
            f"the patch breaks {len(violations)} rules, first {first.code}: {first.message}; "
            "change it so that no new error is left"
        )
        self.violations = tuple(violations)


def task(store: Store, domain: str, task_id: str, layer: Layer = "repair") -> Task:
    """The task that a patch of this layer starts from: approved patches are in it.

    For a localization this is the localized task, with translations that are not approved yet.

    Raises:
        NotFound: no such domain or task.
    """
    raise NotImplementedError


def base_hash(store: Store, domain: str, task_id: str, layer: Layer = "repair") -> str:
    """Hash that a patch of this layer is bound to now."""
    raise NotImplementedError


def propose(store: Store, person: Person, proposal: Proposal) -> StoredPatch:
    """Save a patch for others to approve.

    Raises:
        ReviewError: no reason, nothing changed, or the task's id changed.
        BadInput: the edited task is no task, or an operation does not fit.
        BaseMoved: the task changed meanwhile; carries the three versions.
        BreaksRules: an error-level rule would fire that does not now.
    """
    raise NotImplementedError


def approve(store: Store, person: Person, patch_id: int, *, note: str = "") -> StoredPatch:
    """Put a proposed patch in force; texts whose source a repair changes go back to review.

    Approving the inverse of a patch takes that patch out of force.

    Raises:
        NotAllowed: no maintainer, or the proposer.
        ReviewError: not waiting for approval.
        BaseMoved, BreaksRules: as `propose`.
    """
    raise NotImplementedError


def reject(store: Store, person: Person, patch_id: int, *, note: str) -> StoredPatch:
    """Turn a proposed patch down, with a reason; a proposer may withdraw an own one.

    Raises:
        NotAllowed: neither maintainer nor proposer.
        ReviewError: no reason, or not waiting for approval.
    """
    raise NotImplementedError


def invert(store: Store, person: Person, patch_id: int, *, reason: str) -> StoredPatch:
    """Propose the inverse of an approved patch; another person has to approve it.

    Raises:
        ReviewError: not in force, its inverse is proposed already, or another patch builds on it.
    """
    raise NotImplementedError


def history(store: Store, patch_id: int) -> list[Change]:
    """Who did what to a patch when, newest first."""
    raise NotImplementedError


def fits(store: Store, stored: StoredPatch) -> bool:
    """Whether the task is still the one that the patch was written for."""
    raise NotImplementedError


def waiting(store: Store, person: Person) -> list[StoredPatch]:
    """Proposed patches that this person may approve."""
    raise NotImplementedError


def file_proposals(store: Store, person: Person, patches: Sequence[Patch]) -> list[StoredPatch]:
    """Propose the patches of a patch file, all or none."""
    raise NotImplementedError
