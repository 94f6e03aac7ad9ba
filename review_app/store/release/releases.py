"""Releases and who signed them; never changed."""

from __future__ import annotations

import json
from sqlite3 import Row

from review_app.records.release import NewRelease, ProjectRevision, Release, Signature
from review_app.store.connection import Table, now

NOT_IN_A_RELEASE = (
    "jobs",
    "model_answers",
    "prompts",
    "release_signatures",
    "releases",
    "runs",
    "translations",
    "verdicts",
)
"""Audited tables of which nothing goes into a release: their changes leave its revision."""


class Releases(Table):
    """Reads and writes of releases."""

    def revision(self) -> ProjectRevision:
        """The state of what a release is made of: the newest change of it."""
        row = self._row(
            """SELECT id, at FROM audit WHERE "table" NOT IN (SELECT value FROM json_each(?))
            ORDER BY id DESC LIMIT 1""",
            (json.dumps(NOT_IN_A_RELEASE),),
        )
        return ProjectRevision(row["id"], row["at"]) if row else ProjectRevision(0, "")

    def add(self, new: NewRelease) -> int:
        """Add a release and return its id."""
        return self._insert(
            """INSERT INTO releases(name, note, revision, recipe, domains, manifest_hash, complete,
            folder, built_by, built_at) VALUES (?,?,?,?,?,?,?,?,?,?)""",
            (
                new.name,
                new.note,
                new.revision,
                json.dumps(dict(new.recipe), ensure_ascii=False),
                json.dumps(list(new.domains)),
                new.manifest_hash,
                int(new.complete),
                new.folder,
                new.built_by,
                now(),
            ),
        )

    def all(self) -> list[Release]:
        """Every release, the newest first."""
        return [self._release(row) for row in self._rows("SELECT * FROM releases ORDER BY id DESC")]

    def named(self, name: str) -> Release | None:
        """The newest release of this name, if there is one."""
        row = self._row("SELECT * FROM releases WHERE name = ? ORDER BY id DESC LIMIT 1", (name,))
        return self._release(row) if row else None

    def sign(self, release: int, person: int) -> None:
        """Append a signature."""
        self._insert(
            "INSERT INTO release_signatures(release_id, person_id, signed_at) VALUES (?,?,?)",
            (release, person, now()),
        )

    def _release(self, row: Row) -> Release:
        signatures = self._rows(
            "SELECT person_id, signed_at FROM release_signatures WHERE release_id = ? ORDER BY id",
            (row["id"],),
        )
        return Release(
            id=row["id"],
            name=row["name"],
            note=row["note"],
            revision=row["revision"],
            recipe=json.loads(row["recipe"]),
            domains=tuple(json.loads(row["domains"])),
            manifest_hash=row["manifest_hash"],
            complete=bool(row["complete"]),
            folder=row["folder"],
            built_by=row["built_by"],
            built_at=row["built_at"],
            signatures=tuple(Signature(*signature) for signature in signatures),
        )
