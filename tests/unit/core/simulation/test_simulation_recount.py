"""A trial told again: changes under writes, the gold beside it, how far the ends are apart."""

from __future__ import annotations

import json

from rule_cases import SAMPLE, facts
from trial_cases import called, played, said, scripted

from review_app.core.simulation.recount import recount
from review_app.core.tasks.statediff import changes, line


def task_of(number: str):
    listed = json.loads((SAMPLE / "airline" / "tasks.json").read_text("utf-8"))
    return next(task for task in listed if task["id"] == number)


def test_a_perfect_trial_ends_where_gold_ends_and_every_write_says_what_it_changed():
    task = task_of("1")
    recounted = recount(task, facts("airline").open(), scripted("airline", task).messages)
    assert recounted.actions and all(check.match for check in recounted.actions)
    assert recounted.differences == ()
    assert [step.ok for step in recounted.steps.values()] == [True]
    [step] = recounted.steps.values()
    assert any("cancelled" in line(change) for change in changes(step.before, step.after))


def test_a_trial_without_the_write_lacks_what_gold_changes():
    task = task_of("1")
    trial = played([said("No.")], [said("Cancel it"), said("Bye ###STOP###")], task=task)
    recounted = recount(task, facts("airline").open(), trial.messages)
    assert not all(check.match for check in recounted.actions)
    assert recounted.differences and recounted.steps == {}


def test_an_unknown_tool_is_no_write():
    trial = played(
        [called(("fly_to_the_moon", {})), said("No.")], [said("Go"), said("Bye ###STOP###")]
    )
    assert recount({"id": "0"}, facts("airline").open(), trial.messages).steps == {}
