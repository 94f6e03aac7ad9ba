"""Many rows into one table, in statements of many rows each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

ROWS = 100
"""Rows of one statement. SQLite takes 32,766 values in one."""


def insert(
    db: sqlite3.Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert the rows in their order, each a sequence of the columns' values.

    A statement that fires the audit's trigger saves every page it touches, so that it could be
    taken back alone: `executemany`, a statement for each row, takes twice as long.
    """
    left = iter(rows)
    start = f"INSERT INTO {table}({', '.join(columns)}) VALUES "
    row_marks = f"({','.join('?' * len(columns))})"
    while batch := list(islice(left, ROWS)):
        db.execute(start + ",".join([row_marks] * len(batch)), list(chain.from_iterable(batch)))
