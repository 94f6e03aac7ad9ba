"""One name, one meaning; loops and results say what they hold; records are built by field."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "review_app"
MODULES = sorted(PACKAGE.rglob("*.py"))
RIDDLES = {"each", "found", "made", "told"}
"""Names that stood 3,182 times and said nothing."""
MOST_BY_POSITION = 3


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def defined(path):
    """The classes and type aliases of a module."""
    for node in tree(path).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper() and isinstance(node.value, ast.Subscript):
                yield name


def is_public(name):
    return not name.startswith("_") or name.startswith("__")


def test_no_two_classes_or_types_share_a_name():
    """But records of the domains, which are named as the benchmark names them."""
    places = defaultdict(list)
    for path in MODULES:
        if path.parent != PACKAGE / "core" / "envs":
            for name in filter(is_public, defined(path)):
                places[name].append(name_of(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def bound(path):
    """Names that a module gives to variables and parameters, with their lines."""
    fields = {
        id(field.target)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
    }
    for node in ast.walk(tree(path)):
        if id(node) in fields:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def test_variables_say_what_they_hold():
    assert [
        f"{name_of(path)}:{line} {name}"
        for path in MODULES
        for name, line in bound(path)
        if name in RIDDLES
    ] == []


def is_record(node):
    return isinstance(node, ast.ClassDef) and any(
        "dataclass" in ast.unparse(decorator) for decorator in node.decorator_list
    )


def test_records_of_more_than_three_fields_are_built_by_name():
    records = {node.name for path in MODULES for node in tree(path).body if is_record(node)}
    assert [
        f"{name_of(path)}:{call.lineno} {ast.unparse(call.func)}"
        for path in MODULES
        for call in ast.walk(tree(path))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).rpartition(".")[2] in records
        and call.args
        and len(call.args) + len(call.keywords) > MOST_BY_POSITION
        and not any(isinstance(value, ast.Starred) for value in call.args)
    ] == []


def borrowed(path):
    """Private names of other modules that a module uses: by import, or through the module."""
    modules = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("review_app"):
            yield from (alias.name for alias in node.names if not is_public(alias.name))
            modules |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree(path)):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
            and not is_public(node.attr)
        ):
            yield f"{node.value.id}.{node.attr}"


def test_no_module_uses_private_names_of_another():
    assert {name_of(path): names for path in MODULES if (names := [*borrowed(path)])} == {}


def test_the_formatter_formats_every_line():
    marks = ("# fmt: skip", "# fmt: off")
    assert [
        name_of(path)
        for path in MODULES
        if any(mark in path.read_text(encoding="utf-8") for mark in marks)
    ] == []
