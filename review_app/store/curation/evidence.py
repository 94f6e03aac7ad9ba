"""What a flag or a patch refers to as its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable

from review_app.notices import TEXT, Notice
from review_app.records.curation import Evidence


def evidence_as_text(listed: Iterable[Evidence]) -> str:
    """The JSON text of a column."""
    kept = [
        {"kind": evidence.kind, "ref": evidence.ref, "note": _note_as_text(evidence.note)}
        for evidence in listed
    ]
    return json.dumps(kept, ensure_ascii=False)


def evidence_from_text(text: str) -> tuple[Evidence, ...]:
    """What `evidence_as_text` wrote."""
    return tuple(
        Evidence(kept["kind"], kept["ref"], _note_from_text(kept.get("note", "")))
        for kept in json.loads(text)
    )


def _note_as_text(note: str | Notice) -> str:
    return note.to_json() if isinstance(note, Notice) else note


def _note_from_text(text: str) -> str | Notice:
    notice = Notice.from_json(text)
    return text if notice.code == TEXT else notice
