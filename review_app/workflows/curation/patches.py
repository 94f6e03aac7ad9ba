"""Patches of tasks from proposal to approval: two people, a base that stands, no new errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from review_app.core.tasks import edits
from review_app.core.tasks.merge import MergeConflict, merge
from review_app.core.tasks.operations import Operation, Task, operate
from review_app.core.tasks.patches import Layer, Patch, PatchKind, task_hash
from review_app.core.tasks.patches import invert as undo
from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.curation import Evidence, NewPatch, PatchState, StoredPatch
from review_app.records.project import AuditChange
from review_app.store import Store
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.curation import consequences
from review_app.workflows.curation.consequences import base_hash, task
from review_app.workflows.curation.patch_refusals import BaseMoved, BreaksRules
from review_app.workflows.review import import_domain

__all__ = [
    "BaseMoved",
    "BreaksRules",
    "Proposal",
    "approve",
    "base_hash",
    "file_proposals",
    "fits",
    "history",
    "invert",
    "propose",
    "propose_many",
    "reject",
    "task",
    "waiting",
]


_DECIDED: Mapping[PatchState, Notice] = {
    "approved": Notice("patch.approved", "approved"),
    "rejected": Notice("patch.rejected", "rejected"),
    "inverted": Notice("patch.inverted", "inverted"),
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody wants to change in a task, and why."""

    domain: str
    task_id: str
    layer: Layer
    kind: PatchKind
    reason: str
    base_hash: str
    """`base_hash(...)` when the editor was opened."""
    edited: Task | None = None
    """The whole task after editing; or leave it out and give `operations`."""
    operations: tuple[Operation, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    source: str = ""
    """Where the defect is reported; the proposer's name if empty."""
    name: str = ""
    """Wanted name; one is made if it is empty or taken."""
    upstream: str = ""
    """How the source has the fix already; then there is nothing to change."""


# -- proposals ---------------------------------------------------------------------------------


def propose(store: Store, person: Person, proposal: Proposal) -> StoredPatch:
    """Save a patch for others to approve.

    Raises:
        ReviewError: no reason, nothing changed, or the task's id changed.
        BadInput: the edited task is no task, or an operation does not fit.
        BaseMoved: the task changed meanwhile; carries the three versions.
        BreaksRules: an error-level rule would fire that does not now.
    """
    return propose_many(store, person, [proposal])[0]


def propose_many(store: Store, person: Person, proposals: Sequence[Proposal]) -> list[StoredPatch]:
    """Save several patches for others to approve, all or none; raises as `propose`."""
    patches = [_checked(store, proposal) for proposal in proposals]
    target, proposed = store.people.project().target_locale, []
    with store.write(person.name):
        for proposal, patch in zip(proposals, patches, strict=True):
            _require_base(store, patch, proposal.edited)
            patch = replace(
                patch, id=_name(store, proposal), source=patch.source or found_by(person.name)
            )
            locale = target if patch.layer == "localization" else ""
            new = NewPatch(
                patch=patch, locale=locale, proposer_id=person.id, evidence=proposal.evidence
            )
            proposed.append(store.patches.get(store.patches.add(new)))
    return proposed


def found_by(name: str) -> str:
    """The source of a patch whose proposer names none."""
    return f"found by {name}"


def file_proposals(store: Store, person: Person, patches: Sequence[Patch]) -> list[StoredPatch]:
    """Propose the patches of a patch file, all or none; raises as `propose`."""
    return propose_many(store, person, [_proposal(patch) for patch in patches])


def _proposal(patch: Patch) -> Proposal:
    return Proposal(
        domain=patch.domain,
        task_id=patch.task_id,
        layer=patch.layer,
        kind=patch.kind,
        reason=patch.reason,
        base_hash=patch.base_hash,
        operations=patch.operations,
        source=patch.source,
        name=patch.id,
        upstream=patch.upstream,
    )


def _name(store: Store, proposal: Proposal) -> str:
    if proposal.name and store.patches.named(proposal.name) is None:
        return proposal.name
    return store.patches.next_name(proposal.domain, proposal.task_id, proposal.layer)


def _checked(store: Store, proposal: Proposal) -> Patch:
    """The patch of a proposal, if it may be saved."""
    name = f"{proposal.domain}/{proposal.task_id}"
    if not proposal.reason.strip():
        raise ReviewError(
            "patch.reason_missing",
            "say what is wrong and what this does about it: a patch needs a reason",
        )
    patch = Patch(
        id=proposal.name or name,
        domain=proposal.domain,
        task_id=proposal.task_id,
        layer=proposal.layer,
        kind=proposal.kind,
        base_hash=proposal.base_hash,
        operations=proposal.operations,
        reason=proposal.reason.strip(),
        source=proposal.source,
        upstream=proposal.upstream,
    )
    _require_base(store, patch, proposal.edited)
    if patch.upstream:
        return patch
    if proposal.edited is not None:
        now = task(store, patch.domain, patch.task_id, patch.layer)
        edited = consequences.checked(patch.domain, patch.task_id, proposal.edited)
        patch = replace(patch, operations=edits.make(now, edited))
    if not patch.operations:
        raise ReviewError(
            "patch.nothing_changed",
            "{name}: nothing is changed; edit the task before you propose",
            name=name,
        )
    _require_sound(store, patch)
    return patch


def _require_sound(store: Store, patch: Patch) -> None:
    broken = consequences.of_operations(store, patch).breaks
    if broken:
        raise BreaksRules(patch.id, broken)


def _require_base(store: Store, patch: Patch, edited: Task | None = None) -> None:
    if base_hash(store, patch.domain, patch.task_id, patch.layer) == patch.base_hash:
        return
    base = consequences.versions(store, patch.domain, patch.task_id).get(patch.base_hash)
    theirs = task(store, patch.domain, patch.task_id)
    mine = edited
    if patch.layer == "repair" and base is not None and edited is None:
        mine = operate(base, patch.operations, patch.id)
    conflicts: Sequence[MergeConflict] = ()
    if base is not None and mine is not None and patch.layer == "repair":
        conflicts = merge(base, theirs, mine).choices
    raise BaseMoved(patch.id, base, theirs, mine, conflicts)


# -- decisions ---------------------------------------------------------------------------------


def approve(store: Store, person: Person, patch_id: int, *, note: str = "") -> StoredPatch:
    """Put a proposed patch in force; texts whose source a repair changes go back to review.

    Approving the inverse of a patch takes that patch out of force.

    Raises:
        NotAllowed: no maintainer, or the proposer.
        ReviewError: not waiting for approval.
        BaseMoved, BreaksRules: as `propose`.
    """
    stored = store.patches.get(patch_id)
    _require_approver(person, stored)
    _require_proposed(stored)
    patch = stored.patch
    if stored.inverts is None and patch.operations:
        _require_base(store, patch)
        _require_sound(store, patch)
    with store.write(person.name):
        stored = store.patches.get(patch_id)
        _require_proposed(stored)
        if patch.operations or stored.inverts is None:
            _require_base(store, patch)
        done = store.patches.decide(
            patch_id,
            "approved",
            person=person.id,
            note=note.strip(),
            expected_version=stored.version,
        )
        if stored.inverts is not None:
            old = store.patches.get(stored.inverts)
            store.patches.decide(old.id, "inverted", person=None, expected_version=old.version)
        if patch.layer == "repair":
            import_domain.follow_repairs(store, patch.domain)
    return done


def reject(store: Store, person: Person, patch_id: int, *, note: str) -> StoredPatch:
    """Turn a proposed patch down, with a reason; a proposer may withdraw an own one.

    Raises:
        NotAllowed: neither maintainer nor proposer.
        ReviewError: no reason, or not waiting for approval.
    """
    if not note.strip():
        raise ReviewError(
            "patch.rejection_unexplained", "say why: turning a patch down needs a reason"
        )
    with store.write(person.name):
        stored = store.patches.get(patch_id)
        if person.role != "maintainer" and person.id != stored.proposer_id:
            raise NotAllowed(
                "patch.not_yours_to_reject", "a maintainer or the proposer has to turn a patch down"
            )
        _require_proposed(stored)
        return store.patches.decide(
            patch_id,
            "rejected",
            person=person.id,
            note=note.strip(),
            expected_version=stored.version,
        )


def invert(store: Store, person: Person, patch_id: int, *, reason: str) -> StoredPatch:
    """Propose the inverse of an approved patch; another person has to approve it.

    Raises:
        ReviewError: no reason, not in force, its inverse is proposed already, or another patch
            builds on it.
    """
    if not reason.strip():
        raise ReviewError("patch.undo_unexplained", "say why: taking a patch back needs a reason")
    with store.write(person.name):
        stored = store.patches.get(patch_id)
        if not stored.in_force:
            raise ReviewError(
                "patch.not_in_force",
                "{patch!r} is not in force: there is nothing to take back",
                patch=stored.patch.id,
            )
        patch, siblings = stored.patch, store.patches.all(stored.patch.domain, stored.patch.task_id)
        if any(sibling.inverts == patch_id and sibling.state == "proposed" for sibling in siblings):
            raise ReviewError(
                "patch.undo_proposed",
                "the inverse of {patch!r} is proposed already",
                patch=patch.id,
            )
        inverse = replace(
            _inverse(store, patch),
            reason=reason.strip(),
            source=f"inverse of {patch.id}",
            id=store.patches.next_name(patch.domain, patch.task_id, patch.layer),
            upstream="",
        )
        new = NewPatch(
            patch=inverse,
            locale=stored.locale,
            proposer_id=person.id,
            evidence=(),
            inverts=patch_id,
        )
        return store.patches.get(store.patches.add(new))


def _inverse(store: Store, patch: Patch) -> Patch:
    """A patch's inverse; without operations where there is nothing to undo in the source."""
    original = dict(consequences.imported(store, patch.domain, patch.task_id).task)
    before, inverse = original, None
    in_force = tasks_in_force.in_force(store, patch.domain)
    for applied, after in tasks_in_force.chain(original, in_force):
        if inverse is not None and applied.operations:
            raise ReviewError(
                "patch.built_upon",
                "{other!r} builds on {patch!r}: take that back first",
                other=applied.id,
                patch=patch.id,
            )
        if applied.id == patch.id:
            inverse = replace(patch, operations=undo(before, patch), base_hash=task_hash(after))
        before = after
    return inverse or replace(patch, operations=())


def _require_approver(person: Person, stored: StoredPatch) -> None:
    if person.role != "maintainer":
        raise NotAllowed("patch.only_maintainers_approve", "a maintainer has to approve patches")
    if person.id == stored.proposer_id:
        raise NotAllowed(
            "patch.own_proposal", "another maintainer than the proposer has to approve a patch"
        )


def _require_proposed(stored: StoredPatch) -> None:
    if stored.state != "proposed":
        raise ReviewError(
            "patch.decided",
            "{patch!r} is {state}: only proposed ones are decided",
            patch=stored.patch.id,
            state=_DECIDED[stored.state],
        )


# -- looking -----------------------------------------------------------------------------------


def history(store: Store, patch_id: int) -> list[AuditChange]:
    """Who did what to a patch when, newest first."""
    return store.people.history("patches", str(patch_id))


def fits(store: Store, stored: StoredPatch) -> bool:
    """Whether the task is still the one that the patch was written for."""
    patch = stored.patch
    try:
        if patch.layer == "repair" and stored.in_force:
            original = consequences.imported(store, patch.domain, patch.task_id).task
            in_force = tasks_in_force.in_force(store, patch.domain)
            chain = tasks_in_force.chain(original, in_force)
            return any(applied.id == patch.id for applied, _ in chain)
        now = base_hash(store, patch.domain, patch.task_id, patch.layer)
    except NotFound:
        return False
    return now == patch.base_hash


def waiting(store: Store, person: Person) -> list[StoredPatch]:
    """Proposed patches that this person may approve."""
    if person.role != "maintainer":
        return []
    return [
        patch
        for patch in store.patches.all()
        if patch.state == "proposed" and patch.proposer_id != person.id
    ]
