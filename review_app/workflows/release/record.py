"""The record of the review: every decision, who agreed with whom, and the marks by category."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from review_app.models import Decision, Segment
from review_app.workflows.benchmark.files import SHARED_GUIDES
from review_app.workflows.localization import entity_files
from review_app.workflows.release.snapshot import File, Snapshot
from review_app.workflows.release.task_changes import groups
from review_app.workflows.release.words import DocumentWords, words
from review_app.workflows.review import glossary, overview

DECISIONS = "review/decisions.jsonl"
PEOPLE = "review/people.csv"
GLOSSARY = "glossary/glossary.csv"


def glossaries(snapshot: Snapshot) -> Iterator[File]:
    """Yield the glossary as CSV and TBX; the source's edition needs none."""
    if snapshot.first.variant.is_source:
        return
    yield GLOSSARY, glossary.write_terms(snapshot.store, "csv")
    yield "glossary/glossary.tbx", glossary.write_terms(snapshot.store, "tbx")


def review_record(snapshot: Snapshot) -> Iterator[File]:
    """Yield the decisions by segment, and people, agreement and marks as numbers.

    They are about translations: the source's edition has none.
    """
    if snapshot.first.variant.is_source:
        return
    lines, marks = [], Counter[tuple[str, str]]()
    for segment in _segments(snapshot):
        decisions = snapshot.store.reviews.decisions(segment.id)
        marks.update(
            (mark.category, mark.severity) for decision in decisions for mark in decision.marks
        )
        content = _segment(snapshot, segment, decisions) | _history(snapshot, segment)
        lines.append(json.dumps(content, ensure_ascii=False))
    yield DECISIONS, "".join(f"{line}\n" for line in lines)
    yield PEOPLE, _people(snapshot)
    marked = [
        {"category": category, "severity": severity, "marks": count}
        for (category, severity), count in sorted(marks.items())
    ]
    yield "review/marks.json", json.dumps(marked, ensure_ascii=False, indent=2) + "\n"


def statistics(snapshot: Snapshot) -> Iterator[File]:
    """Yield STATISTICS.md: groups of tasks (Table 12), texts by state, agreement."""
    say = words("en")
    lines = [f"# {say['statistics']}", "", f"## {say['table12']}", "", *_table12(snapshot, say)]
    if not snapshot.first.variant.is_source:
        lines += ["", f"## {say['texts']}", "", *_texts(snapshot, say)]
        lines += ["", f"## {say['agreement']}", "", _agreement(snapshot, say)]
    yield "STATISTICS.md", "\n".join(lines) + "\n"


def _agreement(snapshot: Snapshot, say: DocumentWords) -> str:
    compared = [work for work in overview.people_work(snapshot.store) if work.compared]
    pairs, agreed = sum(w.compared for w in compared), sum(w.agreed for w in compared)
    if not pairs:
        return say["agreement_none"]
    return say["agreement_of"].format(pairs=pairs // 2, percent=f"{100 * agreed / pairs:.1f}")


def _segments(snapshot: Snapshot) -> Iterator[Segment]:
    for domain in (*(derived.domain for derived in snapshot.derived), SHARED_GUIDES):
        yield from snapshot.store.segments.all(domain)


def _segment(snapshot: Snapshot, segment: Segment, decisions: list[Decision]) -> dict[str, Any]:
    return {
        "domain": segment.domain,
        "address": segment.address,
        "state": segment.state,
        "version": segment.version,
        "source_hash": segment.source_hash,
        "needed": segment.needed,
        "decisions": [
            {
                "id": decision.id,
                "person": snapshot.person(decision.person_id),
                "verdict": decision.verdict,
                "version": decision.version,
                "source_hash": decision.source_hash,
                "note": snapshot.without_names(decision.note),
                "marks": [asdict(mark) for mark in decision.marks],
                "at": decision.created_at,
                "undoes": decision.undoes,
            }
            for decision in decisions
        ],
    }


def _history(snapshot: Snapshot, segment: Segment) -> dict[str, Any]:
    """The versions of a text, and why it waits: what a project is opened from again."""
    store, row = snapshot.store, snapshot.store.segments.review_row(segment.id)
    return {
        "recheck": row["recheck"],
        "counts_from": row["counts_from"],
        "versions": [
            {
                "version": revision.version,
                "base": store.reviews.base_of(segment.id, revision.version),
                "target": revision.target,
                "author": snapshot.person(revision.author_id),
                "origin": revision.origin,
                "source_hash": revision.source_hash,
                "at": revision.created_at,
            }
            for revision in store.reviews.revisions(segment.id)
        ],
    }


def entity_tables(snapshot: Snapshot) -> Iterator[File]:
    """Yield what stands for the people, places and things of each domain as CSV."""
    if snapshot.first.variant.entities == "target":
        for derived in snapshot.derived:
            domain = derived.domain
            yield entity_place(domain), entity_files.write_entities(snapshot.store, domain)


def entity_place(domain: str) -> str:
    """Where the entities of a domain lie in a release."""
    return f"glossary/entities/{domain}.csv"


def _people(snapshot: Snapshot) -> str:
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(("person", "role", "answered", "edited", "requested", "compared", "agreed"))
    for work in overview.people_work(snapshot.store):
        rows.writerow(
            (
                snapshot.person(work.person.id),
                work.person.role,
                work.answered,
                work.edited,
                work.requested,
                work.compared,
                work.agreed,
            )
        )
    return file.getvalue()


def _table12(snapshot: Snapshot, say: DocumentWords) -> Iterator[str]:
    names = ("total", "unmodified", "repair", "both", "localization")
    yield f"| {say['domain']} | " + " | ".join(say[f"group_{name}"] for name in names) + " |"
    yield "| --- |" + " ---: |" * len(names)
    for derived in snapshot.derived:
        counts = groups(derived)
        numbers = " | ".join(str(counts[name]) for name in names)
        yield f"| {snapshot.domain_name(derived.domain)} | {numbers} |"


def _texts(snapshot: Snapshot, say: DocumentWords) -> Iterator[str]:
    counts = Counter((segment.domain, segment.state) for segment in _segments(snapshot))
    yield f"| {say['domain']} | {say['state']} | {say['texts']} |"
    yield "| --- | --- | ---: |"
    for (domain, state), count in counts.items():
        yield f"| {domain} | {state} | {count} |"
