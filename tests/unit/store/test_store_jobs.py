"""Jobs as rows: who may start, end and start them again; what models answered is kept once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from review_app.errors import NotFound, ReviewError
from review_app.notices import Notice
from review_app.records.project import Pulse, Spent, StoredAnswer
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


# -- one process, one ending -------------------------------------------------------------------


def test_a_job_waits_until_one_process_takes_it(store):
    with store.write("Aki"):
        number = store.jobs.create("check", "airline", {"to": 7}, None)
        store.jobs.put_pid(number, 77)
    waits = store.jobs.get(number)
    assert (waits.state, waits.pid, waits.started_at, waits.version) == ("waiting", 77, None, 1)
    assert (waits.kind, waits.domain, waits.params) == ("check", "airline", {"to": 7})
    assert waits.heartbeat_at == waits.created_at and store.jobs.unfinished() == [waits]
    with store.write("Aki"):
        runs = store.jobs.claim(number, 78)
    assert (runs.state, runs.pid, runs.version) == ("running", 78, 2)
    assert runs.started_at == runs.heartbeat_at
    with pytest.raises(ReviewError, match=f"job {number} is running"), store.write("Aki"):
        store.jobs.claim(number, 79)
    with store.write("Aki"):
        store.jobs.put_pid(number, 79)
    assert store.jobs.get(number) == runs and store.jobs.unfinished() == [runs]
    with pytest.raises(NotFound, match=r"no job 99:"):
        store.jobs.get(99)


def test_only_the_own_process_says_how_far_a_job_is(store):
    job = running(store)
    assert (job.done, job.total, job.note, job.spent) == (3, 7, AT_WORK.note, SPENT)
    further = replace(AT_WORK, done=4, note=None)
    with store.write("Aki"):
        assert store.jobs.beat(job.id, 78, further) is None
        assert store.jobs.get(job.id) == job
        assert store.jobs.beat(job.id, 77, further) == "running"
        assert store.jobs.ask_to_cancel(job.id) == "cancelling"
        assert store.jobs.beat(job.id, 77, further) == "cancelling"
    stopping = store.jobs.get(job.id)
    assert (stopping.done, stopping.note, stopping.finished_at) == (4, None, None)
    with store.write("Aki"):
        assert store.jobs.finish(stopping, "cancelled")
        assert store.jobs.beat(job.id, 77, AT_WORK) is None
    over = store.jobs.get(job.id)
    assert (over.state, over.done, over.error) == ("cancelled", 4, None) and over.finished_at
    assert store.jobs.unfinished() == []


def test_a_job_that_waits_is_cancelled_at_once_and_one_that_is_over_is_not(store):
    over = ended(store, "done", "retail")
    with store.write("Aki"):
        number = store.jobs.create("check", "airline", {}, None)
        assert store.jobs.ask_to_cancel(number) == "cancelled"
        assert store.jobs.ask_to_cancel(over.id) == "done"
    assert store.jobs.get(number).finished_at
    assert store.jobs.get(over.id) == over


def test_a_job_ends_once_and_by_the_process_that_has_it(store):
    job = running(store)
    with store.write("Aki"):
        assert not store.jobs.finish(replace(job, pid=78), "failed", OUT)
        assert store.jobs.get(job.id) == job
        assert store.jobs.finish(job, "done")
        assert not store.jobs.finish(job, "failed", OUT)
    over = store.jobs.get(job.id)
    assert (over.state, over.error, over.version) == ("done", None, job.version + 1)


def test_jobs_are_listed_from_the_newest_by_kind_and_domain(store):
    with store.write("Aki"):
        numbers = [
            store.jobs.create(kind, domain, {}, None)
            for kind, domain in (("check", "airline"), ("check", ""), ("run", "airline"))
        ]

    def listed(*wanted, **limit):
        return [numbers.index(job.id) for job in store.jobs.list(*wanted, **limit)]

    assert listed() == [2, 1, 0] and listed(limit=2) == [2, 1]
    assert listed("check") == [1, 0] and listed(domain="airline") == [2, 0]
    assert listed("check", "airline") == [0] and listed("run", "retail") == []
    assert [numbers.index(job.id) for job in store.jobs.unfinished()] == [0, 1, 2]
    for kind, domain, said in (
        ("check", "airline", "'check' of 'airline' is unfinished"),
        ("check", "", "a job 'check' is unfinished"),
    ):
        with pytest.raises(ReviewError, match=said), store.write("Aki"):
            store.jobs.create(kind, domain, {}, None)
    assert listed() == [2, 1, 0]


def test_the_first_answer_to_a_request_stays(store):
    job = running(store)
    answer = StoredAnswer(
        request_hash="h1",
        job_id=job.id,
        model="m",
        prompt_version="2",
        response="はい",
        finish_reason="stop",
        tokens_in=10,
        tokens_out=4,
        cost_usd=0.25,
        latency_s=1.5,
    )
    with store.write("Aki"):
        store.jobs.keep_answer(answer)
        store.jobs.keep_answer(replace(answer, response="いいえ"))
        store.jobs.keep_answer(replace(answer, request_hash="h2", job_id=None, cost_usd=None))
    kept, other = store.jobs.answer("h1"), store.jobs.answer("h2")
    assert kept.created_at and kept == replace(answer, created_at=kept.created_at)
    assert (other.job_id, other.cost_usd, other.response) == (None, None, "はい")
    assert store.jobs.answer("h3") is None
