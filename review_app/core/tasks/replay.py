"""What a task's actions, or a run's, do to a fresh environment.

Three environments matter to a task:

* *live*: its gold actions one by one as in a run, each followed by the sync of both sides
(`replay`);
* *gold*: what the evaluator compares with: no sync, refused actions skipped (`gold_environment`);
* *predicted*: what a run left behind, rebuilt from its messages: only tools that write are called
again
  (`follow`).

Source: section "Evaluation" of the conformance records' README; format specification, section 9.1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from review_app.core.envs.base import Environment, Requestor, States, Step, canonical_hash
from review_app.core.tasks.statediff import StateChange, changes, line
from review_app.errors import BadInput, ReviewError
from review_app.json_types import Json
from review_app.notices import Notice


@dataclass(frozen=True)
class Replay:
    """What a sequence of calls did."""

    task_id: str
    steps: tuple[Step, ...]
    initial: States
    final: States

    @property
    def refused_writes(self) -> tuple[Step, ...]:
        """Steps of write tools that were refused."""
        return tuple(step for step in self.writes if not step.ok)

    @property
    def writes(self) -> tuple[Step, ...]:
        """Steps of write tools, refused ones included."""
        return tuple(step for step in self.steps if step.kind == "write")

    @property
    def agent_db_hash(self) -> str:
        """Reference hash of the agent's database at the end."""
        return self.final[0].hash

    @property
    def user_db_hash(self) -> str | None:
        """Reference hash of the user's database at the end; None where there is none."""
        return self.final[1].hash if self.final[1] else None

    @property
    def canonical_hash(self) -> str:
        """Canonical hash of the databases at the end."""
        return canonical_hash(self.final)

    @cached_property
    def changes(self) -> tuple[StateChange, ...]:
        """What differs between the start and the end."""
        return changes(self.initial, self.final)

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes; `changes` are lines for people."""
        return {
            "task_id": self.task_id,
            "steps": [
                {"name": s.name, "requestor": s.requestor, "ok": s.ok, "output": s.output}
                for s in self.steps
            ],
            "refused_writes": [
                {"step": at, "name": s.name, "error": s.error}
                for at, s in enumerate(self.steps)
                if s.kind == "write" and not s.ok
            ],
            "agent_db_hash": self.agent_db_hash,
            "user_db_hash": self.user_db_hash,
            "changes": [line(change) for change in self.changes],
        }


@dataclass(frozen=True)
class Followed:
    """A run's environment rebuilt from its messages."""

    environment: Environment
    steps: tuple[Step, ...]
    fault: Notice | None = None
    """Why the messages cannot be followed to the end; None if they can."""
    differences: tuple[str, ...] = ()
    """Calls that now return something else than the run recorded, one line each."""

    @property
    def malformed(self) -> str:
        """The fault as results files have it; empty if there is none."""
        return str(self.fault) if self.fault else ""


def replay(environment: Environment, actions: Sequence[Json], task_id: str = "") -> Replay:
    """Run gold actions one by one as in a live run; refused ones are steps like any other.

    Args:
        environment: Fresh, or as `prepared` returns it. It is changed.
        actions: `{"name", "arguments", "requestor"?}`, in order.
        task_id: Kept in the record.
    """
    initial = environment.states()
    steps = tuple(_call(environment, action) for action in actions)
    return Replay(task_id=task_id, steps=steps, initial=initial, final=environment.states())


def replay_task(environment: Environment, task: Json) -> Replay:
    """Replay a task's gold actions on a fresh environment, after the task's initial state.

    Raises:
        BadInput: an initialization action fails, or the task is malformed.
    """
    return replay(prepared(environment, task), gold_actions(task), str(task.get("id", "")))


def gold_actions(task: Json) -> Sequence[Json]:
    """A task's gold actions; none where it has no criteria or they are null.

    Raises:
        BadInput: they are no list of objects.
    """
    return _objects(task, "evaluation_criteria", "actions")


def prepared(environment: Environment, task: Json, *, history: bool = True) -> Environment:
    """A fresh environment brought to a task's initial state: data merged, actions run, messages
    followed.

    Args:
        environment: Fresh. It is changed unless the task brings data of its own.
        task: Raw task; without `initial_state` nothing happens.
        history: False leaves the message history out, because a run's messages repeat it.

    Raises:
        BadInput: an initialization action is refused, or the message history is malformed.
    """
    environment = _merged(environment, task)
    for at, action in enumerate(_objects(task, "initial_state", "initialization_actions")):
        side, arguments = action.get("env_type", "assistant"), action.get("arguments", {})
        step = environment.run(side, action.get("func_name", ""), arguments)
        if not step.ok:
            problem = Notice(
                "task.initialization_fails",
                "{function!r} fails: {error}",
                function=step.name,
                error=step.error,
            )
            raise _bad(task, f"initial_state/initialization_actions/{at}", problem)
    messages = _objects(task, "initial_state", "message_history") if history else ()
    followed = follow(environment, messages)
    if followed.fault:
        raise _bad(task, "initial_state/message_history", followed.fault)
    return environment


def gold_environment(environment: Environment, task: Json) -> tuple[Environment, tuple[Step, ...]]:
    """The environment the evaluator compares a run with, and the gold steps.

    No sync between or after the actions, so in telecom it is not what a perfect run leaves behind.
    A refused action changes nothing and is passed over.
    """
    started = prepared(environment, task)
    steps = tuple(_call(started, action, sync=False) for action in gold_actions(task))
    return started, steps


def follow(environment: Environment, messages: Sequence[Json]) -> Followed:
    """Call a run's writes again and compare what they return with what the run recorded.

    Reads and calculations are skipped, unknown tools are passed over. A failed write is called
    again and must fail the same way. Every call must be followed by its tool message with the same
    id.

    Args:
        environment: Fresh, in the task's initial state. It is changed.
        messages: The run's messages, raw.
    """
    steps: list[Step] = []
    differences: list[str] = []
    fault: Notice | None = None
    try:
        for call, answer in _calls(messages):
            if environment.kind_of(call.get("name", ""), _requestor(call)) != "write":
                continue
            steps.append(_call(environment, call))
            if not _same_answer(steps[-1], answer):
                differences.append(f"{call['name']} ({call.get('id', '')}) returns something else")
    except _Malformed as malformed:
        fault = malformed.notice
    return Followed(
        environment=environment, steps=tuple(steps), fault=fault, differences=tuple(differences)
    )


class _Malformed(ReviewError):
    """Messages in an order that no run can have. Never leaves this module."""


def _calls(messages: Sequence[Json]) -> Iterator[tuple[Json, Json]]:
    waiting = iter(messages)
    for message in waiting:
        if message.get("role") == "tool":
            raise _Malformed("task.answer_without_call", "a tool message without a call before it")
        for call in message.get("tool_calls") or ():
            if not isinstance(call, Mapping):
                raise _Malformed("task.no_call", "{call} is no tool call", call=repr(call)[:60])
            answer, call_id = next(waiting, None), call.get("id", "")
            if answer is None or answer.get("role") != "tool":
                raise _Malformed(
                    "task.call_unanswered",
                    "call {call!r} is not followed by its tool message",
                    call=call_id,
                )
            if answer.get("id") != call_id:
                raise _Malformed(
                    "task.call_answered_as",
                    "call {call!r} is answered as {answer!r}",
                    call=call_id,
                    answer=answer.get("id"),
                )
            yield call, answer


def _call(environment: Environment, action: Json, *, sync: bool = True) -> Step:
    name, arguments = action.get("name", ""), action.get("arguments", {})
    return environment.call(name, arguments, _requestor(action), sync=sync)


def _requestor(action: Json) -> Requestor:
    requestor: Requestor = action.get("requestor") or "assistant"
    return requestor


def _part(task: Json, *names: str) -> Any:
    """A value inside a task, or None where a part on the way is null or absent."""
    value: Any = task
    for at, name in enumerate(names):
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _bad(task, "/".join(names[:at]), Notice("task.no_object", "must be an object"))
        value = value.get(name)
    return value


def _objects(task: Json, *names: str) -> Sequence[Json]:
    value = _part(task, *names)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(member, Mapping) for member in value):
        return value
    raise _bad(task, "/".join(names), Notice("task.no_objects", "must be a list of objects"))


def _bad(task: Json, place: str, problem: Notice) -> BadInput:
    return BadInput(problem, "tasks.json", f"{task.get('id', '')}/{place}")


def _same_answer(step: Step, answer: Json) -> bool:
    # Wordings of Python's own errors are not reproduced: failing alike is enough.
    if not step.ok and step.error_class != "ToolError":
        return bool(answer.get("error"))
    return bool(_parsed(step.output) == _parsed(answer.get("content")))


def _parsed(content: Any) -> Any:
    try:
        return json.loads(content)
    except (TypeError, ValueError, RecursionError):
        return content


def _merged(environment: Environment, task: Json) -> Environment:
    agent = _part(task, "initial_state", "initialization_data", "agent_data")
    user = _part(task, "initial_state", "initialization_data", "user_data")
    if not agent and not user:
        return environment
    domain, pack = type(environment), environment.pack
    state, user_state = environment.states()
    with _in_initial_data(task, "agent_data"):
        loaded = domain.load(_merge(state.tree(), agent or {}), pack)
    if user_state is None:
        return domain(loaded, pack)
    with _in_initial_data(task, "user_data"):
        loaded_user = domain.load_user(_merge(user_state.tree(), user or {}), pack)
    return domain(loaded, pack, loaded_user)


def require_initial_data(
    task: Json, side: str, tree: Any, require: Callable[[Any], object]
) -> None:
    """Nothing, if a database is still one with the data that a task brings.

    Args:
        task: Raw task.
        side: `agent_data` or `user_data`.
        tree: The database as plain JSON.
        require: Raises BadInput if what it is given is no database.

    Raises:
        BadInput: it is none; names the place in the task.
    """
    if brought := _part(task, "initial_state", "initialization_data", side):
        with _in_initial_data(task, side):
            require(_merge(tree, brought))


@contextmanager
def _in_initial_data(task: Json, side: str) -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        place = f"initial_state/initialization_data/{side}/{error.address.lstrip('/')}"
        raise _bad(task, place.rstrip("/"), error.problem) from error


def _merge(old: Any, new: Any) -> Any:
    """Objects key by key, anything else replaced."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: _merge(old.get(key), value) for key, value in new.items()}}
