"""Bulk inserts keep every row, in order, whatever the size of the last batch."""

import sqlite3
from contextlib import closing

import pytest

from review_app.store import bulk


@pytest.mark.parametrize("count", [0, 1, bulk.ROWS, bulk.ROWS + 1, 3 * bulk.ROWS - 1])
def test_all_rows_arrive_in_their_order(count):
    rows = [(f"text {number}", number) for number in range(count)]
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE kept(id INTEGER PRIMARY KEY, name TEXT, number INTEGER)")
        bulk.insert(db, "kept", ("name", "number"), iter(rows))
        assert db.execute("SELECT name, number FROM kept ORDER BY id").fetchall() == rows
