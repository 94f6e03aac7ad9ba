"""What a patch does: text, gold actions, end states, rules, texts that go back to review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.operations import Task
from review_app.core.tasks.patches import Layer
from review_app.core.tasks.replay import Replay
from review_app.core.tasks.rules import Violation
from review_app.core.tasks.statediff import Side
from review_app.core.tasks.taskdiff import TaskDiff
from review_app.models import Segment
from review_app.store import Store
from review_app.store.patches import StoredPatch


@dataclass(frozen=True, slots=True)
class EndRow:
    """One field of a database: where it starts and where it ends under old and new gold."""

    side: Side
    record: str
    """For people: `reservation XEHM4B`."""
    field: str
    """Inside the record: `flights/0/price`; empty for the record itself."""
    start: Any
    old_end: Any
    new_end: Any

    @property
    def differs(self) -> bool:
        """Whether old and new gold end differently here."""
        return bool(self.old_end != self.new_end)


@dataclass(frozen=True, slots=True)
class Requeued:
    """A text that goes back to review, or comes or goes, if the patch is approved."""

    address: str
    change: str
    """`changed`, `added` or `removed`."""
    old: str | None
    new: str | None
    segment: Segment | None
    """With its translation now; None where it is new."""


@dataclass(frozen=True, slots=True)
class Consequences:
    """What changes between two versions of a task."""

    before: Task
    after: Task
    diff: TaskDiff
    rules_before: tuple[Violation, ...]
    rules_after: tuple[Violation, ...]
    replay_before: Replay | None
    """None where the gold actions cannot be replayed; `problem` says why."""
    replay_after: Replay | None
    problem: str
    end_states: tuple[EndRow, ...]
    """Every field that old or new gold changes."""
    requeued: tuple[Requeued, ...]
    """Of a repair: exactly the texts whose source it changes."""

    @property
    def solved(self) -> tuple[Violation, ...]:
        """Violations that go away."""
        raise NotImplementedError

    @property
    def new(self) -> tuple[Violation, ...]:
        """Violations that come."""
        raise NotImplementedError

    @property
    def breaks(self) -> tuple[Violation, ...]:
        """New ones of level error: such a patch is refused."""
        raise NotImplementedError


def consequences(
    store: Store, domain: str, task_id: str, edited: Task, *, layer: Layer = "repair"
) -> Consequences:
    """What an edited task changes against the one in force.

    Args:
        store: The review database; call it outside of a transaction.
        domain: Its name.
        task_id: The task.
        edited: The task after editing: source-language for a repair, localized for a localization.
        layer: Which of the two.

    Raises:
        BadInput: the edited task is no task of this domain; names the address.
        NotFound: no such task.
    """
    raise NotImplementedError


def of_patch(store: Store, stored: StoredPatch) -> Consequences:
    """What a stored patch changes against the base it was written for.

    Raises:
        BaseMoved: its base is not known any more.
    """
    raise NotImplementedError
