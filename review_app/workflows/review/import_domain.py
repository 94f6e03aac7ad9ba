"""Import a domain: from the benchmark's files to segments, all or nothing."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from review_app.core import formats
from review_app.core.review import rules
from review_app.errors import BadInput
from review_app.models import SegmentKind, Unaligned, Unit
from review_app.records.project import Project
from review_app.records.review import Document, StoredSegment
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import files as benchmark_files
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.benchmark.files import SourceFolder
from review_app.workflows.review import answers, glossary

HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import.

    Attributes:
        source: A tau2-bench checkout, its `data/tau2`, or a domain folder.
        domain: The domain's name, `airline`.
        draft: A folder with a translation of the same files.
        tools: Tool schemas to use instead of the folder's `tools.json`.
        user_tools: The same for the user's tools.
    """

    source: Path
    domain: str
    draft: Path | None = None
    tools: Path | None = None
    user_tools: Path | None = None


@dataclass
class ImportReport:
    """What an import did, or in a dry run would do.

    Attributes:
        segments: Number of segments by kind, after the import.
        stale: Addresses whose source text changed; they wait for another look.
        kept: Addresses where the new draft differs and a person's text was kept.
        unaligned: What of source and draft has no counterpart, with the reason.
        changed: False if everything was there already and nothing was written.
    """

    domain: str
    files: list[str] = field(default_factory=list)
    segments: dict[str, int] = field(default_factory=dict)
    added: int = 0
    removed: int = 0
    translated: int = 0
    redrafted: int = 0
    stale: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    unaligned: list[Unaligned] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    changed: bool = False
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values, in English."""
        listed = [{**asdict(item), "reason": str(item.reason)} for item in self.unaligned]
        return {**asdict(self), "unaligned": listed}

    def to_row(self) -> dict[str, Any]:
        """The report as plain JSON values to keep: notices as JSON, for `Notice.from_json`."""
        listed = [{**asdict(item), "reason": item.reason.to_json()} for item in self.unaligned]
        return {**asdict(self), "unaligned": listed}


@dataclass(frozen=True)
class _File:
    """One new or changed file: its texts with their hashes, its units, the draft aligned."""

    domain: str
    name: str
    kind: SegmentKind
    source: tuple[str, str]
    draft: tuple[str, str] | None
    units: list[Unit]
    alignment: formats.Alignment


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Spare Python's garbage collector what was parsed: very many live objects, no cycles.

    Looking through them again and again takes a quarter of an import.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_collector_at_rest()
def import_domain(
    store: Store,
    request: ImportRequest,
    *,
    actor: str = "import",
    dry_run: bool = False,
    progress: Progress = silent,
) -> ImportReport:
    """Bring a domain's files in as segments, with the draft's texts as first versions.

    Importing the same files again writes nothing. A changed source marks exactly the segments whose
    text changed; their versions and verdicts stay. A person's text is never replaced by a draft.

    Args:
        store: The review database.
        request: Which files.
        actor: Who imports, for the audit.
        dry_run: Report what would happen and write nothing.
        progress: Told of each file.

    Raises:
        BadInput: naming file and address; the database is as before.
    """
    domain = request.domain
    known = {document.file: document for document in store.documents.of(domain)}
    changes = []
    with formats.read_once():
        found = benchmark_files.read_source(
            request.source, domain, tools=request.tools, user_tools=request.user_tools
        )
        drafted = (
            benchmark_files.read_draft(request.draft, found, domain) if request.draft else None
        )
        for number, name in enumerate(found.files):
            progress(number, len(found.files), name)
            change = _prepare(store, domain, name, found, drafted, known.get(name))
            if change is not None:
                changes.append((number, change))
    report = ImportReport(domain, list(found.files), dry_run=dry_run)
    gone = [known[name] for name in known if name not in found.files]
    _note(report, found, drafted, changes)
    report.changed = bool(changes or gone)
    if report.changed and not dry_run:
        with store.write(actor):
            _write(store, report, changes, gone)
    elif report.changed:
        for _, file in changes:
            _merge(store, report, file, store.documents.find(domain, file.name))
        _retire(store, report, gone)
        report.segments = _count(store, domain, changes, gone)
    else:
        report.segments = _count(store, domain, [], [])
    progress(len(found.files), len(found.files), "")
    return report


def _prepare(
    store: Store,
    domain: str,
    name: str,
    found: SourceFolder,
    drafted: SourceFolder | None,
    known: Document | None,
) -> _File | None:
    """Split one file and align its draft (the one given, else the last one); None if unchanged."""
    source = found.files[name]
    draft = drafted.files.get(name) if drafted else None
    if draft is None and known is not None:
        draft = store.documents.texts(known.id)[1]
    hashed = (source, rules.text_hash(source))
    drafted_hash = (draft, rules.text_hash(draft)) if draft is not None else None
    hashes = (hashed[1], drafted_hash[1] if drafted_hash else None)
    if known and (known.source_hash, known.draft_hash) == hashes:
        return None
    kind, fields = formats.file_kind(name), benchmark_files.domain_fields(domain)
    alignment = formats.Alignment({}, ())
    if draft is not None and kind != "data":
        alignment = formats.align(name, source, draft, fields)
    repairs = tasks_in_force.in_force(store, domain) if kind == "task" else ()
    units = formats.units(name, tasks_in_force.repaired_text(source, name, repairs), fields)
    _require_whole(name, units, alignment)
    return _File(
        domain=domain,
        name=name,
        kind=kind,
        source=hashed,
        draft=drafted_hash,
        units=units,
        alignment=alignment,
    )


def _require_whole(name: str, units: list[Unit], alignment: formats.Alignment) -> None:
    """Refuse half a surrogate pair, which JSON can escape and no database or file can hold."""
    texts = [(unit.address, unit.section + unit.text) for unit in units]
    texts += alignment.pairs.items()
    texts += [(item.address, item.text) for item in alignment.unaligned]
    for address, text in texts:
        half = HALF_PAIR.search(address + text)
        if half:
            place = HALF_PAIR.sub("?", address.partition("#")[2])
            raise BadInput(f"holds half a character, {half.group()!r}: write it whole", name, place)


def _note(
    report: ImportReport,
    found: SourceFolder,
    drafted: SourceFolder | None,
    changes: list[tuple[int, _File]],
) -> None:
    """Say what of the draft was not used, and which files carry no text."""
    for _, file in changes:
        report.unaligned += file.alignment.unaligned
        if file.kind == "database" and not file.units:
            report.notes.append(f"{file.name}: no text fields are known for it, kept as it is")
    if drafted is None:
        return
    for name in sorted(set(drafted.files) - set(found.files)):
        report.notes.append(f"{name}: only in the draft, not imported")
    for _, file in changes:
        if file.units and file.draft is None:
            report.notes.append(f"{file.name}: has no draft, its segments are untranslated")


def _write(
    store: Store, report: ImportReport, changes: list[tuple[int, _File]], gone: list[Document]
) -> None:
    if not store.people.project().name:
        store.people.put_project(Project("J-tau review", "en", "ja"))
    if not store.documents.domains():
        store.terms.add(glossary.shipped_terms(store))
    domain = store.documents.put_domain(report.domain, {})
    for position, file in changes:
        document = store.documents.put(
            domain, file.name, file.kind, position=position, source=file.source, draft=file.draft
        )
        store.documents.put_unaligned(document, file.alignment.unaligned)
        _put(store, _merge(store, report, file, document))
    store.segments.retire(_retire(store, report, gone))
    store.documents.retire([document.id for document in gone])
    store.documents.put_positions(domain, report.files)
    report.segments = _count(store, report.domain, [], [])
    store.documents.put_domain(report.domain, report.to_row())


def follow_repairs(store: Store, domain: str) -> ImportReport:
    """Bring segments in line with the repairs in force, inside the caller's transaction.

    Exactly the texts whose source changes go back to review; where a repair is taken back, the
    earlier verdicts count again.

    Returns:
        What was added, removed and made stale.
    """
    report, repairs = ImportReport(domain), tasks_in_force.in_force(store, domain)
    fields = benchmark_files.domain_fields(domain)
    for document in store.documents.of(domain):
        if document.kind == "task":
            source, _ = store.documents.texts(document.id)
            text = tasks_in_force.repaired_text(source, document.file, repairs)
            units = formats.units(document.file, text, fields)
            _require_whole(document.file, units, formats.Alignment({}))
            file = _File(
                domain=domain,
                name=document.file,
                kind="task",
                source=(source, document.source_hash),
                draft=None,
                units=units,
                alignment=formats.Alignment({}),
            )
            _put(store, _merge(store, report, file, document.id))
    return report


def _put(store: Store, merge: _Merge) -> None:
    store.segments.add(merge.added)
    store.segments.put_source(merge.moved)
    store.segments.retire(merge.retired)
    store.reviews.add_revisions(merge.revisions)
    for segment, target, version in merge.redrafted:
        store.segments.put_target(
            segment, target, version=version, author=None, expected=version - 1
        )
    for segment in merge.review_again:
        answers.refresh_state(store, segment)


def _retire(store: Store, report: ImportReport, gone: list[Document]) -> list[str]:
    """The segments of files that the source no longer has."""
    retired = [s.id for document in gone for s in store.segments.of_document(document.id)]
    report.removed += len(retired)
    report.notes += [f"{document.file}: no longer in the source" for document in gone]
    return retired


@dataclass
class _Merge:
    """Rows to write for one file, in the shapes the store takes."""

    added: list[tuple[Any, ...]] = field(default_factory=list)
    moved: list[tuple[Any, ...]] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    revisions: list[tuple[Any, ...]] = field(default_factory=list)
    redrafted: list[tuple[str, str, int]] = field(default_factory=list)
    review_again: list[str] = field(default_factory=list)


def _merge(store: Store, report: ImportReport, file: _File, document: int | None) -> _Merge:
    """Compare a file's units with its stored segments, by address."""
    stored = store.segments.for_import(document) if document is not None else {}
    merge = _Merge()
    for position, unit in enumerate(file.units):
        source_hash = rules.text_hash(unit.text)
        draft = file.alignment.pairs.get(unit.address)
        report.translated += draft is not None
        old = stored.get(unit.address)
        if old is None:
            _add(merge, file, document, position, unit, source_hash, draft)
            report.added += 1
            continue
        _move(merge, report, old, unit, position, source_hash)
        _redraft(merge, report, old, unit, source_hash, draft)
    present = {unit.address for unit in file.units}
    merge.retired = [
        old.id for address, old in stored.items() if address not in present and old.active
    ]
    report.removed += len(merge.retired)
    return merge


def _add(
    merge: _Merge,
    file: _File,
    document: int | None,
    position: int,
    unit: Unit,
    source_hash: str,
    draft: str | None,
) -> None:
    segment = rules.segment_id(file.domain, file.name, unit.address)
    version, state = (1, "draft") if draft is not None else (0, "untranslated")
    needed = rules.needed_approvals(file.domain, unit.kind)
    merge.added.append(
        (
            segment,
            document,
            unit.address,
            unit.kind,
            unit.section,
            position,
            unit.text,
            source_hash,
            draft,
            version,
            state,
            needed,
        )
    )
    if draft is not None:
        merge.revisions.append((segment, 1, 0, draft, None, "draft", source_hash))


def _move(
    merge: _Merge,
    report: ImportReport,
    old: StoredSegment,
    unit: Unit,
    position: int,
    source_hash: str,
) -> None:
    changed = old.source_hash != source_hash
    recheck = old.recheck
    if changed and old.version:
        back = old.made_for == source_hash
        # Text and verdicts are about this very source: it was changed and changed back.
        recheck = (None if recheck == "source" else recheck) if back else "source"
        if not back:
            report.stale.append(unit.address)
        merge.review_again.append(old.id)
    if changed or not old.active or (old.section, old.position) != (unit.section, position):
        merge.moved.append((unit.section, position, unit.text, source_hash, recheck, old.id))


def _redraft(
    merge: _Merge,
    report: ImportReport,
    old: StoredSegment,
    unit: Unit,
    source_hash: str,
    draft: str | None,
) -> None:
    if draft is None or draft == old.target:
        return
    if old.touched or old.versions != old.version:
        if draft != old.last_draft:
            report.kept.append(unit.address)
        return
    version = old.version + 1
    merge.revisions.append((old.id, version, old.version, draft, None, "draft", source_hash))
    merge.redrafted.append((old.id, draft, version))
    merge.review_again.append(old.id)
    report.redrafted += 1


def _count(
    store: Store, domain: str, planned: list[tuple[int, _File]], gone: list[Document]
) -> dict[str, int]:
    """Segments by kind: what is stored, with the planned files counted anew."""
    files = {file.name for _, file in planned} | {document.file for document in gone}
    counts: Counter[str] = Counter(unit.kind for _, file in planned for unit in file.units)
    for file_name, kind, count in store.documents.counts(domain):
        if file_name not in files:
            counts[kind] += count
    return dict(counts)
