"""Tasks under curation: `validate`, `acknowledge`, `stats`."""

from __future__ import annotations

from review_app.cli.registry import (
    AS,
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
from review_app.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from review_app.workflows.curation.statistics import Statistics

_DOMAIN = option("--domain", metavar="D", required=True, help="the domain, e.g. airline")


@command(
    "validate",
    _DOMAIN,
    option("--task", metavar="ID", help="only this task, of any task file"),
    option("--as-imported", action="store_true", help="without the patches in force"),
    JSON,
)
def validate(arguments: Arguments) -> int:
    """Say what the validity rules find in tasks; exit code 1 if an error is among it."""
    from review_app.workflows.curation import validity

    store = open_store(arguments)
    by_task = validity.inspect(
        store,
        arguments.domain,
        arguments.task,
        repaired=not arguments.as_imported,
        progress=show_progress,
    )
    listed = [hit for checked in by_task.values() for hit in checked]
    records = [validity.record(arguments.domain, hit) for hit in listed]
    lines = (
        f"{record['task_id']}{record['address']} {record['level']} {record['code']}: "
        f"{record['message']}"
        for record in records
    )
    show(arguments, records, lines)
    errors = sum(record["level"] == "error" for record in records)
    if not arguments.json:
        open_ones = sum(hit.open for hit in listed)
        say(f"{len(by_task)} tasks, {len(records)} hits, {errors} errors, {open_ones} open")
    return int(errors > 0)


@command(
    "acknowledge",
    _DOMAIN,
    option("task", metavar="TASK", help="the task's id"),
    option("code", metavar="CODE", help="the rule's code, e.g. PAY-05"),
    AS,
    option("--reason", metavar="TEXT", default="", help="why this is fine"),
    option("--withdraw", action="store_true", help="take it back"),
)
def acknowledge(arguments: Arguments) -> int:
    """Accept the warnings of one rule about a task, with a reason; or take that back."""
    from review_app.workflows import read_model
    from review_app.workflows.curation import validity

    store = open_store(arguments)
    person = read_model.person_named(store, arguments.person)
    hits_of_task = validity.inspect(store, arguments.domain, arguments.task)[arguments.task]
    hits = [
        task_hit.violation for task_hit in hits_of_task if task_hit.violation.code == arguments.code
    ]
    if not hits:
        raise NotFound(
            "cli.rule_silent",
            "rule {rule!r} has nothing about task {task!r}",
            rule=arguments.code,
            task=arguments.task,
        )
    for hit in hits:
        if arguments.withdraw:
            validity.withdraw(store, person, arguments.domain, hit)
        else:
            validity.acknowledge(store, person, arguments.domain, hit, reason=arguments.reason)
    say(f"{len(hits)} warnings {'open again' if arguments.withdraw else 'accepted'}")
    return 0


@command("stats", DOMAIN, JSON)
def stats(arguments: Arguments) -> int:
    """Count tasks by what patches change (Table 12), rule hits before and after, and flags."""
    from review_app.core.scoring import empty_passes
    from review_app.workflows.curation import statistics
    from review_app.workflows.runs import passes

    store = open_store(arguments)
    counts = statistics.statistics(store, arguments.domain, progress=show_progress)
    proved = {
        name: known
        for name, known in passes.of_domains(store).items()
        if arguments.domain in (None, name)
    }
    solvable = {
        name: {"run": run.id, **empty_passes.record(known)} for name, (run, known) in proved.items()
    }
    lines = [
        f"{name} run {run.id}: {len(known.shown)} tasks shown solvable, "
        f"{len(known.not_shown)} only by passes that prove nothing"
        for name, (run, known) in proved.items()
    ]
    show(arguments, {**counts.as_json(), "solvability": solvable}, [*_lines(counts), *lines])
    return 0


def _lines(statistics: Statistics) -> Iterator[str]:
    for domain, counts in statistics.table12.items():
        yield f"{domain}: " + ", ".join(f"{name} {count}" for name, count in counts.items())
    for hit in statistics.rule_hits:
        yield (
            f"{hit['domain']} {hit['code']} {hit['name']} ({hit['level']}): "
            f"{hit['before']} tasks as imported, {hit['after']} patched"
        )
    for row in statistics.flags:
        yield (
            f"{row['domain']} flags {row['state']}, severity {row['severity']}: {row['count']}, "
            f"oldest {row['oldest_days']} days"
        )
