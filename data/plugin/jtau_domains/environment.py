"""The benchmark's environments, translated at the border.

Databases and arguments come in the target's words and reach the benchmark's code in its own; what
its tools answer goes back. Nothing of the benchmark is changed: its classes are derived from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import FunctionType, new_class
from typing import Any

from tau2.data_model.message import ToolCall, ToolMessage
from tau2.data_model.tasks import EnvFunctionCall, InitializationData
from tau2.environment.environment import Environment
from tau2.environment.tool import Tool
from tau2.environment.toolkit import ToolKitBase

from jtau_domains.messages import Messages
from jtau_domains.release import Domain
from jtau_domains.words import Words

_ERROR = "Error: "
"""How the benchmark's answer to a refused call begins."""


class Refused(ValueError):
    """A refusal in the target language."""


class LocalizedTool(Tool):
    """A tool with the name, texts and closed sets that the release gives it."""

    @property
    def openai_schema(self) -> dict[str, Any]:
        """What a model is shown."""
        schema: dict[str, Any] = self._shown
        return schema


class Border:
    """Carries values of one domain from the target language to the benchmark's and back."""

    def __init__(self, domain: Domain, *, source_keys: bool = False) -> None:
        tables = domain.tables
        self.messages = Messages(tables)
        self._into = Words(tables, self.messages.translated)
        shown = {**tables, "keys": {}} if source_keys else tables
        self._out_of = Words(shown, self.messages.translated)
        self._escape: bool = tables["escape"]
        self._answers: dict[str, Any] = tables["answers"]
        self._schemas = {
            schema["function"]["name"]: _shown(schema)
            for file in ("tools.json", "user_tools.json")
            for schema in domain.json(file) or ()
        }

    @property
    def tool_names(self) -> list[str]:
        """The tools of the release, of both sides."""
        return list(self._schemas)

    def database(self, place: str, tree: Any) -> Any:
        """A database in the benchmark's words."""
        return self._into.to_source(place, tree)

    def stored(self, place: str, tree: Any) -> Any:
        """A database of the benchmark in the target's words."""
        return self._out_of.to_target(place, tree)

    def arguments(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A call's arguments in the benchmark's words."""
        known: dict[str, Any] = self._into.to_source("arguments", dict(arguments), tool)
        return known

    def answer(self, tool: str, content: str) -> str:
        """A tool's answer in the target's words."""
        if tool in self._answers:
            return json.dumps(self._answers[tool], ensure_ascii=self._escape)
        if not content.startswith(("{", "[")):
            said: str = self._out_of.to_target("results", content, tool)
            return self.messages.translated(said) if said == content else said
        value = self._out_of.to_target("results", json.loads(content), tool)
        return json.dumps(value, ensure_ascii=self._escape)

    def shown(self, tools: list[Tool]) -> list[Tool]:
        """The benchmark's tools as models see them here."""
        return [self._localized(tool) for tool in tools]

    def _localized(self, tool: Tool) -> Tool:
        schema = self._schemas.get(tool.name)
        if schema is None:
            return tool
        shown = LocalizedTool(tool._func)
        first, _, rest = schema["function"]["description"].partition("\n\n")
        shown.short_desc, shown.long_desc = first, rest
        shown._shown = schema
        return shown


class LocalizedEnvironment(Environment):
    """An environment of the benchmark behind a border; mixed in before the domain's own class."""

    def __init__(self, border: Border, **parts: Any) -> None:
        self.border = border
        super().__init__(**parts)

    def get_tools(self) -> list[Tool]:
        """The agent's tools."""
        return self.border.shown(super().get_tools())

    def get_user_tools(self) -> list[Tool]:
        """The user's tools."""
        return self.border.shown(super().get_user_tools())

    def set_state(
        self, initialization_data: InitializationData | None, *state: Any, **named: Any
    ) -> None:
        """Bring the environment to a task's initial state."""
        if initialization_data is not None:
            agent, user = initialization_data.agent_data, initialization_data.user_data
            initialization_data = InitializationData(
                agent_data=self.border.database("database", agent),
                user_data=self.border.database("user_database", user),
            )
        super().set_state(initialization_data, *state, **named)

    def run_env_function_call(self, env_function_call: EnvFunctionCall) -> Any:
        """Set something up, or assert something."""
        call = env_function_call
        arguments = self.border.arguments(call.func_name, call.arguments)
        return super().run_env_function_call(call.model_copy(update={"arguments": arguments}))

    def make_tool_call(self, tool_name: str, *requestor: Any, **arguments: Any) -> Any:
        """Run a tool. What it returns is translated by `get_response`."""
        named = {"requestor": arguments.pop("requestor")} if "requestor" in arguments else {}
        arguments = self.border.arguments(tool_name, arguments)
        try:
            return super().make_tool_call(tool_name, *requestor, **named, **arguments)
        except Exception as error:
            raise Refused(self.border.messages.refusal(tool_name, error)) from error

    def sync_tools(self) -> None:
        """Carry shared facts between both sides."""
        try:
            super().sync_tools()
        except Exception as error:
            raise Refused(self.border.messages.refusal("", error)) from error

    def get_response(self, message: ToolCall) -> ToolMessage:
        """The answer to a call."""
        answer = super().get_response(message)
        content = answer.content or ""
        if answer.error:
            content = self.border.messages.failure(content.removeprefix(_ERROR))
        else:
            content = self.border.answer(message.name, content)
        return answer.model_copy(update={"content": content})


class UnknownCode(RuntimeError):
    """The benchmark's code is not what the release was made for."""


def with_fees(toolkit: type[ToolKitBase], fees: Mapping[str, Mapping[str, Any]]) -> type:
    """A toolkit whose methods have other constants: fees stand as numbers in their code.

    Args:
        toolkit: A class of tools.
        fees: Method -> number in its code -> number of the release.
    """
    changed = {name: _with_constants(getattr(toolkit, name), fees[name]) for name in fees}
    return new_class(toolkit.__name__, (toolkit,), exec_body=lambda body: body.update(changed))


def _with_constants(function: FunctionType, constants: Mapping[str, Any]) -> Callable[..., Any]:
    code = function.__code__
    numbers = {int(number): other for number, other in constants.items()}
    if missing := [number for number in numbers if number not in code.co_consts]:
        raise UnknownCode(f"{function.__qualname__} has no constant {missing[0]}")
    consts = tuple(numbers.get(c, c) if type(c) is int else c for c in code.co_consts)
    copy = FunctionType(
        code.replace(co_consts=consts),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__dict__.update(function.__dict__)
    copy.__doc__, copy.__annotations__ = function.__doc__, function.__annotations__
    copy.__kwdefaults__, copy.__qualname__ = function.__kwdefaults__, function.__qualname__
    return copy


def _shown(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A tool schema as a model gets it: without the notes of the release."""
    function = {key: v for key, v in schema["function"].items() if not key.startswith("x_")}
    return {"type": "function", "function": function}
