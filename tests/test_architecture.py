"""The layers, the sizes and the names that the house style promises."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "review_app"
MODULES = sorted(PACKAGE.rglob("*.py"))
BANNED = ("utils", "helpers", "manager", "handler", "common", "misc")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def ceiling(path):
    if path.parent.parent == PACKAGE / "ui" and path.name == "page.py":
        return 120
    return 450


def test_imports_point_down_and_only_the_named_modules_import_what_is_theirs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    code = lint_imports(no_cache=True)
    assert code == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_no_module_is_too_long():
    too_long = {name_of(path): lines_of(path) for path in MODULES if lines_of(path) > ceiling(path)}
    assert too_long == {}


def test_no_folder_holds_more_modules_than_a_newcomer_reads():
    counts = Counter(name_of(path.parent) for path in MODULES)
    assert {folder: count for folder, count in counts.items() if count > 20} == {}


def test_no_function_is_longer_than_60_lines():
    long = {
        f"{name_of(path)}:{node.name}": node.end_lineno - node.lineno + 1
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60
    }
    assert long == {}


def test_no_top_level_name_shadows_the_standard_library():
    here = {path.stem for path in ROOT.glob("*.py")}
    here |= {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    here |= {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert here & sys.stdlib_module_names == set()


def test_modules_are_named_for_what_they_hold():
    assert [name_of(path) for path in MODULES if path.stem in BANNED] == []


def test_every_package_has_its_map():
    folders = {path.parent for path in MODULES}
    assert [name_of(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def calls(path, name):
    return [
        node.lineno
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


@pytest.mark.parametrize("name", ["eval", "exec", "__import__"])
def test_no_text_is_run_as_code(name):
    assert {name_of(path): found for path in MODULES if (found := calls(path, name))} == {}


def handlers(names):
    """Where one of these exceptions is caught, by module."""
    found = []
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                caught = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
                if caught & names:
                    found.append(name_of(path))
    return found


def test_errors_for_people_are_caught_in_two_places_only():
    assert sorted(handlers({"ReviewError"})) == [
        "review_app/cli/__init__.py",
        "review_app/ui/shared/session.py",
    ]


def test_only_the_check_runner_survives_any_exception():
    assert handlers({"Exception"}) == ["review_app/core/checks/registry.py"]


def test_sql_is_written_in_the_store_only():
    verbs = ("SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ")
    outside = [path for path in MODULES if PACKAGE / "store" not in path.parents]
    guilty = {
        name_of(path): node.lineno
        for path in outside
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lstrip().startswith(verbs)
    }
    assert guilty == {}


def touched(path):
    """What a module does with a store beside handing it on: line and attribute."""
    return [
        (node.lineno, node.attr)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "store"
    ]


def test_pages_and_commands_hand_the_store_on_and_ask_it_nothing():
    above = [path for path in MODULES if {"ui", "cli"} & set(path.relative_to(PACKAGE).parts)]
    asked = {
        name_of(path): left
        for path in above
        if (left := [use for use in touched(path) if use[1] not in ("path", "close")])
    }
    assert asked == {}


def test_no_committed_file_names_the_place_where_it_was_written():
    place = "/" + "work/"
    tests = sorted((ROOT / "tests").rglob("*.py"))
    texts = [*MODULES, *tests, *ROOT.glob("*.md"), ROOT / "pyproject.toml"]
    assert [name_of(path) for path in texts if place in path.read_text(encoding="utf-8")] == []


ALONE = """
import importlib, sys
for name in sys.argv[1:]:
    for loaded in [one for one in sys.modules if one.split(".")[0] == "review_app"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
"""


def test_every_module_can_be_imported_first():
    """A circle of imports shows only to whoever comes in at the wrong place."""
    names = [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
        if "ui" not in path.parts and path.stem not in ("app", "__main__")
    ]
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *names], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
