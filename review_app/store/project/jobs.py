"""Background jobs and the answers of models that they paid for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

from review_app.errors import NotFound, ReviewError
from review_app.notices import Notice
from review_app.records.project import Job, JobEnding, JobState, Pulse, Spent, StoredAnswer
from review_app.store import notice_columns
from review_app.store.connection import Table, now

UNFINISHED = "state IN ('waiting', 'running', 'cancelling')"

STATES: Mapping[JobState, Notice] = {
    "waiting": Notice("job.waiting", "waiting"),
    "running": Notice("job.running", "running"),
    "cancelling": Notice("job.cancelling", "cancelling"),
    "done": Notice("job.done", "done"),
    "failed": Notice("job.failed", "failed"),
    "cancelled": Notice("job.cancelled", "cancelled"),
}
"""What a job's state is called."""


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    spent = Spent(
        tokens_in=values.pop("tokens_in"),
        tokens_out=values.pop("tokens_out"),
        cost_usd=values.pop("cost_usd"),
        unpriced=values.pop("unpriced"),
    )
    values["params"] = json.loads(values["params"])
    values |= {name: notice_columns.read(values[name]) for name in ("note", "error")}
    return Job(**values, spent=spent)


class Jobs(Table):
    """Reads and writes of jobs and of models' answers."""

    def get(self, job: int) -> Job:
        """The job with this id."""
        row = self._row("SELECT * FROM jobs WHERE id = ?", (job,))
        if row is None:
            raise NotFound("job.unknown", "no job {job!r}: `jtau-review jobs` lists them", job=job)
        return _job(row)

    def unfinished(self) -> list[Job]:
        """Jobs that wait, run, or are about to stop."""
        return [
            _job(row) for row in self._rows(f"SELECT * FROM jobs WHERE {UNFINISHED} ORDER BY id")
        ]

    def list(self, kind: str = "", domain: str = "", limit: int = 50) -> list[Job]:
        """The newest jobs first, of this kind and domain where one is named."""
        rows = self._rows(
            """SELECT * FROM jobs WHERE kind = coalesce(nullif(?, ''), kind)
            AND domain = coalesce(nullif(?, ''), domain) ORDER BY id DESC LIMIT ?""",
            (kind, domain, limit),
        )
        return [_job(row) for row in rows]

    def create(
        self, kind: str, domain: str, params: Mapping[str, object], started_by: int | None
    ) -> int:
        """Add a waiting job and return its id.

        Raises:
            ReviewError: one of this kind and domain is unfinished.
        """
        packed = json.dumps(params, ensure_ascii=False, sort_keys=True)
        moment = now()
        try:
            return self._insert(
                """INSERT INTO jobs(kind, domain, params, state, started_by, created_at,
                heartbeat_at) VALUES (?, ?, ?, 'waiting', ?, ?, ?)""",
                (kind, domain, packed, started_by, moment, moment),
            )
        except sqlite3.IntegrityError as error:
            raise _one_at_a_time(kind, domain) from error

    def wait_again(self, job: Job) -> None:
        """Make a failed or cancelled job wait for a process once more; what it spent is kept.

        Raises:
            ReviewError: it is neither, or another one of its kind and domain is unfinished.
        """
        try:
            changed = self._db.execute(
                """UPDATE jobs SET state = 'waiting', pid = NULL, finished_at = NULL, error = '',
                note = '', heartbeat_at = ?, version = version + 1
                WHERE id = ? AND state IN ('failed', 'cancelled')""",
                (now(), job.id),
            ).rowcount
        except sqlite3.IntegrityError as error:
            raise _one_at_a_time(job.kind, job.domain) from error
        if not changed:
            raise ReviewError(
                "job.not_resumable",
                "job {job} is {state}: only a failed or cancelled one resumes",
                job=job.id,
                state=STATES[self.get(job.id).state],
            )

    def put_pid(self, job: int, pid: int) -> None:
        """Note the process that was started for a job that it has not claimed yet."""
        self._db.execute("UPDATE jobs SET pid = ? WHERE id = ? AND state = 'waiting'", (pid, job))

    def claim(self, job: int, pid: int) -> Job:
        """Make a waiting job this process's own.

        Raises:
            ReviewError: it does not wait: another process has it, or it is finished.
        """
        moment = now()
        changed = self._db.execute(
            """UPDATE jobs SET state = 'running', pid = ?, started_at = ?, heartbeat_at = ?,
            version = version + 1 WHERE id = ? AND state = 'waiting'""",
            (pid, moment, moment, job),
        ).rowcount
        if not changed:
            raise ReviewError(
                "job.not_waiting",
                "job {job} is {state}: there is nothing to run",
                job=job,
                state=STATES[self.get(job).state],
            )
        return self.get(job)

    def beat(self, job: int, pid: int, pulse: Pulse) -> JobState | None:
        """Note that the process lives and how far it is.

        Returns:
            The job's state, or None where the job is no longer this process's own.
        """
        spent = pulse.spent
        row = self._row(
            """UPDATE jobs SET heartbeat_at = ?, done = ?, total = ?, note = ?, tokens_in = ?,
            tokens_out = ?, cost_usd = ?, unpriced = ?
            WHERE id = ? AND pid = ? AND state IN ('running', 'cancelling') RETURNING state""",
            (
                now(),
                pulse.done,
                pulse.total,
                notice_columns.written(pulse.note),
                spent.tokens_in,
                spent.tokens_out,
                spent.cost_usd,
                spent.unpriced,
                job,
                pid,
            ),
        )
        state: JobState | None = row["state"] if row else None
        return state

    def ask_to_cancel(self, job: int) -> JobState:
        """Tell a running job to stop; one that waits is cancelled at once. Returns the state."""
        self._db.execute(
            """UPDATE jobs SET state = iif(state = 'waiting', 'cancelled', 'cancelling'),
            finished_at = iif(state = 'waiting', ?, NULL), version = version + 1
            WHERE id = ? AND state IN ('waiting', 'running')""",
            (now(), job),
        )
        return self.get(job).state

    def finish(self, job: Job, state: JobEnding, error: Notice | None = None) -> bool:
        """End a job that is still as unfinished, and of the same process, as `job` says.

        Returns:
            Whether it was; what somebody else ended or took over meanwhile stays as it is.
        """
        query = f"""UPDATE jobs SET state = ?, error = ?, finished_at = ?, version = version + 1
            WHERE id = ? AND pid IS ? AND {UNFINISHED}"""
        values = (state, notice_columns.written(error), now(), job.id, job.pid)
        return self._db.execute(query, values).rowcount > 0

    # -- answers of models --------------------------------------------------------------------

    def answer(self, request_hash: str) -> StoredAnswer | None:
        """What was answered to this request, if it was ever asked."""
        row = self._row("SELECT * FROM model_answers WHERE request_hash = ?", (request_hash,))
        return StoredAnswer(**dict(row)) if row else None

    def keep_answer(self, answer: StoredAnswer) -> None:
        """Keep an answer for good; the first one to a request stays."""
        self._db.execute(
            """INSERT INTO model_answers(request_hash, job_id, model, prompt_version, response,
            finish_reason, tokens_in, tokens_out, cost_usd, latency_s, created_at)
            VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING""",
            (
                answer.request_hash,
                answer.job_id,
                answer.model,
                answer.prompt_version,
                answer.response,
                answer.finish_reason,
                answer.tokens_in,
                answer.tokens_out,
                answer.cost_usd,
                answer.latency_s,
                now(),
            ),
        )


def _one_at_a_time(kind: str, domain: str) -> ReviewError:
    if not domain:
        return ReviewError(
            "job.unfinished",
            "a job {kind!r} is unfinished: wait for it, or cancel it first",
            kind=kind,
        )
    return ReviewError(
        "job.unfinished_of_domain",
        "a job {kind!r} of {domain!r} is unfinished: wait for it, or cancel it first",
        kind=kind,
        domain=domain,
    )
