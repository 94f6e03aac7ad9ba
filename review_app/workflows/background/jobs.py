"""Long work in a process of its own, driven through the database: the browser may close."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Literal, get_args

from review_app.errors import NotAllowed, ReviewError
from review_app.llm import LlmError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.project import Job, JobEnding, Pulse
from review_app.store import Store
from review_app.workflows.background.reporter import JobCancelled, Reporter, beating

JobKind = Literal["check", "judge", "preflight", "release", "run", "translate"]
"""What a job does; `workflows.job_kinds` has the function of each."""

JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)

JobWork = Callable[[Store, Job, Reporter], None]
"""Does the work of a job. It returns when it is done or `reporter.cancelled()`; run once more with
the same parameters, it goes on where it stopped."""

SILENT_S = 60.0
"""A job that has not been heard of for so long is taken for dead."""

STOPPED = Notice("job.gone", "stopped unexpectedly; resume continues where it stopped")
NICENESS = 10


def start(
    store: Store,
    person: Person | None,
    kind: str,
    domain: str = "",
    params: Mapping[str, object] | None = None,
) -> int:
    """Start a job in a process of its own; returns its id.

    The process inherits the environment, and with it the models' keys; none is written anywhere.
    What it prints goes to `log_path`.

    Args:
        store: The review database.
        person: Who starts it; None for the command line.
        kind: What it does: one of `JOB_KINDS`.
        domain: Its domain; empty where it has none.
        params: Plain data for the job.

    Raises:
        ReviewError: no such kind, or one of this kind and domain is unfinished.
        NotAllowed: an annotator starts something that may cost money.
        NotFound: no such domain.
    """
    if person is not None and person.role != "maintainer":
        raise NotAllowed("job.only_maintainers", "a maintainer has to start background jobs")
    if kind not in JOB_KINDS:
        raise ReviewError(
            "job.kind_unknown", "no job {kind!r}: there are {known!r}", kind=kind, known=JOB_KINDS
        )
    if domain:
        store.documents.require(domain)
    reap(store)
    with store.write(person.name if person else "jobs"):
        job = store.jobs.create(kind, domain, params or {}, person.id if person else None)
    _spawn(store, job)
    return job


def resume(store: Store, person: Person | None, job_id: int) -> None:
    """Start a failed or cancelled job again, with the same parameters, as the same row.

    Raises:
        ReviewError: it is neither, or another one of its kind and domain is unfinished.
    """
    reap(store)
    with store.write(person.name if person else "jobs"):
        store.jobs.wait_again(store.jobs.get(job_id))
    _spawn(store, job_id)


def cancel(store: Store, person: Person | None, job_id: int) -> str:
    """Ask a job to stop; returns its state: `cancelling` until its process has obeyed."""
    with store.write(person.name if person else "jobs"):
        return store.jobs.ask_to_cancel(job_id)


def log_path(store: Store, job_id: int) -> Path:
    """Where the process of a job writes what it has to say."""
    return store.path.resolve().parent / "jobs" / f"{job_id}.log"


def _spawn(store: Store, job_id: int) -> None:
    log = log_path(store, job_id)
    log.parent.mkdir(mode=0o700, exist_ok=True)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    words = [sys.executable, "-m", "review_app.cli", "job", str(job_id)]
    try:
        process = subprocess.Popen(
            [*words, "--db", str(store.path.resolve())],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    finally:
        os.close(output)
    # Without somebody who waits for it, a dead child stays as a zombie and looks alive.
    threading.Thread(target=process.wait, daemon=True).start()
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    with store.write("jobs"):
        store.jobs.put_pid(job_id, process.pid)


def run(store: Store, job_id: int, kinds: Mapping[str, JobWork]) -> Job:
    """Do a waiting job in this process; returns it as it ended.

    SIGTERM cancels it cleanly. Whatever goes wrong is noted in its row and raised.

    Raises:
        ReviewError: the job does not wait, or what its work raises.
    """
    with store.write("jobs"):
        job = store.jobs.claim(job_id, os.getpid())
    reporter = Reporter(Pulse(note=job.note, spent=job.spent))
    try:
        with _stopped_by_sigterm(reporter), beating(store.path, job, reporter):
            reporter.progress(job.done, job.total, Notice("job.starting", "starting"))
            if job.kind not in kinds:
                raise ReviewError(
                    "job.kind_newer",
                    "no job {kind!r} in this version of the app: update the app",
                    kind=job.kind,
                )
            kinds[job.kind](store, job, reporter)
    except JobCancelled:
        _finish(store, job, "cancelled")
    except BaseException as error:
        stopped = isinstance(error, LlmError) and error.kind == "cancelled"
        _finish(store, job, "cancelled" if stopped else "failed", None if stopped else _why(error))
        if not stopped:
            raise
    else:
        _finish(store, job, "cancelled" if reporter.cancelled() else "done")
    return store.jobs.get(job_id)


@contextmanager
def _stopped_by_sigterm(reporter: Reporter) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        reporter.stop()

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _finish(store: Store, job: Job, state: JobEnding, error: Notice | None = None) -> None:
    with store.write("jobs"):
        store.jobs.finish(job, state, error)


def _why(error: BaseException) -> Notice:
    """What a person is told; of a fault of ours only its name: the log has the rest."""
    if isinstance(error, ReviewError):
        return error.notice.in_one_line()
    return Notice(
        "job.crashed",
        "stopped by {fault}, see the log; resume continues where it stopped",
        fault=type(error).__name__,
    )


def reap(store: Store) -> list[Job]:
    """Mark jobs whose process is gone as failed, so that they can be resumed; returns those."""
    gone = [job for job in store.jobs.unfinished() if not _lives(job)]
    if gone:
        with store.write("jobs"):
            gone = [job for job in gone if store.jobs.finish(job, "failed", STOPPED)]
    return [store.jobs.get(job.id) for job in gone]


def _lives(job: Job) -> bool:
    """Whether the job's process was heard of lately and is there."""
    silent = datetime.now(UTC) - datetime.fromisoformat(job.heartbeat_at)
    if silent.total_seconds() > SILENT_S:
        return False
    if job.pid is None:
        return True  # about to be started
    try:
        os.kill(job.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
