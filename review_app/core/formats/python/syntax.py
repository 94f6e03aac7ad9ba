"""Pieces of Python's syntax trees."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Iterator
from typing import Any

MAX_QUOTED = 1000
"""Characters of an annotation that is written as text."""


class NotRead(Exception):
    """An expression is not understood."""


def dotted_name(node: ast.AST) -> str:
    """`enum.Enum` as it is written; nothing if it is another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def shown(node: ast.AST) -> str:
    """An expression for a person, cut short."""
    try:
        text = ast.unparse(node)
    except RecursionError:
        return "…"
    return text if len(text) <= 60 else f"{text[:59]}…"


def subscripts(node: ast.Subscript) -> list[ast.expr]:
    """What stands in the brackets."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def alternatives(node: ast.expr) -> list[ast.expr]:
    """The parts of `a | b | c`."""
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts.append(node.right)
        node = node.left
    return [node, *reversed(parts)]


def is_ellipsis(node: ast.expr) -> bool:
    """Whether it is `...`."""
    return isinstance(node, ast.Constant) and node.value is ...


def text_of(node: ast.expr | None) -> str | None:
    """A text that is written out; None for other expressions."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def quoted(node: ast.expr) -> ast.expr | None:
    """The annotation that is written as text; None for other expressions."""
    text = text_of(node)
    if text is None or len(text) > MAX_QUOTED:
        return None
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    ast.increment_lineno(tree, node.lineno - 1)
    return tree.body


def literal(node: ast.expr) -> Any:
    """A value of JSON that is written out.

    Raises:
        NotRead: another expression, or a value that JSON has not.
    """
    try:
        return _as_json(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise NotRead from None


def _as_json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _as_json(part) for key, part in value.items()}
    is_plain = value is None or isinstance(value, str | bool)
    is_whole = isinstance(value, int) and abs(value) < 2**63
    if is_plain or is_whole or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise NotRead


def assigned(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Names and values that the body of a class assigns."""
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield dotted_name(target), statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield dotted_name(statement.target), statement.value


def configured(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The configuration of a model, from the class's arguments and its `model_config`."""
    keywords = [*node.keywords]
    for name, value in assigned(node):
        if name == "model_config" and isinstance(value, ast.Call):
            keywords += value.keywords
        elif name == "model_config" and isinstance(value, ast.Dict):
            for key, inner in zip(value.keys, value.values, strict=True):
                yield text_of(key) or "", inner
        elif name == "model_config":
            yield "", value
    for keyword in keywords:
        yield keyword.arg or "", keyword.value


def docstring(node: ast.ClassDef) -> str:
    """The docstring of a class, as far left as it goes; empty without one."""
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")
