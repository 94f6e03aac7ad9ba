"""What a flag or a patch refers to as its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

import msgspec

from review_app.records.curation import Evidence


def evidence_as_text(listed: Iterable[Evidence]) -> str:
    """The JSON text of a column."""
    return json.dumps([asdict(evidence) for evidence in listed], ensure_ascii=False)


def evidence_from_text(text: str) -> tuple[Evidence, ...]:
    """What `evidence_as_text` wrote."""
    return msgspec.json.decode(text, type=tuple[Evidence, ...])
