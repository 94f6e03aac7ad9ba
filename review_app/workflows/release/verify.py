"""Whether a release is what it says: its bytes, its form, its gold actions, its proof.

A check says what is wrong, or why it could not be made. `CHECKS` has all of them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from review_app.core.envs import Environment, environment_class, open_environment
from review_app.core.formats.structured import parse_structured
from review_app.core.localize.variants import chosen, mixed_pack
from review_app.core.tasks.replay import replay_task
from review_app.errors import BadInput
from review_app.notices import Notice
from review_app.records.release import ProjectRevision
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, folder_swap
from review_app.workflows.benchmark.files import SHARED_GUIDES, read_text
from review_app.workflows.localization import derived_domain, entities, proof
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.release import domains, export
from review_app.workflows.release.snapshot import NOT_THERE, TAU2, UNREADABLE, unreadable
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

Problems = Iterator[Notice | str]


class NotChecked(Exception):
    """A check cannot be made here; carries why."""

    def __init__(self, why: Notice) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True)
class ReleaseFolder:
    """A release on disk, and the project that it may be of."""

    path: Path
    store: Store | None
    progress: Progress = silent

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What it says of itself."""
        return folder_swap.manifest(self.path)

    @property
    def domains(self) -> dict[str, Path]:
        """Domain of the source -> folder of the localized one."""
        root = self.path / TAU2 / "domains"
        stated = self.manifest["domains"].items()
        return {domain: root / Path(str(about["name"])).name for domain, about in stated}

    @property
    def choice(self) -> DerivationChoice:
        """How it was derived."""
        recipe = self.manifest["recipe"]
        return DerivationChoice(
            variant=recipe["variant"],
            locale=recipe["locale"],
            seed=recipe["seed"],
            use=recipe["texts"],
            assertions=recipe["assertions"],
        )


@dataclass(frozen=True, slots=True)
class Examined:
    """What one check says."""

    name: str
    title: Notice
    problems: tuple[Notice | str, ...]
    not_checked: Notice | None = None
    """Why the check was not made."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, as far as it was checked."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Verification:
    """What all checks say of a release."""

    folder: str
    checks: tuple[Examined, ...]

    @property
    def ok(self) -> bool:
        """Whether no check found a problem."""
        return all(check.ok for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes."""
        return {
            "folder": self.folder,
            "ok": self.ok,
            "checks": [
                {
                    "name": check.name,
                    "title": str(check.title),
                    "ok": check.ok,
                    "problems": list(map(str, check.problems)),
                    "not_checked": None if check.not_checked is None else str(check.not_checked),
                }
                for check in self.checks
            ],
        }


def verify(
    folder: Path, store: Store | None = None, *, progress: Progress = silent
) -> Verification:
    """Whether a release is whole, well-formed, playable and proved.

    Args:
        folder: The release.
        store: The project's database; without it, or at another revision, nothing is proved anew.
        progress: Told of each check and of what it looks at.

    Raises:
        BadInput: the folder is no release.
    """
    release = ReleaseFolder(folder, store, progress)
    if not release.manifest:
        raise BadInput(NOT_THERE, str(folder))
    try:
        _ = release.domains, release.choice, release.manifest["revision"]
    except UNREADABLE as error:
        raise BadInput(unreadable(error), str(folder / folder_swap.MANIFEST)) from error
    checks = []
    for at, (name, (title, check)) in enumerate(CHECKS.items()):
        progress(at, len(CHECKS), title)
        checks.append(_examined(name, title, check, release))
    progress(len(CHECKS), len(CHECKS), "")
    return Verification(str(folder), tuple(checks))


def _examined(
    name: str, title: Notice, check: Callable[[ReleaseFolder], Problems], release: ReleaseFolder
) -> Examined:
    """What a check says; what it cannot read is a problem like any other."""
    problems: list[Notice | str] = []
    why = None
    try:
        problems.extend(check(release))
    except BadInput as error:
        problems.append(error.notice)
    except UNREADABLE as error:
        problems.append(unreadable(error))
    except NotChecked as reason:
        why = reason.why
    return Examined(name=name, title=title, problems=tuple(problems), not_checked=why)


def _checksums(release: ReleaseFolder) -> Problems:
    yield from folder_swap.damage(release.path)


def _form(release: ReleaseFolder) -> Problems:
    """Import everything into a new database: nothing is lost, and a second time changes nothing."""
    guides = release.path / TAU2 / SHARED_GUIDES
    folders = dict(release.domains) | ({SHARED_GUIDES: guides} if guides.is_dir() else {})
    with tempfile.TemporaryDirectory(prefix="jtau-verify-") as scratch:
        store = Store(Path(scratch) / "verify.db")
        try:
            for domain, folder in folders.items():
                yield from _imported(store, domain, folder, release.progress)
        finally:
            store.close()


def _imported(store: Store, domain: str, folder: Path, progress: Progress) -> Problems:
    request = ImportRequest(folder, domain)
    try:
        import_domain.import_domain(store, request, progress=progress)
        again = import_domain.import_domain(store, request, dry_run=True)
    except BadInput as error:
        yield error.notice
        return
    for document in store.documents.of(domain):
        path = folder / document.file
        if export.render(store, document) != read_text(path, folder):
            yield Notice(
                "release.not_the_same",
                "{file}: comes back otherwise after an import",
                file=str(path),
            )
    if again.changed:
        yield Notice(
            "release.import_twice", "{domain}: a second import changes something", domain=domain
        )


def _gold(release: ReleaseFolder) -> Problems:
    """Replay the gold actions of every task, and compare with the record in the release."""
    stated = _json(release.path / domains.OUTCOMES)
    for domain, folder in release.domains.items():
        record = stated.get(folder.name, {})
        tasks = _json(folder / environments.TASKS)
        if record.keys() != {str(task["id"]) for task in tasks}:
            yield Notice(
                "release.other_tasks",
                "{domain}: the record of outcomes is of other tasks",
                domain=folder.name,
            )
        opened = _opener(release, domain, folder)
        for at, task in enumerate(tasks):
            release.progress(at, len(tasks), f"{folder.name}/{task['id']}")
            if domains.outcome(replay_task(opened(), task)) != record.get(str(task["id"])):
                yield Notice(
                    "release.other_outcome",
                    "{task}: its gold actions do something else than is recorded",
                    task=f"{folder.name}/{task['id']}",
                )


def _opener(release: ReleaseFolder, domain: str, folder: Path) -> Callable[[], Environment]:
    """What opens fresh environments of a domain of the release."""
    choice, kind = release.choice, environment_class(domain)
    locale = entities.locale(choice.locale or "")
    recipe = chosen(derived_domain.variants(), choice.variant)
    source = entities.source_pack(domain)
    pack = mixed_pack(source, entities.pack(domain, locale.name), recipe, locale.money)
    state = environments.loaded(kind.load, _database(folder, environments.DATABASES), pack)
    user = _database(folder, environments.USER_DATABASES)
    user_state = None if user is None else environments.loaded(kind.load_user, user, pack)
    return lambda: open_environment(domain, state, pack, user_state)


def _database(folder: Path, names: tuple[str, ...]) -> Any:
    for name in names:
        if (folder / name).is_file():
            return parse_structured(name, read_text(folder / name, folder))
    return None


def _proved(release: ReleaseFolder) -> Problems:
    """The square and what is left over, where the project still is what it was then."""
    store = release.store
    stated = release.manifest["revision"]
    if store is None or store.releases.revision() != ProjectRevision(
        stated["number"], stated["at"]
    ):
        raise NotChecked(
            Notice(
                "release.other_project", "the project is not here, or not as it was at the release"
            )
        )
    for domain in release.domains:
        proven = proof.verify(store, domain, release.choice, progress=release.progress)
        for violation in proven.violations:
            if violation.severity == "error":
                place = f"{domain} {violation.record} {violation.field}".rstrip()
                yield f"{place}: {violation.code} {violation.message}"


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path, path.parent))
    except (ValueError, RecursionError) as error:
        raise BadInput(Notice("release.not_json", "is not JSON"), str(path)) from error


CHECKS: Mapping[str, tuple[Notice, Callable[[ReleaseFolder], Problems]]] = {
    "checksums": (Notice("release.check_checksums", "every file is as it was written"), _checksums),
    "form": (Notice("release.check_form", "every file can be imported and comes back"), _form),
    "gold": (Notice("release.check_gold", "gold actions do what is recorded"), _gold),
    "proof": (Notice("release.check_proof", "localizing commutes with replaying"), _proved),
}
"""Every check by its name, in order; a check of what the plugin does is one more line here."""
