"""Runs: what was played with what; their tasks and everything else they are made of, by content."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from review_app.errors import NotFound
from review_app.json_types import Json
from review_app.notices import Notice
from review_app.records.runs import NewRun, Run, RunTask
from review_app.store.connection import Table, now

_COLUMNS = ("models", "plan", "material")


class Runs(Table):
    """Reads and writes of runs."""

    def get(self, run: int) -> Run:
        """The run with this id."""
        row = self._row("SELECT * FROM runs WHERE id = ?", (run,))
        if row is None:
            raise NotFound(
                "run_row.unknown", "no run {run!r}: `jtau-review run status` lists them", run=run
            )
        return _run(row)

    def list(self, domain: str = "", limit: int = 200) -> list[Run]:
        """The newest runs first, of this domain where one is named."""
        rows = self._rows(
            "SELECT * FROM runs WHERE domain = coalesce(nullif(?, ''), domain) "
            "ORDER BY id DESC LIMIT ?",
            (domain, limit),
        )
        return [_run(row) for row in rows]

    def add(self, new: NewRun) -> int:
        """Add a run and return its id."""
        values: dict[str, Any] = {name: getattr(new, name) for name in NewRun.__dataclass_fields__}
        values |= {name: _packed(values[name]) for name in _COLUMNS}
        values["created_at"] = now()
        marks = ", ".join(f":{name}" for name in values)
        query = f"INSERT INTO runs({', '.join(values)}) VALUES ({marks})"
        return self._db.execute(query, values).lastrowid or 0

    def put_job(self, run: int, job: int) -> None:
        """Note the job that plays a run."""
        self._db.execute(
            "UPDATE runs SET job_id = ?, version = version + 1 WHERE id = ?", (job, run)
        )

    def put_frozen(self, run: int, material: Json, config_hash: str, litellm: str) -> None:
        """Note what a run is made of, once."""
        self._db.execute(
            """UPDATE runs SET material = ?, config_hash = ?, litellm = ?, version = version + 1
            WHERE id = ? AND config_hash = ''""",
            (_packed(material), config_hash, litellm, run),
        )

    def put_budget(self, run: int, budget_usd: float) -> None:
        """Note how much a run may spend from now on."""
        self._db.execute(
            """UPDATE runs SET plan = json_set(plan, '$.budget_usd', ?), version = version + 1
            WHERE id = ?""",
            (budget_usd, run),
        )

    def put_stopped(self, run: int, reason: Notice | None) -> None:
        """Note why a run stopped before its end; None when it goes on."""
        kept = reason.to_json() if reason else ""
        self._db.execute(
            "UPDATE runs SET stopped = ?, version = version + 1 WHERE id = ? AND stopped <> ?",
            (kept, run, kept),
        )

    # -- tasks and other content ---------------------------------------------------------------

    def keep(self, value: Any) -> str:
        """Keep plain data by its content; returns its hash."""
        text = json.dumps(value, ensure_ascii=False)
        name = sha256(text.encode()).hexdigest()
        self._db.execute(
            "INSERT INTO run_contents(hash, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (name, zlib.compress(text.encode(), 6)),
        )
        return name

    def content(self, name: str) -> Any:
        """What was kept under this hash."""
        row = self._row("SELECT content FROM run_contents WHERE hash = ?", (name,))
        if row is None:
            raise NotFound(
                "run_row.content_unknown", "no content {name!r} in this database", name=name
            )
        return json.loads(zlib.decompress(row["content"]))

    def add_tasks(self, run: int, tasks: Iterable[RunTask]) -> None:
        """Add the tasks of a run; their content is kept already."""
        self._db.executemany(
            """INSERT INTO run_tasks(run_id, task_id, position, task_hash, state_hash, repaired,
            notes) VALUES (?,?,?,?,?,?,?)""",
            [
                (
                    run,
                    task.task_id,
                    task.position,
                    task.task_hash,
                    task.state_hash,
                    None if task.repaired is None else int(task.repaired),
                    _packed(task.notes),
                )
                for task in tasks
            ],
        )

    def tasks(self, run: int) -> dict[str, RunTask]:
        """The tasks of a run by id, in their order."""
        rows = self._rows("SELECT * FROM run_tasks WHERE run_id = ? ORDER BY position", (run,))
        return {
            row["task_id"]: RunTask(
                task_id=row["task_id"],
                task_hash=row["task_hash"],
                state_hash=row["state_hash"],
                position=row["position"],
                repaired=None if row["repaired"] is None else bool(row["repaired"]),
                notes=json.loads(row["notes"]),
            )
            for row in rows
        }


def _packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _run(row: sqlite3.Row) -> Run:
    values = dict(row)
    values["stopped"] = Notice.from_json(row["stopped"]) if row["stopped"] else None
    return Run(**values | {name: json.loads(values[name]) for name in _COLUMNS})
