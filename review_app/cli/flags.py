"""Flags on tasks: `flags`."""

from __future__ import annotations

from review_app.cli.registry import DOMAIN, JSON, Arguments, command, open_store, option, say, show
from review_app.errors import ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from review_app.models import Person
    from review_app.records.curation import Flag
    from review_app.store import Store

_KINDS = (
    "identity_missing",
    "place",
    "region",
    "language",
    "unsolvable",
    "non_deterministic_gold",
    "wrong_gold",
    "policy_gap",
    "wrong_amount",
    "misplaced_action",
)


@command(
    "flags",
    option(
        "action",
        nargs="?",
        default="list",
        help="what to do (list)",
        choices=(
            "list",
            "show",
            "raise",
            "triage",
            "own",
            "comment",
            "close",
            "reopen",
            "import",
            "export",
        ),
    ),
    option("id", nargs="?", type=int, help="which flag"),
    DOMAIN,
    option("--task", metavar="ID", help="only this task; the task to flag"),
    option("--as", dest="person", metavar="NAME", help="who you are, to change something"),
    option("--text", metavar="TEXT", default="", help="title, comment or reason"),
    option("--kind", choices=_KINDS, help="what is wrong"),
    option(
        "--severity",
        type=int,
        choices=range(4),
        default=1,
        help="0 cosmetic, 1 minor, 2 changes results, 3 unsolvable (1)",
    ),
    option("--owner", metavar="NAME", help="who takes care"),
    option("--outcome", choices=("patched", "wont_fix", "not_a_defect"), help="how to close it"),
    option("--out", metavar="FILE", help="where to export tasks.json with its issues"),
    JSON,
)
def flags(arguments: Arguments) -> int:
    """List or show flags, raise, triage, own, discuss, close and reopen them, exchange issues."""
    store = open_store(arguments)
    return _ACTIONS[arguments.action](store, arguments)


def _list(store: Store, arguments: Arguments) -> int:
    from review_app.workflows import read_model

    return _tell(arguments, read_model.flags(store, arguments.domain, arguments.task))


def _show(store: Store, arguments: Arguments) -> int:
    from dataclasses import asdict

    from review_app.workflows import read_model
    from review_app.workflows.curation import flags as curation_flags

    card = curation_flags.card(store, _flag(store, arguments).id)
    lines = [_line(card.flag), f"  {card.flag.description}".rstrip()]
    lines += [
        f"  {remark.created_at} {read_model.person(store, remark.person_id).name} {remark.kind} "
        f"{remark.outcome or ''}: {remark.body}"
        for remark in card.remarks
    ]
    show(arguments, asdict(card), lines)
    return 0


def _raise(store: Store, arguments: Arguments) -> int:
    from review_app.records.curation import NewFlag
    from review_app.workflows.curation import flags as curation_flags

    if not (arguments.domain and arguments.task):
        raise ReviewError("cli.flags_raise", "flags raise needs --domain and --task")
    new = NewFlag(
        domain=arguments.domain,
        task_id=arguments.task,
        title=arguments.text,
        kind=arguments.kind,
        severity=arguments.severity,
    )
    return _tell(arguments, [curation_flags.raise_flag(store, _person(store, arguments), new)])


def _change(store: Store, arguments: Arguments) -> int:
    from review_app.workflows import read_model
    from review_app.workflows.curation import flags as curation_flags

    person, flag = _person(store, arguments), _flag(store, arguments)
    owner = read_model.person_named(store, arguments.owner) if arguments.owner else None
    if arguments.action == "triage":
        if not arguments.kind:
            raise ReviewError("cli.flags_triage", "flags triage needs --kind")
        curation_flags.triage(
            store, person, flag, kind=arguments.kind, severity=arguments.severity, owner=owner
        )
    elif arguments.action == "own":
        curation_flags.own(store, person, flag, owner)
    elif arguments.action == "comment":
        curation_flags.comment(store, person, flag.id, arguments.text)
    elif arguments.action == "reopen":
        curation_flags.reopen(store, person, flag, reason=arguments.text)
    elif arguments.outcome:
        curation_flags.close(store, person, flag, arguments.outcome, reason=arguments.text)
    else:
        raise ReviewError("cli.flags_close", "flags close needs --outcome")
    return _tell(arguments, [read_model.flag(store, flag.id)])


def _import(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.curation import flags as curation_flags

    if not arguments.domain:
        raise ReviewError("cli.flags_import", "flags import needs --domain")
    imported = curation_flags.import_issues(store, _person(store, arguments), arguments.domain)
    return _tell(arguments, imported)


def _export(store: Store, arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.workflows.curation import flags as curation_flags

    if not (arguments.domain and arguments.out):
        raise ReviewError("cli.flags_export", "flags export needs --domain and --out")
    text = curation_flags.tasks_file(store, arguments.domain)
    Path(arguments.out).write_bytes(text.encode("utf-8"))
    say(f"wrote {arguments.out}")
    return 0


_ACTIONS: dict[str, Callable[[Store, Arguments], int]] = {
    "list": _list,
    "show": _show,
    "raise": _raise,
    "triage": _change,
    "own": _change,
    "comment": _change,
    "close": _change,
    "reopen": _change,
    "import": _import,
    "export": _export,
}


def _tell(arguments: Arguments, flags: list[Flag]) -> int:
    from dataclasses import asdict

    show(arguments, [asdict(flag) for flag in flags], map(_line, flags))
    return 0


def _line(flag: Flag) -> str:
    kind = flag.kind or "not sorted"
    where = f"{flag.domain}/{flag.task_id}"
    return f"{flag.id} {where} severity {flag.severity}, {kind}: {flag.title} ({flag.state})"


def _person(store: Store, arguments: Arguments) -> Person:
    from review_app.workflows import read_model

    if not arguments.person:
        raise ReviewError(
            "cli.needs_person",
            "{command} needs --as NAME: who you are",
            command=f"flags {arguments.action}",
        )
    return read_model.person_named(store, arguments.person)


def _flag(store: Store, arguments: Arguments) -> Flag:
    from review_app.workflows import read_model

    if arguments.id is None:
        raise ReviewError(
            "cli.needs_flag",
            "{command} needs the number of a flag",
            command=f"flags {arguments.action}",
        )
    return read_model.flag(store, arguments.id)
