"""Releases: `release`."""

from __future__ import annotations

from review_app.cli.registry import (
    JSON,
    Arguments,
    command,
    open_store,
    option,
    say,
    show,
    show_progress,
)
from review_app.errors import BadInput
from review_app.notices import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from review_app.models import Person
    from review_app.records.release import Release
    from review_app.store import Store
    from review_app.workflows.release.gates import ReleaseCheck
    from review_app.workflows.release.verify import Verification

_SHOWN = 20
"""Blockers of a gate, or problems of a check, that are printed one by one."""


@command(
    "release",
    option(
        "action",
        nargs="?",
        default="list",
        choices=("list", "check", "build", "sign", "verify", "diff", "open"),
        help="what to do (list)",
    ),
    option("what", nargs="*", help="build, sign: NAME; verify, open: DIR; diff: A B"),
    option(
        "--domain",
        metavar="D",
        action="append",
        dest="domains",
        help="only this domain; may be given more than once",
    ),
    option("--source", metavar="DIR", help="open: the checkout that the release was made from"),
    option("--out", metavar="DIR", help="where to build: the folder that holds the releases"),
    option("--variant", metavar="V", default="j-tau", help="a recipe of data/variants.toml"),
    option("--note", metavar="TEXT", default="", help="what this release is for"),
    option("--allow-incomplete", action="store_true", help="build although something blocks"),
    option("--names", action="store_true", help="people by name, not by pseudonym"),
    option("--dry-run", action="store_true", help="make every file and write none"),
    option("--markdown", metavar="FILE", help="also write the differences as Markdown"),
    option("--as", dest="person", metavar="NAME", help="who you are, to build, sign or open"),
    JSON,
)
def release(arguments: Arguments) -> int:
    """Check, build, sign, verify, compare, open releases; exit code 1 if the answer is no."""
    return _ACTIONS[arguments.action](arguments)


def _list(arguments: Arguments) -> int:
    from review_app.workflows.release import signatures

    store = open_store(arguments)
    known = signatures.releases(store)
    lines = [_line(store, release) for release in known]
    show(arguments, [_record(store, release) for release in known], lines)
    return 0


def _check(arguments: Arguments) -> int:
    from review_app.workflows.release import gates

    store, domains = open_store(arguments), arguments.domains or ()
    checked = gates.check(store, domains, variant=arguments.variant, progress=show_progress)
    show(arguments, checked.as_json(), _gate_lines(checked))
    return int(not checked.ready)


def _gate_lines(checked: ReleaseCheck) -> Iterator[str]:
    yield f"revision {checked.revision.number}, {checked.variant}: {', '.join(checked.domains)}"
    for gate in checked.gates:
        yield f"{gate.count:6} {gate.name}: {gate.title}"
        for blocker in gate.blockers[:_SHOWN]:
            yield f"         {blocker.place}: {blocker.note} {blocker.link}"
        if gate.count > _SHOWN:
            yield f"         and {gate.count - _SHOWN} more"
    for warning in checked.accepted:
        yield (
            f"accepted {warning.domain}/{warning.task_id} {warning.code}: {warning.message} "
            f"({warning.person}: {warning.reason})"
        )
    yield "nothing blocks a release" if checked.ready else "the release is blocked"


def _build(arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.workflows.release import build
    from review_app.workflows.release.build import BuildOrder

    (name,) = _words(arguments, "build NAME --out DIR", 1)
    if not arguments.out:
        raise BadInput(Notice("cli.release_out", "say where to build"), "--out")
    store = open_store(arguments)
    order = BuildOrder(
        name=name,
        out=Path(arguments.out),
        domains=tuple(arguments.domains or ()),
        variant=arguments.variant,
        note=arguments.note,
        allow_incomplete=arguments.allow_incomplete,
        with_names=arguments.names,
    )
    person = _person(store, arguments)
    built = build.build(store, person, order, dry_run=arguments.dry_run, progress=show_progress)
    content = {"folder": built.folder, "dry_run": arguments.dry_run, **built.manifest}
    files = built.manifest["files"]
    show(arguments, content, [f"{file}  {digest[:12]}" for file, digest in files.items()])
    if not arguments.json:
        where = "would be written" if arguments.dry_run else "written"
        say(f"{len(files)} files {where} in {built.folder}")
    return 0


def _sign(arguments: Arguments) -> int:
    from review_app.workflows.release import signatures

    (name,) = _words(arguments, "sign NAME", 1)
    store = open_store(arguments)
    signed = signatures.sign(store, _person(store, arguments), name)
    show(arguments, _record(store, signed), [_line(store, signed)])
    return 0


def _verify(arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.workflows.release import verify

    (folder,) = _words(arguments, "verify DIR", 1)
    verified = verify.verify(Path(folder), _store(arguments), progress=show_progress)
    show(arguments, verified.as_json(), _verify_lines(verified))
    return int(not verified.ok)


def _verify_lines(verified: Verification) -> Iterator[str]:
    for check in verified.checks:
        if check.not_checked is not None:
            yield f"{check.name}: not checked: {check.not_checked}"
            continue
        yield f"{check.name}: {check.title}: {'yes' if check.ok else 'no'}"
        yield from (f"  {problem}" for problem in check.problems[:_SHOWN])
        if len(check.problems) > _SHOWN:
            yield f"  and {len(check.problems) - _SHOWN} more"


def _diff(arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.workflows.release import compare

    old, new = (_folder(arguments, word) for word in _words(arguments, "diff A B", 2))
    diff = compare.compare(old, new)
    show(arguments, diff.as_json(), diff.lines())
    if arguments.markdown:
        compare.write_markdown(diff, Path(arguments.markdown))
    if not arguments.json:
        say(", ".join(f"{count} {area}" for area, count in diff.counts().items()))
    return int(bool(diff.differences))


def _open(arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.config import db_path
    from review_app.workflows.release import reopening

    (folder,) = _words(arguments, "open DIR --db NEW.db --source CHECKOUT", 1)
    if not arguments.source:
        raise BadInput(Notice("cli.release_source", "say where the source is"), "--source")
    opened = reopening.open_release(
        Path(folder),
        db_path(arguments.db),
        Path(arguments.source),
        person=arguments.person or "",
        progress=show_progress,
    )
    content = opened.to_json()
    lines = [f"{domain}: {count} texts" for domain, count in opened.domains.items()]
    lines += [f"{content[part]} {part}" for part in ("terms", "entities", "patches", "answers")]
    show(arguments, content, [*lines, *(f"note: {note}" for note in content["notes"])])
    return 0


_ACTIONS: dict[str, Callable[[Arguments], int]] = {
    "list": _list,
    "check": _check,
    "build": _build,
    "sign": _sign,
    "verify": _verify,
    "diff": _diff,
    "open": _open,
}


def _words(arguments: Arguments, usage: str, count: int) -> list[str]:
    words: list[str] = arguments.what
    if len(words) != count:
        raise BadInput(Notice("cli.release_usage", "write it so: release {usage}", usage=usage))
    return words


def _person(store: Store, arguments: Arguments) -> Person:
    from review_app.workflows import read_model

    if not arguments.person:
        raise BadInput(Notice("cli.who", "say who you are"), "--as")
    return read_model.person_named(store, arguments.person)


def _store(arguments: Arguments) -> Store | None:
    """The project's database, if there is one: a release can be looked at without."""
    from review_app.config import db_path

    return open_store(arguments) if db_path(arguments.db).is_file() else None


def _folder(arguments: Arguments, word: str) -> Path:
    """The folder of a release that is named by its folder or, if it is none, by its name."""
    from pathlib import Path

    from review_app.workflows.release import signatures

    if Path(word).is_dir():
        return Path(word)
    return Path(signatures.named(open_store(arguments), word).folder)


def _record(store: Store, release: Release) -> dict[str, object]:
    from dataclasses import asdict

    from review_app.workflows import read_model

    signatures = [
        {"person": read_model.person(store, known.person_id).name, "signed_at": known.signed_at}
        for known in release.signatures
    ]
    builder = read_model.person(store, release.built_by).name
    return {
        **asdict(release),
        "built_by": builder,
        "signatures": signatures,
        "signed": release.signed,
    }


def _line(store: Store, release: Release) -> str:
    from review_app.workflows import read_model

    people = [read_model.person(store, known.person_id).name for known in release.signatures]
    state = "signed" if release.signed else "complete" if release.complete else "incomplete"
    parts = [
        f"{release.name}: {state}",
        f"revision {release.revision}",
        f"{release.recipe['variant']} of {', '.join(release.domains)}",
        f"manifest {release.manifest_hash[:12]}",
        f"built {release.built_at}",
        f"signed by {', '.join(people)}" if people else "signed by nobody",
        release.folder,
        release.note,
    ]
    return ", ".join(part for part in parts if part)
