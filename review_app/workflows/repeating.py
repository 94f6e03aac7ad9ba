"""One change for many tasks: previewed task by task, proposed as one action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_app.core.tasks.operations import Operation, Task
from review_app.core.tasks.patches import Kind, Layer
from review_app.core.tasks.rules import Violation
from review_app.core.tasks.taskdiff import TaskDiff
from review_app.models import Person
from review_app.store import Store
from review_app.store.patches import StoredPatch
from review_app.workflows.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Template:
    """A change that fits many tasks."""

    domain: str
    layer: Layer
    kind: Kind
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
    solved: tuple[Violation, ...]
    """Violations that go away: the tasks that have any are those that need the change."""
    new: tuple[Violation, ...]


def template_of(store: Store, patch_id: int) -> Template:
    """The change of a stored patch, for other tasks."""
    raise NotImplementedError


def similar(store: Store, template: Template, *, progress: Progress = silent) -> list[Preview]:
    """What a template would do to every task that it fits and changes.

    Tasks that have a proposed or approved patch of this layer are left out, and those for which a
    placeholder has no value. Those that need the change come first.
    """
    raise NotImplementedError


def propose_all(
    store: Store, person: Person, template: Template, task_ids: Sequence[str]
) -> list[StoredPatch]:
    """Propose the change for these tasks, one patch each, all or none.

    Raises:
        As `curating.propose`.
    """
    raise NotImplementedError
