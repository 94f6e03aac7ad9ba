"""Runs in the database: every trial once, nothing overwritten, everything as it was played."""

from __future__ import annotations

import sqlite3

import pytest

from review_app.errors import NotFound
from review_app.records.runs import NewRun, NewTrialUnit, NewTrialVerdict, RunTask, TrialResult

MESSAGES = [{"role": "assistant", "content": "こんにちは"}]
DONE = TrialResult("user_stop", 1.0, {"reward": 1.0}, None, "1:finished", cost_usd=0.5)


@pytest.fixture
def run(store):
    """A run of one task."""
    with store.write("test"):
        new = NewRun(
            "first",
            "airline",
            "j-tau",
            "ja",
            "model",
            {"agent": {"model": "m"}},
            "jtau",
            2,
            {"trials": 2, "budget_usd": None},
            {},
        )
        number = store.runs.add(new)
        kept = store.runs.keep({"id": "0"})
        store.runs.add_tasks(number, [RunTask("0", kept, "s", repaired=True, notes={"a": [1]})])
    return number


def unit(store, trial=0, attempt=0, seed=5):
    task = store.runs.tasks(1)["0"]
    return NewTrialUnit("0", task.task_hash, "s", trial, attempt, seed)


def added(store, run, **more):
    with store.write("test"):
        store.units.add(run, [unit(store, **more)])
    return store.units.of_run(run)[-1]


def test_content_is_kept_once_and_comes_back_as_it_was(store, run):
    value = {"b": 1, "a": ["円", None]}
    with store.write("test"):
        assert store.runs.keep(value) == store.runs.keep(value)
    name = store.runs.keep(value)
    assert list(store.runs.content(name).items()) == list(value.items())
    with pytest.raises(NotFound):
        store.runs.content("none")


def test_a_run_and_its_tasks_come_back_and_what_it_is_made_of_is_set_once(store, run):
    with store.write("test"):
        store.runs.put_frozen(run, {"policy": "x"}, "hash", "1.0")
        store.runs.put_frozen(run, {"policy": "y"}, "other", "2.0")
    found = store.runs.get(run)
    assert (found.material, found.config_hash, found.litellm) == ({"policy": "x"}, "hash", "1.0")
    assert (found.models, found.trials) == ({"agent": {"model": "m"}}, 2)
    assert store.runs.tasks(run)["0"].repaired and store.runs.tasks(run)["0"].notes == {"a": [1]}
    assert [each.id for each in store.runs.list("airline")] == [run]
    assert store.runs.list("retail") == []


def test_a_trial_that_is_there_is_not_added_again(store, run):
    added(store, run)
    added(store, run)
    added(store, run, attempt=1)  # the same seed would be the same unit
    assert [(each.trial, each.attempt) for each in store.units.of_run(run)] == [(0, 0)]
    added(store, run, attempt=1, seed=6)
    assert store.units.counts(run) == {"waiting": 2}


def test_the_first_result_stays_and_single_replies_go(store, run):
    one = added(store, run)
    with store.write("test"):
        store.units.begin(one.id)
        store.units.keep_reply(one.id, 0, {"text": "a", "cost_usd": 0.25})
        store.units.keep_reply(one.id, 0, {"text": "b", "cost_usd": 9.0})
    assert store.units.replies(one.id) == {0: {"text": "a", "cost_usd": 0.25}}
    assert store.units.spent_usd(run) == 0.25
    with store.write("test"):
        assert store.units.finish(one.id, DONE, MESSAGES)
        assert not store.units.finish(one.id, TrialResult("max_steps", 0.0, None, None, "x"), [])
    found = store.units.get(one.id)
    assert (found.state, found.termination_reason, found.reward) == ("done", "user_stop", 1.0)
    assert store.units.messages(one.id) == MESSAGES
    assert store.units.replies(one.id) == {} and store.units.spent_usd(run) == 0.5


def test_what_nobody_plays_any_more_waits_again_and_what_is_done_does_not(store, run):
    one, two = added(store, run), added(store, run, trial=1, seed=7)
    with store.write("test"):
        store.units.begin(one.id)
        store.units.begin(two.id)
        store.units.finish(two.id, DONE, MESSAGES)
        store.units.put_back(run)
    assert store.units.counts(run) == {"waiting": 1, "done": 1}


def test_verdicts_are_added_and_never_changed(store, run, crew):
    one = added(store, run)
    with store.write("test"):
        store.units.finish(one.id, DONE, MESSAGES)
        store.units.add_verdict(one.id, NewTrialVerdict("judge", "cause", "user", raw="{}"))
        store.units.add_verdict(
            one.id, NewTrialVerdict("human", "cause", "agent", person_id=crew.a.id)
        )
    assert [each.cause for each in store.units.verdicts(unit=one.id)] == ["user", "agent"]
    for statement in ("UPDATE verdicts SET cause = 'x'", "DELETE FROM verdicts"):
        with pytest.raises(sqlite3.DatabaseError), store.write("test"):
            store.units._db.execute(statement)
    assert store.problems() == []


def test_a_trial_of_a_task_that_the_run_does_not_have_is_refused(store, run):
    with pytest.raises(sqlite3.IntegrityError), store.write("test"):
        store.units.add(run, [NewTrialUnit("9", "h", "s", 0, 0, 1)])
