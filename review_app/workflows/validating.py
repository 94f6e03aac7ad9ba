"""What the validity rules say about tasks: computed once, kept by content; accepted warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.rules import DomainFacts, Profile, Violation
from review_app.models import Person
from review_app.store import Store
from review_app.store.validations import Acknowledgement
from review_app.workflows.progress import Progress, silent

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """A violation with what people decided about it."""

    violation: Violation
    fingerprint: str
    acknowledged: Acknowledgement | None

    @property
    def open(self) -> bool:
        """Whether somebody has to act: an error, or a warning that nobody accepted."""
        level = self.violation.level
        return level == "error" or (level == "warning" and self.acknowledged is None)


def inspect(
    store: Store,
    domain: str,
    task_id: str | None = None,
    *,
    repaired: bool = True,
    progress: Progress = silent,
) -> dict[str, list[Checked]]:
    """What the rules say about every task of `tasks.json`, or about one of any task file.

    Results are kept, so the second call takes milliseconds. Call it outside of a transaction.

    Args:
        store: The review database.
        domain: Its name.
        task_id: Only this task.
        repaired: With approved repairs; false looks at the tasks as imported.
        progress: Told of each task that is not known yet.

    Returns:
        Task id -> violations, the worst first; tasks without any have an empty list.

    Raises:
        NotFound: no such domain or task.
    """
    raise NotImplementedError


def record(domain: str, checked: Checked) -> dict[str, str]:
    """The JSON record of a violation: code, level, domain, task_id, address, message."""
    raise NotImplementedError


def of_task(store: Store, domain: str, task: Json) -> list[Violation]:
    """What the rules say about a source-language task as somebody edited it; kept as well."""
    raise NotImplementedError


def facts(store: Store, domain: str) -> DomainFacts:
    """What the rules look up in a domain of the source; shared by all who ask."""
    raise NotImplementedError


def profile(store: Store, domain: str) -> Profile:
    """The policy profile in force: the shipped one with the project's own laid over it."""
    raise NotImplementedError


def set_profile(store: Store, person: Person, domain: str, text: str) -> Profile:
    """Lay a project's own TOML over the shipped profile; empty takes it away.

    Raises:
        NotAllowed: no maintainer.
        BadInput: not a profile.
    """
    raise NotImplementedError


def acknowledge(
    store: Store, person: Person, domain: str, violation: Violation, *, reason: str
) -> None:
    """Accept a warning of a task, with a reason.

    Raises:
        ReviewError: no reason; or an error, which nobody can accept.
    """
    raise NotImplementedError


def withdraw(store: Store, person: Person, domain: str, violation: Violation) -> None:
    """Take an acknowledgement back."""
    raise NotImplementedError


def worst(found: Sequence[Checked]) -> str:
    """The highest level among open violations, else among all; empty without any."""
    raise NotImplementedError
