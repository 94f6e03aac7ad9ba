"""Patches of tasks: proposed, approved, rejected, inverted; never deleted. The audit has all."""

from __future__ import annotations

import json
from sqlite3 import Row

from review_app.errors import NotFound, StaleEdit
from review_app.records.curation import NewPatch, PatchState, StoredPatch
from review_app.store.connection import Table, now
from review_app.store.curation.evidence import evidence_as_text, evidence_from_text


class Patches(Table):
    """Reads and writes of patches."""

    def get(self, patch: int) -> StoredPatch:
        """The patch with this id. Raises NotFound."""
        row = self._row("SELECT * FROM patches WHERE id = ?", (patch,))
        if row is None:
            raise NotFound(
                "patch_row.unknown",
                "no patch {patch!r} in this project: `patches list` names them",
                patch=patch,
            )
        return _stored(row)

    def named(self, name: str) -> StoredPatch | None:
        """The patch with this name, if there is one."""
        row = self._row("SELECT * FROM patches WHERE name = ?", (name,))
        return _stored(row) if row else None

    def all(self, domain: str | None = None, task_id: str | None = None) -> list[StoredPatch]:
        """Patches in the order in which they were added."""
        rows = self._rows(
            """SELECT * FROM patches WHERE (? IS NULL OR domain = ?) AND (? IS NULL OR task_id = ?)
            ORDER BY id""",
            (domain, domain, task_id, task_id),
        )
        return [_stored(row) for row in rows]

    def in_force(self, domain: str, locale: str) -> list[StoredPatch]:
        """Approved patches of a domain that nobody took back, in the order of their approval."""
        rows = self._rows(
            """SELECT * FROM patches WHERE domain = ? AND state = 'approved' AND inverts IS NULL
            AND locale IN ('', ?) ORDER BY decided_at, id""",
            (domain, locale),
        )
        return [_stored(row) for row in rows]

    def next_name(self, domain: str, task_id: str, layer: str) -> str:
        """A name that no patch of this task and layer has, nor one of a pack will have."""
        start = f"{domain}/{task_id}/{layer}/own-"
        rows = self._rows(
            "SELECT name FROM patches WHERE domain = ? AND task_id = ? AND layer = ?",
            (domain, task_id, layer),
        )
        numbers = [row["name"].removeprefix(start) for row in rows]
        return (
            f"{start}{1 + max((int(number) for number in numbers if number.isdigit()), default=0)}"
        )

    def add(self, new: NewPatch) -> int:
        """Add a proposed patch; returns its id."""
        patch = new.patch
        operations = [operation.as_json() for operation in patch.operations]
        return self._insert(
            """INSERT INTO patches(name, domain, task_id, layer, locale, kind, base_hash,
            operations, reason, source, upstream, evidence, state, proposer_id, origin, inverts,
            created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,'proposed',?,?,?,?)""",
            (
                patch.id,
                patch.domain,
                patch.task_id,
                patch.layer,
                new.locale,
                patch.kind,
                patch.base_hash,
                json.dumps(operations, ensure_ascii=False),
                patch.reason,
                patch.source,
                patch.upstream,
                evidence_as_text(new.evidence),
                new.proposer_id,
                new.origin,
                new.inverts,
                now(),
            ),
        )

    def decide(
        self,
        patch: int,
        state: PatchState,
        *,
        person: int | None,
        note: str = "",
        expected_version: int,
    ) -> StoredPatch:
        """Set the state of a patch that was read as `expected_version`.

        Raises:
            StaleEdit: somebody decided in between; carries both states.
        """
        decided = ", approver_id = ?, note = ?, decided_at = ?" if state != "inverted" else ""
        values = (person, note, now()) if decided else ()
        changed = self._db.execute(
            f"""UPDATE patches SET state = ?, version = version + 1{decided}
            WHERE id = ? AND version = ?""",
            (state, *values, patch, expected_version),
        ).rowcount
        stored = self.get(patch)
        if not changed:
            raise StaleEdit(state, stored.state, stored.version)
        return stored

    def edition(self) -> str:
        """Changes whenever any patch does."""
        row = self._row("""SELECT coalesce(max(id), 0) FROM audit WHERE "table" = 'patches'""")
        assert row is not None
        return str(row[0])


def _stored(row: Row) -> StoredPatch:
    from review_app.core.tasks.operations import operation_from_json
    from review_app.core.tasks.patches import Patch

    address = f"{row['name']}/operations"
    patch = Patch(
        id=row["name"],
        domain=row["domain"],
        task_id=row["task_id"],
        layer=row["layer"],
        kind=row["kind"],
        base_hash=row["base_hash"],
        operations=tuple(
            operation_from_json(load, "patches", address) for load in json.loads(row["operations"])
        ),
        reason=row["reason"],
        source=row["source"],
        upstream=row["upstream"],
    )
    return StoredPatch(
        id=row["id"],
        patch=patch,
        locale=row["locale"],
        state=row["state"],
        proposer_id=row["proposer_id"],
        approver_id=row["approver_id"],
        origin=row["origin"],
        evidence=evidence_from_text(row["evidence"]),
        inverts=row["inverts"],
        note=row["note"],
        created_at=row["created_at"],
        decided_at=row["decided_at"],
        version=row["version"],
    )
