"""Cached results of the checks, and what people dismissed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from sqlite3 import Row

from review_app.models import Finding
from review_app.records.review import Dismissal, StoredFinding
from review_app.store.connection import Table, now

WORST_FIRST = "CASE f.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"


def fingerprint(finding: Finding) -> str:
    """What a dismissal is bound to: code and values, not the place."""
    text = json.dumps([finding.code, sorted(finding.spoken().items())], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _finding(row: Row) -> Finding:
    span = (row["span_start"], row["span_end"]) if row["span_start"] is not None else None
    return Finding(
        code=row["code"],
        name=row["name"],
        severity=row["severity"],
        message=row["message"],
        values=json.loads(row["values"]),
        span=span,
        in_source=bool(row["in_source"]),
    )


class Findings(Table):
    """Findings by segment; `checked` on the segment says for what they were computed."""

    def unchecked(self, key: str, domain: str | None = None) -> list[str]:
        """Ids of segments whose findings are not of this text, glossary and rule set."""
        rows = self._rows(
            """SELECT s.id FROM segments s JOIN documents d ON d.id = s.document_id
            JOIN domains m ON m.id = d.domain_id WHERE s.active AND (? IS NULL OR m.name = ?)
            AND s.checked IS NOT (s.source_hash || ' ' || s.version || ' ' || ?)
            ORDER BY d.domain_id, d.position, s.position""",
            (domain, domain, key),
        )
        return [row["id"] for row in rows]

    def outdated(self, key: str, segments: Sequence[str]) -> list[str]:
        """Those of these segments whose findings are not of their text and this rule set."""
        rows = self._rows(
            """SELECT id FROM segments WHERE id IN (SELECT value FROM json_each(?)) AND active
            AND checked IS NOT (source_hash || ' ' || version || ' ' || ?)""",
            (json.dumps(list(segments)), key),
        )
        return [row["id"] for row in rows]

    def put(self, segment: str, findings: Iterable[Finding], key: str) -> None:
        """Replace a segment's findings and note what they were computed for."""
        self._db.execute("DELETE FROM findings WHERE segment_id = ?", (segment,))
        self._db.executemany(
            """INSERT INTO findings(segment_id, code, name, severity, message, "values", span_start,
            span_end, in_source, fingerprint) VALUES (?,?,?,?,?,?,?,?,?,?)""",
            [
                (
                    segment,
                    f.code,
                    f.name,
                    f.severity,
                    f.message,
                    json.dumps(f.values, ensure_ascii=False),
                    f.span[0] if f.span else None,
                    f.span[1] if f.span else None,
                    int(f.in_source),
                    fingerprint(f),
                )
                for f in findings
            ],
        )
        self._db.execute(
            """UPDATE segments SET checked = source_hash || ' ' || version || ' ' || ?
            WHERE id = ?""",
            (key, segment),
        )
        self.note_worst([segment])

    def carry_over(self, old_key: str, new_key: str, except_ids: Iterable[str]) -> None:
        """Let findings of one glossary and rule set count for another, but for some segments'."""
        self._db.execute(
            """UPDATE segments SET checked = source_hash || ' ' || version || ' ' || ?
            WHERE active AND checked = source_hash || ' ' || version || ' ' || ?
            AND id NOT IN (SELECT value FROM json_each(?))""",
            (new_key, old_key, json.dumps(list(except_ids))),
        )

    def note_worst(self, segments: Sequence[str]) -> None:
        """Cache the highest severity of the open findings on each segment."""
        self._db.executemany(
            f"""UPDATE segments SET worst = (SELECT f.severity FROM findings f
                WHERE f.segment_id = segments.id AND NOT EXISTS (SELECT 1 FROM dismissed x
                    WHERE x.segment_id = f.segment_id AND x.fingerprint = f.fingerprint)
                ORDER BY {WORST_FIRST}
                LIMIT 1) WHERE id = ?""",
            [(segment,) for segment in segments],
        )

    def of(self, segment: str) -> list[StoredFinding]:
        """A segment's findings, the worst first, with what was dismissed."""
        rows = self._rows(
            f"""SELECT f.*, x.person_id, x.reason, x.created_at FROM findings f
            LEFT JOIN dismissed x ON x.segment_id = f.segment_id AND x.fingerprint = f.fingerprint
            WHERE f.segment_id = ?
            ORDER BY {WORST_FIRST}, f.span_start IS NULL, f.span_start, f.id""",
            (segment,),
        )
        return [
            StoredFinding(
                _finding(row),
                row["fingerprint"],
                Dismissal(row["person_id"], row["reason"], row["created_at"])
                if row["reason"] is not None
                else None,
            )
            for row in rows
        ]

    def open(self, domain: str | None = None) -> list[tuple[str, str, str, Finding]]:
        """Open findings of a domain or of all: (domain, file, address, finding), in file order."""
        rows = self._rows(
            """SELECT m.name AS domain, d.file, s.address, f.* FROM findings f
            JOIN segments s ON s.id = f.segment_id JOIN documents d ON d.id = s.document_id
            JOIN domains m ON m.id = d.domain_id
            WHERE s.active AND (? IS NULL OR m.name = ?) AND NOT EXISTS (
                SELECT 1 FROM dismissed x WHERE x.segment_id = f.segment_id
                AND x.fingerprint = f.fingerprint)
            ORDER BY d.domain_id, d.position, s.position, f.id""",
            (domain, domain),
        )
        return [(row["domain"], row["file"], row["address"], _finding(row)) for row in rows]

    def dismiss(
        self,
        segment: str,
        code: str,
        print_: str,
        *,
        person: int,
        reason: str,
        withdraw: bool = False,
    ) -> None:
        """Append a dismissal, or its withdrawal."""
        self._db.execute(
            """INSERT INTO dismissals(segment_id, code, fingerprint, person_id, reason, created_at,
            withdrawn) VALUES (?,?,?,?,?,?,?)""",
            (segment, code, print_, person, reason, now(), int(withdraw)),
        )
        self.note_worst([segment])
