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

from review_app import json_paths
from review_app.errors import BadInput, ReviewError
from review_app.json_paths import pointer, put
from review_app.notices import Notice

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
    if fault := _fault(value):
        raise BadInput(fault, file, address)
    start, end = value.get("span", (0, 0))
    return Operation(
        op=value["op"],
        path=value["path"],
        value=value.get("value"),
        origin=value.get("from", ""),
        before=value.get("before"),
        span=(start, end),
    )


def _fault(value: Any) -> Notice | None:
    """Why a value states no operation; None if it does."""
    if not isinstance(value, Mapping) or value.get("op") not in get_args(Op):
        return Notice(
            "operation.not_object",
            "an operation must be an object with `op` one of {known}",
            known=get_args(Op),
        )
    op: Op = value["op"]
    needed, optional = _MEMBERS[op]
    if missing := tuple(sorted({"path", *needed} - set(value))):
        return Notice("operation.members_missing", "{op!r} needs {missing}", op=op, missing=missing)
    if unknown := tuple(sorted(set(value) - {"op", "path", *needed, *optional})):
        return Notice(
            "operation.members_unknown", "{op!r} takes no {unknown!r}", op=op, unknown=unknown
        )
    texts = ["path", "from", "before", *(["value"] if op in ("splice", "append") else [])]
    for member in texts:
        if not isinstance(value.get(member, ""), str):
            return Notice(
                "operation.not_text", "{member!r} of {op!r} must be text", member=member, op=op
            )
    if op == "splice" and not _is_span(value["span"]):
        return Notice("operation.not_span", "'span' must be two numbers, start and end")
    return None


def _is_span(value: Any) -> bool:
    numbers = isinstance(value, list) and all(type(number) is int for number in value)
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


def same(value: Any, other: Any) -> bool:
    """Whether two values are the same JSON, whatever the order of keys."""
    return value is other or bool(value == other and canonical(value) == canonical(other))


# -- one step ----------------------------------------------------------------------------------


class _Misfit(ReviewError):
    """An operation does not fit the task. Never leaves this module."""


Stepped = tuple[Task, tuple[Operation, ...]]
"""The task after an operation, and what undoes it."""


def _step(task: Task, operation: Operation, patch: str) -> Stepped:
    try:
        return _STEPS[operation.op](task, operation)
    except _Misfit as misfit:
        problem = Notice(
            "operation.misfit", "cannot {op}: {why}", op=operation.op, why=misfit.notice
        )
        raise BadInput(problem, patch, operation.path) from None


def _add(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    holder, value = _get(task, keys[:-1]), operation.value
    if isinstance(holder, list):
        at = len(holder) if keys[-1] == "-" else _index(holder, keys[-1], len(holder))
        if operation.before is not None:
            raise _Misfit(
                "operation.before_in_list", "`before` is for objects; in a list the index says it"
            )
        value = [*holder[:at], operation.value, *holder[at:]]
        undo = Operation("remove", pointer((*keys[:-1], at)))
    elif keys[-1] in _object(holder):
        return _replace(task, operation)
    else:
        value = _with_member(holder, keys[-1], operation.value, operation.before)
        undo = Operation("remove", operation.path)
    return put(task, keys[:-1], value), (undo,)


def _remove(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    old, holder = _get(task, keys), _get(task, keys[:-1])
    if isinstance(holder, list):
        at = int(keys[-1])
        undo = Operation("add", operation.path, old)
        return put(task, keys[:-1], [*holder[:at], *holder[at + 1 :]]), (undo,)
    names = list(holder)
    after = names[names.index(keys[-1]) + 1 :]
    undo = Operation(op="add", path=operation.path, value=old, before=after[0] if after else None)
    rest = {name: member for name, member in holder.items() if name != keys[-1]}
    return put(task, keys[:-1], rest), (undo,)


def _replace(task: Task, operation: Operation) -> Stepped:
    keys = _keys(operation.path)
    undo = Operation("replace", operation.path, _get(task, keys))
    return put(task, keys, operation.value), (undo,)


def _move(task: Task, operation: Operation) -> Stepped:
    start, end = _keys(operation.origin), _keys(operation.path)
    if end[: len(start)] == start and len(end) > len(start):
        raise _Misfit(
            "operation.moved_into_itself",
            "{origin!r} cannot be moved into itself",
            origin=operation.origin,
        )
    value = _get(task, start)
    taken, (put_back,) = _remove(task, Operation("remove", operation.origin))
    arrived = Operation(op="add", path=operation.path, value=value, before=operation.before)
    moved, (undo,) = _add(taken, arrived)
    if undo.op == "replace":
        return moved, (undo, put_back)
    if operation.origin.startswith(f"{undo.path}/"):  # back would be into itself
        return moved, (undo, put_back)
    back = Operation(op="move", path=operation.origin, origin=undo.path, before=put_back.before)
    return moved, (back,)


def _test(task: Task, operation: Operation) -> Stepped:
    value, expected = _get(task, _split(operation.path)), operation.value
    if not same(value, expected):
        shown, wanted = _short(value), _short(expected)
        raise _Misfit(
            "operation.other_value",
            "found {value}, expected {expected}",
            value=shown,
            expected=wanted,
        )
    return task, ()


def _splice(task: Task, operation: Operation) -> Stepped:
    keys, (start, end) = _keys(operation.path), operation.span
    old = _text(task, keys)
    if not 0 <= start <= end <= len(old):
        length = len(old)
        raise _Misfit(
            "operation.span_outside",
            "no characters {start} to {end} in a text of {length}",
            start=start,
            end=end,
            length=length,
        )
    # The whole text: placeholders in `value` may be filled in by the time of undoing.
    undo = Operation("replace", operation.path, old)
    return put(task, keys, old[:start] + operation.value + old[end:]), (undo,)


def _append(task: Task, operation: Operation) -> Stepped:
    length = len(_text(task, _keys(operation.path)))
    return _splice(task, replace(operation, op="splice", span=(length, length)))


def _text(task: Task, keys: Sequence[str]) -> str:
    value = _get(task, keys)
    if not isinstance(value, str):
        raise _Misfit(
            "operation.value_no_text", "found {value}, expected text", value=_short(value)
        )
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


def _split(path: str) -> tuple[str, ...]:
    if path and not path.startswith("/"):
        raise _Misfit(
            "operation.path_relative", "a path starts with '/', {path!r} does not", path=path
        )
    return json_paths.keys(path)


def _keys(path: str) -> tuple[str, ...]:
    keys = _split(path)
    if not keys:
        raise _Misfit(
            "operation.whole_task",
            "the task as a whole cannot be changed; name something inside it",
        )
    return keys


def _get(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        if isinstance(value, list):
            value = value[_index(value, key, len(value) - 1)]
        else:
            value = _member(value, key)
    return value


def _index(holder: Sequence[Any], key: str, highest: int) -> int:
    if not _INDEX.fullmatch(key) or int(key) > highest:
        raise _Misfit(
            "operation.index_unknown",
            "no place {key!r} in a list of {length}",
            key=key,
            length=len(holder),
        )
    return int(key)


def _member(holder: Any, key: str) -> Any:
    if key not in _object(holder):
        raise _Misfit("operation.member_unknown", "there is no {key!r}", key=key)
    return holder[key]


def _object(holder: Any) -> Task:
    if not isinstance(holder, dict):
        raise _Misfit(
            "operation.nothing_inside", "{value} has nothing inside it", value=_short(holder)
        )
    return holder


def _with_member(holder: Task, name: str, value: Any, before: str | None) -> Task:
    if before is None:
        return {**holder, name: value}
    if before not in holder:
        raise _Misfit(
            "operation.next_unknown", "there is no {before!r} to stand before", before=before
        )
    extended: Task = {}
    for other, member in holder.items():
        if other == before:
            extended[name] = value
        extended[other] = member
    return extended


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
