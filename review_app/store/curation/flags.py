"""Flags: what people suspect a task of, and how it went on."""

from __future__ import annotations

import json
from sqlite3 import Row

from review_app.errors import NotFound, StaleEdit
from review_app.records.curation import Flag, FlagOutcome, NewFlag, Remark, RemarkKind
from review_app.store.connection import Table, now
from review_app.store.curation.evidence import (
    evidence_as_text,
    evidence_from_text,
    words_as_text,
    words_from_text,
)


class Flags(Table):
    """Reads and writes of flags and what is said about them."""

    def get(self, flag: int) -> Flag:
        """The flag with this id. Raises NotFound."""
        row = self._row("SELECT * FROM flags WHERE id = ?", (flag,))
        if row is None:
            raise NotFound(
                "patch_row.flag_unknown",
                "no flag {flag!r} in this project: `flags list` names them",
                flag=flag,
            )
        return _flag(row)

    def all(self, domain: str | None = None, task_id: str | None = None) -> list[Flag]:
        """Flags, oldest first."""
        rows = self._rows(
            """SELECT * FROM flags WHERE (? IS NULL OR domain = ?) AND (? IS NULL OR task_id = ?)
            ORDER BY id""",
            (domain, domain, task_id, task_id),
        )
        return [_flag(row) for row in rows]

    def add(self, new: NewFlag) -> int:
        """Add a flag; returns its id."""
        at = now()
        return self._insert(
            """INSERT INTO flags(domain, task_id, title, description, kind, severity, evidence,
            owner_id, state, resolution, reporter_id, issue_id, extras, created_at, changed_at)
            VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
            (
                new.domain,
                new.task_id,
                words_as_text(new.title),
                words_as_text(new.description),
                new.kind,
                new.severity,
                evidence_as_text(new.evidence),
                new.owner_id,
                new.state,
                new.resolution,
                new.reporter_id,
                new.issue_id,
                json.dumps(dict(new.extras), ensure_ascii=False),
                new.created_at or at,
                at,
            ),
        )

    def put(self, flag: Flag) -> Flag:
        """Write a flag that was read as `flag.version`; returns it as it is now.

        Raises:
            StaleEdit: somebody changed it in between.
        """
        changed = self._db.execute(
            """UPDATE flags SET title = ?, description = ?, kind = ?, severity = ?, evidence = ?,
            owner_id = ?, state = ?, resolution = ?, changed_at = ?, version = version + 1
            WHERE id = ? AND version = ?""",
            (
                words_as_text(flag.title),
                words_as_text(flag.description),
                flag.kind,
                flag.severity,
                evidence_as_text(flag.evidence),
                flag.owner_id,
                flag.state,
                flag.resolution,
                now(),
                flag.id,
                flag.version,
            ),
        ).rowcount
        stored = self.get(flag.id)
        if not changed:
            raise StaleEdit(str(flag.title), str(stored.title), stored.version)
        return stored

    def remarks(self, flag: int) -> list[Remark]:
        """What was said about a flag, oldest first."""
        rows = self._rows("SELECT * FROM flag_remarks WHERE flag_id = ? ORDER BY id", (flag,))
        return [Remark(*row) for row in rows]

    def add_remark(
        self,
        flag: int,
        person: int,
        kind: RemarkKind,
        *,
        body: str = "",
        outcome: FlagOutcome | None = None,
    ) -> int:
        """Append a remark; returns its id."""
        return self._insert(
            """INSERT INTO flag_remarks(flag_id, person_id, kind, outcome, body, created_at)
            VALUES (?,?,?,?,?,?)""",
            (flag, person, kind, outcome, body, now()),
        )


def _flag(row: Row) -> Flag:
    return Flag(
        id=row["id"],
        domain=row["domain"],
        task_id=row["task_id"],
        title=words_from_text(row["title"]),
        description=words_from_text(row["description"]),
        kind=row["kind"],
        severity=row["severity"],
        evidence=evidence_from_text(row["evidence"]),
        owner_id=row["owner_id"],
        state=row["state"],
        resolution=row["resolution"],
        reporter_id=row["reporter_id"],
        issue_id=row["issue_id"],
        extras=json.loads(row["extras"]),
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        version=row["version"],
    )
