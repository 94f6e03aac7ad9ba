"""What names stand for across the Python modules of a checkout, which are read and never imported.

Definitions are taken from the top level of a module; imports are followed into the modules that
`read_module` knows. A name that is assigned twice stands for neither value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from review_app.core.formats.python.syntax import shown
from review_app.errors import BadInput
from review_app.notices import Notice

ReadModule = Callable[[str], str | None]
"""The text of a module by its dotted name; None for one that is not of the checkout."""

MAX_CHARACTERS = 2**20
"""Longer sources are refused; the longest of tau2-bench has 45,000 characters."""

MAX_MODULES = 50
MAX_HOPS = 20
"""From module to module, until the definition of an imported name is found."""

MAX_STEPS = 2_000_000
"""What reading all tools of a file may cost; those of tau2-bench cost less than a twentieth."""

MAX_NOTES = 50

_UNCLEAR = ast.Constant(...)
"""Stands for a name that is assigned more than once."""


@dataclass(frozen=True, slots=True)
class PythonModule:
    """The definitions and imports of a module."""

    name: str
    file: str
    definitions: dict[str, ast.expr | ast.ClassDef] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    """Local name to the dotted name it was imported as."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for, and the module it was found in."""

    name: str
    node: ast.expr | ast.ClassDef
    module: PythonModule

    @property
    def key(self) -> tuple[str, str]:
        """Tells it apart from others of its name."""
        return self.module.name, self.name


class Names:
    """Finds definitions, counts what that costs and collects what could not be read.

    Args:
        read_module: Text of an imported module.
    """

    def __init__(self, read_module: ReadModule) -> None:
        self._read_module = read_module
        self._modules: dict[str, PythonModule | None] = {}
        self._steps = 0
        self._left_out: dict[str, Notice] = {}

    def meaning(self, dotted: str, module: PythonModule) -> Definition | str:
        """The definition of a name as it is written in a module.

        Returns:
            For a name from outside of the checkout its full dotted name: `typing.List`.
        """
        full = dotted
        for _ in range(MAX_HOPS):
            head, _, rest = dotted.partition(".")
            if not rest and head in module.definitions:
                return Definition(head, module.definitions[head], module)
            if head in module.definitions or head not in module.imports:
                return full
            full = f"{module.imports[head]}.{rest}" if rest else module.imports[head]
            place, _, dotted = full.rpartition(".")
            next_module = self._module(place) if place else None
            if next_module is None:
                return full
            module = next_module
        return full

    def spend(self, steps: int = 100) -> None:
        """Count work, so that no source can keep us busy for long.

        Raises:
            BadInput: more than any real source needs.
        """
        self._steps += steps
        if self._steps > MAX_STEPS:
            problem = Notice(
                "file.python_too_much",
                "its types are too many or refer to each other too often: give the tools as JSON",
            )
            raise BadInput(problem)

    def leave_out(self, node: ast.AST, module: PythonModule, owner: str) -> None:
        """Note an expression that is not understood and therefore not in the schema of `owner`."""
        self.spend(10 * sum(1 for _ in ast.walk(node)))
        line = getattr(node, "lineno", 0)
        notice = Notice(
            "file.python_left_out",
            "{place}: {code!r} is not read, the schema of {owner!r} goes without it",
            place=f"{module.file} line {line}",
            code=shown(node),
            owner=owner,
        )
        self._left_out.setdefault(str(notice), notice)

    def notes(self) -> Iterator[Notice]:
        """What was left out; of very many the first."""
        notes = list(self._left_out.values())
        yield from notes[:MAX_NOTES]
        if len(notes) > MAX_NOTES:
            yield Notice(
                "file.python_more_left_out",
                "{number} more expressions of the tools' sources are not read",
                number=len(notes) - MAX_NOTES,
            )

    def _module(self, dotted: str) -> PythonModule | None:
        """A module, read when it is first asked for; a package goes by its `__init__`."""
        if dotted not in self._modules:
            self._modules[dotted] = None
            if len(self._modules) <= MAX_MODULES:
                self._modules[dotted] = self._read(dotted) or self._read(f"{dotted}.__init__")
        return self._modules[dotted]

    def _read(self, dotted: str) -> PythonModule | None:
        file = f"{dotted.replace('.', '/')}.py"
        try:
            source = self._read_module(dotted)
            return None if source is None else python_module(parsed(source, file), file, dotted)
        except BadInput as error:
            notice = Notice(
                "file.python_module_left_out",
                "{file} is not read: {problem}",
                file=file,
                problem=error.problem,
            )
            self._left_out.setdefault(str(notice), notice)
            return None


def parsed(source_py: str, file: str) -> ast.Module:
    """The syntax tree of a source.

    Raises:
        BadInput: too long, or not Python.
    """
    if len(source_py) > MAX_CHARACTERS:
        problem = Notice(
            "file.python_too_long",
            "has {number:,} characters, more than the {limit:,} that are read of a Python source",
            number=len(source_py),
            limit=MAX_CHARACTERS,
        )
        raise BadInput(problem, file)
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


def python_module(tree: ast.Module, file: str, name: str) -> PythonModule:
    """The definitions of a syntax tree. Of `if` and `try` only the imports count."""
    module = PythonModule(name, file)
    for statement in tree.body:
        for defined, node in _defined(statement):
            known = defined in module.definitions
            module.definitions[defined] = _UNCLEAR if known else node
    for statement in _with_branches(tree.body):
        for local, dotted in _imported(statement, name):
            module.imports.setdefault(local, dotted)
    return module


def _defined(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | ast.ClassDef]]:
    match statement:
        case ast.ClassDef():
            yield statement.name, statement
        case ast.Assign():
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _with_branches(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            handlers = statement.handlers if isinstance(statement, ast.Try) else []
            inner = [*statement.body, *(s for handler in handlers for s in handler.body)]
            waiting += reversed([*inner, *statement.orelse])


def _imported(statement: ast.stmt, module: str) -> Iterator[tuple[str, str]]:
    """Local names and what they are, in full; of `import a.b` the name `a`."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (top, top)
    elif isinstance(statement, ast.ImportFrom):
        parents = module.split(".")[: -statement.level] if statement.level else []
        base = ".".join([*parents, *([statement.module] if statement.module else [])])
        for alias in statement.names:
            yield alias.asname or alias.name, f"{base}.{alias.name}"
