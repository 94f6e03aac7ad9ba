"""The benchmark's own files of a release: domains, and the user simulator's guidelines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePosixPath

from review_app.core.tasks.replay import Replay, replay_task
from review_app.notices import Notice
from review_app.workflows.benchmark.files import SHARED_GUIDES
from review_app.workflows.localization import domain_files
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.release.snapshot import TAU2, File, Snapshot

GUIDES = TAU2 / SHARED_GUIDES
OUTCOMES = "outcomes.json"
"""What every gold action does in the release: `verify` and the plugin compare with it."""


def domains(snapshot: Snapshot) -> Iterator[File]:
    """Yield every domain's tasks, split, database, policies, manuals, tools, messages, pictures."""
    for derived in snapshot.derived:
        root = snapshot.folder(derived.domain)
        count = len(derived.documents)
        for at, document in enumerate(derived.documents):
            snapshot.progress(at, count, f"{derived.domain}/{document.file}")
            text, place = domain_files.file(derived, document), (root / document.file).as_posix()
            snapshot.origins[place] = _origin(text, derived.raw[document.file])
            yield place, text
        for name, text in domain_files.extra_files(derived):
            yield (root / name).as_posix(), text
        yield from _side_files(snapshot, derived.domain, root)
        snapshot.progress(count, count, derived.domain)


def guides(snapshot: Snapshot) -> Iterator[File]:
    """Yield the user simulator's guidelines, if they are imported."""
    for document in snapshot.store.documents.of(SHARED_GUIDES):
        place = (GUIDES / document.file).as_posix()
        text = domain_files.guide(snapshot.store, snapshot.first, document)
        snapshot.origins[place] = _origin(text, snapshot.store.documents.texts(document.id)[0])
        yield place, text
    yield from _side_files(snapshot, SHARED_GUIDES, GUIDES)


def outcomes(snapshot: Snapshot) -> Iterator[File]:
    """Yield what the gold actions of every task do in the release."""
    record = {
        snapshot.domain_name(derived.domain): {
            str(task["id"]): outcome(replay_task(derived.open(), task)) for task in _tasks(derived)
        }
        for derived in snapshot.derived
    }
    snapshot.progress(1, 1, Notice("release.outcomes", "gold actions"))
    yield OUTCOMES, json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def outcome(replay: Replay) -> dict[str, object]:
    """The record of a replay: which calls were taken, and the databases they left."""
    return {
        "calls": [
            {"name": step.name, "requestor": step.requestor, "ok": step.ok} for step in replay.steps
        ],
        "agent_db_hash": replay.agent_db_hash,
        "user_db_hash": replay.user_db_hash,
    }


def _tasks(derived: Derived) -> Iterator[dict[str, object]]:
    for document in derived.documents:
        if document.file == "tasks.json":
            for localized in derived.localized_tasks(document.file):
                yield localized.task


def _side_files(snapshot: Snapshot, domain: str, root: PurePosixPath) -> Iterator[File]:
    for beside in snapshot.store.side_files.of(domain):
        if beside.role == "side":
            place = (root / beside.place).as_posix()
            snapshot.origins[place] = "copied"
            yield place, snapshot.store.side_files.content(beside)


def _origin(text: str, source: str) -> str:
    return "copied" if text == source else "localized"
