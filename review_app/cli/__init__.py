"""The command line: one command for each workflow, one module for each family of commands.

Only the standard library is imported at the top, and little of it: `jtau-review --help` must answer
at once. A command imports what it needs when it runs. JSON goes to standard output, progress and
messages to standard error. Exit codes: 0 done, 1 the answer is no (findings), 2 bad input.
"""

from __future__ import annotations

import argparse

from review_app.cli import (
    entities,
    files,
    flags,
    glossary,
    jobs,
    localize,
    patches,
    people,
    project,
    replay,
    review,
    runs,
    scores,
    tasks,
    translate,
)
from review_app.cli.registry import REGISTERED, say
from review_app.errors import ExportBlocked, ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "FAMILIES", "main", "parser"]

FAMILIES = (
    files,
    review,
    glossary,
    entities,
    translate,
    localize,
    people,
    replay,
    tasks,
    patches,
    flags,
    runs,
    scores,
    jobs,
    project,
)
"""In the order of `--help`."""

COMMANDS = {
    name: (run, options)
    for family in FAMILIES
    for name, (run, options) in REGISTERED.items()
    if run.__module__ == family.__name__
}
"""Name to (function, options)."""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; documentation is rendered from it."""
    top = argparse.ArgumentParser(
        prog="jtau-review", description="Review, localize and curate tau2-format agent benchmarks."
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--db", metavar="PATH", help="the review database (also JTAU_REVIEW_DB; .local/review.db)"
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (run, options) in COMMANDS.items():
        summary = (run.__doc__ or "").strip()
        sub = commands.add_parser(name, help=summary, description=summary, parents=[shared])
        for names, settings in options:
            sub.add_argument(*names, **settings)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = parser().parse_args(words)
    try:
        return COMMANDS[arguments.command][0](arguments)
    except ReviewError as error:
        say("jtau-review: " + " ".join(str(error).splitlines()))
        if isinstance(error, ExportBlocked):
            for line in error.missing:
                say(f"  {line}")
        return 2
    except KeyboardInterrupt:
        say("jtau-review: interrupted; nothing is half-written")
        return 130
    except BrokenPipeError:
        return 0
