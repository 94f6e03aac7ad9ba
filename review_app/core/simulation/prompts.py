"""System prompts of both sides, from texts that the caller has in the right language.

Source: format specification, sections 2.2 and 7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

from review_app.json_types import Json

_TAB = "\t"
_INSTRUCTIONS: Sequence[tuple[str, str]] = (
    ("reason_for_call", "Reason for call"),
    ("known_info", "Known info"),
    ("unknown_info", "Unknown info"),
    ("task_instructions", "Task instructions"),
)


def agent_prompt(template: str, policy: str) -> str:
    """The agent's system prompt.

    Args:
        template: With a place `{policy}`, as `data/prompts/run/<language>/agent.md`.
        policy: As it is; braces in it mean nothing.
    """
    return template.replace("{policy}", policy.strip())


def oracle_prompt(template: str, policy: str, addition: str, actions: Sequence[Json]) -> str:
    """The system prompt of an agent that is told the solution.

    If even this one fails, the fault is hardly the agent's.

    Args:
        template: As for `agent_prompt`.
        policy: The domain's policy.
        addition: What to tell it, with a place `{steps}`.
        actions: The task's gold actions.
    """
    steps = "\n".join(f"{at}. {_step(action)}" for at, action in enumerate(actions, 1))
    prompt = agent_prompt(template, policy).rstrip()
    return f"{prompt}\n{addition.replace('{steps}', steps)}"


def user_prompt(guideline: str, scenario: Any) -> str:
    """The user simulator's system prompt: the guideline, then the scenario as text.

    Args:
        guideline: The one without tools, or with them where the user has tools.
        scenario: A task's `user_scenario`.
    """
    return f"{guideline.strip()}\n\n<scenario>\n{scenario_text(scenario)}\n</scenario>"


def scenario_text(scenario: Any) -> str:
    """A task's `user_scenario` as the user simulator reads it; absent parts are left out.

    Labels are those of the format in every language.
    """
    if not isinstance(scenario, Mapping):
        return str(scenario or "")
    lines = []
    if scenario.get("persona") is not None:
        lines += ["Persona:", indent(str(scenario["persona"]), _TAB)]
    lines += ["Instructions:", indent(_instructions(scenario.get("instructions")), _TAB)]
    return "\n".join(lines)


def whole_policy(main: str, technical: str) -> str:
    """A policy in two parts as telecom has it: the main one and the one about technical support."""
    return (
        f"<main_policy>\n{main}\n</main_policy>\n"
        f"<tech_support_policy>\n{technical}\n</tech_support_policy>"
    )


def user_tools(schemas: Sequence[Json], task: Json) -> Sequence[Json]:
    """The user's tool schemas that a task allows: all, unless it names some."""
    named = task.get("user_tools")
    if named is None:
        return schemas
    return [schema for schema in schemas if schema["function"]["name"] in named]


def _instructions(instructions: Any) -> str:
    if not isinstance(instructions, Mapping):
        return str(instructions or "")
    lines = [f"Domain: {instructions['domain']}"] if instructions.get("domain") else []
    for key, label in _INSTRUCTIONS:
        if instructions.get(key) is not None:
            lines += [f"{label}:", indent(str(instructions[key]), _TAB)]
    return "\n".join(lines)


def _step(action: Json) -> str:
    arguments = json.dumps(action.get("arguments", {}), ensure_ascii=False)
    side = action.get("requestor") or "assistant"
    return f"{side}: {action.get('name', '')}({arguments})"
