"""The command line: one command for each workflow.

Only the standard library is imported at the top, and little of it: `jtau-review --help` must answer
at once. A command imports what it needs when it runs. JSON goes to standard output, progress and
messages to standard error. Exit codes: 0 done, 1 the answer is no (findings), 2 bad input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence

from review_app.errors import ExportBlocked, ReviewError

TYPE_CHECKING = False  # the one in typing costs a tenth of the time that --help may take
if TYPE_CHECKING:
    from typing import Any

    from review_app.store import Store

    Option = tuple[tuple[str, ...], dict[str, Any]]

Arguments = argparse.Namespace

COMMANDS: dict[str, tuple[Callable[[Arguments], int], tuple[Option, ...]]] = {}
"""Name to (function, options); the function's docstring is the help."""


def option(*names: str, **settings: Any) -> Option:
    """One argument of a command, as argparse takes it."""
    return names, settings


DOMAIN = option("--domain", metavar="D", help="only this domain")
JSON = option("--json", action="store_true", help="print a JSON document")
AS = option("--as", dest="person", metavar="NAME", required=True, help="who you are")


def command(
    name: str, *options: Option
) -> Callable[[Callable[[Arguments], int]], Callable[[Arguments], int]]:
    """Register a command."""

    def register(run: Callable[[Arguments], int]) -> Callable[[Arguments], int]:
        COMMANDS[name] = (run, options)
        return run

    return register


# -- files in and out --------------------------------------------------------------------------


@command(
    "import",
    option("source", help="a tau2-bench checkout, its data/tau2, or a domain folder"),
    option("--domain", metavar="D", required=True, help="the domain, e.g. airline"),
    option("--draft", metavar="DIR", help="a translation of the same files"),
    option("--tools", metavar="FILE", help="tool schemas, if not tools.json in the folder"),
    option("--user-tools", metavar="FILE", help="the user's tool schemas"),
    option("--dry-run", action="store_true", help="say what would happen and write nothing"),
    JSON,
)
def import_(arguments: Arguments) -> int:
    """Import a domain's files, with a draft translation if there is one."""
    from pathlib import Path

    from review_app.workflows import checking, importing

    paths = {
        name: Path(value) if (value := getattr(arguments, name)) else None
        for name in ("draft", "tools", "user_tools")
    }
    request = importing.ImportRequest(Path(arguments.source), arguments.domain, **paths)
    store = _store(arguments, create=True)
    report = importing.import_domain(store, request, dry_run=arguments.dry_run, progress=_progress)
    if report.changed and not report.dry_run:
        checking.refresh(store, arguments.domain, progress=_progress)
        checking.index_search(store, progress=_progress)
    _show(arguments, report.to_json(), _import_lines(report.to_json()))
    return 0


def _import_lines(report: dict[str, Any]) -> Iterable[str]:
    if not report["changed"]:
        yield f"{report['domain']}: nothing changed"
    would = "would be " if report["dry_run"] else ""
    counts = ", ".join(f"{count} {kind}" for kind, count in report["segments"].items())
    yield f"{report['domain']}: {counts or 'no segments'}"
    for key in ("added", "translated", "redrafted", "removed"):
        if report[key]:
            yield f"  {report[key]} {would}{key}"
    for key in ("stale", "kept"):
        yield from (f"  {would}{key}: {address}" for address in report[key])
    for item in report["unaligned"]:
        yield f"  not aligned ({item['side']}): {item['address']}: {item['reason']}"
    yield from (f"  note: {note}" for note in report["notes"])


@command(
    "export",
    option("folder", help="where to; new, empty, or an earlier export"),
    DOMAIN,
    option("--allow-incomplete", action="store_true", help="also what is not approved yet"),
    JSON,
)
def export(arguments: Arguments) -> int:
    """Write the reviewed files in the benchmark's own layout."""
    from pathlib import Path

    from review_app.workflows import releasing

    report = releasing.export(
        _store(arguments),
        Path(arguments.folder),
        domain=arguments.domain,
        allow_incomplete=arguments.allow_incomplete,
        progress=_progress,
    )
    content = {"folder": report.folder, "files": report.files, "missing": report.missing}
    _show(arguments, content, [f"{len(report.files)} files in {report.folder}"])
    if report.missing:
        _say(f"{len(report.missing)} segments are not approved; written as they are")
    return 0


# -- review ------------------------------------------------------------------------------------


@command("check", DOMAIN, JSON)
def check(arguments: Arguments) -> int:
    """Run the text checks and list open findings; exit code 1 if one is an error."""
    from review_app.workflows import checking

    store = _store(arguments)
    checking.refresh(store, arguments.domain, progress=_progress)
    found = checking.open_findings(store, arguments.domain)
    lines = (
        f"{f['severity']} {f['code']} {f['domain']}/{f['address']}: {f['message']}" for f in found
    )
    _show(arguments, found, lines)
    return int(any(finding["severity"] == "error" for finding in found))


@command("status", JSON)
def status(arguments: Arguments) -> int:
    """Show how many segments of each file are in which state."""
    rows = [
        {"domain": domain, "file": file, "kind": kind, "state": state, "segments": count}
        for domain, file, kind, state, count in _store(arguments).segments.progress()
    ]
    lines = (f"{r['domain']}/{r['file']}: {r['segments']} {r['state']}" for r in rows)
    _show(arguments, rows, lines)
    return 0


@command(
    "segments",
    DOMAIN,
    option("--file", default="", help="only this file"),
    option("--kind", default="", help="only this kind"),
    option("--state", default="", help="only in this state"),
    option("--finding", default="", help="only with this check's finding, or any"),
    option("--search", default="", help="only with this text, in source or target"),
    option("--mine", default="", choices=("", "waiting", "answered", "drafted"), help="needs --as"),
    option("--as", dest="person", metavar="NAME", help="whose queue"),
    option("--limit", type=int, default=100, help="at most so many (100)"),
    JSON,
)
def segments(arguments: Arguments) -> int:
    """List segments by filter, queue or search."""
    from dataclasses import asdict

    from review_app.workflows.reviewing import Filter

    store = _store(arguments)
    if arguments.mine and not arguments.person:
        raise ReviewError("--mine needs --as NAME")
    wanted = Filter(
        arguments.domain or "", arguments.file, arguments.kind, arguments.state, arguments.mine,
        arguments.finding, arguments.search,
    )  # fmt: skip
    person = store.people.named(arguments.person).id if arguments.person else None
    found = store.segments.entries(wanted, person, limit=arguments.limit)
    lines = (f"{e.id} {e.state} {e.domain}/{e.address}: {e.excerpt}" for e in found)
    _show(arguments, [asdict(entry) for entry in found], lines)
    return 0


@command(
    "answer",
    option("segment", help="segment id, or DOMAIN/ADDRESS"),
    option("verdict", choices=("approve", "edit", "request_change", "adjudicate")),
    AS,
    option("--text", help="the new text of an edit or an adjudication"),
    option("--note", default="", help="the reason"),
    option("--version", type=int, help="the version you read (default: the one in force)"),
    JSON,
)
def answer(arguments: Arguments) -> int:
    """Approve, edit, request a change of, or adjudicate a segment."""
    from dataclasses import asdict

    from review_app.workflows import reviewing

    store = _store(arguments)
    person = store.people.named(arguments.person)
    segment = _segment(store, arguments.segment)
    version = segment.version if arguments.version is None else arguments.version
    if arguments.verdict == "edit":
        result = reviewing.edit(
            store, segment.id, person, target=arguments.text or "", expected_version=version
        )
    elif arguments.verdict == "adjudicate":
        result = reviewing.adjudicate(
            store, segment.id, person, expected_version=version, target=arguments.text,
            note=arguments.note,
        )  # fmt: skip
    else:
        result = reviewing.answer(
            store, segment.id, person, verdict=arguments.verdict, expected_version=version,
            note=arguments.note,
        )  # fmt: skip
    _show(
        arguments, asdict(result), [f"{result.address}: {result.state}, version {result.version}"]
    )
    return 0


@command("undo", AS, JSON)
def undo(arguments: Arguments) -> int:
    """Take back your own last decision."""
    from dataclasses import asdict

    from review_app.workflows import reviewing

    store = _store(arguments)
    result = reviewing.undo(store, store.people.named(arguments.person))
    _show(
        arguments, asdict(result), [f"{result.address}: {result.state}, version {result.version}"]
    )
    return 0


# -- glossary and people -----------------------------------------------------------------------


@command(
    "glossary",
    option("action", choices=("list", "import", "export"), help="what to do"),
    option("file", nargs="?", help="a .csv or .tbx file"),
    option("--as", dest="person", metavar="NAME", help="who imports (a maintainer)"),
    JSON,
)
def glossary(arguments: Arguments) -> int:
    """List, import or export the glossary (CSV or TBX)."""
    from dataclasses import asdict
    from pathlib import Path

    from review_app.workflows import localizing

    store = _store(arguments)
    if arguments.action == "list":
        terms = store.terms.all()
        lines = (f"{t.domain or '*'} {t.source} -> {t.target} ({t.mode})" for t in terms)
        _show(arguments, [asdict(term) for term in terms], lines)
        return 0
    if not arguments.file:
        raise ReviewError(f"glossary {arguments.action} needs a file name")
    path = Path(arguments.file)
    if arguments.action == "export":
        localizing.write_terms_file(store, path)
        _say(f"wrote {path}")
        return 0
    person = store.people.named(arguments.person or "")
    done = localizing.import_terms(store, person, localizing.read_terms_file(path))
    content = {"added": len(done.added), "changed": len(done.changed), "same": done.same}
    _show(arguments, content, [f"{k}: {v}" for k, v in content.items()])
    return 0


@command(
    "people",
    option("action", choices=("list", "add"), nargs="?", default="list", help="what to do"),
    option("name", nargs="?", help="whom to add"),
    option("--role", choices=("annotator", "maintainer"), default="annotator"),
    JSON,
)
def people(arguments: Arguments) -> int:
    """List the project's people, or add one."""
    from dataclasses import asdict

    from review_app.workflows import administering

    store = _store(arguments, create=True)
    if arguments.action == "add":
        administering.add_person(store, arguments.name or "", arguments.role)
    everybody = store.people.all()
    lines = (f"{p.name} ({p.role}{'' if p.active else ', inactive'})" for p in everybody)
    _show(arguments, [asdict(person) for person in everybody], lines)
    return 0


# -- tool environments -------------------------------------------------------------------------


@command(
    "replay",
    option("--domain", metavar="D", required=True, help="the domain, e.g. airline"),
    option("--task", metavar="ID", help="only this task, of any task file"),
    JSON,
)
def replay(arguments: Arguments) -> int:
    """Run every task's gold actions; exit code 1 if a gold write is refused."""
    from review_app.workflows import replaying

    store = _store(arguments)
    done = replaying.replay_domain(store, arguments.domain, arguments.task, progress=_progress)
    lines = (line for one in done for line in replaying.lines(one))
    _show(arguments, [one.as_json() for one in done], lines)
    refused = sum(len(one.refused_writes) for one in done)
    if not arguments.json:
        _say(f"{len(done)} tasks, {refused} gold writes refused")
    return int(refused > 0)


@command(
    "conformance",
    option("folder", help="a folder of *.jsonl files: recorded answers of the reference"),
    option("--source", metavar="SOURCE", help="take the databases from this tau2-bench checkout, "
           "data/tau2 or domain folder, not from the imported domains"),
    JSON,
)  # fmt: skip
def conformance(arguments: Arguments) -> int:
    """Compare the tools with recorded answers; exit code 1 if they disagree."""
    from pathlib import Path

    from review_app.workflows import conforming

    source = Path(arguments.source) if arguments.source else None
    store = None if source else _store(arguments)
    report = conforming.compare(store, Path(arguments.folder), source, progress=_progress)
    _show(arguments, report.as_json(), _conformance_lines(report.as_json()))
    return int(not report.ok)


def _conformance_lines(report: dict[str, Any]) -> Iterable[str]:
    for kind, counts in report["by_kind"].items():
        yield f"{kind}: {counts['agreeing']} agree, {counts['disagreeing']} disagree"
    yield f"all: {report['agreeing']} agree, {report['disagreeing']} disagree"
    for what, count in report["skipped_by"].items():
        yield f"skipped: {count} of {what!r}, which has no environment or is no kind of record"
    yield from (f"  {line}" for line in report["first_differences"])


# -- the database and the app ------------------------------------------------------------------


@command("backup", option("file", help="a new file"))
def backup(arguments: Arguments) -> int:
    """Copy the database while others work."""
    from pathlib import Path

    from review_app.workflows import administering

    administering.back_up(_store(arguments), Path(arguments.file))
    _say(f"wrote {arguments.file}")
    return 0


@command("restore", option("file", help="a backup"))
def restore(arguments: Arguments) -> int:
    """Put a backup in place of the database; the state before is kept beside it."""
    from pathlib import Path

    from review_app.config import db_path
    from review_app.workflows import administering

    before = administering.restore(db_path(arguments.db), Path(arguments.file))
    _say("restored" + (f"; the state before is in {before}" if before else ""))
    return 0


@command("doctor", JSON)
def doctor(arguments: Arguments) -> int:
    """Check the database: integrity, foreign keys, orphans; exit code 1 if something is wrong."""
    problems = _store(arguments).problems()
    _show(arguments, problems, problems or ["the database is sound"])
    return int(bool(problems))


@command("sample")
def sample(arguments: Arguments) -> int:
    """Fill an empty database with the sample project."""
    from review_app.workflows import administering

    administering.load_sample(_store(arguments, create=True), progress=_progress)
    return 0


@command(
    "app",
    option("--port", type=int, default=8501, help="where the browser finds it (8501)"),
    option("--sample", action="store_true", help="fill the database with the sample if it is new"),
)
def app(arguments: Arguments) -> int:
    """Open the app in the browser."""
    import os
    from pathlib import Path

    from review_app.config import DB_VARIABLE, db_path

    path = db_path(arguments.db).resolve()
    store = _store(arguments, create=True)
    if arguments.sample and not store.documents.domains():
        sample(arguments)
    store.close()
    page = Path(__file__).with_name("app.py")
    words = [sys.executable, "-m", "streamlit", "run", str(page), f"--server.port={arguments.port}"]
    os.execve(sys.executable, words, os.environ | {DB_VARIABLE: str(path)})


# -- shared ------------------------------------------------------------------------------------


def _store(arguments: Arguments, *, create: bool = False) -> Store:
    from review_app.config import db_path
    from review_app.store import Store

    store = Store(db_path(arguments.db), create=create)
    domain = getattr(arguments, "domain", None)
    if domain and not create:
        store.documents.require(domain)
    return store


def _segment(store: Store, name: str) -> Any:
    domain, slash, address = name.partition("/")
    return store.segments.at(domain, address) if slash else store.segments.get(name)


def _show(arguments: Arguments, content: object, lines: Iterable[str]) -> None:
    from io import TextIOWrapper

    if isinstance(sys.stdout, TextIOWrapper):
        # Half a character out of a hostile file: as it is escaped in JSON, not a crash.
        sys.stdout.reconfigure(errors="backslashreplace")
    if arguments.json:
        import json

        json.dump(content, sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        for line in lines:
            print(line)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _progress(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\r\033[K{done}/{total} {what}", end=end, file=sys.stderr, flush=True)


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
        _say("jtau-review: " + " ".join(str(error).splitlines()))
        if isinstance(error, ExportBlocked):
            for line in error.missing:
                _say(f"  {line}")
        return 2
    except KeyboardInterrupt:
        _say("jtau-review: interrupted; nothing is half-written")
        return 130
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
