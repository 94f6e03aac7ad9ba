"""Which tasks were changed and why: for programs, and as tables in two languages.

Source: Tables 9 and 10 of the J-tau paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from review_app.core.tasks.patches import Layer, Patch, group_of, table12
from review_app.records.curation import StoredPatch
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.release.snapshot import File, Snapshot
from review_app.workflows.release.words import DocumentWords, cell, words

CHANGES = "changes.json"
LAYERS: tuple[Layer, ...] = ("localization", "repair")
"""In the order of the paper's tables."""


def task_changes(snapshot: Snapshot) -> Iterator[File]:
    """Yield the patches in force as JSON, and as tables in the target's language and in English."""
    record = {derived.domain: _record(snapshot, derived) for derived in snapshot.derived}
    yield CHANGES, json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    yield "TASK_CHANGES.md", _tables(snapshot, words(snapshot.locale))
    yield "TASK_CHANGES_EN.md", _tables(snapshot, words("en"))


def in_force(derived: Derived) -> list[Patch]:
    """The patches that hold for a domain's tasks and that its variant applies, task by task."""
    return [
        patch
        for gold in derived.originals.values()
        for patch in tasks_in_force.fitting(gold.task, derived.patches)
    ]


def groups(derived: Derived) -> dict[str, int]:
    """How many tasks of `tasks.json` are in each group of Table 12."""
    tasks = [name for name, gold in derived.originals.items() if gold.file == "tasks.json"]
    return table12(tasks, in_force(derived))


def _record(snapshot: Snapshot, derived: Derived) -> dict[str, Any]:
    patches = in_force(derived)
    stored = {known.patch.id: known for known in snapshot.store.patches.all(derived.domain)}
    return {
        "groups": groups(derived),
        "tasks": {
            task: group_of(task, patches) for task in dict.fromkeys(p.task_id for p in patches)
        },
        "patches": [_patch(snapshot, patch, stored[patch.id]) for patch in patches],
    }


def _patch(snapshot: Snapshot, patch: Patch, stored: StoredPatch) -> dict[str, Any]:
    return {
        "id": patch.id,
        "task_id": patch.task_id,
        "layer": patch.layer,
        "kind": patch.kind,
        "reason": snapshot.without_names(patch.reason),
        "source": snapshot.without_names(patch.source),
        "upstream": patch.upstream,
        "base_hash": patch.base_hash,
        "proposed_by": snapshot.person(stored.proposer_id),
        "approved_by": snapshot.person(stored.approver_id),
        "origin": stored.origin,
        "evidence": [
            {
                "kind": evidence.kind,
                "ref": evidence.ref,
                "note": snapshot.without_names(str(evidence.note)),
            }
            for evidence in stored.evidence
        ],
        "operations": [operation.as_json() for operation in patch.operations],
    }


# -- tables ------------------------------------------------------------------------------------


def _tables(snapshot: Snapshot, say: DocumentWords) -> str:
    lines = [f"# {say['changes']}", "", say["changes_about"], ""]
    for derived in snapshot.derived:
        patches = in_force(derived)
        lines += [f"## {snapshot.domain_name(derived.domain)}", ""]
        for layer in LAYERS:
            lines += [f"### {say[f'changes_{layer}']}", ""]
            lines += _table([p for p in patches if p.layer == layer], snapshot, say)
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(patches: Sequence[Patch], snapshot: Snapshot, say: DocumentWords) -> list[str]:
    """A row for each change; tasks that were changed for one reason share it."""
    if not patches:
        return [say["changes_none"]]
    rows: dict[tuple[str, str], list[str]] = {}
    for patch in patches:
        reason = snapshot.without_names(" ".join((patch.reason, patch.upstream)).strip())
        rows.setdefault((patch.kind, reason), []).append(patch.task_id)
    lines = [f"| {say['task']} | {say['kind']} | {say['modification']} |", "| --- | --- | --- |"]
    for (kind, reason), tasks in rows.items():
        lines.append(f"| {cell(ranges(tasks))} | {say[f'kind_{kind}']} | {cell(reason)} |")
    return lines


def ranges(tasks: Iterable[str]) -> str:
    """Task ids in few words, in their order.

    Example:
        ["5", "6", "7", "35", "a"] -> "5–7, 35, a"
    """
    parts: list[list[str]] = []
    for task in dict.fromkeys(tasks):
        last = parts[-1][-1] if parts else ""
        if task.isdecimal() and last.isdecimal() and int(task) == int(last) + 1:
            parts[-1].append(task)
        else:
            parts.append([task])
    return ", ".join(
        f"{part[0]}–{part[-1]}" if len(part) > 2 else ", ".join(part) for part in parts
    )


def by_id(record: Mapping[str, Any]) -> dict[str, Any]:
    """The patches of a `changes.json` by their names."""
    return {patch["id"]: patch for domain in record.values() for patch in domain.get("patches", ())}
