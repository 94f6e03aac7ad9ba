"""Patch packs that are shipped with the app: reviewed files that become approved patches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from review_app.config import data_folder
from review_app.core.tasks.patches import Patch
from review_app.errors import NotAllowed, NotFound
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.curation import NewPatch
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.environments import GoldTask
from review_app.workflows.review import import_domain


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying a pack did."""

    applied: tuple[str, ...] = ()
    """Names of the patches that are in force now and were not before."""
    known: tuple[str, ...] = ()
    """Those that the project has already, whatever became of them."""
    skipped: Mapping[str, Notice] = field(default_factory=dict)
    """Name -> why it does not fit."""
    requeued: int = 0
    """Texts that went back to review."""

    def __add__(self, other: Applied) -> Applied:
        return Applied(
            applied=self.applied + other.applied,
            known=self.known + other.known,
            skipped={**self.skipped, **other.skipped},
            requeued=self.requeued + other.requeued,
        )


def packs() -> list[str]:
    """Names of the packs there are: each is named after the locale of its localizations."""
    return sorted(path.name for path in (data_folder() / "patches").iterdir() if path.is_dir())


def apply_pack(
    store: Store, person: Person, pack: str = "ja", *, progress: Progress = silent
) -> Applied:
    """Put the patches of a pack in force in all imported domains, all or nothing; repeatable.

    The files of a pack were reviewed when they came into the app's repository: that counts as the
    approval, and who applies them as the proposer. The origin of such a patch says so.

    Raises:
        NotAllowed: no maintainer.
        NotFound: no such pack.
    """
    if person.role != "maintainer":
        raise NotAllowed(
            "pack.only_maintainers_apply", "a maintainer has to apply a pack of patches"
        )
    if pack not in (known := packs()):
        raise NotFound(
            "pack.unknown", "no pack {pack!r}; there are: {known!r}", pack=pack, known=tuple(known)
        )
    names = [info.name for info in store.documents.domains()]
    done = Applied()
    with store.write(person.name):
        for number, domain in enumerate(names):
            progress(number, len(names), domain)
            done += _applied(store, person, pack, domain)
    progress(len(names), len(names), "")
    return done


def _applied(store: Store, person: Person, pack: str, domain: str) -> Applied:
    shipped = tasks_in_force.shipped(domain, pack)
    if not shipped:
        return Applied()
    known = [patch.id for patch in shipped if store.patches.named(patch.id) is not None]
    originals, applied = environments.tasks(store, domain), []
    skipped: dict[str, Notice] = {}
    in_force = list(tasks_in_force.in_force(store, domain))
    for patch in shipped:
        if patch.id in known:
            continue
        gold = originals.get(patch.task_id)
        if problem := _misfit(patch, gold, in_force):
            skipped[patch.id] = problem
            continue
        locale = pack if patch.layer == "localization" else ""
        added = store.patches.add(
            NewPatch(patch=patch, locale=locale, proposer_id=person.id, origin=f"pack {pack}")
        )
        store.patches.decide(added, "approved", person=None, expected_version=1)
        in_force.append(patch)
        applied.append(patch.id)
    requeued = import_domain.follow_repairs(store, domain).stale if applied else []
    return Applied(
        applied=tuple(applied), known=tuple(known), skipped=skipped, requeued=len(requeued)
    )


def _misfit(patch: Patch, gold: GoldTask | None, in_force: list[Patch]) -> Notice | None:
    """Why a patch cannot be applied; None if it can."""
    if gold is None:
        return Notice("pack.no_task", "there is no such task")
    fitting = tasks_in_force.fitting(gold.task, [*in_force, patch])
    if any(applied.id == patch.id for applied in fitting):
        return None
    return Notice(
        "pack.other_version",
        "written for another version of the task (base {base})",
        base=patch.base_hash[:12],
    )
