"""A task as the fields of a form, and a task again of what was typed. Knows no widgets.

A field that was not touched leaves its place in the task as it is, to the byte: null, an empty
list and an absent member stay three things.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, get_args

from review_app.core.envs.schema import ToolSchema
from review_app.core.scoring.reward import Component
from review_app.core.tasks.alignment import ACTIONS
from review_app.core.tasks.argument_choices import Picker, Picks
from review_app.core.tasks.operations import Task, same
from review_app.json_paths import at, put
from review_app.json_types import JsonPath
from review_app.ui.environment import fields as environment_fields
from review_app.ui.environment.fields import ParameterField

FieldInputKind = Literal["text", "lines", "components"]

_INSTRUCTIONS: JsonPath = ("user_scenario", "instructions")
_DOMAIN: JsonPath = (*_INSTRUCTIONS, "domain")
_OTHER_TEXTS: tuple[JsonPath, ...] = (("user_scenario", "persona"), ("ticket",), ("description",))
_LISTS = ("communicate_info", "nl_assertions")


@dataclass(frozen=True, slots=True)
class FieldInput:
    """One place of a task and the input that edits it."""

    path: JsonPath
    input: FieldInputKind
    shown: Any
    """What the input holds before anybody types."""

    @property
    def name(self) -> str:
        """For keys and labels: `user_scenario.persona`."""
        return ".".join(map(str, self.path))


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a gold action and the input that edits it."""

    field: ParameterField
    shown: Any
    picks: Picks
    """What it can be, with what that is; empty where anything goes."""
    is_many: bool = False
    """Whether several picks make up a list."""


# -- texts and criteria ------------------------------------------------------------------------


def texts(task: Task) -> list[FieldInput]:
    """The instructions, then what else people read: persona, ticket, description."""
    paths = [leave for leave in _leaves(at(task, _INSTRUCTIONS), _INSTRUCTIONS) if leave != _DOMAIN]
    for path in _OTHER_TEXTS:
        paths += _leaves(at(task, path), path)
    return [FieldInput(path, "text", at(task, path) or "") for path in paths]


def _leaves(value: Any, path: JsonPath) -> Iterator[JsonPath]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _leaves(member, (*path, name))
    elif isinstance(value, str) or (value is None and len(path) > 1):
        yield path


def criteria(task: Task) -> list[FieldInput]:
    """What is compared beside the gold actions; only what a form can hold."""
    criteria_value = at(task, ("evaluation_criteria",))
    if not isinstance(criteria_value, dict):
        return []
    entries = []
    for name in _LISTS:
        value = criteria_value.get(name)
        if value is None or _are_lines(value):
            shown = "\n".join(value or ())
            entries.append(FieldInput(("evaluation_criteria", name), "lines", shown))
    basis = criteria_value.get("reward_basis")
    if basis is None or (_are_texts(basis) and len(set(basis)) == len(basis)):
        entries.append(
            FieldInput(("evaluation_criteria", "reward_basis"), "components", basis or [])
        )
    return entries


def components(entry: FieldInput) -> list[str]:
    """What a reward basis can name; unknown names that it has stay."""
    return list(dict.fromkeys([*get_args(Component), *entry.shown]))


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _are_lines(value: Any) -> bool:
    return _are_texts(value) and all(line.strip() and "\n" not in line for line in value)


def with_entry(task: Task, entry: FieldInput, typed: Any) -> Task:
    """A task with what was typed into one of its fields; the same if that is what it showed."""
    if typed is None or typed == entry.shown:
        return task
    value = (
        [line for line in typed.split("\n") if line.strip()] if entry.input == "lines" else typed
    )
    return _with_value(task, entry.path, value)


# -- gold actions ------------------------------------------------------------------------------


def actions(task: Task) -> list[Task] | None:
    """The gold actions that a form can hold: none if null or absent; None if they are malformed."""
    value = at(task, ACTIONS)
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(action, dict) for action in value):
        return value
    return None


def arguments(action: Task, tool: ToolSchema | None, picker: Picker | None) -> list[Argument]:
    """The arguments that the tool takes, then others that the action has."""
    given = action.get("arguments")
    given = given if isinstance(given, dict) else {}
    fields = environment_fields.fields(tool["parameters"]) if tool else []
    known = {field.name for field in fields}
    others = [ParameterField(name, "json", False) for name in given if name not in known]
    return [_argument(field, given, picker) for field in (*fields, *others)]


def _argument(field: ParameterField, given: Mapping[str, Any], picker: Picker | None) -> Argument:
    value, picks = given.get(field.name), picker.picks(given, field.name) if picker else {}
    is_there, field = field.name in given, replace(field, default=None)
    if picks and field.container == "array" and _is_set(value, is_there):
        return Argument(
            field=field, shown=list(value or ()), picks=_with(picks, value or ()), is_many=True
        )
    if picks and field.input == "text" and (isinstance(value, str) or not is_there):
        picks = _with(picks, [value] if is_there else ())
        field = replace(field, input="open_choice", choices=tuple(picks))
        return Argument(field, value, picks)
    if is_there and not _fits(field, value):
        field = replace(field, input="json", container="")
    return Argument(field, _shown(field, value, is_there), {})


def _is_set(value: Any, is_there: bool) -> bool:
    return not is_there or (_are_texts(value) and len(set(value)) == len(value))


def _with(picks: Picks, values: Sequence[Any]) -> Picks:
    return {**picks, **{value: value for value in values if value not in picks}}


def _fits(field: ParameterField, value: Any) -> bool:
    if field.input == "integer":
        return type(value) is int
    if field.input == "number":
        return type(value) in (int, float)
    if field.input == "boolean":
        return isinstance(value, bool)
    if field.input == "choice":
        return value in field.choices
    return field.input == "json" or isinstance(value, str)


def _shown(field: ParameterField, value: Any, is_there: bool) -> Any:
    if field.input in ("json", "text"):
        if not is_there:
            return ""
        return value if field.input == "text" else json.dumps(value, ensure_ascii=False)
    return float(value) if field.input == "number" and is_there else value


def with_argument(action: Task, argument: Argument, typed: Any) -> tuple[Task, str]:
    """An action with what was typed for an argument, and what is wrong if that is no JSON."""
    name, given = argument.field.name, action.get("arguments")
    given = given if isinstance(given, dict) else {}
    if typed == argument.shown:
        return action, ""
    if typed is None or typed in ("", []):
        rest = {key: value for key, value in given.items() if key != name}
        return {**action, "arguments": rest}, ""
    if argument.field.input == "json" and not argument.is_many:
        try:
            typed = json.loads(typed, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            return action, str(error)
    if isinstance(typed, float) and typed.is_integer() and type(given.get(name)) is not float:
        typed = int(typed)
    return {**action, "arguments": {**given, name: typed}}, ""


def new_action(task: Task, tool: str, requestor: str) -> Task:
    """An action to be filled in, of the shape that the task's other actions have."""
    known = actions(task) or []
    taken = {action.get("action_id") for action in known}
    number = next(n for n in range(len(known), len(known) * 2 + 2) if _id(task, n) not in taken)
    new: Task = {"action_id": _id(task, number), "name": tool, "arguments": {}}
    if requestor == "user" or any("requestor" in action for action in known):
        new = {"action_id": new["action_id"], "requestor": requestor, **new}
    shape = known[0] if known else {"info": None}
    return {**new, **{name: None for name in ("info", "compare_args") if name in shape}}


def _id(task: Task, number: int) -> str:
    return f"{task.get('id', '')}_{number}"


def with_actions(task: Task, listed: list[Task]) -> Task:
    """A task with other gold actions."""
    if at(task, ACTIONS) is None and not listed:
        return task
    return _with_value(task, ACTIONS, listed)


def _with_value(task: Task, path: JsonPath, value: Any) -> Task:
    """A task with a value at a path; the task itself if the value is there already."""
    changed: Task = task if same(at(task, path), value) else put(task, path, value)
    return changed


# -- raw text ----------------------------------------------------------------------------------


def as_json(task: Any) -> str:
    """The raw text of a task."""
    return json.dumps(task, ensure_ascii=False, indent=2)


def parsed(content: str) -> Task:
    """The task of a raw text.

    Raises:
        ValueError: not JSON, or no object.
    """
    value = json.loads(content, parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise ValueError("a task is an object: { … }")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
