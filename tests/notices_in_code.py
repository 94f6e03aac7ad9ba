"""Every notice that the code makes, found in its syntax tree, and what is wrong with it.

A fault is one line: where, and what to write there instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "review_app"
MAKER = PACKAGE / "notices.py"
CODE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
ERROR = "ReviewError"
PLACED = "BadInput"
"""The error that takes a notice and the place it is about."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code where a notice is made."""

    where: str
    code: str
    english: tuple[str, ...]
    """One template, or the forms for one thing and for others."""
    slots: frozenset[str]
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Module:
    """What one module makes."""

    name: str
    sites: tuple[Site, ...]
    faults: tuple[str, ...]
    sentences: tuple[str, ...]
    """Where an error is raised with a plain sentence, in code order."""


def trees() -> dict[str, ast.Module]:
    """The syntax tree of every module that makes notices, by its name in the repository."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if path != MAKER)
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in paths
    }


@dataclass(frozen=True, slots=True)
class Errors:
    """`ReviewError` and every class below it."""

    family: Mapping[str, ast.ClassDef | None]
    by_code: frozenset[str]
    """Those that take a code, its English and values, as `ReviewError` does."""


def errors(known: Mapping[str, ast.Module]) -> Errors:
    """The errors for people that these modules define."""
    classes = [n for tree in known.values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    family: dict[str, ast.ClassDef | None] = {ERROR: None}
    by_code, size = {ERROR}, 0
    while size < len(family):
        size = len(family)
        for defined in classes:
            bases = {_name(base) for base in defined.bases}
            if bases & family.keys():
                family[defined.name] = defined
            if bases & by_code and not _makes_its_own(defined):
                by_code.add(defined.name)
    return Errors(family, frozenset(by_code))


def module(name: str, tree: ast.AST, known: Errors) -> Module:
    """What a module makes, and the faults in it."""
    sites: list[Site] = []
    faults: list[str] = []
    sentences: set[int] = set()
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    supers = {
        id(call) for defined in classes if _is_below(defined, known) for call in _supers(defined)
    }
    itself = {
        id(node) for defined in classes if defined.name == ERROR for node in ast.walk(defined)
    }
    for call in nodes:
        if not isinstance(call, ast.Call) or id(call) in itself:
            continue
        called = _name(call.func)
        is_by_code = called in known.by_code or id(call) in supers
        if called == "Notice" or (is_by_code and len(call.args) > 1):
            site = _site(f"{name}:{call.lineno}", call)
            if isinstance(site, Site):
                sites.append(site)
                faults += _misfits(site)
            else:
                faults.append(site)
        elif is_by_code or called == PLACED:
            sentences |= {call.lineno for problem in call.args[:1] if _is_sentence(problem)}
    places = tuple(f"{name}:{line}" for line in sorted(sentences))
    return Module(name, tuple(sites), tuple(faults), places)


def slots(template: str) -> set[str]:
    """The names of a template's slots.

    Raises:
        ValueError: a slot that is no plain name, or that the renderer would not fill.
    """
    names = set()
    for _, slot, spec, conversion in Formatter().parse(template):
        if slot is None:
            continue
        if not slot.isidentifier() or conversion not in (None, "r") or "{" in (spec or ""):
            raise ValueError(
                f"{{{slot}}} must be a plain name, with !r to quote it or a format after a colon"
            )
        names.add(slot)
    return names


def untranslated(
    sites: tuple[Site, ...], japanese: Mapping[str, object], folder: str
) -> Iterator[str]:
    """What the Japanese catalogue lacks, has wrongly or has too much.

    Args:
        sites: Every notice of the project.
        japanese: By code, as its files have it: a template, or `{"one", "other"}`.
        folder: Where the files are, for the messages.
    """
    english = {site.code: site for site in sites}
    for code, site in english.items():
        area, _, key = code.partition(".")
        listed = " ".join(f"{{{name}}}" for name in sorted(site.slots)) or "none"
        if code not in japanese:
            yield (
                f'{site.where}: add "{key}": "…" to {folder}/{area}.json, the Japanese of '
                f"{site.english[-1]!r} (slots: {listed})"
            )
            continue
        template = japanese[code]
        forms = list(template.values()) if isinstance(template, dict) else [template]
        try:
            given = set().union(*map(slots, forms))
        except ValueError as error:
            yield f"{folder}/{area}.json, {key!r}: {error}"
            continue
        if given != site.slots:
            yield f"{folder}/{area}.json, {key!r}: use exactly the slots {listed} of {site.where}"
        if all(form.isascii() for form in forms):
            yield f"{folder}/{area}.json, {key!r}: is not Japanese yet"
    for code in japanese.keys() - english.keys():
        area, _, key = code.partition(".")
        yield f"{folder}/{area}.json: remove {key!r}, no code makes a notice {code!r}"


def _site(where: str, call: ast.Call) -> Site | str:
    """The notice that a call makes, or why that cannot be read."""
    called = "super().__init__" if _name(call.func) == "__init__" else _name(call.func)
    if len(call.args) != 2 or not _is_text(call.args[0]):
        return f'{where}: write {called}("area.what", "English with {{slots}}", slot=value)'
    code = ast.literal_eval(call.args[0])
    if not CODE.fullmatch(code):
        return f"{where}: the code {code!r} must be area.what in lower case with underscores"
    forms = call.args[1].elts if isinstance(call.args[1], ast.Tuple) else [call.args[1]]
    if not all(map(_is_text, forms)) or len(forms) > 2:
        return (
            f"{where}: the English of {code!r} must be one literal, or (one, other); "
            "what varies is a value"
        )
    if any(keyword.arg is None for keyword in call.keywords):
        return f"{where}: name every value of {code!r} instead of passing **values"
    english = tuple(map(ast.literal_eval, forms))
    try:
        wanted = frozenset().union(*map(slots, english))
    except ValueError as error:
        return f"{where}: {error}"
    values = frozenset(str(keyword.arg) for keyword in call.keywords)
    return Site(where=where, code=code, english=english, slots=wanted, values=values)


def _misfits(site: Site) -> Iterator[str]:
    """Slots without a value and values without a slot."""
    for name in sorted(site.slots - site.values):
        yield f"{site.where}: pass {name}=… to {site.code!r}, its English has {{{name}}}"
    for name in sorted(site.values - site.slots - {"count"}):
        yield f"{site.where}: write {{{name}}} in the English of {site.code!r}, or do not pass it"
    if len(site.english) == 2 and "count" not in site.values:
        yield f"{site.where}: pass count=… to {site.code!r}: it chooses between its two forms"


def unnoticed(known: Errors) -> Iterator[str]:
    """Errors with an `__init__` of their own that hand nothing to the one above."""
    for name, defined in known.family.items():
        if defined is None or name == ERROR or not _makes_its_own(defined):
            continue
        if not any(call.args for call in _supers(defined)):
            yield f"class {name}: hand a code with its English to super().__init__(…)"


def _makes_its_own(defined: ast.ClassDef) -> bool:
    return any(
        isinstance(node, ast.FunctionDef) and node.name == "__init__" for node in defined.body
    )


def _is_below(defined: ast.ClassDef, known: Errors) -> bool:
    """Whether a class stands right below one that takes a code."""
    return not known.by_code.isdisjoint(map(_name, defined.bases))


def _supers(defined: ast.ClassDef) -> Iterator[ast.Call]:
    """The calls of `super().__init__` in a class."""
    for call in ast.walk(defined):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "__init__"
            and isinstance(call.func.value, ast.Call)
            and _name(call.func.value.func) == "super"
        ):
            yield call


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_sentence(node: ast.expr) -> bool:
    """Whether an argument is a sentence that is written out or put together here."""
    if isinstance(node, ast.IfExp):
        return _is_sentence(node.body) or _is_sentence(node.orelse)
    return _is_text(node) or isinstance(node, ast.JoinedStr | ast.BinOp)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
