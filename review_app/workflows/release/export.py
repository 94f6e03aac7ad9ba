"""Write the reviewed domains in the benchmark's own layout: complete or absent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from review_app import __version__
from review_app.core import formats
from review_app.errors import BadInput, ExportBlocked
from review_app.notices import Notice
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import files as benchmark_files
from review_app.workflows.benchmark import folder_swap, tasks_in_force


@dataclass(frozen=True)
class ExportReport:
    """What was written.

    Attributes:
        folder: Where.
        files: File name, relative to the folder, to its SHA-256.
        missing: One line for each segment that was not approved: address and state.
    """

    folder: str
    files: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def missing(store: Store, domain: str | None = None) -> list[str]:
    """What is not ready, one line each: address, then the state it is in."""
    return [
        f"{text.domain}/{text.address}: {text.state}"
        for text in store.segments.all(domain)
        if text.state != "approved"
    ]


def export(
    store: Store,
    folder: Path,
    *,
    domain: str | None = None,
    allow_incomplete: bool = False,
    progress: Progress = silent,
) -> ExportReport:
    """Write every domain, or one, under `folder`/data/tau2, as one state of the database.

    Approved texts are written; with `allow_incomplete` also those still in review, and the source
    where there is no text yet. Structure, unknown keys and everything that is no text stay as in
    the imported draft, or in the source where there is none.

    Raises:
        ExportBlocked: something is not approved.
        BadInput: the folder holds something else than an earlier export, or cannot be written;
            nothing was written.
    """
    folder_swap.require_free(folder)
    with store.read():
        report = ExportReport(str(folder), missing=missing(store, domain))
        if report.missing and not allow_incomplete:
            raise ExportBlocked(report.missing)
        names = [info.name for info in store.documents.domains() if domain in (None, info.name)]
        if not names:
            problem = Notice(
                "export.nothing_imported", "nothing is imported yet: import a domain first"
            )
            raise BadInput(problem, domain or "")
        try:
            _build(store, names, folder, report, progress)
        except OSError as error:
            problem = Notice(
                "export.unwritable", "cannot be written ({problem})", problem=error.strerror
            )
            raise BadInput(problem, str(folder)) from error
    return report


def _build(
    store: Store, names: list[str], folder: Path, report: ExportReport, progress: Progress
) -> None:
    def files() -> Iterator[tuple[str, str]]:
        for name in names:
            yield from _domain_files(store, name, progress)

    manifest = {"app_version": __version__, "complete": not report.missing}
    report.files.update(folder_swap.publish(folder, files(), manifest))


def _domain_files(store: Store, domain: str, progress: Progress) -> Iterator[tuple[str, str]]:
    documents = store.documents.of(domain)
    for number, document in enumerate(documents):
        progress(number, len(documents), f"{domain}/{document.file}")
        place = Path("data") / "tau2" / benchmark_files.domain_place(domain) / document.file
        yield place.as_posix(), render(store, document)
    progress(len(documents), len(documents), domain)


def render(store: Store, document: Document) -> str:
    """A file with the texts in force and approved repairs, as it would be exported."""
    source, draft = store.documents.texts(document.id)
    if document.kind == "task":
        patches = tasks_in_force.in_force(store, document.domain)
        if draft is not None:
            draft = tasks_in_force.repaired_draft(draft, source, document.file, patches)
        source = tasks_in_force.repaired_text(source, document.file, patches)
    targets = {
        text.address: text.target
        for text in store.segments.of_document(document.id)
        if text.target is not None
    }
    fields = benchmark_files.domain_fields(document.domain)
    return formats.render(document.file, source, draft, targets, fields)
