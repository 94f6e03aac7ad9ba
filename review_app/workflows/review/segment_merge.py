"""Bring the texts of a file into its stored segments: compared by address, written at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from review_app.core import formats
from review_app.core.review import rules
from review_app.models import SegmentKind, Unit
from review_app.records.review import StoredSegment
from review_app.store import Store
from review_app.workflows.review import standing


@dataclass(frozen=True)
class FileTexts:
    """One file of a domain: its texts with their hashes, its units, the draft aligned."""

    domain: str
    name: str
    kind: SegmentKind
    source: tuple[str, str]
    draft: tuple[str, str] | None
    units: list[Unit]
    alignment: formats.Alignment


@dataclass
class SegmentMerge:
    """Rows to write for one file, in the shapes the store takes, and what they change.

    Attributes:
        translated: How many units the draft has a text for.
        stale: Addresses whose source text changed.
        kept: Addresses where the draft differs and a person's text is kept.
    """

    added: list[tuple[Any, ...]] = field(default_factory=list)
    moved: list[tuple[Any, ...]] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    revisions: list[tuple[Any, ...]] = field(default_factory=list)
    redrafted: list[tuple[str, str, int]] = field(default_factory=list)
    review_again: list[str] = field(default_factory=list)
    translated: int = 0
    stale: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Text:
    """One text as the file has it now."""

    unit: Unit
    position: int
    source_hash: str
    draft: str | None


def merge(store: Store, file: FileTexts, document: int | None) -> SegmentMerge:
    """Compare a file's units with its stored segments, by address."""
    stored = store.segments.for_import(document) if document is not None else {}
    merged = SegmentMerge()
    for position, unit in enumerate(file.units):
        text = _Text(
            unit=unit,
            position=position,
            source_hash=rules.text_hash(unit.text),
            draft=file.alignment.pairs.get(unit.address),
        )
        merged.translated += text.draft is not None
        old = stored.get(unit.address)
        if old is None:
            _add(merged, file, document, text)
        else:
            _move(merged, old, text)
            _redraft(merged, old, text)
    present = {unit.address for unit in file.units}
    merged.retired = [
        old.id for address, old in stored.items() if address not in present and old.active
    ]
    return merged


def write(store: Store, merged: SegmentMerge) -> None:
    """Write what `merge` found, inside the caller's transaction."""
    store.segments.add(merged.added)
    store.segments.put_source(merged.moved)
    store.segments.retire(merged.retired)
    store.reviews.add_revisions(merged.revisions)
    for segment, target, version in merged.redrafted:
        store.segments.put_target(
            segment, target, version=version, author=None, expected=version - 1
        )
    for segment in merged.review_again:
        standing.refresh_state(store, segment)


def _add(merged: SegmentMerge, file: FileTexts, document: int | None, text: _Text) -> None:
    unit, draft = text.unit, text.draft
    segment = rules.segment_id(file.domain, file.name, unit.address)
    version, state = (1, "draft") if draft is not None else (0, "untranslated")
    place = (segment, document, unit.address, unit.kind, unit.section, text.position)
    needed = rules.needed_approvals(file.domain, unit.kind)
    merged.added.append((*place, unit.text, text.source_hash, draft, version, state, needed))
    if draft is not None:
        merged.revisions.append((segment, 1, 0, draft, None, "draft", text.source_hash))


def _move(merged: SegmentMerge, old: StoredSegment, text: _Text) -> None:
    unit, changed, recheck = text.unit, old.source_hash != text.source_hash, old.recheck
    if changed and old.version:
        back = old.made_for == text.source_hash
        # Text and verdicts are about this very source: it was changed and changed back.
        recheck = (None if recheck == "source" else recheck) if back else "source"
        if not back:
            merged.stale.append(unit.address)
        merged.review_again.append(old.id)
    if changed or not old.active or (old.section, old.position) != (unit.section, text.position):
        merged.moved.append(
            (unit.section, text.position, unit.text, text.source_hash, recheck, old.id)
        )


def _redraft(merged: SegmentMerge, old: StoredSegment, text: _Text) -> None:
    draft = text.draft
    if draft is None or draft == old.target:
        return
    if old.touched or old.versions != old.version:
        if draft != old.last_draft:
            merged.kept.append(text.unit.address)
        return
    version = old.version + 1
    merged.revisions.append((old.id, version, old.version, draft, None, "draft", text.source_hash))
    merged.redrafted.append((old.id, draft, version))
    merged.review_again.append(old.id)
