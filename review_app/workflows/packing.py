"""Patch packs that are shipped with the app: reviewed files that become approved patches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from review_app.models import Person
from review_app.store import Store
from review_app.workflows.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying a pack did."""

    applied: tuple[str, ...]
    """Names of the patches that are in force now and were not before."""
    known: tuple[str, ...]
    """Those that the project has already, whatever became of them."""
    skipped: Mapping[str, str]
    """Name -> why it does not fit."""
    requeued: int
    """Texts that went back to review."""


def packs() -> list[str]:
    """Names of the packs there are."""
    raise NotImplementedError


def apply_pack(
    store: Store, person: Person, pack: str = "ja", *, progress: Progress = silent
) -> Applied:
    """Put the patches of a pack in force in all imported domains, all or nothing; repeatable.

    Raises:
        NotAllowed: no maintainer.
        NotFound: no such pack.
    """
    raise NotImplementedError
