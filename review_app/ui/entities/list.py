"""The Entities page's filter line and grid."""

from __future__ import annotations

from typing import get_args

from review_app.core.localize.entity_changes import GROUPS
from review_app.core.localize.occurrences import Index
from review_app.models import Entity, EntityKind, EntityOrigin
from review_app.ui.entities import editor
from review_app.ui.shared import filters, grid
from review_app.ui.shared.i18n import text

FIXED = ("airports", "amounts", "zones")
"""Groups that are kept elsewhere and shown for reading."""
UNDECIDED = "undecided"
"""What texts name without a counterpart."""
CHECK = "check"
"""The report of what localizing must not break."""
TABS = (*GROUPS, *FIXED, UNDECIDED, CHECK)
STATES = (*get_args(EntityOrigin), "locked")
WIDTHS = {
    "kind": 95,
    "source": 190,
    "target": 190,
    "reading": 170,
    "romanized": 170,
    "used": 90,
    "origin": 100,
    "locked": 60,
}

OPTIONAL = ("reading", "romanized")
"""Columns that are left out where no row has them."""


def choose(domains: list[str]) -> tuple[str, str]:
    """Domain and group, kept in the URL."""
    row = filters.line()
    return (filters.domain(row, "entities", domains), filters.part(row, "entities", "group", TABS))


def filtered(rows: list[Entity]) -> list[Entity]:
    """The rows that pass kind, state and search, which the URL keeps."""
    present = {row.kind for row in rows}
    options = {
        "kind": [kind for kind in get_args(EntityKind) if kind in present],
        "state": list(STATES),
    }
    line = filters.line()
    wanted = filters.choices(line, "entities", options, "entities", _option, 190)
    words = filters.search(line, "entities", 280)
    return [row for row in rows if _passes(row, wanted, words)]


def _option(name: str, value: str) -> str:
    if value == "locked":
        return text("entities.locked")
    return text(f"entities.{'origin' if name == 'state' else name}.{value}")


def _passes(row: Entity, wanted: dict[str, str], words: str) -> bool:
    spelt = (row.source, row.target, row.reading, row.romanized)
    return (
        wanted["kind"] in ("", row.kind)
        and (wanted["state"] in ("", row.origin) or (wanted["state"] == "locked" and row.locked))
        and (not words or any(words in spelling.casefold() for spelling in spelt))
    )


def show(rows: list[Entity], index: Index) -> None:
    """The entities as a table; choosing a row opens it below."""
    cells = [
        {
            "kind": text(f"entities.kind.{row.kind}"),
            "source": row.source,
            "target": row.target,
            "reading": row.reading,
            "romanized": row.romanized,
            "used": len(index.get((row.kind, row.source), ())),
            "origin": text(f"entities.origin.{row.origin}"),
            "locked": text("entities.locked") if row.locked else "",
        }
        for row in rows
    ]
    empty = {name for name in OPTIONAL if not any(cell[name] for cell in cells)}
    grid.show(
        "entities",
        cells,
        [row.id for row in rows],
        opened=editor.chosen(),
        columns={
            name: (text(f"entities.column.{name}"), width)
            for name, width in WIDTHS.items()
            if name not in empty
        },
        on_open=editor.open_row,
    )
