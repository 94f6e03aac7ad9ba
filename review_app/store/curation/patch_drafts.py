"""What people typed into the patch editor and have not proposed yet."""

from __future__ import annotations

from review_app.records.curation import PatchDraft
from review_app.store.connection import Table, now


class PatchDrafts(Table):
    """Reads and writes of unfinished patches: one for each person, task and layer; not audited."""

    def get(self, person: int, domain: str, task_id: str, layer: str) -> PatchDraft | None:
        """What a person typed for a task, if anything."""
        row = self._row(
            """SELECT content, saved_at FROM patch_drafts
            WHERE person_id = ? AND domain = ? AND task_id = ? AND layer = ?""",
            (person, domain, task_id, layer),
        )
        return PatchDraft(*row) if row else None

    def put(self, person: int, domain: str, task_id: str, layer: str, content: str) -> str:
        """Keep what a person typed; returns when."""
        at = now()
        self._db.execute(
            """INSERT INTO patch_drafts VALUES (?,?,?,?,?,?)
            ON CONFLICT(person_id, domain, task_id, layer)
            DO UPDATE SET content = excluded.content, saved_at = excluded.saved_at""",
            (person, domain, task_id, layer, content, at),
        )
        return at

    def drop(self, person: int, domain: str, task_id: str, layer: str) -> None:
        """Forget what a person typed for a task."""
        self._db.execute(
            """DELETE FROM patch_drafts
            WHERE person_id = ? AND domain = ? AND task_id = ? AND layer = ?""",
            (person, domain, task_id, layer),
        )
