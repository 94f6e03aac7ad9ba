"""Every registered rule keeps the promises of the registry."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

import pytest
from rule_cases import DATA, facts, task, task_of

from review_app.core.validity import (
    ALL,
    CRASHED,
    FAMILIES,
    LEVELS,
    RULESET,
    DomainFacts,
    Rule,
    TaskContext,
    inspect,
    parse_profile,
    rule,
)
from review_app.core.validity.registry import RuleFault
from review_app.json_paths import pointer as json_pointer

RULES = [pytest.param(checked_rule, id=checked_rule.code) for checked_rule in ALL.values()]


@pytest.mark.parametrize("checked_rule", RULES)
def test_code_name_level_and_message_are_well_formed(checked_rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z]{2,4}-\d\d", checked_rule.code)
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", checked_rule.name)
    assert checked_rule.level in LEVELS
    assert checked_rule.message.strip(". ") == checked_rule.message
    assert all(
        name for _, name, _, _ in Formatter().parse(checked_rule.message) if name is not None
    )


@pytest.mark.parametrize("checked_rule", RULES)
def test_the_docstring_says_what_it_flags_what_passes_and_where_it_comes_from(
    checked_rule: Rule,
) -> None:
    lines = [line.strip() for line in checked_rule.documentation.splitlines()]
    for start in ("Flags: ", "Passes: ", "Source: "):
        assert any(line.startswith(start) for line in lines), (
            f"{checked_rule.code} lacks a line {start!r}"
        )
    assert lines[0]


def test_families_are_the_modules_of_the_rules() -> None:
    modules = {checked_rule.function.__module__ for checked_rule in ALL.values()}
    assert modules == {family.__name__ for family in FAMILIES}


def test_a_taken_code_is_refused() -> None:
    with pytest.raises(ValueError, match="'GOLD-01' is taken by gold_write_refused"):
        rule("GOLD-01", "error", "x")(lambda ctx: iter(()))


def test_the_ruleset_is_named_by_codes_versions_and_levels() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", RULESET)


def test_a_rule_that_meets_a_value_of_a_wrong_type_becomes_a_warning() -> None:
    def broken(ctx: TaskContext) -> Any:
        yield RuleFault(x=ctx.task["nothing"])

    checked_rule = Rule("XX-01", "broken_rule", "error", "{x}", broken, frozenset(), False, 1)
    [violation] = checked_rule(TaskContext(task_of("airline"), facts("airline")))
    assert (violation.code, violation.level) == (CRASHED, "warning")
    assert "rule XX-01 could not be applied (KeyError: 'nothing')" in violation.message


def test_a_pointer_is_escaped() -> None:
    assert json_pointer(("a/b", 0, "c~d")) == "/a~1b/0/c~0d"
    assert json_pointer(()) == ""


WRONG = (None, 0, "", "x", [], {}, [None], [[]], {"x": None}, True, 1.5)


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom", "banking"])
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_malformed_tasks_are_judged_without_raising(domain: str, wrong: Any) -> None:
    if domain == "banking":
        text = (DATA / "rules" / "common.toml").read_text("utf-8")
        known = DomainFacts(domain, parse_profile(text))
    else:
        known = facts(domain)
    tools = [name for _, name in known.tools] or ["x"]
    calls = [{"name": name, "arguments": wrong, "action_id": wrong} for name in tools]
    for document in (
        {"id": wrong},
        {"id": "1", "evaluation_criteria": wrong, "user_scenario": wrong, "initial_state": wrong},
        {"id": "1", "evaluation_criteria": dict.fromkeys(("actions", "nl_assertions"), wrong)},
        {"id": "1", "evaluation_criteria": {"actions": calls, "communicate_info": [wrong]}},
        {"id": "1", "user_scenario": {"instructions": wrong}},
    ):
        for violation in inspect(document, TaskContext(document, known)):
            assert violation.message


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_arguments_of_a_wrong_type_are_judged_without_raising(wrong: Any) -> None:
    for domain, task_id in (("airline", "5"), ("airline", "3"), ("retail", "3"), ("retail", "8")):
        for action in task(domain, task_id)["evaluation_criteria"]["actions"]:
            for name in action["arguments"]:
                changed = {**action, "arguments": {**action["arguments"], name: wrong}}
                document = task_of(domain, "You are Peter Novak.", changed)
                for violation in inspect(document, TaskContext(document, facts(domain))):
                    assert violation.message
