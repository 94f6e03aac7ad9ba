"""Tool descriptions and error messages out of a tau2 `tools.py`, which is read and never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from review_app.core.formats.python.docstrings import Docstring, read_docstring
from review_app.core.formats.python.names import (
    Names,
    PythonModule,
    ReadModule,
    parsed,
    python_module,
)
from review_app.core.formats.python.schemas import Member, object_schema
from review_app.core.formats.python.syntax import dotted_name
from review_app.errors import BadInput
from review_app.json_types import JsonObject
from review_app.notices import Notice

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _no_module(dotted: str) -> None:
    """Nothing is imported."""


def _untold(note: Notice) -> None:
    """Nobody is told."""


def python_tools(
    source_py: str,
    file: str,
    module: str = "",
    read_module: ReadModule = _no_module,
    tell: Callable[[Notice], None] = _untold,
) -> list[JsonObject]:
    """The tools of a module in OpenAI function form, as a `tools.json` holds them.

    Methods decorated with `is_tool(...)`: their docstring (Google style), their parameters and what
    they return, with the schemas that the benchmark has pydantic make of the annotations.

    Args:
        source_py: Text of the module.
        file: Its name, for messages.
        module: Its dotted name, which relative imports start from.
        read_module: Text of the modules that it imports, by dotted name.
        tell: Called with what was not understood and is therefore not in a schema.

    Raises:
        BadInput: not Python, or more than any real module holds.
    """
    tree = parsed(source_py, file)
    home = python_module(tree, file, module)
    names = Names(read_module)
    try:
        tools = [
            _tool(function, kind, home, names)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for function in node.body
            if isinstance(function, Function) and (kind := _tool_kind(function)) is not None
        ]
    except BadInput as error:
        raise BadInput(error.problem, file) from None
    for note in names.notes():
        tell(note)
    return tools


def python_messages(source_py: str, file: str = "tools.py") -> dict[str, str]:
    """Every text raised as a `ValueError`, under a snake_case key made of its words.

    Placeholders of f-strings stay in the text by name and are left out of the key; different texts
    with the same words get `_2`, `_3`.

    Raises:
        BadInput: not Python.

    Example:
        raise ValueError(f"No user {user_id}") -> {"no_user": "No user {user_id}"}
    """
    messages: dict[str, str] = {}
    try:
        texts = list(_raised(parsed(source_py, file)))
    except RecursionError as error:
        problem = Notice("file.message_too_deep", "a message holds too deep an expression")
        raise BadInput(problem, file) from error
    for text in texts:
        words = re.sub(r"\{[^{}]*\}", " ", text)
        base = key = "_".join(re.findall(r"\w+", words.lower())) or "message"
        count = 1
        while messages.get(key, text) != text:
            count += 1
            key = f"{base}_{count}"
        messages[key] = text
    return messages


def _raised(module: ast.Module) -> Iterator[str]:
    raises = [node for node in ast.walk(module) if isinstance(node, ast.Raise)]
    for node in sorted(raises, key=lambda node: (node.lineno, node.col_offset)):
        call = node.exc
        if isinstance(call, ast.Call) and _last_name(call.func) == "ValueError" and call.args:
            text = _text_of(call.args[0])
            if text:
                yield text


def _text_of(node: ast.expr) -> str:
    """A string as it is, an f-string with its placeholders by name; else nothing."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else _text_of(part)
        for part in node.values
    )


def _tool_kind(function: Function) -> str | None:
    """`read`, `write` and so on from the decorator `is_tool(ToolType.READ)`; None if no tool."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and _last_name(decorator.func) == "is_tool":
            return _last_name(decorator.args[0]).lower() if decorator.args else "read"
    return None


def _tool(function: Function, kind: str, home: PythonModule, names: Names) -> JsonObject:
    doc = read_docstring(ast.get_docstring(function) or "")
    returns = Member(
        name="returns",
        module=home,
        owner=f"{function.name}.returns",
        annotation=function.returns,
        description=doc.returns,
    )
    parameters = object_schema("parameters", _parameters(function, doc, home), names)
    return {
        "type": "function",
        "function": {
            "name": function.name,
            "description": doc.description,
            "parameters": parameters,
        },
        "x_tool_type": kind,
        "x_mutates_state": kind == "write",
        "x_returns": object_schema("returns", [returns], names),
        "x_raises": [{"type": name, "desc": text} for name, text in doc.raises],
    }


def _parameters(function: Function, doc: Docstring, home: PythonModule) -> Iterator[Member]:
    """All parameters but the first, which is the toolkit."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    without = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*without, *arguments.defaults, *arguments.kw_defaults]
    named = zip([*positional, *arguments.kwonlyargs], defaults, strict=True)
    for argument, default in list(named)[1:]:
        yield Member(
            name=argument.arg,
            module=home,
            owner=f"{function.name}.{argument.arg}",
            annotation=argument.annotation,
            default=default,
            description=doc.arguments.get(argument.arg, ""),
        )


def _last_name(node: ast.expr) -> str:
    """`is_tool` for `is_tool` and for `toolkit.is_tool`."""
    return dotted_name(node).rpartition(".")[2]
