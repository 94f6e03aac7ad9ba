"""Files to take along: tables that a spreadsheet opens as text, folders as one archive."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A CSV file that Excel opens as UTF-8.

    A cell that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_guarded(str(cell)) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def archive(folder: Path, files: Iterable[str]) -> bytes:
    """The listed files of a folder as a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in sorted(files):
            zipped.write(folder / name, f"{folder.name}/{name}")
    return out.getvalue()
