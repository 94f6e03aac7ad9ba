"""A release built in the background: it takes half a minute, and the browser may close."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from review_app.models import Person
from review_app.notices import Notice
from review_app.records.project import Job
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.release import build
from review_app.workflows.release.build import BuildOrder, Built
from review_app.workflows.release.gates import ReleaseBlocked, ReleaseCheck

KIND = "release"
_KEPT = ("name", "variant", "note", "allow_incomplete", "with_names")
"""What of an order a job keeps as it is; it builds beside the database that it is a job of."""


def exports(store: Store) -> Path:
    """The folder that holds the releases of a project: beside its database."""
    return store.path.resolve().parent / "exports"


def start(
    store: Store,
    person: Person,
    order: BuildOrder,
    *,
    check: ReleaseCheck | None = None,
    dry_run: bool = False,
) -> int:
    """Start to build a release; returns the job's id. How it ends stands in the job's row.

    Args:
        store: The review database.
        person: A maintainer.
        order: What and where.
        check: What the person has before them, to be refused at once; the job checks by itself.
        dry_run: Make every file and write none.

    Raises:
        NotAllowed: no maintainer.
        BadInput: the name may not be one, or its folder holds something else.
        ReleaseBlocked: the check says so, and nothing changed since.
        ReviewError: another release is being built.
    """
    build.free_folder(order)
    is_known = check is not None and check.revision == store.releases.revision()
    if check is not None and is_known and not check.ready and not order.allow_incomplete:
        raise ReleaseBlocked(check)
    params: dict[str, object] = {name: getattr(order, name) for name in _KEPT}
    params |= {"domains": list(order.domains), "dry_run": dry_run}
    return jobs.start(store, person, KIND, params=params)


def run_job(store: Store, job: Job, reporter: Reporter) -> None:
    """Build what a job says; its last words are how many files there are, and what is missing."""

    def progress(done: int, total: int, what: str | Notice) -> None:
        reporter.progress(done, total, what)
        reporter.stop_if_cancelled()

    assert job.started_by is not None
    person, order = store.people.get(job.started_by), _order(store, job.params)
    is_dry = bool(job.params["dry_run"])
    reporter.progress(
        1, 1, _outcome(build.build(store, person, order, dry_run=is_dry, progress=progress))
    )


def _order(store: Store, params: Mapping[str, Any]) -> BuildOrder:
    kept = {name: params[name] for name in _KEPT}
    return BuildOrder(out=exports(store), domains=tuple(params["domains"]), **kept)


def _outcome(built: Built) -> Notice:
    count = len(built.manifest["files"])
    missing = sum(built.check.counts.values())
    if built.release is None:
        return Notice(
            "release.would_write",
            "{count:,} files would be written in {folder}; {missing:,} places block",
            count=count,
            folder=built.folder,
            missing=missing,
        )
    return Notice(
        "release.written",
        "{count:,} files are in {folder}; {missing:,} places blocked",
        count=count,
        folder=built.folder,
        missing=missing,
    )
