"""Review: `check`, `status`, `segments`, `answer`, `undo`."""

from __future__ import annotations

from review_app.cli.registry import (
    AS,
    DOMAIN,
    JSON,
    Arguments,
    command,
    open_store,
    option,
    show,
    show_progress,
)
from review_app.errors import ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from review_app.models import Segment
    from review_app.store import Store


@command("check", DOMAIN, JSON)
def check(arguments: Arguments) -> int:
    """Run the text checks and list open findings; exit code 1 if one is an error."""
    from review_app.workflows.review import checks

    store = open_store(arguments)
    checks.refresh(store, arguments.domain, progress=show_progress)
    findings = checks.open_findings(store, arguments.domain)
    lines = (
        f"{f['severity']} {f['code']} {f['domain']}/{f['address']}: {f['message']}"
        for f in findings
    )
    show(arguments, findings, lines)
    return int(any(finding["severity"] == "error" for finding in findings))


@command("status", JSON)
def status(arguments: Arguments) -> int:
    """Show how many segments of each file are in which state."""
    rows = [
        {"domain": domain, "file": file, "kind": kind, "state": state, "segments": count}
        for domain, file, kind, state, count in open_store(arguments).segments.progress()
    ]
    lines = (f"{r['domain']}/{r['file']}: {r['segments']} {r['state']}" for r in rows)
    show(arguments, rows, lines)
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

    from review_app.records.review import QueueFilter
    from review_app.workflows import read_model

    store = open_store(arguments)
    if arguments.mine and not arguments.person:
        raise ReviewError("cli.mine_of_whom", "--mine needs --as NAME")
    wanted = QueueFilter(
        domain=arguments.domain or "",
        file=arguments.file,
        kind=arguments.kind,
        state=arguments.state,
        mine=arguments.mine,
        finding=arguments.finding,
        search=arguments.search,
    )
    person = read_model.person_named(store, arguments.person).id if arguments.person else None
    entries = read_model.queue_entries(store, wanted, person, limit=arguments.limit)
    lines = (f"{e.id} {e.state} {e.domain}/{e.address}: {e.excerpt}" for e in entries)
    show(arguments, [asdict(entry) for entry in entries], lines)
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
    from review_app.workflows import read_model
    from review_app.workflows.review import answers

    store = open_store(arguments)
    person = read_model.person_named(store, arguments.person)
    segment = _segment(store, arguments.segment)
    version = segment.version if arguments.version is None else arguments.version
    result = answers.submit(
        store,
        segment.id,
        person,
        verdict=arguments.verdict,
        expected_version=version,
        target=arguments.text,
        note=arguments.note,
    )
    _show_standing(arguments, result)
    return 0


@command("undo", AS, JSON)
def undo(arguments: Arguments) -> int:
    """Take back your own last decision."""
    from review_app.workflows import read_model
    from review_app.workflows.review import answers

    store = open_store(arguments)
    result = answers.undo(store, read_model.person_named(store, arguments.person))
    _show_standing(arguments, result)
    return 0


def _segment(store: Store, name: str) -> Segment:
    from review_app.workflows import read_model

    domain, slash, address = name.partition("/")
    return (
        read_model.segment_at(store, domain, address) if slash else read_model.segment(store, name)
    )


def _show_standing(arguments: Arguments, segment: Segment) -> None:
    """Say how a segment stands after an answer."""
    from dataclasses import asdict

    line = f"{segment.address}: {segment.state}, version {segment.version}"
    show(arguments, asdict(segment), [line])
