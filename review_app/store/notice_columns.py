"""Notices in text columns: as JSON, empty for none; an older row holds a sentence as it is."""

from __future__ import annotations

from review_app.notices import Notice


def read(column: str) -> Notice | None:
    """The notice that a column holds."""
    return Notice.from_json(column) if column else None


def written(notice: Notice | None) -> str:
    """What a column holds for it."""
    return notice.to_json() if notice is not None else ""
