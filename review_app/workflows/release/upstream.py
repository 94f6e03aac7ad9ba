"""Repairs for those who maintain the source: a patch file a task, and a summary fit for an issue.

Source: GNU diffutils manual, "Detailed Description of Unified Format".
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from review_app.config import data_text
from review_app.core.tasks.patches import Patch
from review_app.records.curation import StoredPatch
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.release.snapshot import TAU2, File, Snapshot
from review_app.workflows.release.task_changes import in_force, ranges
from review_app.workflows.release.words import cell, words

UPSTREAM = "upstream"
_CONTEXT = 3
"""Lines around a change, as `git diff` has them."""
_LONGEST = 60
"""Characters of a task's id in the name of its file."""


def upstream(snapshot: Snapshot) -> Iterator[File]:
    """Yield a patch file for each repaired task, and ISSUE.md; nothing of a localization."""
    if not snapshot.first.variant.is_source:
        return
    rows: dict[str, list[tuple[Patch, str]]] = {}
    for derived in snapshot.derived:
        stored = {known.patch.id: known for known in snapshot.store.patches.all(derived.domain)}
        repairs: dict[str, list[Patch]] = {}
        for patch in in_force(derived):
            if patch.operations:
                repairs.setdefault(patch.task_id, []).append(patch)
        rows[derived.domain] = []
        for task_id, patches in repairs.items():
            place = _place(derived, task_id)
            head = [line for patch in patches for line in _about(snapshot, patch, stored[patch.id])]
            rows[derived.domain] += [(patch, place) for patch in patches]
            yield place, "".join(f"# {line}\n" for line in head) + _diffs(derived, task_id)
    yield f"{UPSTREAM}/ISSUE.md", _issue(snapshot, rows)


def _place(derived: Derived, task_id: str) -> str:
    """The place of a task's patch file; task ids may be long, or no name of a file."""
    number = list(derived.originals).index(task_id)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", task_id)[:_LONGEST].strip("-")
    return f"{UPSTREAM}/{derived.domain}/{number:04}-task-{name}.patch"


def _about(snapshot: Snapshot, patch: Patch, stored: StoredPatch) -> Iterator[str]:
    """Yield why a task was changed, in lines that no program takes for a part of the patch."""
    yield _line(f"{patch.id}: {words('en')[f'kind_{patch.kind}']}")
    yield _line(f"Reason: {snapshot.without_names(patch.reason)}")
    for name, said in (("Source", patch.source), ("Upstream", patch.upstream)):
        if said:
            yield _line(f"{name}: {snapshot.without_names(said)}")
    for evidence in stored.evidence:
        note = snapshot.without_names(str(evidence.note))
        yield _line(f"Evidence: {evidence.kind} {evidence.ref} {note}")


def _line(text: str) -> str:
    return " ".join(text.split())


# -- differences -------------------------------------------------------------------------------


def _diffs(derived: Derived, task_id: str) -> str:
    """What the repairs of one task change in the task files of the source."""
    return "".join(
        unified(
            derived.raw[document.file],
            derived.repaired_text(document.file, only=task_id),
            (TAU2 / "domains" / derived.domain / document.file).as_posix(),
        )
        for document in derived.documents
        if document.kind == "task"
    )


def unified(old: str, new: str, place: str) -> str:
    """The difference of two texts as `git apply` and `patch -p1` take it; empty if there is none.

    Lines end at line feeds only: other signs that end lines may stand inside of a text.
    """
    before, after = _lines(old), _lines(new)
    listed = difflib.unified_diff(before, after, f"a/{place}", f"b/{place}", n=_CONTEXT)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in listed
    )


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


# -- summary -----------------------------------------------------------------------------------


def _issue(snapshot: Snapshot, rows: dict[str, list[tuple[Patch, str]]]) -> str:
    tables: list[str] = []
    for domain, repairs in rows.items():
        tables += [f"## {domain}", ""]
        if repairs:
            tables += [
                *_by_kind([patch for patch, _ in repairs]),
                "",
                *_one_by_one(snapshot, repairs),
            ]
        else:
            tables.append(words("en")["changes_none"])
        tables.append("")
    tasks = {(patch.domain, patch.task_id) for repairs in rows.values() for patch, _ in repairs}
    commits = {
        str(info.report["commit"])
        for info in snapshot.store.documents.domains()
        if info.name in rows and info.report.get("commit")
    }
    return data_text("release", "issue.md").format(
        tasks=len(tasks),
        domains=", ".join(f"`{domain}`" for domain in rows),
        commit=f" at commit {', '.join(sorted(commits))}" if commits else "",
        tables="\n".join(tables).rstrip("\n"),
    )


def _by_kind(patches: Sequence[Patch]) -> Iterator[str]:
    say = words("en")
    yield f"| {say['kind']} | {say['group_total']} | {say['tasks']} |"
    yield "| --- | ---: | --- |"
    for kind, count in Counter(patch.kind for patch in patches).most_common():
        tasks = ranges(patch.task_id for patch in patches if patch.kind == kind)
        yield f"| {say[f'kind_{kind}']} | {count} | {cell(tasks)} |"


def _one_by_one(snapshot: Snapshot, repairs: Sequence[tuple[Patch, str]]) -> Iterator[str]:
    say = words("en")
    yield f"| {say['task']} | {say['kind']} | {say['modification']} | {say['patch']} |"
    yield "| --- | --- | --- | --- |"
    for patch, place in repairs:
        reason = cell(snapshot.without_names(f"{patch.reason} {patch.upstream}"))
        task, name = cell(patch.task_id), place.removeprefix(f"{UPSTREAM}/")
        yield f"| {task} | {say[f'kind_{patch.kind}']} | {reason} | `{name}` |"
