"""People, the sample project, backup, restore and the health of the database."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from review_app.config import data_folder, data_text
from review_app.core.tasks.patch_files import patches_from_json
from review_app.errors import BadInput, ReviewError
from review_app.models import Person, PersonRole
from review_app.notices import Notice
from review_app.records.project import Project
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.curation import patches as curation_patches
from review_app.workflows.curation import validity
from review_app.workflows.review import glossary, import_domain
from review_app.workflows.review.import_domain import ImportRequest


def add_person(store: Store, name: str, role: PersonRole, *, actor: str = "setup") -> Person:
    """Add somebody to the project.

    Raises:
        ReviewError: no name, or one that is taken.
    """
    name = name.strip()
    if not name:
        raise ReviewError("people.name_missing", "a person needs a name")
    if any(person.name == name for person in store.people.all()):
        raise ReviewError("people.name_taken", "{name!r} is there already", name=name)
    with store.write(actor):
        return Person(store.people.add(name, role), name, role)


def change_person(
    store: Store, person: Person, *, role: PersonRole, active: bool, actor: str = "setup"
) -> Person:
    """Give somebody another role, or take them out of the queue; what they did stays."""
    changed = replace(person, role=role, active=active)
    with store.write(actor):
        store.people.put(changed)
    return changed


def set_project(store: Store, project: Project, *, actor: str = "setup") -> None:
    """Name the project and its languages."""
    with store.write(actor):
        store.people.put_project(project)


def make_sample(path: Path, *, progress: Progress = silent) -> None:
    """Fill a new or empty database with the sample project, all or nothing.

    The sample is made in another file and copied into place as one transaction: an interrupted
    start can be made again. People who are there already stay.

    Raises:
        ReviewError: the database has domains; it is as before.
    """
    with tempfile.TemporaryDirectory(prefix="jtau-sample-") as scratch:
        candidate = Path(scratch) / "sample.db"
        if path.exists():
            Store(path).close()  # refuses what is no review database
            Store.copy(path, candidate)
        store = Store(candidate)
        try:
            load_sample(store, progress=progress)
        finally:
            store.close()
        Store.copy(candidate, path)


def load_sample(store: Store, *, progress: Progress = silent) -> None:
    """Fill an empty database with the sample project, ready to review; see `make_sample`.

    Raises:
        ReviewError: the database is not empty.
    """
    if store.documents.domains():
        raise ReviewError(
            "project.not_empty", "the database has domains already: the sample needs an empty one"
        )
    sample = data_folder() / "sample"
    with store.write("sample"):
        store.people.put_project(Project("Sample", "en", "ja"))
        store.terms.add(glossary.shipped_terms(store))
    known = {person.name for person in store.people.all()}
    for entry in json.loads(data_text("sample", "people.json")):
        if entry["name"] not in known:
            add_person(store, entry["name"], entry["role"], actor="sample")
    for folder in sorted((sample / "draft_ja").iterdir()):
        request = ImportRequest(sample / "tau2", folder.name, draft=folder)
        import_domain.import_domain(
            store, request, actor="sample", progress=progress, checking=progress, indexing=progress
        )
    propose_sample_patches(store)


def propose_sample_patches(store: Store) -> None:
    """Tell the rules what the sample's policies say, and propose a repair of each broken task."""
    with store.write("sample"):
        for path in sorted((data_folder() / "sample" / "rules").glob("*.toml")):
            validity.put_profile(store, path.stem, path.read_text(encoding="utf-8"))
    patches = patches_from_json(data_text("sample", "patches.json"), "data/sample/patches.json")
    proposer = next(person for person in store.people.all() if person.active)
    curation_patches.file_proposals(store, proposer, patches)


def back_up(store: Store, target: Path) -> None:
    """Write a consistent copy of the database while others work."""
    store.back_up(target)


def restore(path: Path, backup: Path) -> Path | None:
    """Put a backup in place of the database; returns where the state before was saved.

    Works while the app runs: readers see the old state until the new one is complete.

    Raises:
        BadInput: the backup is no sound review database; nothing was changed.
    """
    if not backup.is_file():
        raise BadInput(Notice("database.no_backup", "there is no such backup"), str(backup))
    with tempfile.TemporaryDirectory(prefix="jtau-restore-") as scratch:
        candidate = Path(scratch) / backup.name
        Store.copy(backup, candidate)  # opening it may migrate it: the backup stays as it is
        problems = examine(candidate)
        if problems:
            damaged = Notice(
                "database.damaged",
                "is damaged ({problem}): take another backup",
                problem=problems[0],
            )
            raise BadInput(damaged, str(backup))
        before: Path | None = None
        if path.exists():
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
            before = path.with_name(f"{path.name}.before-restore-{stamp}")
            Store.copy(path, before)
        Store.copy(candidate, path)
    return before


def examine(path: Path) -> list[Notice]:
    """What is wrong with a database file; empty if it is sound."""
    store = Store(path, create=False)
    try:
        return store.problems()
    finally:
        store.close()
