"""What the validity rules said about tasks, kept by content; and which warnings people accepted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from review_app.notices import Notice
from review_app.records.curation import Acknowledgement
from review_app.store.connection import Table, now

if TYPE_CHECKING:
    from review_app.core.validity import RuleViolation
    from review_app.core.validity.registry import RuleValue


def fingerprint(violation: RuleViolation) -> str:
    """The same for the same fault of a task wherever in the task it stands."""
    values = sorted((name, str(value)) for name, value in violation.values.items())
    text = json.dumps([violation.code, values], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Validations(Table):
    """Kept results of rules, and acknowledgements of warnings."""

    def kept(
        self, task_hashes: Sequence[str], state_hash: str, rules: str
    ) -> dict[str, list[RuleViolation]]:
        """What is known of these tasks, by task hash, for this database and these rules."""
        from review_app.core.validity import RuleViolation  # brings all tools along

        rows = self._rows(
            """SELECT task_hash, violations FROM validations WHERE state_hash = ? AND rules = ?
            AND task_hash IN (SELECT value FROM json_each(?))""",
            (state_hash, rules, json.dumps(list(task_hashes))),
        )
        return {
            row["task_hash"]: [
                RuleViolation(**{**stored, "values": _values(stored["values"])})
                for stored in json.loads(row["violations"])
            ]
            for row in rows
        }

    def keep(
        self, by_task: Mapping[str, Iterable[RuleViolation]], state_hash: str, rules: str
    ) -> None:
        """Keep what rules said, by task hash."""
        self._db.executemany(
            """INSERT INTO validations(task_hash, state_hash, rules, violations, made_at)
            VALUES (?,?,?,?,?) ON CONFLICT DO NOTHING""",
            [
                (task, state_hash, rules, _text(violations), now())
                for task, violations in by_task.items()
            ],
        )

    def acknowledged(
        self, domain: str, task_id: str | None = None
    ) -> dict[tuple[str, str], Acknowledgement]:
        """Accepted warnings of a domain or of one task: (task id, fingerprint) -> by whom, why."""
        rows = self._rows(
            """SELECT task_id, fingerprint, person_id, reason, created_at FROM acknowledged
            WHERE domain = ? AND (? IS NULL OR task_id = ?)""",
            (domain, task_id, task_id),
        )
        return {(row[0], row[1]): Acknowledgement(row[2], row[3], row[4]) for row in rows}

    def acknowledge(
        self,
        domain: str,
        violation: RuleViolation,
        *,
        person: int,
        reason: str,
        withdraw: bool = False,
    ) -> None:
        """Append an acknowledgement, or its withdrawal."""
        self._db.execute(
            """INSERT INTO acknowledgements(domain, task_id, code, fingerprint, person_id, reason,
            created_at, withdrawn) VALUES (?,?,?,?,?,?,?,?)""",
            (
                domain,
                violation.task_id,
                violation.code,
                fingerprint(violation),
                person,
                reason,
                now(),
                int(withdraw),
            ),
        )


def _text(violations: Iterable[RuleViolation]) -> str:
    listed = [
        {**asdict(violation), "values": {name: _plain(value) for name, value in values.items()}}
        for violation in violations
        for values in [violation.values]
    ]
    return json.dumps(listed, ensure_ascii=False)


def _plain(value: RuleValue) -> object:
    return json.loads(value.to_json()) if isinstance(value, Notice) else value


def _values(stored: Mapping[str, Any]) -> dict[str, RuleValue]:
    """What fills a rule's message; an older version stored phrases as plain texts."""
    return {
        name: value if isinstance(value, str) else Notice.from_json(json.dumps(value))
        for name, value in stored.items()
    }
