"""Which segments a person looks at: filters, search, lists, and the next one that waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from review_app.models import Segment
from review_app.records.review import QueueEntry, QueueFilter
from review_app.store.connection import Table
from review_app.store.review.segments import TABLES

WAITING = """s.state NOT IN ('approved', 'contested')
    AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.segment_id = s.id AND a.person_id = :person)
    AND NOT (s.needed = 1 AND s.author_id IS :person)"""
"""The same rule as `rules.waits_for`, for the database to count by."""

CHUNK = 5
"""Neighbouring segments of a file that one person is sent to in a row."""


class Queue(Table):
    """Lists of segments; nothing here writes."""

    def _where(self, wanted: QueueFilter, person: int | None) -> tuple[str, dict[str, Any]]:
        clauses = ["s.active"]
        values: dict[str, Any] = {"person": person}
        for column, value in (
            ("m.name", wanted.domain),
            ("d.file", wanted.file),
            ("s.kind", wanted.kind),
            ("s.state", wanted.state),
        ):
            if value:
                name = f"p{len(values)}"
                clauses.append(f"{column} = :{name}")
                values[name] = value
        if wanted.mine == "waiting":
            clauses.append(WAITING)
        elif wanted.mine in ("answered", "drafted"):
            table = "answers" if wanted.mine == "answered" else "drafts"
            clauses.append(f"s.id IN (SELECT segment_id FROM {table} WHERE person_id = :person)")
        if wanted.finding == "any":
            clauses.append("s.worst IS NOT NULL")
        elif wanted.finding:
            values["code"] = wanted.finding
            clauses.append("""s.id IN (SELECT f.segment_id FROM findings f WHERE f.code = :code
                AND NOT EXISTS (SELECT 1 FROM dismissed x WHERE x.segment_id = f.segment_id
                AND x.fingerprint = f.fingerprint))""")
        if wanted.search.strip():
            clauses.append(self._search(wanted.search.strip(), values))
        return " AND ".join(f"({clause})" for clause in clauses), values

    def _search(self, words: str, values: dict[str, Any]) -> str:
        """Trigrams need three characters; shorter words, and rows not indexed yet, go by LIKE."""
        escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        values["like"] = f"%{escaped}%"
        plain = "(s.source LIKE :like ESCAPE '\\' OR s.target LIKE :like ESCAPE '\\')"
        if len(words) < 3:
            return plain
        values["match"] = '"' + words.replace('"', '""') + '"'
        return f"""s.number IN (
                SELECT rowid FROM segments_search WHERE segments_search MATCH :match)
            OR (s.number > (SELECT through FROM search_state) AND {plain})"""

    def count(self, wanted: QueueFilter, person: int | None = None) -> int:
        """How many segments pass the filter."""
        where, values = self._where(wanted, person)
        row = self._row(f"SELECT count(*) FROM {TABLES} WHERE {where}", values)
        assert row is not None
        return int(row[0])

    def entries(
        self, wanted: QueueFilter, person: int | None = None, *, offset: int = 0, limit: int = 20
    ) -> list[QueueEntry]:
        """One page of the segments that pass the filter, in file order."""
        where, values = self._where(wanted, person)
        rows = self._db.execute(
            f"""SELECT s.id, m.name, d.file, s.section, s.address, s.state, s.worst,
                substr(coalesce(nullif(s.target, ''), s.source), 1, 80) FROM {TABLES}
            WHERE {where} ORDER BY d.domain_id, d.position, s.position
            LIMIT :limit OFFSET :offset""",
            values | {"limit": limit, "offset": offset},
        )
        return [QueueEntry(*row) for row in rows]

    def rank(self, wanted: QueueFilter, segment: Segment, person: int | None = None) -> int:
        """How many segments that pass the filter come before this one."""
        where, values = self._where(wanted, person)
        row = self._db.execute(
            f"""SELECT count(*) FROM {TABLES} WHERE {where}
                AND (d.domain_id, d.position, s.position) <
                (SELECT d2.domain_id, d2.position, s2.position FROM segments s2
                 JOIN documents d2 ON d2.id = s2.document_id WHERE s2.id = :here)""",
            values | {"here": segment.id},
        ).fetchone()
        return int(row[0])

    def step(
        self,
        wanted: QueueFilter,
        segment: Segment,
        person: int | None = None,
        *,
        back: bool = False,
    ) -> str | None:
        """The id of the next (or previous) segment that passes the filter; None at the end."""
        where, values = self._where(wanted, person)
        sign, order = ("<", "DESC") if back else (">", "ASC")
        row = self._db.execute(
            f"""SELECT s.id FROM {TABLES} WHERE {where}
                AND (d.domain_id, d.position, s.position) {sign}
                (SELECT d2.domain_id, d2.position, s2.position FROM segments s2
                 JOIN documents d2 ON d2.id = s2.document_id WHERE s2.id = :here)
            ORDER BY d.domain_id {order}, d.position {order}, s.position {order} LIMIT 1""",
            values | {"here": segment.id},
        ).fetchone()
        return row[0] if row else None

    def next_waiting(
        self,
        wanted: QueueFilter,
        person: int,
        *,
        seat: int,
        seats: int,
        after: Segment | None = None,
    ) -> str | None:
        """The id of the next segment that waits for this person; None if none does.

        File by file, from the one of `after` on. Within a file people are spread: runs of `CHUNK`
        neighbours are dealt to the seats in turn, and everybody takes the own runs first; `after`
        goes on behind a segment, in the same run.
        """
        where, values = self._where(wanted, person)
        values |= {
            "seat": seat,
            "seats": max(seats, 1),
            "here": after.id if after else "",
            "position": after.position if after else -1,
        }
        for document, is_here in self._documents(wanted, after):
            row = self._db.execute(
                f"""SELECT s.id FROM {TABLES} WHERE s.document_id = :document
                    AND {where} AND {WAITING} AND s.id <> :here
                ORDER BY
                    NOT (:is_here AND s.position > :position
                        AND s.position / :chunk = :position / :chunk),
                    (s.position / :chunk + d.position - :seat + :seats * 1000) % :seats,
                    s.position LIMIT 1""",
                values
                | {"document": document, "is_here": is_here}
                | {"chunk": self._run_length(document, seats)},
            ).fetchone()
            if row:
                return str(row[0])
        return None

    def _run_length(self, document: int, seats: int) -> int:
        """How many neighbours one person takes in a row: `CHUNK`, fewer in a short file."""
        row = self._row(
            "SELECT count(*) FROM segments WHERE document_id = ? AND active", (document,)
        )
        return max(min(CHUNK, (row[0] if row else 0) // max(seats, 1)), 1)

    def _documents(self, wanted: QueueFilter, after: Segment | None) -> Iterator[tuple[int, bool]]:
        """The files to look through, beginning with the one of `after`, and whether it is that."""
        rows = self._rows(
            """SELECT d.id, m.name, d.file FROM documents d JOIN domains m ON m.id = d.domain_id
            WHERE d.active AND (:domain = '' OR m.name = :domain) AND (:file = '' OR d.file = :file)
            ORDER BY d.domain_id, d.position""",
            {"domain": wanted.domain, "file": wanted.file},
        )
        here = (after.domain, after.file) if after else None
        start = next((at for at, row in enumerate(rows) if (row[1], row[2]) == here), 0)
        for row in rows[start:] + rows[:start]:
            yield row[0], (row[1], row[2]) == here
