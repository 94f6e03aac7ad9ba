"""Glossaries as CSV, for spreadsheets; TBX is in `tbx.py` and offered here too."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from review_app.core.formats.tbx import terms_from_tbx, terms_to_tbx
from review_app.errors import BadInput
from review_app.models import Term, TermMode
from review_app.notices import Notice

__all__ = [
    "COLUMNS",
    "csv_text",
    "rows",
    "terms_from_csv",
    "terms_from_tbx",
    "terms_to_csv",
    "terms_to_tbx",
]

COLUMNS = (
    "source",
    "target",
    "mode",
    "domain",
    "category",
    "variants",
    "accepted",
    "exceptions",
    "note",
)
_LISTS = ("variants", "accepted", "exceptions")
_FORMULA = "=+-@\t\r"
_UNESCAPE = re.compile(r"\\(.)|(\|)", re.DOTALL)


def terms_to_csv(terms: Iterable[Term]) -> str:
    r"""A CSV text with a byte order mark (so that Excel reads UTF-8) and a header line.

    Lists are joined by `|` (`\|` is a bar, `\\` a backslash, `\e` an empty entry). A cell that a
    spreadsheet would take for a formula gets an apostrophe before it. `id` and `version` are not
    written.
    """
    return csv_text(COLUMNS, map(_cells, terms))


def _cells(term: Term) -> list[str]:
    row = {name: getattr(term, name) or "" for name in COLUMNS}
    row |= {name: "|".join(map(_escaped, row[name])) for name in _LISTS}
    return [row[name] for name in COLUMNS]


def csv_text(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A CSV text that `rows` reads and Excel opens: byte order mark, header line, no formulas."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_guarded(cell) for cell in row] for row in cells)
    return "\ufeff" + "".join(lines.written)


def terms_from_csv(text: str, file: str) -> list[Term]:
    """The terms of a CSV text as `terms_to_csv` writes it; the order of columns is free.

    Raises:
        BadInput: no header, unknown, missing or double columns, a row of another length, an unknown
            mode, an empty source; names the line.
    """
    return [_term(cells, file, place) for place, cells in rows(text, file, COLUMNS)]


def rows(text: str, file: str, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    r"""The rows of a CSV text with a header line: where each stands, and its cells by column.

    A byte order mark and empty lines are passed over; the order of columns is free; an apostrophe
    that guards a formula is taken off.

    Raises:
        BadInput: no header, unknown, missing or double columns, a row of another length; names the
            line.

    Example:
        "source,target\nMia,Kaori\n" -> ("line 2", {"source": "Mia", "target": "Kaori"})
    """
    reader = csv.reader(_split(text.removeprefix("\ufeff")), strict=True)
    try:
        header = next(reader, [])
        _check_header(header, columns, file)
        line = reader.line_num + 1
        for row in reader:
            place = f"line {line}"
            if row and len(row) != len(header):
                problem = Notice(
                    "file.cells_not_columns",
                    "{cells} cells, but {columns} columns",
                    cells=len(row),
                    columns=len(header),
                )
                raise BadInput(problem, file, place)
            if row:
                yield place, dict(zip(header, map(_unguarded, row), strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        problem = Notice("file.not_csv", "not CSV: {problem}", problem=str(error))
        raise BadInput(problem, file, f"line {reader.line_num}") from error


class _Lines:
    """What the CSV writer writes to."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, line: str) -> None:
        self.written.append(line)


def _split(text: str) -> Iterator[str]:
    """Lines with their line feeds; `splitlines` would split at characters that cells may hold."""
    return (match.group() for match in re.finditer(r"[^\n]*\n|[^\n]+", text))


def _check_header(header: Sequence[str], columns: Sequence[str], file: str) -> None:
    problem = _header_problem(header, columns)
    if problem is not None:
        advice = Notice(
            "file.columns_wrong",
            "{problem}; the columns are {columns}",
            problem=problem,
            columns=tuple(columns),
        )
        raise BadInput(advice, file, "line 1")


def _header_problem(header: Sequence[str], columns: Sequence[str]) -> Notice | None:
    missing = tuple(name for name in columns if name not in header)
    if missing:
        return Notice("file.columns_missing", "missing columns {names}", names=missing)
    unknown = tuple(name for name in header if name not in columns)
    if unknown:
        return Notice("file.columns_unknown", "unknown columns {names!r}", names=unknown)
    if len(header) != len(columns):
        return Notice("file.column_twice", "a column occurs twice")
    return None


def _term(cells: Mapping[str, str], file: str, place: str) -> Term:
    mode = next((mode for mode in get_args(TermMode) if mode == cells["mode"]), None)
    if mode is None:
        problem = Notice(
            "glossary.mode_unknown",
            "unknown mode {mode!r}; the modes are {modes}",
            mode=cells["mode"],
            modes=get_args(TermMode),
        )
        raise BadInput(problem, file, place)
    if not cells["source"]:
        raise BadInput(Notice("glossary.source_empty", "the source is empty"), file, place)
    return Term(
        source=cells["source"],
        target=cells["target"],
        mode=mode,
        domain=cells["domain"] or None,
        category=cells["category"],
        variants=_entries(cells["variants"]),
        accepted=_entries(cells["accepted"]),
        exceptions=_entries(cells["exceptions"]),
        note=cells["note"],
    )


def _guarded(cell: str) -> str:
    rest = cell.lstrip("'")
    return f"'{cell}" if rest and rest[0] in _FORMULA else cell


def _unguarded(cell: str) -> str:
    rest = cell.lstrip("'")
    return cell[1:] if len(rest) < len(cell) and rest and rest[0] in _FORMULA else cell


def _escaped(entry: str) -> str:
    return re.sub(r"([\\|])", r"\\\1", entry) or r"\e"


def _entries(cell: str) -> tuple[str, ...]:
    if not cell:
        return ()
    parts, last, entry = [], 0, ""
    for match in _UNESCAPE.finditer(cell):
        entry += cell[last : match.start()]
        last = match.end()
        if match.group(2):
            parts.append(entry)
            entry = ""
        else:
            entry += "" if match.group(1) == "e" else match.group(1)
    return (*parts, entry + cell[last:])
