"""What a background job sees while it works: how to tell how far it is, and when to stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from review_app.llm import Answer
from review_app.notices import Notice, as_it_is
from review_app.records.project import Job, Pulse
from review_app.store import Store

BEAT_S = 1.0
"""How often a job's row says that its process lives and how far it is."""


class JobCancelled(Exception):
    """The job was asked to stop and has stopped."""


class Reporter:
    """Where a job tells how far it is; a thread of its own writes that down every second.

    Nothing here touches the job's own connection, so that it may be called in the middle of a
    write transaction.
    """

    def __init__(self, pulse: Pulse) -> None:
        self._pulse, self._lock, self._stop = pulse, threading.Lock(), threading.Event()

    def progress(self, done: int, total: int, note: str | Notice) -> None:
        """Say how far the work is: so many of so many, and in one line what happens now."""
        if isinstance(note, str):
            note = as_it_is(" ".join(note.split())[:200])
        with self._lock:
            self._pulse = replace(self._pulse, done=done, total=total, note=note.in_one_line())

    def spent(self, answer: Answer) -> None:
        """Add what a call of a model cost."""
        with self._lock:
            before = self._pulse.spent
            cost = answer.cost_usd
            after = replace(
                before,
                tokens_in=before.tokens_in + answer.tokens_in,
                tokens_out=before.tokens_out + answer.tokens_out,
                cost_usd=before.cost_usd if cost is None else (before.cost_usd or 0.0) + cost,
                unpriced=before.unpriced + (cost is None),
            )
            self._pulse = replace(self._pulse, spent=after)

    def cancelled(self) -> bool:
        """Whether the job should stop: keep what is paid for, and return."""
        return self._stop.is_set()

    def stop_if_cancelled(self) -> None:
        """Raise `JobCancelled` if the job should stop."""
        if self.cancelled():
            raise JobCancelled

    def stop(self) -> None:
        """Ask the job to stop."""
        self._stop.set()

    def pulse(self) -> Pulse:
        """All that was reported so far."""
        with self._lock:
            return self._pulse


@contextmanager
def beating(path: Path, job: Job, reporter: Reporter) -> Iterator[None]:
    """Write the job's heartbeat and progress down during the block, and pass on a cancel."""
    over = threading.Event()
    thread = threading.Thread(target=_beat, args=(path, job, reporter, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _beat(path: Path, job: Job, reporter: Reporter, over: threading.Event) -> None:
    store = Store(path, create=False)
    try:
        last = False
        while not last:
            last = over.wait(BEAT_S)
            with store.write("jobs"):
                state = store.jobs.beat(job.id, job.pid or 0, reporter.pulse())
            if state != "running":
                reporter.stop()
    except BaseException:  # without a heartbeat the job will be taken for dead: it should stop
        reporter.stop()
        raise
    finally:
        store.close()
