"""One change for many tasks: previewed task by task, proposed as one action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_app.core.tasks.operations import Operation, Task
from review_app.core.tasks.patches import Layer, Patch, PatchKind
from review_app.core.tasks.taskdiff import TaskDiff
from review_app.core.validity import RuleViolation
from review_app.errors import BadInput, ReviewError
from review_app.models import Person
from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.curation import consequences, patches, validity
from review_app.workflows.curation.patches import Proposal


@dataclass(frozen=True, slots=True)
class Template:
    """A change that fits many tasks."""

    domain: str
    layer: Layer
    kind: PatchKind
    operations: tuple[Operation, ...]
    """May hold placeholders such as `{user.family}`, in a localization."""
    reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a template does to one task."""

    task_id: str
    before: Task
    after: Task
    diff: TaskDiff
    solved: tuple[RuleViolation, ...]
    """Violations that go away: the tasks that have any are those that need the change."""
    new: tuple[RuleViolation, ...]


def template_of(store: Store, patch_id: int) -> Template:
    """The change of a stored patch, for other tasks.

    Raises:
        NotFound: no such patch.
        ReviewError: it says at which character of one text it begins, or changes nothing.
    """
    patch = store.patches.get(patch_id).patch
    if not patch.operations or any(operation.op == "splice" for operation in patch.operations):
        raise ReviewError(
            "patch.not_repeatable",
            "{patch!r} changes one text at a certain place: it cannot be repeated elsewhere",
            patch=patch.id,
        )
    return Template(
        domain=patch.domain,
        layer=patch.layer,
        kind=patch.kind,
        operations=patch.operations,
        reason=patch.reason,
    )


def similar(store: Store, template: Template, *, progress: Progress = silent) -> list[Preview]:
    """What a template would do to every task that it fits and changes.

    Tasks that have a proposed or approved patch of this layer are left out, and those for which a
    placeholder has no value. Those that need the change come first.

    Raises:
        NotFound: no such domain.
    """
    tasks = validity.chosen_tasks(store, template.domain)
    taken = {
        patch.patch.task_id
        for patch in store.patches.all(template.domain)
        if patch.patch.layer == template.layer and (patch.in_force or patch.state == "proposed")
    }
    previews: list[Preview] = []
    for number, name in enumerate(tasks, 1):
        if name not in taken:
            previews += _preview(store, template, name)
        progress(number, len(tasks), name)
    return sorted(previews, key=lambda preview: not preview.solved)


def _preview(store: Store, template: Template, task_id: str) -> Iterator[Preview]:
    """Yield what a template does to a task, if it fits."""
    try:
        done = consequences.of_operations(store, _patch(template, task_id, ""))
    except BadInput:
        return
    if not done.diff.empty:
        yield Preview(
            task_id=task_id,
            before=done.before,
            after=done.after,
            diff=done.diff,
            solved=done.solved,
            new=done.new,
        )


def propose_all(
    store: Store, person: Person, template: Template, task_ids: Sequence[str]
) -> list[StoredPatch]:
    """Propose the change for these tasks, one patch each, all or none.

    Raises:
        As `patches.propose`.
    """
    return patches.propose_many(
        store,
        person,
        [
            Proposal(
                domain=template.domain,
                task_id=name,
                layer=template.layer,
                kind=template.kind,
                reason=template.reason,
                base_hash=patches.base_hash(store, template.domain, name, template.layer),
                operations=template.operations,
            )
            for name in task_ids
        ],
    )


def _patch(template: Template, task_id: str, base: str) -> Patch:
    return Patch(
        id=f"{template.domain}/{task_id}",
        domain=template.domain,
        task_id=task_id,
        layer=template.layer,
        kind=template.kind,
        base_hash=base,
        operations=template.operations,
        reason=template.reason,
        source="",
    )
