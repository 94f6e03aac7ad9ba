"""Segments: the texts under review, found by filter, queue and search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from sqlite3 import Row
from typing import Any

from review_app.errors import NotFound
from review_app.models import Segment, SegmentKind, SegmentState
from review_app.records.review import StoredSegment
from review_app.store import bulk
from review_app.store.connection import Table

COLUMNS = """s.id, m.name AS domain, d.file, s.address, s.kind, s.section, s.position, s.source,
    s.source_hash, s.target, s.version, s.state, s.needed, s.answered"""
TABLES = """segments s JOIN documents d ON d.id = s.document_id
    JOIN domains m ON m.id = d.domain_id"""

ADDED = (
    "id",
    "document_id",
    "address",
    "kind",
    "section",
    "position",
    "source",
    "source_hash",
    "target",
    "version",
    "state",
    "needed",
)
"""What a new segment is given."""


def _segment(row: Row) -> Segment:
    return Segment(*row)


def _unknown(segment: str) -> NotFound:
    return NotFound(
        "review.segment_unknown",
        "no segment {segment!r} in this project: the link is from another one",
        segment=segment,
    )


class Segments(Table):
    """Reads and writes of the segments table and its search index."""

    def get(self, segment: str) -> Segment:
        """The segment with this id.

        Raises:
            NotFound: there is none (a link from another project, or an old one).
        """
        row = self._row(f"SELECT {COLUMNS} FROM {TABLES} WHERE s.id = ?", (segment,))
        if row is None:
            raise _unknown(segment)
        return _segment(row)

    def at(self, domain: str, address: str) -> Segment:
        """The segment at an address of a domain."""
        row = self._row(
            f"SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND m.name = ? AND s.address = ?",
            (domain, address),
        )
        if row is None:
            raise NotFound(
                "review.address_unknown",
                "no segment at {address!r} of domain {domain!r}",
                address=address,
                domain=domain,
            )
        return _segment(row)

    def review_row(self, segment: str) -> Row:
        """What the review rules need beside the record: author, threshold, recheck, active."""
        row = self._row(
            "SELECT author_id, counts_from, recheck, active FROM segments WHERE id = ?", (segment,)
        )
        if row is None:
            raise _unknown(segment)
        return row

    def around(self, segment: Segment, before: int = 1, after: int = 1) -> list[Segment]:
        """The segment with its neighbours in the file, in order."""
        rows = self._rows(
            f"""SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND m.name = ? AND d.file = ?
            AND s.position BETWEEN ? AND ? ORDER BY s.position""",
            (segment.domain, segment.file, segment.position - before, segment.position + after),
        )
        return [_segment(row) for row in rows]

    def section(self, segment: Segment) -> list[Segment]:
        """All segments of the same section: the whole instruction of a task, in order."""
        rows = self._rows(
            f"""SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND m.name = ? AND d.file = ?
            AND s.section = ? ORDER BY s.position LIMIT 40""",
            (segment.domain, segment.file, segment.section),
        )
        return [_segment(row) for row in rows]

    def same_source(self, segment: Segment, limit: int = 10) -> list[Segment]:
        """Other segments with the same source text and a translation: the memory."""
        rows = self._rows(
            f"""SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND s.source_hash = ?
            AND s.id <> ? AND s.target IS NOT NULL ORDER BY s.state <> 'approved', s.number
            LIMIT ?""",
            (segment.source_hash, segment.id, limit),
        )
        return [_segment(row) for row in rows]

    def of_document(self, document: int) -> list[Segment]:
        """Every segment of a file, in order."""
        rows = self._rows(
            f"SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND s.document_id = ?"
            " ORDER BY s.position",
            (document,),
        )
        return [_segment(row) for row in rows]

    def all(self, domain: str | None = None) -> Iterator[Segment]:
        """Every segment of the project or of one domain, in file order."""
        rows = self._db.execute(
            f"""SELECT {COLUMNS} FROM {TABLES} WHERE s.active AND (? IS NULL OR m.name = ?)
            ORDER BY d.domain_id, d.position, s.position""",
            (domain, domain),
        )
        return map(_segment, rows)

    # -- counts ----------------------------------------------------------------------------

    def progress(self) -> list[tuple[str, str, SegmentKind, SegmentState, int]]:
        """Counts by (domain, file, kind, state), in file order."""
        rows = self._rows(
            f"""SELECT m.name, d.file, d.kind, s.state, count(*) FROM {TABLES} WHERE s.active
            GROUP BY d.id, s.state ORDER BY d.domain_id, d.position"""
        )
        return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]

    def findings_by_code(self) -> list[tuple[str, str, int]]:
        """(code, severity, segments with an open finding of it), most first."""
        rows = self._rows(
            """SELECT f.code, f.severity, count(DISTINCT f.segment_id) AS n FROM findings f
            JOIN segments s ON s.id = f.segment_id WHERE s.active AND NOT EXISTS (
                SELECT 1 FROM dismissed x WHERE x.segment_id = f.segment_id
                AND x.fingerprint = f.fingerprint)
            GROUP BY f.code, f.severity ORDER BY n DESC"""
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def for_import(self, document: int) -> dict[str, StoredSegment]:
        """Every segment a file ever had, by address."""
        rows = self._rows(
            """SELECT s.address, s.id, s.section, s.position, s.source_hash, s.target, s.version,
                s.recheck, s.active,
                (SELECT count(*) FROM revisions r WHERE r.segment_id = s.id) AS versions,
                s.author_id IS NOT NULL
                    OR EXISTS (SELECT 1 FROM decisions x WHERE x.segment_id = s.id) AS touched,
                (SELECT target FROM revisions r WHERE r.segment_id = s.id AND origin = 'draft'
                    ORDER BY version DESC LIMIT 1) AS last_draft,
                (SELECT source_hash FROM revisions r WHERE r.segment_id = s.id
                    AND r.version = s.version) AS made_for
            FROM segments s WHERE s.document_id = ?""",
            (document,),
        )
        return {
            row["address"]: StoredSegment(
                id=row["id"],
                section=row["section"],
                position=row["position"],
                source_hash=row["source_hash"],
                target=row["target"],
                version=row["version"],
                versions=row["versions"],
                recheck=row["recheck"],
                active=bool(row["active"]),
                touched=bool(row["touched"]),
                last_draft=row["last_draft"],
                made_for=row["made_for"],
            )
            for row in rows
        }

    # -- writes ----------------------------------------------------------------------------

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add new segments, each with the values of `ADDED`."""
        bulk.insert(self._db, "segments", ADDED, rows)

    def put_source(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Change where and what the source is: (section, position, source, hash, recheck, id)."""
        self._db.executemany(
            """UPDATE segments SET section = ?, position = ?, source = ?, source_hash = ?,
            recheck = ?, active = 1 WHERE id = ?""",
            rows,
        )

    def retire(self, segments: Sequence[str]) -> None:
        """Take segments out that the source no longer has; their history stays."""
        self._db.executemany(
            "UPDATE segments SET active = 0 WHERE id = ?", [(segment,) for segment in segments]
        )

    def put_recheck(self, segment: str, reason: str | None) -> None:
        """Say why a text waits for another look, or that a new version has answered it."""
        self._db.execute("UPDATE segments SET recheck = ? WHERE id = ?", (reason, segment))

    def put_target(
        self, segment: str, target: str | None, *, version: int, author: int | None, expected: int
    ) -> bool:
        """Set the version in force, if it is still `expected`; False if it moved."""
        cursor = self._db.execute(
            """UPDATE segments SET target = ?, version = ?, author_id = ?
            WHERE id = ? AND version = ?""",
            (target, version, author, segment, expected),
        )
        return cursor.rowcount == 1

    def put_review(
        self, segment: str, *, state: SegmentState, answered: int, recheck: str | None
    ) -> None:
        """Write the state derived from the answers."""
        self._db.execute(
            "UPDATE segments SET state = ?, answered = ?, recheck = ? WHERE id = ?",
            (state, answered, recheck, segment),
        )

    def send_back(self, segment: str, *, counts_from: int, reason: str) -> None:
        """Set answers up to a decision aside and mark the text for another look."""
        self._db.execute(
            "UPDATE segments SET counts_from = ?, recheck = ? WHERE id = ?",
            (counts_from, reason, segment),
        )

    def index_search(self, limit: int = 2000) -> int:
        """Add up to `limit` segments to the search index; returns how many are left."""
        self._db.execute(
            """INSERT INTO segments_search(rowid, source, target) SELECT number, source, target
            FROM segments WHERE number > (SELECT through FROM search_state)
            ORDER BY number LIMIT ?""",
            (limit,),
        )
        self._db.execute(
            """UPDATE search_state SET through = coalesce((SELECT max(number) FROM (
                SELECT number FROM segments WHERE number > through ORDER BY number LIMIT ?)),
                through)""",
            (limit,),
        )
        row = self._row(
            "SELECT count(*) FROM segments WHERE number > (SELECT through FROM search_state)"
        )
        assert row is not None
        return int(row[0])
