"""Arithmetic for the tool `calculate`: parsed, bounded, never evaluated as code.

Same results as the reference for `+ - * / ** //`, unary signs and parentheses over ASCII numbers:
a float, rounded to two digits as Python rounds the binary value, printed as Python prints it
(`4.0`, `-0.0`, `1e+16`). What the reference would hang on, overflow on or fail to parse is refused
in well under 10 ms.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from review_app.json_types import Number

MAX_LENGTH = 1_000
"""Characters; longer expressions are refused."""
MAX_NESTING = 50
"""Parentheses within parentheses and signs before signs; deeper expressions are refused."""
MAX_BITS = 4_096
"""Size of an integer in between; a larger one is refused before it is computed."""

_ALLOWED = frozenset("0123456789+-*/(). ")


class InvalidCharacters(ValueError):
    """Something else than digits, operators, parentheses, points and spaces."""


class NotComputable(ValueError):
    """The expression does not parse, divides by zero, or is too long, too deep or too large."""


def calculate(expression: object) -> str:
    """The value of an arithmetic expression as the reference prints it.

    Raises:
        InvalidCharacters: a character that no expression may hold.
        NotComputable: not an expression, no number, or beyond the bounds above.
        TypeError: not iterable, or no string (the reference's code fails the same way).

    Example:
        "2 + 2" -> "4.0", "7 // 2 * 1.5" -> "4.5", "2.675" -> "2.67"
    """
    if isinstance(expression, dict | list) and not all(c in _ALLOWED for c in expression):
        raise InvalidCharacters
    if not isinstance(expression, str):
        raise TypeError(f"expression must be a string, not {type(expression).__name__}")
    if len(expression) > MAX_LENGTH:
        raise NotComputable("expression too long")
    if not _ALLOWED.issuperset(expression):
        raise InvalidCharacters
    if _nesting(expression) > MAX_NESTING:
        raise NotComputable("expression nested too deep")
    try:
        body = ast.parse(expression.strip(), mode="eval").body
        return str(round(float(_value(body)), 2))
    except (SyntaxError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise NotComputable(str(error)) from error


def _nesting(expression: str) -> int:
    """An upper bound for the depth of the syntax tree that parentheses, signs and powers make."""
    depth = deepest = run = 0
    for character in expression.replace(" ", ""):
        depth += (character == "(") - (character == ")")
        run = run + 1 if character in "+-*/" else 0
        deepest = max(deepest, depth, run)
    return max(deepest, expression.count("**"))


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool() | str() | bytes() | complex() | None):
            raise NotComputable("not a number")
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_value(operand)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _OPERATORS[type(operator)](_value(left), _value(right))
    raise NotComputable("not an arithmetic expression")


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        _bounded(base.bit_length() * exponent)
    result = base**exponent
    if isinstance(result, complex):
        raise NotComputable("not a real number")
    return float(result) if isinstance(result, float) else int(result)


def _times(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        _bounded(left.bit_length() + right.bit_length())
    return left * right


def _floor_divided(left: Number, right: Number) -> Number:
    return left // right


def _bounded(bits: int) -> None:
    if bits > MAX_BITS:
        raise NotComputable("number too large")


_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: _times,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: _floor_divided,
    ast.Pow: _power,
}
