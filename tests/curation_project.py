"""A sample project under curation: made once, copied for every test; and edits of its tasks."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from review_app.models import Person
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import patches
from review_app.workflows.curation.patches import Proposal
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

Json = dict[str, Any]
SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
PEOPLE = {"Aoi": "annotator", "Ren": "maintainer", "Mila": "maintainer"}


def make_project(folder: Path) -> Path:
    """The whole sample with its draft, people and proposed patches."""
    path = folder / "sample.db"
    store = Store(path)
    for name, role in PEOPLE.items():
        project.add_person(store, name, role)  # type: ignore[arg-type]
    for domain in ("airline", "retail", "telecom"):
        request = ImportRequest(SAMPLE / "tau2", domain, draft=SAMPLE / "draft_ja" / domain)
        import_domain.import_domain(store, request)
    project.propose_sample_patches(store)
    store.close()
    return path


def people(store: Store) -> tuple[Person, Person, Person]:
    """An annotator and the two maintainers."""
    return tuple(map(store.people.named, PEOPLE))  # type: ignore[return-value]


def edited(store: Store, domain: str, task_id: str, change: Callable[[Json], object]) -> Json:
    """A task in force after a change made in place."""
    task: Json = copy.deepcopy(patches.task(store, domain, task_id))
    change(task)
    return task


def proposal(
    store: Store, domain: str, task_id: str, change: Callable[[Json], object], **more: Any
) -> Proposal:
    """A repair of a task by a change made in place."""
    return Proposal(
        domain,
        task_id,
        "repair",
        "wrong_gold",
        "for the test",
        patches.base_hash(store, domain, task_id),
        edited=edited(store, domain, task_id, change),
        **more,
    )


def say(text: str) -> Callable[[Json], object]:
    """A change of what the user is told to do."""
    return lambda task: task["user_scenario"]["instructions"].update(task_instructions=text)


def waiting(store: Store, name: str) -> int:
    """The number of a stored patch."""
    stored = store.patches.named(name)
    assert stored is not None
    return stored.id
