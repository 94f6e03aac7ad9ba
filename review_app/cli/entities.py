"""Entities: `entities`, `entities-import`, `entities-infer`, `undecided`."""

from __future__ import annotations

from review_app.cli.registry import AS, JSON, Arguments, command, open_store, option, say, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from review_app.models import Entity
    from review_app.notices import Notice
    from review_app.store import Store

_DOMAIN = option("--domain", metavar="D", required=True, help="the domain, e.g. airline")
_DRY_RUN = option("--dry-run", action="store_true", help="say what would change; change nothing")


@command(
    "entities",
    _DOMAIN,
    option("--kind", metavar="KIND", help="only this kind: person, city, product, ..."),
    option("--csv", metavar="FILE", help="write all of them to a file that Excel opens"),
    JSON,
)
def entities(arguments: Arguments) -> int:
    """List or export the entities of a domain and what stands for them."""
    from dataclasses import asdict
    from pathlib import Path

    from review_app.workflows.localization import entities as localization_entities
    from review_app.workflows.localization import entity_files

    store = open_store(arguments)
    if arguments.csv:
        entity_files.write_entities_file(store, arguments.domain, Path(arguments.csv))
        say(f"wrote {arguments.csv}")
        return 0
    rows = localization_entities.rows(store, arguments.domain)
    chosen = [row for row in rows if arguments.kind in (None, row.kind)]
    lines = (
        f"{row.kind} {row.source} -> {row.target} ({row.origin}{', locked' * row.locked})"
        for row in chosen
    )
    show(arguments, [asdict(row) for row in chosen], lines)
    return 0


@command(
    "entities-import",
    _DOMAIN,
    option("file", help="a CSV file with the columns that `entities --csv` writes"),
    AS,
    _DRY_RUN,
    JSON,
)
def entities_import(arguments: Arguments) -> int:
    """Take what stands for entities from a CSV file."""
    from pathlib import Path

    from review_app.workflows.localization import entity_files

    store = open_store(arguments)
    rows = entity_files.read_entities_file(Path(arguments.file), arguments.domain)
    return _import(arguments, store, rows, ())


@command(
    "entities-infer",
    _DOMAIN,
    option("--published", metavar="FILE", required=True, help="the published localized tasks.json"),
    AS,
    _DRY_RUN,
    JSON,
)
def entities_infer(arguments: Arguments) -> int:
    """Take the names of people from published localized tasks."""
    from pathlib import Path

    from review_app.workflows.localization import entity_files

    store = open_store(arguments)
    tasks = entity_files.read_tasks(Path(arguments.published))
    inferred = entity_files.infer(store, arguments.domain, tasks)
    return _import(arguments, store, inferred.rows, inferred.problems)


@command(
    "undecided",
    _DOMAIN,
    option("--give", nargs=2, metavar=("SOURCE", "TARGET"), help="say what stands for one"),
    option("--accept", metavar="SOURCE", help="let one stay as it is, everywhere in the domain"),
    option("--at", metavar="RECORD", default="", help="with --accept: a leftover at this place"),
    option("--withdraw", metavar="SOURCE", help="take an acceptance back"),
    option("--reason", metavar="TEXT", default="", help="why it may stay"),
    option("--as", dest="person", metavar="NAME", help="who decides: a maintainer"),
    JSON,
)
def undecided(arguments: Arguments) -> int:
    """List what texts name without a counterpart, decide it; exit code 1 if something is left."""
    from dataclasses import asdict

    from review_app.workflows.localization import undecided as localization_undecided

    store, domain = open_store(arguments), arguments.domain
    if arguments.give or arguments.accept or arguments.withdraw:
        _decide(arguments, store)
    items = localization_undecided.undecided(store, domain)
    accepted = localization_undecided.accepted(store, domain)
    listed = [
        {
            "kind": item.kind,
            "source": item.source,
            "texts": [segment.address for segment in item.segments],
        }
        for item in items
    ]
    content = {"undecided": listed, "accepted": [asdict(mention) for mention in accepted]}
    lines = [
        f"{item.kind} {item.source!r}: {', '.join(text.address for text in item.segments[:5])}"
        for item in items
    ]
    lines += [f"accepted: {mention.source!r}: {mention.reason}" for mention in accepted]
    show(arguments, content, lines or ["nothing is undecided"])
    return int(bool(items))


def _decide(arguments: Arguments, store: Store) -> None:
    from review_app.records.localization import AcceptedMention
    from review_app.workflows import read_model
    from review_app.workflows.localization import proof
    from review_app.workflows.localization import undecided as localization_undecided

    domain, person = arguments.domain, read_model.person_named(store, arguments.person or "")
    if arguments.give:
        localization_undecided.give(store, person, domain, *arguments.give)
    if arguments.accept and arguments.at:
        kind = proof.kind_of_leftover(store, domain, arguments.accept, arguments.at)
        localization_undecided.accept_left_over(
            store,
            person,
            domain,
            AcceptedMention(
                kind=kind, source=arguments.accept, record=arguments.at, reason=arguments.reason
            ),
        )
    elif arguments.accept:
        localization_undecided.accept(store, person, domain, arguments.accept, arguments.reason)
    if arguments.withdraw:
        localization_undecided.withdraw(store, person, domain, arguments.withdraw, arguments.at)


def _import(
    arguments: Arguments, store: Store, rows: Sequence[Entity], problems: Sequence[Notice]
) -> int:
    """Import rows, or say what that would do."""
    from review_app.workflows import read_model
    from review_app.workflows.localization import entity_files

    person = read_model.person_named(store, arguments.person)
    if arguments.dry_run:
        plan = entity_files.compare(store, arguments.domain, rows)
    else:
        plan = entity_files.import_entities(store, person, arguments.domain, rows)
    counts = {
        "added": len(plan.added),
        "changed": len(plan.changed),
        "displaced": len(plan.displaced),
        "same": plan.same,
    }
    lines = [*(f"{name}: {count}" for name, count in counts.items())]
    lines += [f"left out: {problem}" for problem in problems]
    show(arguments, counts | {"left_out": list(map(str, problems))}, lines)
    return 0
