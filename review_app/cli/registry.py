"""How a command is written, and what commands share.

Importing this must stay cheap: `jtau-review --help` has to answer at once. A command imports what
it needs when it runs, and has its line in `cli.FAMILIES`.
"""

from __future__ import annotations

import sys
from argparse import Namespace as Arguments

TYPE_CHECKING = False  # the one in typing costs a tenth of the time that --help may take
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from review_app.notices import Notice
    from review_app.store import Store

    Option = tuple[tuple[str, ...], dict[str, Any]]
    Run = Callable[[Arguments], int]

__all__ = [
    "AS",
    "DOMAIN",
    "JSON",
    "REGISTERED",
    "Arguments",
    "command",
    "open_store",
    "option",
    "say",
    "show",
    "show_progress",
]

REGISTERED: dict[str, tuple[Run, tuple[Option, ...]]] = {}
"""Name to (function, options); the function's docstring is the help."""


def option(*names: str, **settings: Any) -> Option:
    """One argument of a command, as argparse takes it."""
    return names, settings


DOMAIN = option("--domain", metavar="D", help="only this domain")
JSON = option("--json", action="store_true", help="print a JSON document")
AS = option("--as", dest="person", metavar="NAME", required=True, help="who you are")


def command(name: str, *options: Option) -> Callable[[Run], Run]:
    """Register a command."""

    def register(run: Run) -> Run:
        REGISTERED[name] = (run, options)
        return run

    return register


def open_store(arguments: Arguments, *, create: bool = False) -> Store:
    """The database the command line names; its domain must be there if it names one."""
    from review_app.config import db_path
    from review_app.store import Store
    from review_app.workflows import read_model

    store = Store(db_path(arguments.db), create=create)
    domain = getattr(arguments, "domain", None)
    if domain and not create:
        read_model.require_domain(store, domain)
    return store


def show(arguments: Arguments, content: object, lines: Iterable[str]) -> None:
    """Print a command's answer: the content as JSON if that was asked for, else the lines."""
    from io import TextIOWrapper

    if isinstance(sys.stdout, TextIOWrapper):
        # Half a character out of a hostile file: as it is escaped in JSON, not a crash.
        sys.stdout.reconfigure(errors="backslashreplace")
    if arguments.json:
        import json

        # What is told to a person is a notice: here it is its English line.
        print(json.dumps(_finite(content), ensure_ascii=False, indent=2, default=str))
    else:
        for line in lines:
            print(line)


def _finite(content: Any) -> Any:
    """The content with null for numbers that JSON does not have."""
    if isinstance(content, float):
        return content if content - content == 0 else None
    if isinstance(content, dict):
        return {_finite(key): _finite(value) for key, value in content.items()}
    return [_finite(value) for value in content] if isinstance(content, list | tuple) else content


def say(line: str) -> None:
    """Print a message for a person, beside the answer."""
    print(line, file=sys.stderr)


def show_progress(done: int, total: int, what: str | Notice) -> None:
    """Show how far something is, on one line that is overwritten; nothing in a pipe."""
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r\033[K{done}/{total} {what}", end=end, file=sys.stderr, flush=True)
