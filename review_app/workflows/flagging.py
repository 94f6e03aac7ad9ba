"""Flags on tasks: raise, triage, own, discuss, close by two people; exchange with the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from review_app.core.tasks.patches import Kind
from review_app.models import Person
from review_app.store import Store
from review_app.store.flags import Flag, NewFlag, Outcome, Remark


@dataclass(frozen=True, slots=True)
class FlagCard:
    """A flag with what was said."""

    flag: Flag
    remarks: tuple[Remark, ...]
    votes: Mapping[int, Outcome]
    """Person -> how they would close it, since it was opened last."""
    needed: int
    """How many must agree: 2 from severity 2 up."""


def raise_flag(store: Store, person: Person, new: NewFlag) -> Flag:
    """Flag a task.

    Raises:
        ReviewError: no title.
        NotFound: no such task.
    """
    raise NotImplementedError


def triage(
    store: Store, person: Person, flag: Flag, *, kind: Kind, severity: int, owner: Person | None
) -> Flag:
    """Say what is wrong, how badly, and who takes care.

    Raises:
        NotAllowed: no maintainer.
        StaleEdit: somebody changed it meanwhile.
    """
    raise NotImplementedError


def own(store: Store, person: Person, flag: Flag, owner: Person | None) -> Flag:
    """Give a flag to somebody, or to nobody."""
    raise NotImplementedError


def comment(store: Store, person: Person, flag_id: int, body: str) -> int:
    """Say something about a flag."""
    raise NotImplementedError


def close(store: Store, person: Person, flag: Flag, outcome: Outcome, *, reason: str) -> Flag:
    """Close a flag, or vote for it: from severity 2 up a second person has to say the same.

    Raises:
        NotAllowed: no maintainer.
        ReviewError: no reason, or closed already.
    """
    raise NotImplementedError


def reopen(store: Store, person: Person, flag: Flag, *, reason: str) -> Flag:
    """Open a closed flag again."""
    raise NotImplementedError


def card(store: Store, flag_id: int) -> FlagCard:
    """A flag with its discussion."""
    raise NotImplementedError


def import_issues(store: Store, person: Person, domain: str) -> list[Flag]:
    """Make flags of the `issues` that imported tasks carry; those known already stay."""
    raise NotImplementedError


def with_issues(store: Store, domain: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """A task with its flags as the benchmark's `issues`; unchanged if it has neither.

    Nobody's e-mail address is written.
    """
    raise NotImplementedError
