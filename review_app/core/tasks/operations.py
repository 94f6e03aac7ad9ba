"""JSON operations on a task: applied by copying only what they touch, and undone to the byte.

The subset of RFC 6902 that patches need, with additions of our own. `before` on `add` and
`move` names the member of an object in front of which the new one stands, because key order must
survive an undo. Two operations on texts: `splice` replaces a stretch of a text that the base hash
vouches for, `append` adds to the end of one whose wording is not known when the patch is written,
such as a translation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from review_app.errors import BadInput

Task = dict[str, Any]
"""A raw task, or a part of one. Never changed in place."""

Op = Literal["add", "remove", "replace", "move", "test", "splice", "append"]

_INDEX = re.compile(r"0|[1-9][0-9]*")
_MEMBERS: Mapping[Op, tuple[frozenset[str], frozenset[str]]] = {
    "add": (frozenset({"value"}), frozenset({"before"})),
    "remove": (frozenset(), frozenset()),
    "replace": (frozenset({"value"}), frozenset()),
    "move": (frozenset({"from"}), frozenset({"before"})),
    "test": (frozenset({"value"}), frozenset()),
    "splice": (frozenset({"value", "span"}), frozenset()),
    "append": (frozenset({"value"}), frozenset()),
}
"""What an operation must state beside `op` and `path`, and what it may state."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a patch."""

    op: Op
    path: str
    """JSON pointer from the top of the task: `/evaluation_criteria/actions/3/arguments/reason`."""
    value: Any = None
    """Of add, replace and test: any JSON value. Of splice and append: text."""
    origin: str = ""
    """Of move: where from (`from` in JSON)."""
    before: str | None = None
    """Of add and move into an object: the member that comes next; None for the end."""
    span: tuple[int, int] = (0, 0)
    """Of splice: half-open span of code points that `value` takes the place of."""

    def as_json(self) -> dict[str, Any]:
        """The operation as it stands in a patch file."""
        needed, _ = _MEMBERS[self.op]
        written: dict[str, Any] = {"op": self.op, "path": self.path}
        stated = {"from": self.origin, "span": list(self.span), "value": self.value}
        written |= {name: value for name, value in stated.items() if name in needed}
        return written if self.before is None else {**written, "before": self.before}


def operation_from_json(value: Any, file: str, address: str) -> Operation:
    """The operation that a patch file states.

    Raises:
        BadInput: unknown operation, no path, or members that do not fit it; names file and address.
    """
    if not isinstance(value, Mapping) or value.get("op") not in get_args(Op):
        known = ", ".join(get_args(Op))
        raise BadInput(f"an operation must be an object with `op` one of {known}", file, address)
    op: Op = value["op"]
    needed, optional = _MEMBERS[op]
    if missing := sorted({"path", *needed} - set(value)):
        raise BadInput(f"{op!r} needs {', '.join(missing)}", file, address)
    if unknown := sorted(set(value) - {"op", "path", *needed, *optional}):
        raise BadInput(f"{op!r} takes no {', '.join(map(repr, unknown))}", file, address)
    texts = ["path", "from", "before", *(["value"] if op in ("splice", "append") else [])]
    if wrong := [name for name in texts if name in value and not isinstance(value[name], str)]:
        raise BadInput(f"{wrong[0]!r} of {op!r} must be text", file, address)
    if op == "splice" and not _is_span(value["span"]):
        raise BadInput("'span' must be two numbers, start and end", file, address)
    start, end = value.get("span", (0, 0))
    origin, before = value.get("from", ""), value.get("before")
    return Operation(
        op=op,
        path=value["path"],
        value=value.get("value"),
        origin=origin,
        before=before,
        span=(start, end),
    )


def _is_span(value: Any) -> bool:
    numbers = isinstance(value, list) and all(type(each) is int for each in value)
    return numbers and len(value) == 2 and 0 <= value[0] <= value[1]


def operate(task: Task, operations: Iterable[Operation], patch: str = "") -> Task:
    """A task after some operations, in order; what they do not touch is shared with the old one.

    Args:
        task: Any JSON object. Not changed.
        operations: In order.
        patch: Named in errors.

    Raises:
        BadInput: an operation does not fit the task; names patch and path.
    """
    for operation in operations:
        task, _ = _step(task, operation, patch)
    return task


def inverse(task: Task, operations: Iterable[Operation], patch: str = "") -> tuple[Operation, ...]:
    """The operations that lead from the result back to `task`, key order included.

    Args:
        task: The task before `operations`.
        operations: As for `operate`.
        patch: Named in errors.

    Raises:
        BadInput: as `operate`.
    """
    undo: list[Operation] = []
    for operation in operations:
        task, back = _step(task, operation, patch)
        undo[:0] = back
    return tuple(undo)


def canonical(value: Any) -> str:
    """JSON text of a value in which only the order of keys is lost; 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, whatever the order of keys."""
    return one is other or bool(one == other and canonical(one) == canonical(other))


def pointer(keys: Iterable[str | int]) -> str:
    """The JSON pointer of a path of keys and indexes.

    Example:
        ("a/b", 0) -> "/a~1b/0"
    """
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


# -- one step ----------------------------------------------------------------------------------


class _Misfit(Exception):
    """An operation that does not fit the task."""


Stepped = tuple[Task, tuple[Operation, ...]]
"""The task after an operation, and what undoes it."""


def _step(task: Task, operation: Operation, patch: str) -> Stepped:
    try:
        return _STEPS[operation.op](task, operation)
    except _Misfit as problem:
        place = operation.path
        raise BadInput(f"cannot {operation.op}: {problem}", patch, place) from None


def _add(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    holder, value = _get(task, keys[:-1]), operation.value
    if isinstance(holder, list):
        at = len(holder) if keys[-1] == "-" else _index(holder, keys[-1], len(holder))
        if operation.before is not None:
            raise _Misfit("`before` is for objects; in a list the index says it")
        value = [*holder[:at], operation.value, *holder[at:]]
        undo = Operation("remove", pointer([*keys[:-1], at]))
    elif keys[-1] in _object(holder):
        return _replace(task, operation)
    else:
        value = _with_member(holder, keys[-1], operation.value, operation.before)
        undo = Operation("remove", operation.path)
    return _put(task, keys[:-1], value), (undo,)


def _remove(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    old, holder = _get(task, keys), _get(task, keys[:-1])
    if isinstance(holder, list):
        at = int(keys[-1])
        undo = Operation("add", operation.path, old)
        return _put(task, keys[:-1], [*holder[:at], *holder[at + 1 :]]), (undo,)
    names = list(holder)
    after = names[names.index(keys[-1]) + 1 :]
    undo = Operation(op="add", path=operation.path, value=old, before=after[0] if after else None)
    rest = {name: member for name, member in holder.items() if name != keys[-1]}
    return _put(task, keys[:-1], rest), (undo,)


def _replace(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    undo = Operation("replace", operation.path, _get(task, keys))
    return _put(task, keys, operation.value), (undo,)


def _move(task: Task, operation: Operation) -> Stepped:
    start, end = _keys(operation.origin), _keys(operation.path)
    if end[: len(start)] == start and len(end) > len(start):
        raise _Misfit(f"{operation.origin!r} cannot be moved into itself")
    value = _get(task, start)
    taken, (put_back,) = _remove(task, Operation("remove", operation.origin))
    arrived = Operation(op="add", path=operation.path, value=value, before=operation.before)
    moved, (undo,) = _add(taken, arrived)
    if undo.op == "replace":
        return moved, (undo, put_back)
    back = Operation(op="move", path=operation.origin, origin=undo.path, before=put_back.before)
    return moved, (back,)


def _test(task: Task, operation: Operation) -> Stepped:
    found = _get(task, _split(operation.path))
    if not same(found, operation.value):
        raise _Misfit(f"found {_short(found)}, expected {_short(operation.value)}")
    return task, ()


def _splice(task: Task, operation: Operation) -> Stepped:
    keys, (start, end) = _keys(operation.path), operation.span
    old = _text(task, keys)
    if not 0 <= start <= end <= len(old):
        raise _Misfit(f"no characters {start} to {end} in a text of {len(old)}")
    # The whole text: placeholders in `value` may be filled in by the time of undoing.
    undo = Operation("replace", operation.path, old)
    return _put(task, keys, old[:start] + operation.value + old[end:]), (undo,)


def _append(task: Task, operation: Operation) -> Stepped:
    length = len(_text(task, _keys(operation.path)))
    return _splice(task, replace(operation, op="splice", span=(length, length)))


def _text(task: Task, keys: Sequence[str]) -> str:
    value = _get(task, keys)
    if not isinstance(value, str):
        raise _Misfit(f"found {_short(value)}, expected text")
    return value


_STEPS: Mapping[Op, Callable[[Task, Operation], Stepped]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "test": _test,
    "splice": _splice,
    "append": _append,
}


# -- pointers ----------------------------------------------------------------------------------


def _split(path: str) -> list[str]:
    if path and not path.startswith("/"):
        raise _Misfit(f"a path starts with '/', {path!r} does not")
    return [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]


def _keys(path: str) -> list[str]:
    keys = _split(path)
    if not keys:
        raise _Misfit("the task as a whole cannot be changed; name something inside it")
    return keys


def _get(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        if isinstance(value, list):
            value = value[_index(value, key, len(value) - 1)]
        else:
            value = _member(value, key)
    return value


def _put(value: Any, keys: Sequence[str], new: Any) -> Any:
    """A copy with another value at an existing place."""
    if not keys:
        return new
    if isinstance(value, list):
        at = int(keys[0])
        return [*value[:at], _put(value[at], keys[1:], new), *value[at + 1 :]]
    return {**value, keys[0]: _put(value[keys[0]], keys[1:], new)}


def _index(holder: Sequence[Any], key: str, highest: int) -> int:
    if not _INDEX.fullmatch(key) or int(key) > highest:
        raise _Misfit(f"no place {key!r} in a list of {len(holder)}")
    return int(key)


def _member(holder: Any, key: str) -> Any:
    if key not in _object(holder):
        raise _Misfit(f"there is no {key!r}")
    return holder[key]


def _object(holder: Any) -> Task:
    if not isinstance(holder, dict):
        raise _Misfit(f"{_short(holder)} has nothing inside it")
    return holder


def _with_member(holder: Task, name: str, value: Any, before: str | None) -> Task:
    if before is None:
        return {**holder, name: value}
    if before not in holder:
        raise _Misfit(f"there is no {before!r} to stand before")
    made: Task = {}
    for other, member in holder.items():
        if other == before:
            made[name] = value
        made[other] = member
    return made


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
