"""Tool descriptions and error messages out of a tau2 `tools.py`, which is read and never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from review_app.core.formats.docstrings import Docstring, read_docstring
from review_app.errors import BadInput
from review_app.json_types import JsonObject
from review_app.notices import Notice

_PLAIN = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "Dict": "object",
    "list": "array",
    "List": "array",
    "None": "null",
}
_LISTS = ("List", "list", "Sequence", "Tuple", "tuple", "Set", "set")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_tools(source_py: str, file: str) -> list[JsonObject]:
    """The tools of a module in OpenAI function form, as a `tools.json` holds them.

    Methods decorated with `is_tool(...)`: their docstring (Google style), their parameters and the
    closed sets of values in annotations (`Literal`, also under a module-level name; `Enum` classes
    as `$defs`). `x_returns` and `x_raises` hold those docstring sections.

    Raises:
        BadInput: not Python.
    """
    module = _parsed(source_py, file)
    names = _Names(module)
    return [
        _tool(function, kind, names)
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
        for function in node.body
        if isinstance(function, Function) and (kind := _tool_kind(function)) is not None
    ]


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
        texts = list(_raised(_parsed(source_py, file)))
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


def _parsed(source_py: str, file: str) -> ast.Module:
    try:
        return ast.parse(source_py.removeprefix("\ufeff"))
    except SyntaxError as error:
        problem = Notice("file.not_python", "not Python: {problem}", problem=error.msg)
        raise BadInput(problem, file, f"line {error.lineno}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        problem = Notice(
            "file.python_unusable", "not usable as Python: {problem}", problem=str(error)
        )
        raise BadInput(problem, file) from error


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


def _tool(function: Function, kind: str, names: _Names) -> JsonObject:
    doc = read_docstring(ast.get_docstring(function) or "")
    return {
        "type": "function",
        "function": {
            "name": function.name,
            "description": doc.description,
            "parameters": _parameters(function, doc, names),
        },
        "x_tool_type": kind,
        "x_returns": {
            "properties": {"returns": {"description": doc.returns} if doc.returns else {}},
            "type": "object",
        },
        "x_raises": [{"type": name, "desc": text} for name, text in doc.raises],
    }


def _parameters(function: Function, doc: Docstring, names: _Names) -> JsonObject:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args][1:] + arguments.kwonlyargs
    positional = len(named) - len(arguments.kwonlyargs)
    defaulted = named[positional - len(arguments.defaults) : positional]
    optional = {argument.arg for argument in defaulted}
    with_default = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    optional |= {argument.arg for argument, default in with_default if default is not None}
    defs: JsonObject = {}
    properties: JsonObject = {}
    for argument in named:
        text = doc.arguments.get(argument.arg)
        schema = {"description": text} if text else {}
        properties[argument.arg] = schema | names.schema(argument.annotation, defs)
    required = [argument.arg for argument in named if argument.arg not in optional]
    parameters: JsonObject = {"$defs": defs} if defs else {}
    return parameters | {"properties": properties, "required": required, "type": "object"}


class _Names:
    """The type names that a module defines, for reading annotations."""

    def __init__(self, module: ast.Module) -> None:
        self._aliases: dict[str, ast.expr] = {}
        self._enums: dict[str, list[Any]] = {}
        for node in module.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._aliases[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.value:
                    self._aliases[node.target.id] = node.value
            elif isinstance(node, ast.ClassDef) and _is_enum(node):
                self._enums[node.name] = list(_enum_values(node))

    def schema(self, annotation: ast.expr | None, defs: JsonObject, depth: int = 0) -> JsonObject:
        """The JSON schema of an annotation; `defs` collects the enums it names."""
        if annotation is None or depth > 20:
            return {}
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return self.schema(_expression(annotation.value), defs, depth + 1)
        if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
            return self._any_of([annotation.left, annotation.right], defs, depth)
        if isinstance(annotation, ast.Subscript):
            return self._subscript(annotation, defs, depth)
        name = "None" if isinstance(annotation, ast.Constant) else _last_name(annotation)
        if name in self._enums:
            defs[name] = {"enum": self._enums[name], "title": name, "type": "string"}
            return {"$ref": f"#/$defs/{name}"}
        if name in self._aliases and isinstance(annotation, ast.Name):
            return self.schema(self._aliases[name], defs, depth + 1)
        return {"type": _PLAIN[name]} if name in _PLAIN else {}

    def _subscript(self, annotation: ast.Subscript, defs: JsonObject, depth: int) -> JsonObject:
        name, inside = _last_name(annotation.value), annotation.slice
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if name == "Literal":
            values = [part.value for part in parts if isinstance(part, ast.Constant)]
            return {"enum": values, "type": "string"}
        if name == "Optional":
            return self._any_of([inside, ast.Constant(None)], defs, depth)
        if name == "Union":
            return self._any_of(parts, defs, depth)
        if name == "Annotated":
            return self.schema(parts[0], defs, depth + 1)
        if name in _LISTS:
            return {"items": self.schema(parts[0], defs, depth + 1), "type": "array"}
        return {"type": _PLAIN[name]} if name in _PLAIN else {}

    def _any_of(self, parts: list[ast.expr], defs: JsonObject, depth: int) -> JsonObject:
        choices: list[JsonObject] = []
        for part in parts:
            schema = self.schema(part, defs, depth + 1)
            choices += schema.get("anyOf", [schema])
        return {"anyOf": choices}


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_enum(node: ast.ClassDef) -> bool:
    return any("Enum" in _last_name(base) for base in node.bases)


def _enum_values(node: ast.ClassDef) -> Iterator[Any]:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            yield statement.value.value


def _last_name(node: ast.expr) -> str:
    """`Enum` for `Enum` and for `enum.Enum`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
