"""Patches of tasks: `patches`."""

from __future__ import annotations

from review_app.cli.registry import (
    DOMAIN,
    JSON,
    Arguments,
    command,
    open_store,
    option,
    say,
    show,
    show_progress,
)
from review_app.errors import ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from review_app.models import Person
    from review_app.records.curation import StoredPatch
    from review_app.store import Store
    from review_app.workflows.curation.consequences import Consequences


@command(
    "patches",
    option(
        "action",
        nargs="?",
        default="list",
        help="what to do (list)",
        choices=("list", "show", "apply", "propose", "approve", "reject", "invert"),
    ),
    option("what", nargs="?", help="a patch's number, or the file to propose"),
    DOMAIN,
    option("--task", metavar="ID", help="only this task"),
    option("--pack", metavar="P", default="ja", help="the shipped pack to apply (ja)"),
    option("--as", dest="person", metavar="NAME", help="who you are, to change something"),
    option("--reason", metavar="TEXT", default="", help="why: to reject or invert"),
    JSON,
)
def patches(arguments: Arguments) -> int:
    """List patches, show one, apply a shipped pack; propose, approve, reject or take back one."""
    store = open_store(arguments)
    return _ACTIONS[arguments.action](store, arguments)


def _list(store: Store, arguments: Arguments) -> int:
    from review_app.workflows import read_model

    patches = read_model.patches(store, arguments.domain, arguments.task)
    show(arguments, [as_json(patch) for patch in patches], map(_line, patches))
    return 0


def _show(store: Store, arguments: Arguments) -> int:
    from review_app.workflows import read_model
    from review_app.workflows.curation import consequences

    stored = read_model.patch(store, _number(arguments))
    done = consequences.of_patch(store, stored)
    show(arguments, as_json(stored) | weighed(done), _shown(stored, done))
    return 0


def _apply(store: Store, arguments: Arguments) -> int:
    from dataclasses import asdict

    from review_app.workflows.curation import packs

    done = packs.apply_pack(
        store, _person(store, arguments), arguments.pack, progress=show_progress
    )
    lines = [f"applied {name}" for name in done.applied]
    lines += [f"skipped {name}: {why}" for name, why in done.skipped.items()]
    show(arguments, asdict(done), lines)
    if not arguments.json:
        say(
            f"{len(done.applied)} applied, {len(done.known)} there already, "
            f"{len(done.skipped)} skipped, {done.requeued} texts back to review"
        )
    return 0


def _propose(store: Store, arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.core.tasks.patch_files import patches_from_json
    from review_app.workflows.benchmark import files
    from review_app.workflows.curation import patches as curation_patches

    if not arguments.what:
        raise ReviewError("cli.patches_file", "patches propose needs a file of patches")
    path = Path(arguments.what)
    listed = patches_from_json(files.read_text(path, path.parent), str(path))
    done = curation_patches.file_proposals(store, _person(store, arguments), listed)
    show(arguments, [as_json(patch) for patch in done], map(_line, done))
    return 0


def _decide(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.curation import patches as curation_patches

    person, patch = _person(store, arguments), _number(arguments)
    if arguments.action == "approve":
        done = curation_patches.approve(store, person, patch, note=arguments.reason)
    elif arguments.action == "reject":
        done = curation_patches.reject(store, person, patch, note=arguments.reason)
    else:
        done = curation_patches.invert(store, person, patch, reason=arguments.reason)
    show(arguments, as_json(done), [_line(done)])
    return 0


_ACTIONS: dict[str, Callable[[Store, Arguments], int]] = {
    "list": _list,
    "show": _show,
    "apply": _apply,
    "propose": _propose,
    "approve": _decide,
    "reject": _decide,
    "invert": _decide,
}


def _person(store: Store, arguments: Arguments) -> Person:
    from review_app.workflows import read_model

    if not arguments.person:
        raise ReviewError(
            "cli.needs_person",
            "{command} needs --as NAME: who you are",
            command=f"patches {arguments.action}",
        )
    return read_model.person_named(store, arguments.person)


def _number(arguments: Arguments) -> int:
    if not (arguments.what or "").isdecimal():
        raise ReviewError(
            "cli.needs_patch",
            "{command} needs the number of a patch",
            command=f"patches {arguments.action}",
        )
    return int(arguments.what)


def as_json(stored: StoredPatch) -> dict[str, Any]:
    """A stored patch as the command line writes it."""
    from dataclasses import asdict

    patch = stored.patch
    record = {**asdict(stored), **asdict(patch), "name": patch.id, "id": stored.id}
    del record["patch"]
    return record | {"operations": [operation.as_json() for operation in patch.operations]}


def weighed(done: Consequences) -> dict[str, Any]:
    """What a patch changes as the command line writes it."""
    from dataclasses import asdict

    return {
        "diff": asdict(done.diff),
        "solved": [f"{item.code} {item.message}" for item in done.solved],
        "new": [f"{item.code} {item.message}" for item in done.new],
        "end_states": [asdict(end_state) for end_state in done.end_states],
        "requeued": [item.address for item in done.requeued],
    }


def _line(stored: StoredPatch) -> str:
    patch = stored.patch
    what = f"{stored.id} {patch.id} {patch.kind}: {stored.state}"
    return what + (f" ({stored.origin})" if stored.origin else "")


def _shown(stored: StoredPatch, done: Consequences) -> Iterator[str]:
    yield _line(stored)
    yield f"  {stored.patch.reason}"
    for text in done.diff.texts:
        yield f"  {'/'.join(map(str, text.path))}: {text.old!r} -> {text.new!r}"
    for row in done.diff.actions:
        if row.status != "same":
            yield f"  {row.status} {row.name}"
            yield from (f"    {c.path}: {c.old!r} -> {c.new!r}" for c in row.changes)
    for change in done.diff.others:
        yield f"  {'/'.join(map(str, change.path))}: {change.old!r} -> {change.new!r}"
    for end in done.end_states:
        if end.differs:
            yield f"  {end.record} {end.field}: {end.start} -> {end.old_end}, now {end.new_end}"
    yield from (f"  solved {item.code} {item.message}" for item in done.solved)
    yield from (f"  new {item.level} {item.code} {item.message}" for item in done.new)
    yield from (f"  back to review: {item.address}" for item in done.requeued)
