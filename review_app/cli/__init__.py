"""The command line: one command for each workflow, one module for each family of commands.

`jtau-review --help` must answer at once, also where Python keeps no bytecode. So little is imported
at the top, and only of the standard library; a family is imported when one of its commands is named
on the command line, and a command imports what it needs when it runs. JSON goes to standard output,
progress and messages to standard error. Exit codes: 0 done, 1 the answer is no (findings), 2 bad
input.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from review_app.cli.registry import REGISTERED, option, say
from review_app.errors import ExportBlocked, ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from review_app.cli.registry import Option, Run

__all__ = ["COMMANDS", "FAMILIES", "main", "parser", "registered"]

_SHOWN = 40
"""Texts that a refused export names one by one."""

FAMILIES = {
    "files": {
        "import": "Import a domain's files, with a draft translation if there is one.",
        "export": "Write the reviewed files in the benchmark's own layout.",
    },
    "review": {
        "check": "Run the text checks and list open findings; exit code 1 if one is an error.",
        "status": "Show how many segments of each file are in which state.",
        "segments": "List segments by filter, queue or search.",
        "answer": "Approve, edit, request a change of, or adjudicate a segment.",
        "undo": "Take back your own last decision.",
    },
    "glossary": {"glossary": "List, import or export the glossary (CSV or TBX)."},
    "entities": {
        "entities": "List or export the entities of a domain and what stands for them.",
        "entities-import": "Take what stands for entities from a CSV file.",
        "entities-infer": "Take the names of people from published localized tasks.",
        "undecided": "List what texts name without a counterpart, decide it; exit code 1 if "
        "something is left.",
    },
    "translate": {
        "translate": "Translate a domain by a language model; exit code 1 if texts are left."
    },
    "localize": {
        "localize": "Write localized domains: database, tasks, tools, messages, policies, prompts.",
        "verify-localization": "Prove that localizing commutes with replaying and leaves nothing "
        "over; exit code 1 if not.",
        "compare-localization": "Compare gold actions and expected strings with published tasks; "
        "exit 1 if unexplained.",
    },
    "people": {"people": "List the project's people, or add one."},
    "replay": {
        "replay": "Run every task's gold actions; exit code 1 if a gold write is refused.",
        "conformance": "Compare the tools with recorded answers; exit code 1 if they disagree.",
    },
    "tasks": {
        "validate": "Say what the validity rules find in tasks; exit code 1 if an error is among "
        "it.",
        "acknowledge": "Accept the warnings of one rule about a task, with a reason; or take that "
        "back.",
        "stats": "Count tasks by what patches change (Table 12), rule hits before and after, and "
        "flags.",
    },
    "patches": {
        "patches": "List patches, show one, apply a shipped pack; propose, approve, reject or take "
        "back one."
    },
    "flags": {
        "flags": "List or show flags, raise, triage, own, discuss, close and reopen them, exchange "
        "issues."
    },
    "runs": {
        "run": "Start, watch, stop, resume and judge solvability runs; write and import results "
        "files."
    },
    "scores": {
        "score": "Score a run or a results file under a profile; exit code 1 if tasks have no "
        "valid trial.",
        "candidates": "List tasks that fail in most trials, the most suspect first; exit code 1 if "
        "there are any.",
    },
    "release": {
        "release": "Check, build, sign, verify, compare, open releases; exit code 1 if the answer "
        "is no."
    },
    "jobs": {
        "jobs": "List background jobs, ask one to stop, or resume one that failed or was "
        "cancelled.",
        "job": "Do a waiting job; the app starts this as a process of its own.",
    },
    "project": {
        "backup": "Copy the database while others work.",
        "restore": "Put a backup in place of the database; the state before is kept beside it.",
        "doctor": "Check the database: integrity, foreign keys, orphans; exit code 1 if something "
        "is wrong.",
        "sample": "Fill an empty database with the sample project.",
        "app": "Open the app in the browser.",
    },
}
"""Module to its commands with what their docstrings say, in the order of `--help`."""

COMMANDS = {name: family for family, summaries in FAMILIES.items() for name in summaries}
"""Name to family."""

_DB = option(
    "--db", metavar="PATH", help="the review database (also JTAU_REVIEW_DB; .local/review.db)"
)


def registered(name: str) -> tuple[Run, tuple[Option, ...]]:
    """Function and options of a command; imports its family."""
    import_module(f"{__name__}.{COMMANDS[name]}")
    return REGISTERED[name]


def parser(named: Container[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of all commands; documentation is rendered from it.

    Args:
        named: Commands that get their options, such as those among the words of a command line.
            The others have name and summary only, and their families are not imported.
    """
    top = argparse.ArgumentParser(
        prog="jtau-review", description="Review, localize and curate tau2-format agent benchmarks."
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, family in COMMANDS.items():
        summary = FAMILIES[family][name]
        sub = commands.add_parser(name, help=summary, description=summary, add_help=name in named)
        if name in named:
            for names, settings in (_DB, *registered(name)[1]):
                sub.add_argument(*names, **settings)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    words = sys.argv[1:] if words is None else words
    arguments = parser(words).parse_args(words)
    run, _ = registered(arguments.command)
    try:
        return run(arguments)
    except ReviewError as error:
        say("jtau-review: " + " ".join(str(error).splitlines()))
        if isinstance(error, ExportBlocked):
            for line in error.missing[:_SHOWN]:
                say(f"  {line}")
            if len(error.missing) > _SHOWN:
                say(f"  and {len(error.missing) - _SHOWN} more")
        return 2
    except KeyboardInterrupt:
        say("jtau-review: interrupted; nothing is half-written")
        return 130
    except BrokenPipeError:
        return 0
