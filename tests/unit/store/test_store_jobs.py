"""Jobs as rows: which ones may wait for a process once more, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from review_app.errors import ReviewError
from review_app.notices import Notice
from review_app.records.project import Pulse, Spent
from review_app.store.project import jobs as jobs_table

OUT = Notice("area.out", "out of memory")
SPENT = Spent(tokens_in=100, tokens_out=20, cost_usd=0.5, unpriced=1)
AT_WORK = Pulse(done=3, total=7, note=Notice("area.at", "the third"), spent=SPENT)


def running(store, domain="airline"):
    """A job that a process works at."""
    with store.write("Aki"):
        number = store.jobs.create("check", domain, {"to": 7}, None)
        store.jobs.claim(number, 77)
        store.jobs.beat(number, 77, AT_WORK)
    return store.jobs.get(number)


def ended(store, state, domain="airline"):
    job = running(store, domain)
    with store.write("Aki"):
        assert store.jobs.finish(job, state, OUT)
    return store.jobs.get(job.id)


def wait_again(store, job):
    with store.write("Ben"):
        store.jobs.wait_again(job)


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_job_that_came_to_nothing_waits_again_with_what_it_spent(store, state, monkeypatch):
    other, job = ended(store, state, "retail"), ended(store, state)
    assert (job.error, job.note, job.pid) == (OUT, AT_WORK.note, 77) and job.finished_at
    monkeypatch.setattr(jobs_table, "now", lambda: "2099-01-01T00:00:00.000Z")
    wait_again(store, job)
    assert store.jobs.get(job.id) == replace(
        job,
        state="waiting",
        pid=None,
        finished_at=None,
        heartbeat_at="2099-01-01T00:00:00.000Z",
        note=None,
        error=None,
        version=job.version + 1,
    )
    assert (job.done, job.spent) == (3, SPENT)
    assert store.jobs.get(other.id) == other


def test_a_job_that_runs_is_done_or_waits_is_not_started_again(store):
    waits = ended(store, "failed", "telecom")
    wait_again(store, waits)
    stopping = running(store, "retail")
    with store.write("Aki"):
        assert store.jobs.ask_to_cancel(stopping.id) == "cancelling"
    for job, state in (
        (running(store), "running"),
        (stopping, "cancelling"),
        (ended(store, "done", "mock"), "done"),
        (waits, "waiting"),
    ):
        before = store.jobs.get(job.id)
        with pytest.raises(ReviewError, match=f"job {job.id} is {state}: only a failed or"):
            wait_again(store, job)
        assert store.jobs.get(job.id) == before


def test_a_job_does_not_wait_again_beside_another_one_of_its_kind_and_domain(store):
    first = ended(store, "failed")
    second = running(store)
    with pytest.raises(ReviewError, match="'check' of 'airline' is unfinished"):
        wait_again(store, first)
    assert store.jobs.get(first.id) == first and store.jobs.get(second.id) == second
