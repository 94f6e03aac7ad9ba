"""Write the reviewed domains in the benchmark's own layout: complete or absent."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from review_app import __version__
from review_app.core import formats
from review_app.errors import BadInput, ExportBlocked
from review_app.store import Store
from review_app.store.documents import Document
from review_app.workflows import patching, reading
from review_app.workflows.progress import Progress, silent

MANIFEST = "MANIFEST.json"
KEEP = ".gitkeep"
"""Holds an empty folder in git; it may lie in an export folder and stays there."""


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
    require_free(folder)
    with store.read():
        report = ExportReport(str(folder), missing=missing(store, domain))
        if report.missing and not allow_incomplete:
            raise ExportBlocked(report.missing)
        names = [info.name for info in store.documents.domains() if domain in (None, info.name)]
        if not names:
            raise BadInput("nothing is imported yet: import a domain first", domain or "")
        try:
            _build(store, names, folder, report, progress)
        except OSError as error:
            raise BadInput(f"cannot be written ({error.strerror})", str(folder)) from error
    return report


def _build(
    store: Store, names: list[str], folder: Path, report: ExportReport, progress: Progress
) -> None:
    def files() -> Iterator[tuple[str, str]]:
        for name in names:
            yield from _domain_files(store, name, progress)

    manifest = {"app_version": __version__, "complete": not report.missing}
    report.files.update(publish(folder, files(), manifest))


def publish(
    folder: Path, files: Iterable[tuple[str, str]], manifest: Mapping[str, Any]
) -> dict[str, str]:
    """Write files and a manifest beside their place, then put them there: all or nothing.

    Args:
        folder: An earlier export is replaced; see `require_free`.
        files: (place relative to the folder, text) each.
        manifest: What else to say in it; the hashes of the files are added.

    Returns:
        Place to SHA-256.

    Raises:
        OSError: the disk refuses.
        BadInput: a place is outside of the folder.
    """
    written: dict[str, str] = {}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        built = Path(scratch) / "built"
        built.mkdir()
        for place, text in files:
            blob = text.encode("utf-8", "surrogatepass")
            path = built / _inside(place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(blob)
            written[place] = hashlib.sha256(blob).hexdigest()
        whole = json.dumps({**manifest, "files": written}, indent=2, ensure_ascii=False)
        (built / MANIFEST).write_text(whole + "\n", encoding="utf-8")
        if (folder / KEEP).exists():
            (built / KEEP).touch()
        _swap(built, folder, Path(scratch))
    return written


def _inside(place: str) -> str:
    """The place, if it is one below the folder and not the manifest's."""
    parts = Path(place).parts
    if not parts or Path(place).is_absolute() or ".." in parts or parts == (MANIFEST,):
        raise BadInput("is no place inside the folder that is written", place)
    return place


def _domain_files(store: Store, domain: str, progress: Progress) -> Iterator[tuple[str, str]]:
    documents = store.documents.of(domain)
    for number, document in enumerate(documents):
        progress(number, len(documents), f"{domain}/{document.file}")
        place = Path("data") / "tau2" / domain_folder(domain) / document.file
        yield place.as_posix(), render(store, document)
    progress(len(documents), len(documents), domain)


def domain_folder(domain: str) -> Path:
    """Where the benchmark keeps a domain's files, below `data/tau2`."""
    shared = domain == reading.SHARED_GUIDES
    return Path(domain) if shared else Path("domains") / domain


def render(store: Store, document: Document) -> str:
    """A file with the texts in force and approved repairs, as it would be exported."""
    source, draft = store.documents.texts(document.id)
    if document.kind == "task":
        patches = patching.in_force(store, document.domain)
        if draft is not None:
            draft = patching.repaired_draft(draft, source, document.file, patches)
        source = patching.repaired_text(source, document.file, patches)
    targets = {
        text.address: text.target
        for text in store.segments.of_document(document.id)
        if text.target is not None
    }
    fields = reading.domain_fields(document.domain)
    return formats.render(document.file, source, draft, targets, fields)


def require_free(folder: Path) -> None:
    """Raise BadInput if a folder holds something that no export wrote."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput("is a file: name a folder", str(folder))
    inside = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    strange = inside - _written(folder / MANIFEST) - {KEEP}
    if strange:
        raise BadInput(
            f"holds {min(strange)!r}, which no earlier export wrote: name another folder",
            str(folder),
        )


def _written(manifest: Path) -> set[str]:
    """The files that an earlier export wrote, its manifest included; none without one."""
    if not manifest.is_file():
        return set()
    try:
        return {MANIFEST, *json.loads(manifest.read_text(encoding="utf-8"))["files"]}
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("is not a manifest of an export", str(manifest)) from error


def _swap(built: Path, folder: Path, scratch: Path) -> None:
    """Put the finished folder in place of an earlier one."""
    if folder.exists():
        folder.rename(scratch / "old")
    try:
        built.rename(folder)
    except OSError:
        if (scratch / "old").exists():
            (scratch / "old").rename(folder)
        raise
    shutil.rmtree(scratch / "old", ignore_errors=True)
