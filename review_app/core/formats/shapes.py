"""What benchmark files must look like inside, written as nested plain values.

A type asks for a value of that type (`int` for a whole number that a database can hold, `float` for
any number, and a truth value is no number), a tuple for one of its strings, a one-element list for
a list of such entries, a dict for an object with these members (`name!`: required; others may be
absent or null; members that are not named are left alone).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from review_app.notices import Notice, Value

ID = str | int
"""Ids are texts; some writers leave the quotes of numeric ones away."""
LARGEST = 2**63 - 1
"""The largest whole number that a database holds."""

NULL = Notice("file.null", "must not be null")

_CALL = {"env_type!": ("user", "assistant"), "func_name!": str, "arguments!": dict}
_INSTRUCTIONS = {
    "domain!": str,
    "reason_for_call!": str,
    "task_instructions!": str,
    "known_info": str,
    "unknown_info": str,
}
_ACTION = {
    "action_id!": str,
    "requestor": ("user", "assistant"),
    "name!": str,
    "arguments!": dict,
    "info": str,
    "compare_args": [str],
}
_CRITERIA = {
    "actions": [_ACTION],
    "env_assertions": [{**_CALL, "assert_value": bool, "message": str}],
    "communicate_info": [str],
    "nl_assertions": [str],
    "reward_basis": [str],
}
TASK = {
    "id!": str,
    "description": {"purpose": str, "relevant_policies": str, "notes": str},
    "user_scenario!": {"persona": str, "instructions!": object},
    "ticket": str,
    "initial_state": {
        "initialization_data": {"agent_data": dict, "user_data": dict},
        "initialization_actions": [_CALL],
        "message_history": [{"role!": str, "content": str}],
    },
    "evaluation_criteria": _CRITERIA,
    "issues": [dict],
    "required_documents": [str],
    "user_tools": [str],
}
"""Source: tau2-bench data model of tasks, which converts no values and fills in nothing."""

TOOL = {
    "type!": ("function",),
    "function!": {"name!": str, "description": str, "parameters": {"properties": dict}},
}
"""Source: OpenAI function calling."""

_LIST = Notice("file.a_list", "a list")
_OBJECT = Notice("file.an_object", "an object")
_NAMES = {
    str: Notice("file.a_text", "text"),
    dict: _OBJECT,
    list: _LIST,
    bool: Notice("file.a_truth", "true or false"),
    int: Notice("file.a_whole_number", "a whole number of at most 64 bits"),
    float: Notice("file.a_number", "a number"),
    ID: Notice("file.an_id", "text or a whole number"),
}


def task_faults(task: Any) -> Iterator[tuple[str, Notice]]:
    """Path and problem of everything in a task that the benchmark would refuse."""
    yield from faults(task, TASK)
    if isinstance(task, dict) and isinstance(task.get("user_scenario"), dict):
        instructions = task["user_scenario"].get("instructions")
        if instructions is not None and not isinstance(instructions, str):
            yield from faults(instructions, _INSTRUCTIONS, ("user_scenario", "instructions"))


def faults(value: Any, shape: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Notice]]:
    """Path (joined by `/`) and problem of each place where a value has not the shape."""
    if isinstance(shape, dict):
        yield from _object_faults(value, shape, path)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield "/".join(path), must_be_a_list(value)
            return
        for index, entry in enumerate(value):
            yield from faults(entry, shape[0], (*path, str(index)))
    elif isinstance(shape, tuple):
        if value not in shape:
            yield "/".join(path), _must_be_one_of(shape, value)
    elif not _is(value, shape):
        yield "/".join(path), _must_be(_NAMES[shape], value)


def _object_faults(
    value: Any, shape: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[str, Notice]]:
    if not isinstance(value, dict):
        yield "/".join(path), _must_be(_OBJECT, value)
        return
    for key, inner in shape.items():
        name = key.removesuffix("!")
        held = value.get(name)
        if held is not None:
            # Nearly everything in a large file is a text where one is wanted: no call for that.
            if not (inner is str and isinstance(held, str)):
                yield from faults(held, inner, (*path, name))
        elif name != key:
            missing = Notice("file.member_missing", "is missing")
            yield "/".join((*path, name)), NULL if name in value else missing


def _is(value: Any, shape: Any) -> bool:
    if isinstance(value, bool):
        return shape in (bool, object)
    if isinstance(value, int) and abs(value) > LARGEST:
        return shape is object
    return isinstance(value, int | float) if shape is float else isinstance(value, shape)


def optional(shape: Any) -> Any:
    """The same shape where no member is required."""
    if isinstance(shape, dict):
        return {name.removesuffix("!"): optional(inner) for name, inner in shape.items()}
    return [optional(inner) for inner in shape] if isinstance(shape, list) else shape


def must_be_a_list(value: Any) -> Notice:
    """What is said of a value that is no list where one is wanted."""
    return _must_be(_LIST, value)


def _must_be(wanted: Notice, value: Any) -> Notice:
    return Notice("file.must_be", "must be {wanted}, is {value}", wanted=wanted, value=_said(value))


def _must_be_one_of(wanted: tuple[str, ...], value: Any) -> Notice:
    return Notice(
        "file.must_be_one_of",
        "must be {wanted!r: or }, is {value}",
        wanted=wanted,
        value=_said(value),
    )


def _said(value: Any) -> Value:
    """A value in a message; of a list or an object only that it is one."""
    if isinstance(value, list | dict):
        return _LIST if isinstance(value, list) else _OBJECT
    try:
        return format(repr(value), ".60")
    except ValueError:  # a number of more digits than Python writes
        return Notice("file.a_huge_number", "a number of thousands of digits")
