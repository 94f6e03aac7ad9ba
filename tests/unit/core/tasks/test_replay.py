"""Replay, rebuilt runs and state differences on the project's sample."""

import json
from pathlib import Path

import pytest

from review_app.core.envs import open_environment
from review_app.core.locale.pack import parse_pack
from review_app.core.tasks.replay import follow, gold_environment, prepared, replay, replay_task
from review_app.core.tasks.statediff import StateChange, changes, entries, line, value_changes
from review_app.errors import BadInput

LOCALE = Path(__file__).resolve().parents[4] / "data" / "locales" / "en" / "airline.toml"
PACK = parse_pack({"airline.toml": LOCALE.read_text("utf-8")})

CANCEL = {"name": "cancel_reservation", "arguments": {"reservation_id": "R4XW9T"}}
READ = {"name": "get_reservation_details", "arguments": {"reservation_id": "R4XW9T"}}
WRONG = {"name": "cancel_reservation", "arguments": {"reservation_id": "nope"}}


@pytest.fixture
def airline(sample):
    text = (sample / "tau2" / "domains" / "airline" / "db.json").read_text("utf-8")
    return open_environment("airline", json.loads(text), PACK)


def call(action, content, *, at="c1", error=False, **more):
    return [
        {"role": "assistant", "content": None, "tool_calls": [{**action, "id": at, **more}]},
        {"role": "tool", "id": at, "content": content, "error": error},
    ]


def test_a_replay_tells_steps_refusals_and_changes(airline):
    done = replay(airline, [READ, WRONG, CANCEL], "7")
    assert [step.ok for step in done.steps] == [True, False, True]
    assert [step.arguments for step in done.writes] == [WRONG["arguments"], CANCEL["arguments"]]
    assert done.refused_writes == (done.steps[1],)
    assert done.agent_db_hash == done.steps[-1].agent_hash != done.initial[0].hash
    assert done.user_db_hash is None
    assert line(done.changes[-1]) == "reservation R4XW9T: status null -> cancelled"
    record = done.as_json()
    assert record["task_id"] == "7"
    assert record["steps"][1] == {
        "name": "cancel_reservation",
        "requestor": "assistant",
        "ok": False,
        "output": "Error: Reservation nope not found",
    }
    assert record["refused_writes"] == [
        {"step": 1, "name": "cancel_reservation", "error": "Reservation nope not found"}
    ]
    assert json.loads(json.dumps(record)) == record


def test_a_task_without_anything_replays_to_nothing(airline):
    done = replay_task(airline, {"id": "0", "evaluation_criteria": None, "initial_state": None})
    assert (done.steps, done.changes) == ((), ())


def test_data_of_a_task_are_merged_into_the_database(airline):
    before = airline.states()
    data = {"agent_data": {"reservations": {"R4XW9T": {"cabin": "business", "flights": []}}}}
    task = {"id": "1", "initial_state": {"initialization_data": data}}
    started = prepared(airline, task)
    reservation = started.db.find("reservations", "R4XW9T")
    assert (reservation["cabin"], reservation["flights"]) == ("business", [])
    assert reservation["user_id"]
    assert airline.states()[0] is before[0]


def test_data_that_break_the_database_are_named(airline):
    data = {"agent_data": {"reservations": {"R4XW9T": {"cabin": 7}}}}
    with pytest.raises(BadInput, match="R4XW9T/cabin"):
        prepared(airline, {"initial_state": {"initialization_data": data}})


def test_an_initialization_action_that_fails_is_named(airline):
    action = {"env_type": "assistant", "func_name": "nope", "arguments": {}}
    task = {"id": "9", "initial_state": {"initialization_actions": [action]}}
    with pytest.raises(BadInput, match="9/initial_state/initialization_actions/0"):
        prepared(airline, task)


def test_a_message_history_is_followed_unless_the_run_repeats_it(airline):
    output = airline.fork().call(**CANCEL).output
    task = {"initial_state": {"message_history": call(CANCEL, output)}}
    assert prepared(airline.fork(), task).states()[0].hash != airline.states()[0].hash
    assert (
        prepared(airline.fork(), task, history=False).states()[0].hash == airline.states()[0].hash
    )
    with pytest.raises(BadInput, match="message_history"):
        prepared(airline, {"initial_state": {"message_history": call(CANCEL, output)[1:]}})


def test_the_gold_environment_passes_over_what_is_refused(airline):
    task = {"evaluation_criteria": {"actions": [WRONG, CANCEL]}}
    gold, steps = gold_environment(airline.fork(), task)
    assert [step.ok for step in steps] == [False, True]
    airline.call(**CANCEL)
    assert gold.states()[0].hash == airline.states()[0].hash


def test_only_writes_of_a_run_are_called_again(airline):
    output = airline.fork().call(**CANCEL).output
    messages = [
        {"role": "assistant", "content": "Hello"},
        *call(READ, "tampered"),
        *call({"name": "unknown_tool", "arguments": {}}, "Error: x"),
        *call(CANCEL, "unseen", requestor="user"),
        *call(WRONG, "Error: Reservation nope not found", error=True),
        *call(CANCEL, json.dumps(json.loads(output), indent=1)),
    ]
    followed = follow(airline, messages)
    assert (followed.malformed, followed.differences) == ("", ())
    assert [step.ok for step in followed.steps] == [False, True]


def test_a_run_that_recorded_something_else_is_noted(airline):
    followed = follow(airline, call(CANCEL, "{}"))
    assert followed.differences == ("cancel_reservation (c1) returns something else",)


def test_failing_alike_is_enough_where_python_words_the_error(airline):
    missing = {"name": "cancel_reservation", "arguments": {}}
    assert follow(airline, call(missing, "Error: missing 1 argument", error=True)).differences == ()
    assert follow(airline, call(missing, "{}")).differences != ()


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([{"role": "tool", "id": "c1", "content": ""}], "without a call"),
        ([{"role": "assistant", "tool_calls": ["cancel"]}], "no tool call"),
        (call(CANCEL, "")[:1], "not followed"),
        ([*call(CANCEL, "")[:1], {"role": "user", "content": "hi"}], "not followed"),
        ([call(CANCEL, "")[0], {"role": "tool", "id": "c2", "content": ""}], "answered as 'c2'"),
    ],
)
def test_messages_that_no_run_can_have_are_malformed(airline, messages, problem):
    assert problem in follow(airline, messages).malformed


def test_value_changes_compare_lists_by_index_and_tell_types_apart():
    old = {"a": 1, "b": [1, 2, 3], "c": {"d": "x"}, "e": 2, "g": True}
    new = {"a": 1, "b": [1, 5], "c": {"d": "y"}, "f": None, "g": 1}
    assert list(value_changes(old, new)) == [
        (("b", 1), "changed", 2, 5),
        (("b", 2), "removed", 3, None),
        (("c", "d"), "changed", "x", "y"),
        (("e",), "removed", 2, None),
        (("g",), "changed", True, 1),
        (("f",), "added", None, None),
    ]


def test_changes_are_written_as_pointers_and_as_lines(airline):
    before = airline.states()
    airline.db.edit("reservations", "R4XW9T")["a/b~c"] = ["x"]
    airline.db.add("reservations", "NEW", {"reservation_id": "NEW"})
    changed = changes(before, airline.states())
    assert entries(changed, "agent") == [
        {"path": "/reservations/R4XW9T/a~1b~0c", "op": "add", "new": ["x"]},
        {"path": "/reservations/NEW", "op": "add", "new": {"reservation_id": "NEW"}},
    ]
    assert entries(changed, "user") == []
    assert [line(change) for change in changed] == [
        'reservation R4XW9T: a/b~c added ["x"]',
        "reservation NEW added",
    ]
    assert [change.kind for change in changes(airline.states(), before)] == ["removed", "removed"]


def test_a_changed_value_reads_in_one_line():
    pointer = ("reservations", "XEHM4B", "cabin")
    change = StateChange(
        "agent",
        pointer,
        "reservation XEHM4B",
        "cabin",
        "changed",
        "ベーシックエコノミー",
        "ビジネス",
    )
    assert line(change) == "reservation XEHM4B: cabin ベーシックエコノミー -> ビジネス"
    assert line(
        StateChange("user", ("device", "x"), "device", "x", "changed", "", ["a" * 200])
    ).startswith('device: x "" -> ["aaa')


def test_replay_is_deterministic_over_every_sample_task(sample, airline):
    tasks = json.loads((sample / "tau2" / "domains" / "airline" / "tasks.json").read_text("utf-8"))
    for task in tasks:
        first, second = (replay_task(airline.fork(), task).as_json() for _ in range(2))
        assert first == second
        assert first["refused_writes"] == []
