"""Counts of curation: groups of tasks (Table 12), rule hits, flags; and the list of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.patches import Group
from review_app.store import Store
from review_app.store.patches import PatchState
from review_app.workflows.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in the list."""

    task_id: str
    purpose: str
    levels: dict[str, int]
    """Open violations by level; labels and info too."""
    codes: tuple[str, ...]
    group: Group
    patch_state: PatchState | None
    """`proposed` if any patch waits, else that of the newest one."""
    flags: int
    """Open ones."""
    does_nothing_pass: bool
    """An agent that does nothing passes the database part."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What `jtau-review stats --json` says."""

    table12: dict[str, dict[str, int]]
    """Domain -> total, unmodified, repair, both, localization."""
    rule_hits: list[dict[str, Any]]
    """`{code, name, level, domain, before, after}`: tasks hit before and after patches."""
    flags: list[dict[str, Any]]
    """`{domain, state, severity, count, oldest_days, median_days}`."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        raise NotImplementedError


def statistics(
    store: Store, domain: str | None = None, *, progress: Progress = silent
) -> Statistics:
    """Counts of one domain or of all that have tasks."""
    raise NotImplementedError


def task_rows(store: Store, domain: str, *, progress: Progress = silent) -> list[TaskRow]:
    """The tasks of `tasks.json`, in its order."""
    raise NotImplementedError
