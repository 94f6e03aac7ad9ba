"""Build a release: gates, one state of the project, a folder complete or absent, a row about it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review_app import __version__
from review_app.core.localize.variants import DEFAULT
from review_app.errors import BadInput, NotAllowed, ReviewError
from review_app.models import Person
from review_app.records.release import NewRelease, Release
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.localization import domain_files
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.localization.entity_files import unwritable
from review_app.workflows.release import (
    card,
    domains,
    gates,
    names,
    plugin,
    record,
    task_changes,
    upstream,
)
from review_app.workflows.release.gates import ReleaseBlocked, ReleaseCheck
from review_app.workflows.release.snapshot import NOT_THERE, File, Snapshot

Part = Callable[[Snapshot], Iterator[File]]


def _plugin(snapshot: Snapshot) -> Iterator[File]:
    """What lets the benchmark's own command play a localized edition."""
    if snapshot.locale != snapshot.store.people.project().source_locale:
        yield from plugin.plugin_files(snapshot.derived)


PARTS: tuple[Part, ...] = (
    domains.domains,
    domains.guides,
    domains.outcomes,
    _plugin,
    record.glossaries,
    record.entity_tables,
    record.review_record,
    task_changes.task_changes,
    upstream.upstream,
    record.statistics,
    card.licences,
    card.card,
    card.croissant,
)
"""What a release consists of, in the order of writing; the last one lists the files before it."""


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """What to build."""

    name: str
    out: Path
    """The folder that holds the releases."""
    domains: tuple[str, ...] = ()
    """All that can be localized if none is named."""
    variant: str = DEFAULT
    note: str = ""
    allow_incomplete: bool = False
    with_names: bool = False


@dataclass(frozen=True, slots=True)
class Built:
    """What was built, or in a dry run would be."""

    folder: str
    check: ReleaseCheck
    manifest: Mapping[str, Any]
    release: Release | None
    """None in a dry run."""


def build(
    store: Store,
    person: Person,
    order: BuildOrder,
    *,
    dry_run: bool = False,
    progress: Progress = silent,
) -> Built:
    """Write a release, complete or not at all; the same state of the project gives the same bytes.

    Call it outside of a transaction.

    Args:
        store: The review database.
        person: A maintainer.
        order: What and where.
        dry_run: Make every file and write none.
        progress: Told of checks, tasks and files.

    Raises:
        NotAllowed: no maintainer.
        BadInput: the name may not be one, or the folder cannot be written.
        ReleaseBlocked: something blocks it, and the order does not allow for that.
        ReviewError: a signed release would be replaced, or somebody changed the project meanwhile.
    """
    if person.role != "maintainer":
        raise NotAllowed("release.only_maintainers", "a maintainer has to build a release")
    folder = free_folder(order)
    check = gates.check(store, order.domains, variant=order.variant, progress=progress)
    if not check.ready and not order.allow_incomplete:
        raise ReleaseBlocked(check)
    with store.read():
        snapshot = _snapshot(store, order, check, progress)
        manifest = _manifest(snapshot)
        _require_unsigned(store, order.name, manifest)
        if dry_run:
            for _ in _files(snapshot):
                pass
            whole = {**manifest, "files": snapshot.files}
            return Built(folder=str(folder), check=check, manifest=whole, release=None)
        try:
            files = folder_swap.publish(folder, _files(snapshot), manifest)
        except OSError as error:
            raise BadInput(unwritable(error), str(folder)) from error
    whole = {**manifest, "files": files}
    release = _registered(store, person, order, folder, whole)
    return Built(folder=str(folder), check=check, manifest=whole, release=release)


def manifest_hash(folder: Path) -> str:
    """SHA-256 of the manifest of a release, which has those of all its files."""
    try:
        return hashlib.sha256((folder / folder_swap.MANIFEST).read_bytes()).hexdigest()
    except OSError as error:
        raise BadInput(NOT_THERE, str(folder)) from error


def free_folder(order: BuildOrder) -> Path:
    """The folder of the release, if it is free or holds an earlier one.

    Raises:
        BadInput: it holds something else, or the name may not be one.
    """
    try:
        folder = names.folder_of(order.out, order.name)
        folder_swap.require_free(folder)
    except OSError as error:
        raise BadInput(unwritable(error), str(order.out)) from error
    return folder


def _snapshot(store: Store, order: BuildOrder, check: ReleaseCheck, progress: Progress) -> Snapshot:
    revision = store.releases.revision()
    if revision != check.revision:
        raise ReviewError(
            "release.changed_meanwhile",
            "somebody changed the project while it was checked: build again",
        )
    choice = DerivationChoice(order.variant)
    return Snapshot(
        store=store,
        name=order.name,
        note=order.note,
        revision=revision,
        check=check,
        derived=tuple(Derived(store, domain, choice) for domain in check.domains),
        with_names=order.with_names,
        progress=progress,
    )


def _files(snapshot: Snapshot) -> Iterator[File]:
    for part in PARTS:
        yield from snapshot.noted(part(snapshot))


def _manifest(snapshot: Snapshot) -> dict[str, Any]:
    """What MANIFEST.json says beside the hashes; `origins` fills while files are written."""
    infos = {info.name: info for info in snapshot.store.documents.domains()}
    return {
        "release": snapshot.name,
        "note": snapshot.note,
        "app_version": __version__,
        "revision": {"number": snapshot.revision.number, "at": snapshot.revision.at},
        "recipe": domain_files.recipe(snapshot.first),
        "locale": snapshot.locale,
        "complete": snapshot.check.ready,
        "missing": snapshot.check.counts,
        "blockers": [
            {
                "gate": gate.name,
                "place": blocker.place,
                "note": snapshot.without_names(str(blocker.note)),
            }
            for gate in snapshot.check.gates
            for blocker in gate.blockers
        ],
        "accepted_warnings": [
            {
                "domain": warning.domain,
                "task_id": warning.task_id,
                "code": warning.code,
                "reason": snapshot.without_names(warning.reason),
            }
            for warning in snapshot.check.accepted
        ],
        "domains": {
            derived.domain: {
                "name": snapshot.domain_name(derived.domain),
                "commit": infos[derived.domain].report.get("commit"),
                "sources": domain_files.sources(derived),
                "stand_ins": [] if derived.variant.is_source else derived.stand_ins(),
            }
            for derived in snapshot.derived
        },
        "origins": snapshot.origins,
    }


def _require_unsigned(store: Store, name: str, manifest: Mapping[str, Any]) -> None:
    """Refuse to put another content in place of a release that two people signed."""
    earlier = store.releases.named(name)
    if earlier is None or not earlier.signed:
        return
    same = (manifest["revision"]["number"], manifest["recipe"], list(manifest["domains"]))
    if same != (earlier.revision, dict(earlier.recipe), list(earlier.domains)):
        raise ReviewError(
            "release.signed_already",
            "{name!r} is signed: choose another name for what changed since",
            name=name,
        )


def _registered(
    store: Store, person: Person, order: BuildOrder, folder: Path, manifest: Mapping[str, Any]
) -> Release:
    """The row about a release; the same content again keeps its row, and so its signatures."""
    content = manifest_hash(folder)
    with store.write(person.name):
        earlier = store.releases.named(order.name)
        where = str(folder.resolve())
        if earlier is None or (earlier.manifest_hash, earlier.folder) != (content, where):
            store.releases.add(
                NewRelease(
                    name=order.name,
                    note=order.note,
                    revision=manifest["revision"]["number"],
                    recipe=manifest["recipe"],
                    domains=tuple(manifest["domains"]),
                    manifest_hash=content,
                    complete=bool(manifest["complete"]),
                    folder=where,
                    built_by=person.id,
                )
            )
        release = store.releases.named(order.name)
    assert release is not None
    return release
