"""What machine translation made of each segment, and from what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from sqlite3 import Row

from review_app.notices import Notice
from review_app.records.localization import Translation, TranslationStanding
from review_app.store.connection import Table, now

COLUMNS = "t.segment_id, t.made_from, t.model, t.prompt_version, t.source_hash, t.version, t.faults"
PERSONS = """s.author_id IS NOT NULL
    OR EXISTS (SELECT 1 FROM decisions x WHERE x.segment_id = s.id)
    OR EXISTS (SELECT 1 FROM drafts x WHERE x.segment_id = s.id)"""
NEWEST = "t.id = (SELECT max(n.id) FROM translations n WHERE n.segment_id = t.segment_id)"


def _translation(row: Row) -> Translation:
    return Translation(
        segment_id=row["segment_id"],
        made_from=row["made_from"],
        model=row["model"],
        prompt_version=row["prompt_version"],
        source_hash=row["source_hash"],
        version=row["version"],
        faults=tuple(map(Notice.from_json, json.loads(row["faults"]))),
    )


class Translations(Table):
    """Append-only outcomes of machine translation."""

    def add(self, outcomes: Iterable[Translation]) -> None:
        """Append outcomes."""
        at = now()
        self._db.executemany(
            """INSERT INTO translations(segment_id, made_from, model, prompt_version, source_hash,
            version, faults, created_at) VALUES (?,?,?,?,?,?,?,?)""",
            [
                (
                    outcome.segment_id,
                    outcome.made_from,
                    outcome.model,
                    outcome.prompt_version,
                    outcome.source_hash,
                    outcome.version,
                    json.dumps([fault.to_json() for fault in outcome.faults]),
                    at,
                )
                for outcome in outcomes
            ],
        )

    def standing(self, domain: str) -> dict[str, TranslationStanding]:
        """How every segment of a domain stands with machine translation, by id."""
        rows = self._rows(
            f"""SELECT s.id, {PERSONS} AS is_persons, r.source_hash AS drafted_from
            FROM segments s JOIN documents d ON d.id = s.document_id
            JOIN domains m ON m.id = d.domain_id
            LEFT JOIN revisions r ON r.segment_id = s.id AND r.version = s.version
            WHERE s.active AND m.name = ?""",
            (domain,),
        )
        last = self._newest([row["id"] for row in rows])
        return {
            row["id"]: TranslationStanding(
                bool(row["is_persons"]), row["drafted_from"], *last.get(row["id"], (None, 0))
            )
            for row in rows
        }

    def is_persons(self, segment: str) -> bool:
        """Whether somebody wrote, answered or is typing a text of this segment."""
        row = self._row(f"SELECT {PERSONS} FROM segments s WHERE s.id = ?", (segment,))
        return bool(row and row[0])

    def faulty(self, segments: Sequence[str]) -> dict[str, Translation]:
        """Outcomes with faults that are still in force: no other text or source came since."""
        rows = self._rows(
            f"""SELECT {COLUMNS} FROM translations t JOIN segments s ON s.id = t.segment_id
            WHERE t.segment_id IN (SELECT value FROM json_each(?)) AND t.faults <> '[]'
            AND t.version = s.version AND t.source_hash = s.source_hash AND {NEWEST}""",
            (json.dumps(list(segments)),),
        )
        return {row["segment_id"]: _translation(row) for row in rows}

    def _newest(self, segments: Sequence[str]) -> dict[str, tuple[Translation, int]]:
        rows = self._rows(
            f"""SELECT {COLUMNS}, (SELECT count(*) FROM translations e
                WHERE e.segment_id = t.segment_id AND e.made_from = t.made_from) AS attempts
            FROM translations t
            WHERE t.segment_id IN (SELECT value FROM json_each(?)) AND {NEWEST}""",
            (json.dumps(list(segments)),),
        )
        return {row["segment_id"]: (_translation(row), row["attempts"]) for row in rows}
