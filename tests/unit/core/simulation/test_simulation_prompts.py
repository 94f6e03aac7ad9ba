"""System prompts of both sides hold what they must, and nothing is formatted by accident."""

from __future__ import annotations

import pytest
from rule_cases import DATA

from review_app.core.simulation.prompts import (
    agent_prompt,
    oracle_prompt,
    scenario_text,
    user_prompt,
    user_tools,
    whole_policy,
)

SCENARIO = {
    "persona": "In a hurry",
    "instructions": {
        "domain": "airline",
        "reason_for_call": "Cancel R4XW9T.\nAt once.",
        "known_info": "You are Ola.",
        "unknown_info": None,
        "task_instructions": "Be brief.",
    },
}


def test_a_scenario_is_rendered_in_order_and_absent_parts_are_left_out():
    assert scenario_text(SCENARIO) == (
        "Persona:\n\tIn a hurry\nInstructions:\n\tDomain: airline\n\tReason for call:\n"
        "\t\tCancel R4XW9T.\n\t\tAt once.\n\tKnown info:\n\t\tYou are Ola.\n"
        "\tTask instructions:\n\t\tBe brief."
    )
    assert scenario_text({"instructions": "Cancel it."}) == "Instructions:\n\tCancel it."


def test_unknown_info_changes_the_prompt():
    known = {**SCENARIO["instructions"], "unknown_info": "Your user id."}
    assert "\tUnknown info:\n\t\tYour user id." in scenario_text({"instructions": known})


def test_the_users_prompt_is_the_guideline_and_the_scenario():
    prompt = user_prompt("# Guide\n", SCENARIO)
    assert prompt.startswith("# Guide\n\n<scenario>\nPersona:\n")
    assert prompt.endswith("\n</scenario>")


def test_braces_in_a_policy_mean_nothing():
    assert agent_prompt("<p>\n{policy}\n</p>", "{x} {steps}\n") == "<p>\n{x} {steps}\n</p>"


@pytest.mark.parametrize("language", ["de", "en", "ja"])
def test_the_oracle_is_told_every_gold_step(language):
    addition = (DATA / "prompts" / "run" / language / "oracle.md").read_text("utf-8")
    gold = [
        {"name": "cancel", "arguments": {"reason": "不要"}},
        {"name": "reboot_device", "arguments": {}, "requestor": "user"},
    ]
    prompt = oracle_prompt("{policy}", "Be kind.", addition, gold)
    assert prompt.startswith("Be kind.\n<resolution_steps>\n")
    assert '1. assistant: cancel({"reason": "不要"})\n2. user: reboot_device({})\n' in prompt


def test_a_task_may_take_tools_from_the_user():
    schemas = [{"function": {"name": name}} for name in ("a", "b")]
    assert user_tools(schemas, {}) == user_tools(schemas, {"user_tools": None}) == schemas
    assert user_tools(schemas, {"user_tools": []}) == []
    assert user_tools(schemas, {"user_tools": ["b"]}) == schemas[1:]


def test_a_policy_of_two_parts_is_tagged():
    assert whole_policy("A", "B") == (
        "<main_policy>\nA\n</main_policy>\n<tech_support_policy>\nB\n</tech_support_policy>"
    )
