"""What the last proof of each domain found, replaced by the next; what people accepted of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from sqlite3 import Row
from typing import TYPE_CHECKING

from review_app.records.localization import AcceptedMention, ProofInfo, StoredViolation
from review_app.store.connection import Table, now

if TYPE_CHECKING:
    from review_app.core.proof.leftovers import ProofViolation

SPAN = "span"
"""The name under which a violation's span is kept among its values."""
ACCEPTED = "LOC002"
"""The code under which acceptances stand among those of the rules' warnings."""


def _kept(row: Row) -> StoredViolation:
    from review_app.core.proof.leftovers import ProofViolation

    values = json.loads(row["values"])
    span = values.pop(SPAN, None)
    return StoredViolation(
        ProofViolation(
            code=row["code"],
            severity=row["severity"],
            where=row["place"],
            record=row["record"],
            field=row["field"],
            message=row["message"],
            values=values,
            span=tuple(span) if span else None,
        ),
        row["segment_id"],
    )


class Violations(Table):
    """Reads and writes of proofs."""

    def put(
        self,
        domain: str,
        violations: Iterable[tuple[ProofViolation, str | None, int]],
        summary: object,
    ) -> list[str]:
        """Replace what was found about a domain.

        Args:
            domain: Its name.
            violations: Violation, id of the segment it is about and that segment's version.
            summary: Plain data to keep beside it.

        Returns:
            Ids of the segments that had or have violations.
        """
        rows = list(violations)
        before = self._rows(
            """SELECT DISTINCT segment_id FROM violations
            WHERE domain = ? AND segment_id IS NOT NULL""",
            (domain,),
        )
        self._db.execute("DELETE FROM violations WHERE domain = ?", (domain,))
        self._db.executemany(
            """INSERT INTO violations(domain, code, severity, place, record, field, message,
            "values", segment_id, version) VALUES (?,?,?,?,?,?,?,?,?,?)""",
            [
                (
                    domain,
                    v.code,
                    v.severity,
                    v.where,
                    v.record,
                    v.field,
                    v.message,
                    json.dumps(
                        dict(v.values) | ({SPAN: v.span} if v.span else {}), ensure_ascii=False
                    ),
                    segment,
                    version,
                )
                for v, segment, version in rows
            ],
        )
        self._db.execute(
            """INSERT INTO proofs(domain, made_at, summary) VALUES (?, ?, ?) ON CONFLICT(domain)
            DO UPDATE SET made_at = excluded.made_at, summary = excluded.summary""",
            (domain, now(), json.dumps(summary, ensure_ascii=False)),
        )
        now_about = {segment for _, segment, _ in rows if segment}
        return sorted({row["segment_id"] for row in before} | now_about)

    def of(self, domain: str) -> list[StoredViolation]:
        """A domain's violations, the worst first."""
        rows = self._rows(
            """SELECT * FROM violations WHERE domain = ? ORDER BY
            CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, code, id""",
            (domain,),
        )
        return [_kept(row) for row in rows]

    def of_segments(self, segments: Sequence[str]) -> dict[str, list[ProofViolation]]:
        """Violations by segment, as far as they are about the text that it has now."""
        rows = self._rows(
            """SELECT v.* FROM violations v JOIN segments s ON s.id = v.segment_id
            WHERE v.version = s.version AND v.segment_id IN (SELECT value FROM json_each(?))
            ORDER BY v.id""",
            (json.dumps(list(segments)),),
        )
        violations: dict[str, list[ProofViolation]] = {}
        for row in rows:
            violations.setdefault(row["segment_id"], []).append(_kept(row).violation)
        return violations

    def proof(self, domain: str) -> ProofInfo | None:
        """When a domain was proved last, and what came out; None if never."""
        row = self._row("SELECT made_at, summary FROM proofs WHERE domain = ?", (domain,))
        return ProofInfo(row["made_at"], json.loads(row["summary"])) if row else None

    def accepted(self, domain: str) -> list[AcceptedMention]:
        """What people accepted to stay in a domain, the newest last."""
        rows = self._rows(
            """SELECT task_id, fingerprint, person_id, reason, created_at FROM acknowledged
            WHERE domain = ? AND code = ? ORDER BY id""",
            (domain, ACCEPTED),
        )
        accepted = []
        for row in rows:
            kind, source = json.loads(row["fingerprint"])
            accepted.append(
                AcceptedMention(
                    kind=kind,
                    source=source,
                    record=row["task_id"],
                    reason=row["reason"],
                    person_id=row["person_id"],
                    created_at=row["created_at"],
                )
            )
        return accepted

    def accept(
        self, domain: str, mention: AcceptedMention, *, person: int, withdraw: bool = False
    ) -> None:
        """Append an acceptance, or its withdrawal, to those of the rules' warnings."""
        mark = json.dumps([mention.kind, mention.source], ensure_ascii=False)
        self._db.execute(
            """INSERT INTO acknowledgements(domain, task_id, code, fingerprint, person_id, reason,
            created_at, withdrawn) VALUES (?,?,?,?,?,?,?,?)""",
            (
                domain,
                mention.record,
                ACCEPTED,
                mark,
                person,
                "" if withdraw else mention.reason,
                now(),
                int(withdraw),
            ),
        )
