"""Recorded calls, run on the source state or, localized, on the localized one."""

from __future__ import annotations

from collections.abc import Iterator

from review_app.core.conformance import set_values
from review_app.core.envs.base import Environment, Step
from review_app.core.localize.values import Localizer
from review_app.core.tasks.replay import Replay
from review_app.json_types import Json

KINDS = ("call", "sequence", "env_call")
"""Records that are calls; replays are the tasks themselves."""


def replayed(record: Json, environment: Environment, localizer: Localizer | None = None) -> Replay:
    """What the calls of a record do.

    Args:
        record: Of one of `KINDS`; what it says of results is not looked at.
        environment: Fresh. It is changed.
        localizer: Localizes the calls; None runs them as recorded.
    """
    initial = environment.states()
    steps = tuple(_steps(record, environment, localizer))
    return Replay(
        task_id=str(record.get("id", "")), steps=steps, initial=initial, final=environment.states()
    )


def _steps(record: Json, environment: Environment, localizer: Localizer | None) -> Iterator[Step]:
    for entry in record.get("setup", record.get("steps", ())):
        if "set_user_db" in entry:
            set_values(environment, _values(entry["set_user_db"], localizer))
        elif "call" in entry:
            call = entry["call"]
            yield _call(environment, call["name"], call, localizer)
        else:
            yield _function(environment, entry["env"], localizer)
    if record["kind"] == "call":
        yield _call(environment, record["tool"], record, localizer)
    elif record["kind"] == "env_call":
        yield _function(environment, record, localizer)


def _call(environment: Environment, name: str, call: Json, localizer: Localizer | None) -> Step:
    arguments = call["arguments"]
    if localizer:
        arguments = localizer.arguments(name, arguments)
    return environment.call(name, arguments, call.get("requestor", "assistant"))


def _function(environment: Environment, call: Json, localizer: Localizer | None) -> Step:
    name, arguments = call["func_name"], call["arguments"]
    if localizer:
        arguments = localizer.arguments(name, arguments)
    return environment.run(call["env_type"], name, arguments)


def _values(values: Json, localizer: Localizer | None) -> Json:
    if localizer is None:
        return values
    localized = {}
    for pointer, value in values.items():
        path = tuple(pointer.removeprefix("/").split("/"))
        there = "/".join(map(str, localizer.path("user_database", path)))
        localized[f"/{there}"] = localizer.record("user_database", path, value)
    return localized
