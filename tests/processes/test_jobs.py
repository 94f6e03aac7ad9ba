"""Background jobs: one process each, driven through the database, killed, resumed, cancelled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from sqlite3 import IntegrityError, connect

import pytest
from tiny_benchmark import add_crew

from review_app import cli
from review_app.errors import NotFound, ReviewError
from review_app.llm import Answer, LlmError
from review_app.notices import Notice, as_it_is
from review_app.records.project import Pulse, Spent, StoredAnswer
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.review import checks

ANSWER = Answer("x", "stop", (), 100, 20, 0.5, 0.1, "m", 1, "r")


def wait_for(holds, seconds=60.0):
    """Wait until something holds, and return it."""
    until = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < until, "it never came to hold"
        time.sleep(0.02)
    return found


def make(store, kind="count", domain="", params=None):
    with store.write("test"):
        return store.jobs.create(kind, domain, params or {}, None)


def change(store, statement):
    with closing(connect(store.path)) as db:
        db.execute(statement)
        db.commit()


# -- rows --------------------------------------------------------------------------------------


def test_a_job_goes_from_waiting_over_running_to_done(store, crew):
    with store.write("test"):
        number = store.jobs.create("count", "airline", {"to": 3, "words": "訳"}, crew.a.id)
    job = store.jobs.get(number)
    assert (job.state, job.pid, job.started_by, job.error) == ("waiting", None, crew.a.id, None)
    assert job.params == {"to": 3, "words": "訳"} and job.spent == Spent()
    with store.write("test"):
        store.jobs.put_pid(number, 7)
        assert store.jobs.get(number).pid == 7
        job = store.jobs.claim(number, 8)
        store.jobs.put_pid(number, 9)
    assert (job.state, job.pid, store.jobs.get(number).pid) == ("running", 8, 8)
    with pytest.raises(ReviewError, match="is running: there is nothing to run"):
        store.jobs.claim(number, 9)
    assert store.jobs.unfinished() == [job] and job.is_unfinished
    with store.write("test"):
        assert store.jobs.finish(job, "done")
        assert not store.jobs.finish(job, "failed", as_it_is("too late"))
    done = store.jobs.get(number)
    assert (done.state, done.error, done.is_unfinished) == ("done", None, False)
    assert done.finished_at and done.version > job.version and store.jobs.unfinished() == []
    with pytest.raises(NotFound, match="no job 99"):
        store.jobs.get(99)


def test_a_heartbeat_tells_how_far_it_is_and_leaves_no_audit(store):
    number = make(store)
    with store.write("test"):
        store.jobs.claim(number, 8)
    written = len(store.people.history("jobs"))
    pulse = Pulse(3, 9, as_it_is("third"), Spent(10, 2, 0.25, 1))
    with store.write("test"):
        assert store.jobs.beat(number, 8, pulse) == "running"
        assert store.jobs.beat(number, 9, Pulse()) is None
    job = store.jobs.get(number)
    assert (job.done, job.total, job.note, job.spent) == (3, 9, as_it_is("third"), pulse.spent)
    assert len(store.people.history("jobs")) == written
    with store.write("test"):
        assert store.jobs.ask_to_cancel(number) == "cancelling"
        assert store.jobs.beat(number, 8, pulse) == "cancelling"
        store.jobs.finish(job, "cancelled")
        assert store.jobs.beat(number, 8, pulse) is None
    states = [json.loads(change.new)["state"] for change in store.people.history("jobs")]
    assert states == ["cancelled", "cancelling", "running", "waiting"]


def test_what_a_job_says_is_kept_as_a_code_and_an_older_sentence_as_it_is(store, capsys):
    number = make(store)
    with store.write("test"):
        job = store.jobs.claim(number, 8)
        store.jobs.beat(number, 8, Pulse(0, 2, Notice("job.starting", "starting")))
        store.jobs.finish(job, "failed", jobs.STOPPED)
    assert store.jobs.get(number).note == Notice("job.starting", "starting")
    assert store.jobs.get(number).error == jobs.STOPPED
    assert cli.main(["jobs", "--json", "--db", str(store.path)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert (listed[0]["note"], listed[0]["error"]) == ("starting", str(jobs.STOPPED))
    change(store, "UPDATE jobs SET note = '7 texts', error = 'the {key} is refused'")
    job = store.jobs.get(number)
    assert (job.note, job.error) == (as_it_is("7 texts"), as_it_is("the {key} is refused"))
    assert cli.main(["jobs", "--db", str(store.path)]) == 0
    line = f"{number} count: failed, 0/2 7 texts (the {{key}} is refused)\n"
    assert capsys.readouterr().out == line


def test_one_job_of_a_kind_and_domain_at_a_time(store):
    first = make(store, "count", "airline")
    make(store, "count", "retail")
    make(store, "sum", "airline")
    with pytest.raises(ReviewError, match="'count' of 'airline' is unfinished: wait"):
        make(store, "count", "airline")
    with store.write("test"):
        assert store.jobs.ask_to_cancel(first) == "cancelled"
    second = make(store, "count", "airline")
    with pytest.raises(ReviewError, match="is unfinished"), store.write("test"):
        store.jobs.wait_again(store.jobs.get(first))
    assert [job.id for job in store.jobs.list("count", "airline")] == [second, first]
    assert [job.kind for job in store.jobs.list(domain="airline")] == ["count", "sum", "count"]
    assert len(store.jobs.list()) == 4 and len(store.jobs.list(limit=1)) == 1


def test_a_paid_answer_is_kept_once_and_for_good(store):
    number = make(store)
    answer = StoredAnswer("hash", number, "m", "v1", '{"a": "訳"}', "stop", 7, 5, 0.5, 1.5)
    with store.write("test"):
        store.jobs.keep_answer(answer)
        store.jobs.keep_answer(replace(answer, response="another"))
        store.jobs.keep_answer(replace(answer, request_hash="2", job_id=None, cost_usd=None))
    kept = store.jobs.answer("hash")
    assert kept == replace(answer, created_at=kept.created_at) and kept.created_at
    assert store.jobs.answer("2").cost_usd is None
    assert store.jobs.answer("3") is None
    for statement in ("UPDATE model_answers SET model = 'x'", "DELETE FROM model_answers"):
        with pytest.raises(IntegrityError, match="append-only"):
            change(store, statement)


def test_a_database_of_the_first_version_gets_the_new_tables(tmp_path, monkeypatch):
    from review_app.store.schema import migrations

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        old = Store(tmp_path / "old.db")
        add_crew(old)
        old.close()
    store = Store(tmp_path / "old.db", create=False)
    assert store.jobs.list() == [] and len(store.people.all()) == 4 and store.problems() == []
    store.close()


# -- work in this process ----------------------------------------------------------------------


def test_what_a_job_reports_is_in_its_row(store):
    def count(store, job, reporter):
        reporter.progress(2, 5, "two\nof five")
        reporter.spent(ANSWER)
        reporter.spent(replace(ANSWER, cost_usd=None))
        with store.write("work"):  # reporting in the middle of a write is allowed
            reporter.spent(replace(ANSWER, cost_usd=0.25))
            reporter.progress(5, 5, "all")

    job = jobs.run(store, make(store), {"count": count})
    assert (job.state, job.done, job.total, str(job.note)) == ("done", 5, 5, "all")
    assert job.spent == Spent(300, 60, 0.75, 1)


def test_unpriced_calls_are_not_free():
    reporter = Reporter(Pulse())
    reporter.spent(replace(ANSWER, cost_usd=None))
    assert reporter.pulse().spent == Spent(100, 20, None, 1)


def test_the_heart_beats_while_the_work_says_nothing(store):
    def sleep(store, job, reporter):
        first = store.jobs.get(job.id).heartbeat_at
        wait_for(lambda: store.jobs.get(job.id).heartbeat_at > first)

    assert jobs.run(store, make(store), {"count": sleep}).state == "done"


def test_a_cancel_reaches_the_work(store):
    other = Store(store.path)

    def obey(store, job, reporter):
        assert not reporter.cancelled()
        assert jobs.cancel(other, None, job.id) == "cancelling"
        wait_for(reporter.cancelled)
        reporter.progress(1, 2, "half")

    def leave(store, job, reporter):
        reporter.stop()
        reporter.stop_if_cancelled()
        raise AssertionError("went on")

    def give_up(store, job, reporter):
        raise LlmError("cancelled")

    for work in (obey, leave, give_up):
        job = jobs.run(store, make(store), {"count": work})
        assert (job.state, job.error) == ("cancelled", None)
    other.close()


def test_a_failure_is_one_line_in_the_row_and_is_raised(store):
    def refuse(store, job, reporter):
        reporter.spent(ANSWER)
        raise ReviewError(as_it_is("no policy:\nimport one"))

    def crash(store, job, reporter):
        raise ZeroDivisionError("secret words")

    number = make(store)
    with pytest.raises(ReviewError):
        jobs.run(store, number, {"count": refuse})
    job = store.jobs.get(number)
    assert (job.state, str(job.error)) == ("failed", "no policy: import one")
    assert job.spent.tokens_in == 100, "what was paid for is counted all the same"
    number = make(store)
    with pytest.raises(ZeroDivisionError):
        jobs.run(store, number, {"count": crash})
    error = str(store.jobs.get(number).error)
    assert "ZeroDivisionError" in error and "resume" in error and "secret" not in error
    number = make(store)
    with pytest.raises(ReviewError, match="no job 'count' in this version"):
        jobs.run(store, number, {})
    assert store.jobs.get(number).state == "failed"


def test_what_was_spent_before_a_resume_is_kept(store):
    def pay(store, job, reporter):
        reporter.spent(ANSWER)
        reporter.progress(job.done + 1, 2, "paid")
        if job.done == 0:
            reporter.stop()

    number = make(store, params={"to": 2})
    first = jobs.run(store, number, {"count": pay})
    assert (first.state, first.done) == ("cancelled", 1)
    with store.write("test"):
        store.jobs.wait_again(first)
    assert store.jobs.get(number).finished_at is None
    second = jobs.run(store, number, {"count": pay})
    assert (second.state, second.done, second.spent.tokens_in) == ("done", 2, 200)
    assert second.params == {"to": 2}
    with pytest.raises(ReviewError, match="is done: only a failed or cancelled"):
        jobs.resume(store, None, number)


def test_a_job_taken_for_dead_does_not_overwrite_what_became_of_it(store):
    def go_on(store, job, reporter):
        change(store, "UPDATE jobs SET heartbeat_at = '2020-01-01T00:00:00.000Z'")
        assert [dead.id for dead in jobs.reap(store)] == [job.id]
        wait_for(reporter.cancelled)

    job = jobs.run(store, make(store), {"count": go_on})
    assert (job.state, job.error) == ("failed", jobs.STOPPED)


def test_reaping_takes_the_dead_and_the_silent_only(store):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    pids = {"alive": os.getpid(), "dead": gone.pid, "silent": os.getpid()}
    numbers = {name: make(store, name) for name in pids}
    with store.write("test"):
        for name, pid in pids.items():
            store.jobs.claim(numbers[name], pid)
    numbers |= {"new": make(store, "new"), "forgotten": make(store, "forgotten")}
    change(
        store,
        "UPDATE jobs SET heartbeat_at = '2020-01-01T00:00:00.000Z' "
        "WHERE kind IN ('silent', 'forgotten')",
    )
    reaped = jobs.reap(store)
    assert {job.kind for job in reaped} == {"dead", "silent", "forgotten"}
    assert {(job.state, job.error) for job in reaped} == {("failed", jobs.STOPPED)}
    assert jobs.reap(store) == []


# -- work in a process of its own --------------------------------------------------------------

COUNTER = """
import sys, time
from pathlib import Path
from review_app.store import Store
from review_app.workflows.background import jobs

def count(store, job, reporter):
    '''Add one number after the other to a file, 5 if nobody stops it; the third takes long.'''
    path = Path(job.params["file"])
    path.touch()
    for number in range(len(path.read_text()), 5):
        if reporter.cancelled():
            return
        with path.open("a") as file:
            file.write(str(number))
        reporter.progress(number + 1, 5, "counting")
        until = time.monotonic() + (60 if number == 2 and sys.argv[3] == "slow" else 0)
        while time.monotonic() < until and not reporter.cancelled():
            time.sleep(0.02)

store = Store(Path(sys.argv[1]), create=False)
jobs.run(store, int(sys.argv[2]), {"count": count})
"""


def counter(store, number, pace):
    return subprocess.Popen([sys.executable, "-c", COUNTER, str(store.path), str(number), pace])


def test_a_killed_job_is_found_dead_and_goes_on_where_it_stopped(store, tmp_path):
    number = make(store, params={"file": str(tmp_path / "numbers")})
    child = counter(store, number, "slow")
    wait_for(lambda: store.jobs.get(number).done == 3)
    assert jobs.reap(store) == []
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert store.jobs.get(number).state == "running"
    assert [job.id for job in jobs.reap(store)] == [number]
    assert store.jobs.get(number).error == jobs.STOPPED
    with store.write("test"):
        store.jobs.wait_again(store.jobs.get(number))
    assert counter(store, number, "fast").wait() == 0
    assert store.jobs.get(number).state == "done"
    assert (tmp_path / "numbers").read_text() == "01234"
    assert store.problems() == []


@pytest.mark.parametrize("way", ["SIGTERM", "the database"])
def test_a_running_child_can_be_cancelled(store, tmp_path, way):
    number = make(store, params={"file": str(tmp_path / "numbers")})
    child = counter(store, number, "slow")
    wait_for(lambda: store.jobs.get(number).done == 3)
    if way == "SIGTERM":
        os.kill(child.pid, signal.SIGTERM)
    else:
        jobs.cancel(store, None, number)
    assert child.wait(timeout=20) == 0
    job = store.jobs.get(number)
    assert (job.state, job.done, job.error) == ("cancelled", 3, None)


def test_checks_of_a_domain_run_in_the_background(imported, crew, monkeypatch):
    monkeypatch.setenv("JTAU_API_KEY", "sk-in-the-environment-only")
    waiting = len(imported.findings.unchecked(checks.rules_key(imported)))
    number = jobs.start(imported, crew.m, "check", "airline")
    job = imported.jobs.get(number)
    assert job.started_by == crew.m.id
    job = wait_for(lambda: (j := imported.jobs.get(number)).is_unfinished is False and j)
    log = jobs.log_path(imported, number)
    assert (job.state, job.done, job.total) == ("done", waiting, waiting), log.read_text()
    assert imported.findings.unchecked(checks.rules_key(imported)) == []
    assert log == imported.path.parent / "jobs" / f"{number}.log"
    assert log.stat().st_mode & 0o777 == 0o600 and log.read_text() == ""
    with closing(connect(imported.path)) as db:
        assert "sk-in-the-environment" not in "\n".join(db.iterdump())


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_started_process_is_nice_outlives_the_app_and_can_be_killed_and_resumed(imported):
    number = jobs.start(imported, None, "check", "airline")
    with imported.write("test"):  # the process has to wait until it may claim its job
        pid = imported.jobs.get(number).pid
        assert os.getpriority(os.PRIO_PROCESS, pid) == jobs.NICENESS
        assert os.getsid(pid) == pid
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: is_gone(pid))
    assert [job.id for job in jobs.reap(imported)] == [number]
    jobs.resume(imported, None, number)
    wait_for(lambda: imported.jobs.get(number).state == "done")


def test_what_cannot_be_started_is_refused(imported):
    with pytest.raises(ReviewError, match="no job 'fly': there are 'check'"):
        jobs.start(imported, None, "fly")
    with pytest.raises(NotFound):
        jobs.start(imported, None, "check", "nowhere")
    make(imported, "check", "airline")
    with pytest.raises(ReviewError, match="is unfinished"):
        jobs.start(imported, None, "check", "airline")
    assert not (imported.path.parent / "jobs").exists()


def test_a_dead_job_does_not_stand_in_the_way_of_a_new_one(imported):
    old = make(imported, "check", "airline")
    change(imported, "UPDATE jobs SET heartbeat_at = '2020-01-01T00:00:00.000Z'")
    number = jobs.start(imported, None, "check", "airline")
    wait_for(lambda: imported.jobs.get(number).state == "done")
    assert imported.jobs.get(old).state == "failed"
    jobs.resume(imported, None, old)
    wait_for(lambda: imported.jobs.get(old).state == "done")


# -- command line ------------------------------------------------------------------------------


def test_jobs_are_listed_cancelled_and_run_on_the_command_line(imported, capsys):
    def command(*words):
        code = cli.main([*words, "--db", str(imported.path)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    number = str(make(imported, "check", "airline"))
    assert command("jobs") == (0, f"{number} check airline: waiting\n", "")
    assert command("jobs", "cancel", number, "--as", "Mio")[1].endswith("cancelled\n")
    assert imported.people.history("jobs")[0].actor == "Mio"
    with imported.write("test"):
        imported.jobs.wait_again(imported.jobs.get(int(number)))
    assert command("job", number) == (0, "", "")
    code, out, _ = command("jobs", "--json")
    (listed,) = json.loads(out)
    assert code == 0 and (listed["state"], listed["spent"]["cost_usd"]) == ("done", None)
    assert command("job", number)[0] == command("job", "77")[0] == 2
    code, out, err = command("jobs", "resume")
    assert (code, out) == (2, "") and "needs the number of a job" in err
    assert command("jobs", "cancel", "77")[0] == 2
    assert command("jobs", "resume", number)[2].endswith("only a failed or cancelled one resumes\n")
