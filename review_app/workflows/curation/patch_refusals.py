"""Why a patch is not saved: the task changed since it was written, or it would break a rule."""

from __future__ import annotations

from collections.abc import Sequence

from review_app.core.tasks.merge import MergeConflict
from review_app.core.tasks.operations import Task
from review_app.core.validity import RuleViolation
from review_app.errors import ReviewError
from review_app.workflows.curation import validity


class BaseMoved(ReviewError):
    """The task changed since the patch was written. Nothing was saved.

    Args:
        name: Of the patch or the task.
        base: The task both started from; None if it is not known any more.
        theirs: The task in force.
        mine: The task as the patch would make it of `base`; None if that cannot be said.
        conflicts: Places that both changed differently. Empty with a known base: what I changed can
            be made again on theirs.
    """

    def __init__(
        self,
        name: str,
        base: Task | None,
        theirs: Task,
        mine: Task | None,
        conflicts: Sequence[MergeConflict],
    ) -> None:
        super().__init__(
            "patch.base_moved",
            "{name}: the task changed since this was written; compare the three versions and "
            "propose it again",
            name=name,
        )
        self.base, self.theirs, self.mine = base, theirs, mine
        self.conflicts = tuple(conflicts)


class BreaksRules(ReviewError):
    """A patch would make an error-level rule fire that does not now. Nothing was saved."""

    def __init__(self, name: str, violations: Sequence[RuleViolation]) -> None:
        super().__init__(
            "patch.breaks_rules",
            "{name} breaks a rule: {violation} ({count} in all); "
            "change the patch so that no new error is left",
            name=name,
            violation=validity.code_and_message(violations[0]),
            count=len(violations),
        )
        self.violations = tuple(violations)
