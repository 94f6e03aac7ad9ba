"""Texts that go to a model in one request; what comes back is read in `answer.py`.

A batch lies within one file. Its borders depend on the file alone, not on what is still to do, so
that an interrupted translation asks the same questions again and finds the answers it has paid for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from typing import Any

from review_app.models import Segment, SegmentKind

LIMIT_CHARS = 4000
"""Source characters in a batch; a longer text has a batch of its own."""
LIMIT_TEXTS = 30
CONTEXT = 2
"""Neighbours that are shown on either side of a text to translate."""


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A text of a batch: to translate if it has a key, else context."""

    key: str
    segment: Segment


@dataclass(frozen=True, slots=True)
class Batch:
    """Neighbouring texts of one file, in its order; keys k1 to kn are those to translate."""

    lines: tuple[BatchLine, ...]

    @property
    def wanted(self) -> dict[str, Segment]:
        """The texts to translate by key."""
        return {line.key: line.segment for line in self.lines if line.key}

    @property
    def domain(self) -> str:
        """The domain of all its texts."""
        return self.lines[0].segment.domain

    @property
    def file(self) -> str:
        """The file of all its texts."""
        return self.lines[0].segment.file

    @property
    def kind(self) -> SegmentKind:
        """The kind of text, which decides about the style guide."""
        return next(iter(self.wanted.values())).kind


def batches(
    segments: Sequence[Segment], wanted: Collection[str], *, limit_chars: int = LIMIT_CHARS
) -> list[Batch]:
    """The batches that translate the wanted texts.

    Args:
        segments: All texts of the files, in file order: also those that are only context.
        wanted: Ids of the texts to translate.
        limit_chars: Source characters in a batch.
    """
    cut = []
    for _, group in groupby(segments, lambda segment: (segment.domain, segment.file)):
        document = list(group)
        for start, end in _cuts(document, limit_chars):
            batch = _batch(document, start, end, wanted)
            if batch.lines:
                cut.append(batch)
    return cut


def _cuts(document: Sequence[Segment], limit: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges that cover a file: whole sections where they fit."""
    start = end = 0
    for _, group in groupby(document, lambda segment: segment.section):
        section = list(group)
        if end > start and not _fits(document[start : end + len(section)], limit):
            yield start, end
            start = end
        for segment in section:
            if end > start and not _fits([*document[start:end], segment], limit):
                yield start, end
                start = end
            end += 1
    if end > start:
        yield start, end


def _fits(texts: Sequence[Segment], limit: int) -> bool:
    return len(texts) <= LIMIT_TEXTS and sum(len(text.source) for text in texts) <= limit


def _batch(document: Sequence[Segment], start: int, end: int, wanted: Collection[str]) -> Batch:
    to_do = [at for at in range(start, end) if document[at].id in wanted]
    near = {other for at in to_do for other in range(max(0, at - CONTEXT), at + CONTEXT + 1)}
    keys = {at: f"k{number}" for number, at in enumerate(to_do, 1)}
    shown = sorted(at for at in near if at < len(document))
    return Batch(tuple(BatchLine(keys.get(at, ""), document[at]) for at in shown))


def response_format(keys: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of the answer, as OpenAI-compatible servers take it."""
    entry = {
        "type": "object",
        "properties": {"key": {"type": "string", "enum": list(keys)}, "text": {"type": "string"}},
        "required": ["key", "text"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"translations": {"type": "array", "items": entry}},
        "required": ["translations"],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "translations", "strict": True, "schema": schema},
    }


def fingerprint(*parts: object) -> str:
    """32 hex digits of JSON values: names a request, or what a translation was made from."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
