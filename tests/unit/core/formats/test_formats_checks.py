"""What may be imported as source or draft, and what is refused where."""

from __future__ import annotations

import json

import pytest

from review_app.core.formats import check_draft, check_source
from review_app.errors import BadInput


def task(name="7", domain="airline", **members):
    said = {"domain": domain, "reason_for_call": "r", "task_instructions": "t"}
    return {"id": name, "user_scenario": {"instructions": said}} | members


def refused(file, value, domain="airline"):
    raw = value if isinstance(value, str) else json.dumps(value)
    with pytest.raises(BadInput) as caught:
        check_source(file, raw, domain)
    return str(caught.value)


@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("tasks.json", [task(), task("8", "airline_ja", annotations=None, unknown=1)]),
        ("tasks.json", [{"id": "1", "user_scenario": {"persona": None, "instructions": "Say"}}]),
        ("tasks.json", [task(evaluation_criteria=None, initial_state={"message_history": None})]),
        ("tasks.json", []),
        ("split_tasks.json", {"base": ["1"]}),
        ("messages.json", {"a": "b"}),
        ("db.json", {}),
    ],
)
def test_what_the_benchmark_reads_is_fine(file, value):
    check_source(file, json.dumps(value), "airline")


def test_markdown_is_always_fine():
    check_source("policy.md", "\x00", "airline")


def without(path):
    broken = task()
    inner = broken
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return broken


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ({}, "tasks.json: must be a list of tasks"),
        ([1], "tasks.json#0/: must be an object"),
        ([task(1)], "tasks.json#0/id: must be text, is 1"),
        ([task("a/b"), task("a/b")], "tasks.json#a~1b: task id 'a/b' occurs twice"),
        ([without(["user_scenario"])], "tasks.json#7/user_scenario: is missing"),
        (
            [without(["user_scenario", "instructions", "task_instructions"])],
            "tasks.json#7/user_scenario/instructions/task_instructions: is missing",
        ),
        ([task(user_scenario={"instructions": 5})], "instructions: must be an object, is 5"),
        ([task(ticket=["x"])], "tasks.json#7/ticket: must be text, is a list"),
        ([task(evaluation_criteria={"actions": {}})], "/actions: must be a list, is an object"),
        (
            [task(evaluation_criteria={"actions": [{"action_id": "1", "name": "n"}]})],
            "tasks.json#7/evaluation_criteria/actions/0/arguments: is missing",
        ),
        (
            [task(evaluation_criteria={"nl_assertions": ["a", None]})],
            "nl_assertions/1: must be text, is None",
        ),
        (
            [task(initial_state={"initialization_actions": [{"env_type": "x"}]})],
            "env_type: must be 'user' or 'assistant', is 'x'",
        ),
        ([task(domain="retail")], "instructions/domain: is 'retail', but the domain here is"),
        ([task(domain="airlines")], "is 'airlines'"),
    ],
)
def test_a_broken_task_file_is_refused_with_its_address(tasks, message):
    assert message in refused("tasks.json", tasks)


@pytest.mark.parametrize(
    ("file", "raw", "message"),
    [
        ("tasks.json", "[\n  {,}\n]", "tasks.json#line 2 column 4: not JSON"),
        ("db.json", "[" * 100_000, "not usable as JSON"),
        ("db.json", "[]", "must hold one object"),
        ("db.toml", "a = ", "db.toml: not TOML"),
        ("messages.json", '{"a/b": 1}', "messages.json#a~1b: must be text"),
        ("split_tasks.json", "", "not JSON"),
        ("tools.json", "{}", "must be a list of tools"),
        ("tools.json", '[{"name": "x"}]', "tools.json#0/type: is missing"),
        ("tools.json", '[{"type": "function", "function": {"name": 1}}]', "#0/function/name"),
        (
            "tools.json",
            '[{"type": "function", "function": {"name": "a", "parameters": []}}]',
            "tools.json#a/function/parameters: must be an object",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_place(file, raw, message):
    assert message in refused(file, raw)


def test_a_tool_twice_is_refused():
    tool = {"type": "function", "function": {"name": "a"}}
    assert "tool name 'a' occurs twice" in refused("tools.json", [tool, tool])


@pytest.mark.parametrize(
    ("file", "source", "draft", "message"),
    [
        ("tasks.json", [task()], [task("x")], "no task id of the source"),
        ("tasks.json", [task()], [task(domain="retail_ja")], "is 'retail_ja'"),
        ("db.json", {"a": 1}, {"b": 1}, "no member of the source"),
        ("messages.json", {"a": ""}, {}, "no message of the source"),
    ],
)
def test_a_draft_of_something_else_is_refused(file, source, draft, message):
    with pytest.raises(BadInput, match=message):
        check_draft(file, json.dumps(source), json.dumps(draft), "airline")


def test_a_draft_that_shares_an_id_is_fine():
    check_draft("tasks.json", json.dumps([task(), task("8")]), json.dumps([task("8")]), "airline")
    check_draft("policy.md", "a", "b", "airline")
    check_draft("db.toml", "a = 1", "a = 2", "telecom")


def test_a_draft_may_lack_a_text_that_the_source_must_have():
    lacking = task()
    lacking["user_scenario"]["instructions"]["task_instructions"] = None
    check_draft("tasks.json", json.dumps([task()]), json.dumps([lacking]), "airline")
    assert "task_instructions: must not be null" in refused("tasks.json", [lacking])
