"""The comparison of recorded answers: what agrees, what is told when something does not."""

import json
from pathlib import Path

import pytest

from review_app.core import conformance
from review_app.core.envs import open_environment
from review_app.core.locale.pack import parse_pack
from review_app.core.tasks.statediff import changes, entries
from review_app.errors import BadInput

LOCALE = Path(__file__).resolve().parents[3] / "data" / "locales" / "en" / "airline.toml"
PACK = parse_pack({"airline.toml": LOCALE.read_text("utf-8")})
CANCEL = {"name": "cancel_reservation", "arguments": {"reservation_id": "R4XW9T"}}
SWALLOWED = {"action_id": "0_0", "exception": "ValueError: x"}


@pytest.fixture
def opened(sample):
    text = (sample / "tau2" / "domains" / "airline" / "db.json").read_text("utf-8")
    state = open_environment("airline", json.loads(text), PACK).states()[0]
    return lambda: open_environment("airline", state, PACK)


def diff(before, after):
    return {"agent": entries(changes(before, after), "agent")}


def hashes(states):
    return {"agent": states[0].hash, "user": None}


@pytest.fixture
def records(opened):
    """One record of each kind, made from an environment."""
    environment = opened()
    initial = environment.states()
    step = environment.call(**CANCEL)
    result = {"content": step.output, "error": False}
    common = {"domain": "airline"}
    action = {
        **CANCEL,
        "action_id": "0_0",
        "requestor": "assistant",
        "tool_type": "write",
        "result": result,
        "diff": diff(step.before, step.after),
    }
    ended = {"agent_hash": step.agent_hash, "user_hash": None}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [{**CANCEL, "id": "1"}]},
        {"role": "tool", "id": "1", "content": step.output, "error": False},
    ]
    full = {"reward": 1.0}
    failed = {"content": "Error: Python's own words", "error": True, "error_class": "TypeError"}
    return [
        {**common, "kind": "meta", "pristine_hash": hashes(initial)},
        {
            **common,
            "kind": "replay",
            "id": "replay/0",
            "task_id": "0",
            "initial_state": {"summary": ""},
            "initial_hash": hashes(initial),
            "actions": [action],
            "live": {**ended, "diff": action["diff"]},
            "env_assertions_after_live": [],
            "gold_env": {**ended, "swallowed_errors": [], "same_as_live": True},
            "evaluation_criteria": {
                "reward_basis": ["DB"],
                "communicate_info": [],
                "n_nl_assertions": 0,
            },
        },
        {
            **common,
            "kind": "call",
            "id": "call/1",
            "tool": CANCEL["name"],
            "arguments": CANCEL["arguments"],
            "requestor": "assistant",
            "result": result,
            "diff": action["diff"],
            "final_hash": hashes(step.after),
        },
        {
            **common,
            "kind": "call",
            "id": "call/2",
            "setup": [{"call": CANCEL, "result": result}],
            "tool": CANCEL["name"],
            "arguments": {},
            "requestor": "assistant",
            "result": failed,
            "diff": {"agent": []},
        },
        {
            **common,
            "kind": "sequence",
            "id": "sequence/1",
            "steps": [{"call": CANCEL, "result": result, "diff": action["diff"]}],
            "final_hash": hashes(step.after),
        },
        {
            **common,
            "kind": "env_call",
            "id": "env_call/1",
            "env_type": "assistant",
            "func_name": "no_such_function",
            "arguments": {},
            "raised": "AttributeError: x",
            "diff": {"agent": []},
            "final_hash": hashes(initial),
        },
        {
            **common,
            "kind": "score",
            "id": "score/1",
            "task_id": "0",
            "messages": messages,
            "termination_reason": "user_stop",
            "strict_replay": True,
            "nl_judge_stub": "all assertions met",
            "expected": {
                "env": {
                    **full,
                    "reward_breakdown": {"DB": 1.0},
                    "db_match": True,
                    "env_assertions": [],
                },
                "action": full,
                "communicate": full,
                "all": {**full, "reward_basis": ["DB"]},
                "all_ignore_basis": full,
            },
        },
    ]


def test_records_made_here_agree(opened, records):
    report = conformance.run(records, {"airline": opened})
    assert report.ok, report.as_json()
    assert report.agreeing == {
        "meta": 1,
        "replay": 1,
        "call": 2,
        "sequence": 1,
        "env_call": 1,
        "score": 1,
    }


def tampered(records, at, *path, value):
    records = json.loads(json.dumps(records))
    place = records[at]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return records


@pytest.mark.parametrize(
    ("at", "path", "value", "what"),
    [
        (0, ("pristine_hash", "agent"), "0", "pristine_hash"),
        (1, ("initial_hash", "agent"), "0", "initial_hash"),
        (1, ("actions", 0, "result", "content"), "{}", "0_0/content"),
        (1, ("actions", 0, "tool_type"), "read", "0_0/tool_type"),
        (1, ("actions", 0, "diff", "agent"), [], "0_0/diff/agent"),
        (1, ("live", "agent_hash"), "0", "live"),
        (1, ("live", "diff", "agent"), [], "live/diff/agent"),
        (1, ("gold_env", "agent_hash"), "0", "gold_env"),
        (1, ("gold_env", "same_as_live"), False, "gold_env/same_as_live"),
        (1, ("gold_env", "swallowed_errors"), [SWALLOWED], "gold_env"),
        (2, ("result", "error"), True, "call/error"),
        (2, ("result", "error_where"), "sync_tools", "call/error_where"),
        (2, ("final_hash", "agent"), "0", "final_hash"),
        (3, ("result", "error_class"), "ValueError", "call/content"),
        (3, ("setup", 0, "result", "content"), "{}", "setup/0/content"),
        (4, ("steps", 0, "diff", "agent"), [], "steps/0/diff/agent"),
        (4, ("final_hash", "agent"), "0", "final_hash"),
        (5, ("raised",), "ValueError: other", "env_call/raised"),
        (5, ("final_hash", "agent"), "0", "final_hash"),
        (6, ("expected", "env", "db_match"), False, "env/db_match"),
        (6, ("expected", "action", "checks"), [], "action/checks"),
        (6, ("expected", "communicate", "reward"), 0.0, "communicate/reward"),
        (6, ("expected", "all"), {"raised": "ValueError"}, "all/raised"),
        (6, ("expected", "all_ignore_basis", "reward"), 0.0, "all_ignore_basis/reward"),
    ],
)
def test_a_tampered_record_is_told(opened, records, at, path, value, what):
    changed = tampered(records, at, *path, value=value)
    report = conformance.run(changed, {"airline": opened})
    assert not report.ok
    assert sum(report.disagreeing.values()) == 1
    compared = [difference[0] for difference in report.first[0].differences]
    assert any(name.startswith(what) for name in compared), compared
    assert report.as_json()["disagreeing"] == 1
    assert report.first[0].line() in report.as_json()["first_differences"]


def test_other_domains_and_kinds_are_skipped_and_counted(opened, records):
    others = [
        {"kind": "call", "domain": "banking", "id": "x"},
        {"kind": "poem", "domain": "airline"},
    ]
    report = conformance.run([*records, *others], {"airline": opened})
    assert report.skipped == {"banking": 1, "poem": 1}
    assert report.ok


def test_nothing_compared_is_not_ok(opened):
    assert not conformance.run([], {"airline": opened}).ok


@pytest.mark.parametrize(("at", "field"), [(2, "arguments"), (6, "expected")])
def test_a_record_without_a_field_is_named(opened, records, at, field):
    del records[at][field]
    with pytest.raises(BadInput, match=field):
        conformance.run(records, {"airline": opened})


def test_a_score_needs_the_replay_of_its_task(opened, records):
    with pytest.raises(BadInput, match="score/1"):
        conformance.run(records[-1:], {"airline": opened})
