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
from review_app.models import Unaligned, Unit
from review_app.notices import Notice
from review_app.records.project import Project
from review_app.records.release import SideFile
from review_app.records.review import Document
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import database_types, side_files, source_commit, tasks_in_force
from review_app.workflows.benchmark import files as benchmark_files
from review_app.workflows.benchmark.files import SourceFolder
from review_app.workflows.review import checks, glossary, segment_merge
from review_app.workflows.review.segment_merge import FileTexts, SegmentMerge

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
        with_guides: Whether the user simulator's guidelines come along, if they lie beside.
    """

    source: Path
    domain: str
    draft: Path | None = None
    tools: Path | None = None
    user_tools: Path | None = None
    with_guides: bool = False


@dataclass
class ImportReport:
    """What an import did, or in a dry run would do.

    Attributes:
        segments: Number of segments by kind, after the import.
        stale: Addresses whose source text changed; they wait for another look.
        kept: Addresses where the new draft differs and a person's text was kept.
        unaligned: What of source and draft has no counterpart, with the reason.
        changed: False if everything was there already and nothing was written.
        guides: The same of the user simulator's guidelines, where they came along and changed.
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
    notes: list[Notice] = field(default_factory=list)
    changed: bool = False
    dry_run: bool = False
    guides: ImportReport | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values, in English."""
        listed = [{**asdict(item), "reason": str(item.reason)} for item in self.unaligned]
        guides = self.guides.to_json() if self.guides else None
        notes = [*map(str, self.notes)]
        return asdict(self) | {"notes": notes, "unaligned": listed, "guides": guides}

    def to_row(self) -> dict[str, Any]:
        """The report as plain JSON values to keep: notices as JSON, for `Notice.from_json`."""
        listed = [{**asdict(item), "reason": item.reason.to_json()} for item in self.unaligned]
        notes = [note.to_json() for note in self.notes]
        guides = self.guides.to_row() if self.guides else None
        return asdict(self) | {"notes": notes, "unaligned": listed, "guides": guides}

    def add(self, merged: SegmentMerge) -> None:
        """Count what one file changed."""
        self.added += len(merged.added)
        self.removed += len(merged.retired)
        self.redrafted += len(merged.redrafted)
        self.translated += merged.translated
        self.stale += merged.stale
        self.kept += merged.kept


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


def import_domain(
    store: Store,
    request: ImportRequest,
    *,
    actor: str = "import",
    dry_run: bool = False,
    progress: Progress = silent,
    checking: Progress = silent,
    indexing: Progress = silent,
) -> ImportReport:
    """Bring a domain's files in as segments, with the draft's texts as first versions.

    What changed is checked and can be searched afterwards.

    Importing the same files again writes nothing. A changed source marks exactly the segments whose
    text changed; their versions and verdicts stay. A person's text is never replaced by a draft.

    Args:
        store: The review database.
        request: Which files.
        actor: Who imports, for the audit.
        dry_run: Report what would happen and write nothing.
        progress: Told of each file.
        checking: Told of the texts that are checked.
        indexing: Told of the search index.

    Returns:
        What was done; inside it what was done with the guidelines, where they come along.

    Raises:
        BadInput: naming file and address; the database is as before.
    """
    reports = _bring_in(store, request, actor=actor, dry_run=dry_run, progress=progress)
    changed = [report.domain for report in reports if report.changed and not dry_run]
    for domain in changed:
        checks.refresh(store, domain, progress=checking)
    if changed:
        checks.index_search(store, progress=indexing)
    return reports[0]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What importing one domain would change."""

    report: ImportReport
    changes: list[tuple[int, FileTexts]]
    """Position and texts of each changed file."""
    gone: list[Document]
    beside: list[tuple[SideFile, bytes]]
    """Side files, all of them."""
    commit: str | None
    """Of the checkout that it comes from."""


@_collector_at_rest()
def _bring_in(
    store: Store, request: ImportRequest, *, actor: str, dry_run: bool, progress: Progress
) -> list[ImportReport]:
    """Compare files with segments and write what changed, as one transaction.

    Returns:
        The domain's report, then that of the guidelines, if they come along and differ.
    """
    with formats.read_once():
        plans = [_planned(store, request, dry_run=dry_run, progress=progress)]
        guides = benchmark_files.guides_source(request.source, request.domain)
        if request.with_guides and guides is not None:
            beside = ImportRequest(guides, benchmark_files.SHARED_GUIDES)
            plan = _planned(store, beside, dry_run=dry_run, progress=silent)
            if plan.report.changed:
                plans.append(plan)
    if not dry_run and any(plan.report.changed for plan in plans):
        with store.write(actor):
            for plan in plans:
                if plan.report.changed:
                    _write(store, plan)
    for plan in plans:
        if dry_run and plan.report.changed:
            _foretell(store, plan)
        elif not plan.report.changed:
            plan.report.segments = _count(store, plan.report.domain, [], [])
    plans[0].report.guides = plans[1].report if plans[1:] else None
    return [plan.report for plan in plans]


def _planned(store: Store, request: ImportRequest, *, dry_run: bool, progress: Progress) -> _Plan:
    """Read the files of one domain and split those that changed; nothing is written."""
    domain = request.domain
    known = {document.file: document for document in store.documents.of(domain)}
    changes = []
    source = benchmark_files.read_source(
        request.source, domain, tools=request.tools, user_tools=request.user_tools
    )
    database_types.require_types(source.path, source.files, domain)
    draft = None
    if request.draft is not None:
        draft = benchmark_files.read_draft(request.draft, source, domain)
    for number, name in enumerate(source.files):
        progress(number, len(source.files), name)
        change = _prepare(store, domain, name, source, draft, known.get(name))
        if change is not None:
            changes.append((number, change))
    beside = side_files.read(request.source, domain)
    has_same_beside = side_files.same(store.side_files.of(domain), beside)
    gone = [known[name] for name in known if name not in source.files]
    report = ImportReport(domain, list(source.files), dry_run=dry_run)
    _note(report, source, draft, changes)
    report.changed = bool(changes or gone) or not has_same_beside
    progress(len(source.files), len(source.files), "")
    return _Plan(
        report=report,
        changes=changes,
        gone=gone,
        beside=beside,
        commit=source_commit.commit_of(request.source),
    )


def _foretell(store: Store, plan: _Plan) -> None:
    """Count in a plan's report what writing it would change."""
    for _, file in plan.changes:
        document = store.documents.find(plan.report.domain, file.name)
        plan.report.add(segment_merge.merge(store, file, document))
    _retire(store, plan.report, plan.gone)
    plan.report.segments = _count(store, plan.report.domain, plan.changes, plan.gone)


def _prepare(
    store: Store,
    domain: str,
    name: str,
    source_folder: SourceFolder,
    draft_folder: SourceFolder | None,
    known: Document | None,
) -> FileTexts | None:
    """Split one file and align its draft (the one given, else the last one); None if unchanged."""
    source = source_folder.files[name]
    draft = draft_folder.files.get(name) if draft_folder else None
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
    return FileTexts(
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
            problem = Notice(
                "import.half_a_character",
                "holds half a character, {half!r}: write it whole",
                half=half.group(),
            )
            raise BadInput(problem, name, place)


def _note(
    report: ImportReport,
    source: SourceFolder,
    draft: SourceFolder | None,
    changes: list[tuple[int, FileTexts]],
) -> None:
    """Say what of the draft was not used, and which files carry no text."""
    for _, file in changes:
        report.unaligned += file.alignment.unaligned
        if file.kind == "database" and not file.units:
            report.notes.append(
                Notice(
                    "import.no_text_fields",
                    "{file}: no text fields are known for it, kept as it is",
                    file=file.name,
                )
            )
    if changes:
        report.notes += source.notes
    has_tools = "tools.json" in source.files or report.domain == benchmark_files.SHARED_GUIDES
    if changes and not has_tools:
        report.notes.append(
            Notice(
                "import.no_tools",
                "tools.json: neither in the folder nor in the sources of a checkout; the "
                "export will lack the texts of tools: give them with --tools FILE "
                "(and --user-tools FILE)",
            )
        )
    if draft is None:
        return
    for name in sorted(set(draft.files) - set(source.files)):
        report.notes.append(
            Notice("import.only_in_draft", "{file}: only in the draft, not imported", file=name)
        )
    for _, file in changes:
        if file.units and file.draft is None:
            report.notes.append(
                Notice(
                    "import.no_draft",
                    "{file}: has no draft, its segments are untranslated",
                    file=file.name,
                )
            )


def _write(store: Store, plan: _Plan) -> None:
    report, gone = plan.report, plan.gone
    if not store.people.project().name:
        store.people.put_project(Project("J-tau review", "en", "ja"))
    if not store.documents.domains():
        store.terms.add(glossary.shipped_terms(store))
    domain = store.documents.put_domain(report.domain, {})
    for position, file in plan.changes:
        document = store.documents.put(
            domain, file.name, file.kind, position=position, source=file.source, draft=file.draft
        )
        store.documents.put_unaligned(document, file.alignment.unaligned)
        _merge_in(store, report, file, document)
    store.segments.retire(_retire(store, report, gone))
    store.documents.retire([document.id for document in gone])
    store.documents.put_positions(domain, report.files)
    report.segments = _count(store, report.domain, [], [])
    store.documents.put_domain(report.domain, report.to_row() | {"commit": plan.commit})
    store.side_files.put(report.domain, plan.beside)


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
            file = FileTexts(
                domain=domain,
                name=document.file,
                kind="task",
                source=(source, document.source_hash),
                draft=None,
                units=units,
                alignment=formats.Alignment({}),
            )
            _merge_in(store, report, file, document.id)
    return report


def _merge_in(store: Store, report: ImportReport, file: FileTexts, document: int) -> None:
    merged = segment_merge.merge(store, file, document)
    segment_merge.write(store, merged)
    report.add(merged)


def _retire(store: Store, report: ImportReport, gone: list[Document]) -> list[str]:
    """The segments of files that the source no longer has."""
    retired = [s.id for document in gone for s in store.segments.of_document(document.id)]
    report.removed += len(retired)
    report.notes += [
        Notice("import.file_gone", "{file}: no longer in the source", file=document.file)
        for document in gone
    ]
    return retired


def _count(
    store: Store, domain: str, planned: list[tuple[int, FileTexts]], gone: list[Document]
) -> dict[str, int]:
    """Segments by kind: what is stored, with the planned files counted anew."""
    files = {file.name for _, file in planned} | {document.file for document in gone}
    counts: Counter[str] = Counter(unit.kind for _, file in planned for unit in file.units)
    for file_name, kind, count in store.documents.counts(domain):
        if file_name not in files:
            counts[kind] += count
    return dict(counts)
