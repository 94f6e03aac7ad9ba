"""What a flag or a patch refers to as its evidence, and words of a person or of the app."""

from __future__ import annotations

import json
from collections.abc import Iterable

from review_app.notices import TEXT, Notice
from review_app.records.curation import Evidence


def evidence_as_text(listed: Iterable[Evidence]) -> str:
    """The JSON text of a column."""
    kept = [
        {"kind": evidence.kind, "ref": evidence.ref, "note": words_as_text(evidence.note)}
        for evidence in listed
    ]
    return json.dumps(kept, ensure_ascii=False)


def evidence_from_text(text: str) -> tuple[Evidence, ...]:
    """What `evidence_as_text` wrote."""
    return tuple(
        Evidence(kept["kind"], kept["ref"], words_from_text(kept.get("note", "")))
        for kept in json.loads(text)
    )


def words_as_text(words: str | Notice) -> str:
    """What a text column holds: a person's words as they are, the app's as JSON."""
    return words.to_json() if isinstance(words, Notice) else words


def words_from_text(text: str) -> str | Notice:
    """What `words_as_text` wrote."""
    notice = Notice.from_json(text)
    return text if notice.code == TEXT else notice
