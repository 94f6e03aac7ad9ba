"""Revisions, decisions, answers, drafts and comments: what people did to segments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from sqlite3 import Row
from typing import Any

import msgspec

from review_app.models import Comment, Decision, Mark, Revision, Verdict
from review_app.records.review import ReviewDraft
from review_app.store.connection import Table, now


def _decision(row: Row) -> Decision:
    return Decision(
        id=row["id"],
        segment_id=row["segment_id"],
        person_id=row["person_id"],
        verdict=row["verdict"],
        version=row["version"],
        source_hash=row["source_hash"],
        note=row["note"],
        marks=msgspec.json.decode(row["marks"], type=tuple[Mark, ...]),
        created_at=row["created_at"],
        undoes=row["undoes"],
    )


class Reviews(Table):
    """Append-only history and its cached views."""

    # -- revisions -------------------------------------------------------------------------

    def add_revisions(self, rows: Iterable[tuple[Any, ...]], at: str = "") -> None:
        """Append versions: (segment, version, base, target, author, origin, source hash).

        They were made at a time that is known, or are made now.
        """
        at = at or now()
        self._db.executemany(
            """INSERT INTO revisions(segment_id, version, base, target, author_id, origin,
            source_hash, created_at) VALUES (?,?,?,?,?,?,?,?)""",
            ((*row, at) for row in rows),
        )

    def revisions(self, segment: str) -> list[Revision]:
        """All versions of a segment's text, oldest first."""
        rows = self._rows(
            """SELECT version, target, author_id, origin, source_hash, created_at FROM revisions
            WHERE segment_id = ? ORDER BY version""",
            (segment,),
        )
        return [Revision(*row) for row in rows]

    def base_of(self, segment: str, version: int) -> int:
        """The version that a version was made from."""
        row = self._row(
            "SELECT base FROM revisions WHERE segment_id = ? AND version = ?", (segment, version)
        )
        return int(row["base"]) if row else 0

    # -- decisions -------------------------------------------------------------------------

    def add_decision(
        self,
        segment: str,
        person: int,
        verdict: Verdict,
        *,
        version: int,
        source_hash: str,
        note: str = "",
        marks: Sequence[Mark] = (),
        undoes: int | None = None,
    ) -> int:
        """Append a decision that is made now, and return its id."""
        return self.add_made(
            Decision(
                id=0,
                segment_id=segment,
                person_id=person,
                verdict=verdict,
                version=version,
                source_hash=source_hash,
                note=note,
                marks=tuple(marks),
                created_at=now(),
                undoes=undoes,
            )
        )

    def add_made(self, decision: Decision) -> int:
        """Append a decision that was made at its time; its id is given by the database."""
        return self._insert(
            """INSERT INTO decisions(segment_id, person_id, verdict, version, source_hash, note,
            marks, created_at, undoes) VALUES (?,?,?,?,?,?,?,?,?)""",
            (
                decision.segment_id,
                decision.person_id,
                decision.verdict,
                decision.version,
                decision.source_hash,
                decision.note,
                json.dumps([asdict(mark) for mark in decision.marks], ensure_ascii=False),
                decision.created_at,
                decision.undoes,
            ),
        )

    def decisions(self, segment: str) -> list[Decision]:
        """All decisions on a segment, oldest first."""
        rows = self._rows("SELECT * FROM decisions WHERE segment_id = ? ORDER BY id", (segment,))
        return [_decision(row) for row in rows]

    def newest_decision(self, segment: str) -> int:
        """The id of the newest decision on a segment; 0 if there is none."""
        row = self._row(
            "SELECT coalesce(max(id), 0) FROM decisions WHERE segment_id = ?", (segment,)
        )
        assert row is not None
        return int(row[0])

    def last_decision(self, person: int) -> Decision | None:
        """What a person decided last, anywhere, that is not undone; None if nothing is."""
        row = self._row(
            """SELECT * FROM decisions d WHERE person_id = ? AND verdict <> 'undo'
            AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)
            ORDER BY id DESC LIMIT 1""",
            (person,),
        )
        return _decision(row) if row else None

    def put_answers(self, segment: str, answers: Mapping[int, Verdict]) -> None:
        """Replace the cached answers that count for the version in force."""
        self._db.execute("DELETE FROM answers WHERE segment_id = ?", (segment,))
        self._db.executemany(
            "INSERT INTO answers VALUES (?, ?, ?)",
            [(segment, person, verdict) for person, verdict in answers.items()],
        )

    def answers(self, segment: str) -> dict[int, Verdict]:
        """The answers that count for the version in force."""
        rows = self._rows("SELECT person_id, verdict FROM answers WHERE segment_id = ?", (segment,))
        return {row["person_id"]: row["verdict"] for row in rows}

    def work(self) -> list[tuple[int, str, Verdict, int]]:
        """Decisions by (person, day, verdict) with their number; undone ones left out."""
        rows = self._rows(
            """SELECT person_id, substr(created_at, 1, 10), verdict, count(*) FROM decisions d
            WHERE verdict <> 'undo' AND NOT EXISTS (
                SELECT 1 FROM decisions u WHERE u.undoes = d.id) GROUP BY 1, 2, 3 ORDER BY 2"""
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def decided_today(self, person: int) -> int:
        """How many segments a person answered since midnight UTC; undone answers do not count."""
        row = self._row(
            """SELECT count(DISTINCT segment_id) FROM decisions d
            WHERE person_id = ? AND verdict <> 'undo' AND created_at >= ?
                AND NOT EXISTS (SELECT 1 FROM decisions u WHERE u.undoes = d.id)""",
            (person, now()[:10]),
        )
        assert row is not None
        return int(row[0])

    def agreement(self) -> dict[int, tuple[int, int]]:
        """For each person: answers on versions somebody else answered too, and how many agreed."""
        rows = self._rows(
            """SELECT a.person_id, count(*), sum((a.verdict = 'request_change')
                = (b.verdict = 'request_change'))
            FROM answers a JOIN answers b
                ON b.segment_id = a.segment_id AND b.person_id <> a.person_id
            GROUP BY a.person_id"""
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    def approved_by_day(self) -> list[tuple[str, int]]:
        """By how many the approved segments grew or shrank on each day, oldest first."""
        approved = "(json_extract({0}, '$.state') = 'approved' AND json_extract({0}, '$.active'))"
        rows = self._rows(
            f"""SELECT substr(at, 1, 10),
                sum({approved.format("new")}) - sum({approved.format("old")})
            FROM audit WHERE "table" = 'segments' AND op = 'update' GROUP BY 1 ORDER BY 1"""
        )
        return [(row[0], row[1]) for row in rows]

    # -- drafts ----------------------------------------------------------------------------

    def put_draft(self, segment: str, person: int, target: str, base_version: int) -> str:
        """Keep what somebody is typing; returns when it was kept."""
        at = now()
        self._db.execute(
            """INSERT INTO drafts VALUES (?, ?, ?, ?, ?) ON CONFLICT(segment_id, person_id)
            DO UPDATE SET target = excluded.target, base_version = excluded.base_version,
            saved_at = excluded.saved_at""",
            (segment, person, target, base_version, at),
        )
        return at

    def draft(self, segment: str, person: int) -> ReviewDraft | None:
        """What somebody typed and has not saved."""
        row = self._row(
            """SELECT target, base_version, saved_at FROM drafts
            WHERE segment_id = ? AND person_id = ?""",
            (segment, person),
        )
        return ReviewDraft(*row) if row else None

    def drop_draft(self, segment: str, person: int) -> None:
        """Forget a draft: it was saved or thrown away."""
        self._db.execute(
            "DELETE FROM drafts WHERE segment_id = ? AND person_id = ?", (segment, person)
        )

    # -- comments --------------------------------------------------------------------------

    def add_comment(self, segment: str, person: int, body: str) -> int:
        """Append a remark and return its id."""
        return self._insert(
            "INSERT INTO comments(segment_id, person_id, body, created_at) VALUES (?,?,?,?)",
            (segment, person, body, now()),
        )

    def comments(self, segment: str) -> list[Comment]:
        """The remarks on a segment, oldest first."""
        rows = self._rows(
            """SELECT id, segment_id, person_id, body, created_at, resolved FROM comments
            WHERE segment_id = ? ORDER BY id""",
            (segment,),
        )
        return [
            Comment(
                id=row["id"],
                segment_id=row["segment_id"],
                person_id=row["person_id"],
                body=row["body"],
                created_at=row["created_at"],
                resolved=bool(row["resolved"]),
            )
            for row in rows
        ]

    def resolve_comment(self, comment: int, *, resolved: bool) -> None:
        """Mark a remark as dealt with, or open it again."""
        self._db.execute(
            "UPDATE comments SET resolved = ?, version = version + 1 WHERE id = ?",
            (int(resolved), comment),
        )
