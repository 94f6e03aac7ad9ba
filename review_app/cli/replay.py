"""Tool environments: `replay`, `conformance`."""

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


@command(
    "replay",
    option("--domain", metavar="D", required=True, help="the domain, e.g. airline"),
    option("--task", metavar="ID", help="only this task, of any task file"),
    option("--as-imported", action="store_true", help="without the approved repairs"),
    JSON,
)
def replay(arguments: Arguments) -> int:
    """Run every task's gold actions; exit code 1 if a gold write is refused."""
    from review_app.workflows.benchmark import environments, tasks_in_force

    store = open_store(arguments)
    known = tasks_in_force.tasks(store, arguments.domain, fixed=not arguments.as_imported)
    done = environments.replay_domain(
        store, arguments.domain, arguments.task, known=known, progress=show_progress
    )
    lines = (line for task in done for line in environments.lines(task))
    show(arguments, [task.as_json() for task in done], lines)
    refused = sum(len(task.refused_writes) for task in done)
    if not arguments.json:
        say(f"{len(done)} tasks, {refused} gold writes refused")
    return int(refused > 0)


@command(
    "conformance",
    option("folder", help="a folder of *.jsonl files: recorded answers of the reference"),
    option(
        "--source",
        metavar="SOURCE",
        help="take the databases from this tau2-bench checkout, "
        "data/tau2 or domain folder, not from the imported domains",
    ),
    JSON,
)
def conformance(arguments: Arguments) -> int:
    """Compare the tools with recorded answers; exit code 1 if they disagree."""
    from pathlib import Path

    from review_app.workflows.benchmark import conformance as benchmark_conformance

    source = Path(arguments.source) if arguments.source else None
    store = None if source else open_store(arguments)
    report = benchmark_conformance.compare(
        store, Path(arguments.folder), source, progress=show_progress
    )
    show(arguments, report.as_json(), _conformance_lines(report.as_json()))
    return int(not report.ok)


def _conformance_lines(report: dict[str, Any]) -> Iterable[str]:
    for kind, counts in report["by_kind"].items():
        yield f"{kind}: {counts['agreeing']} agree, {counts['disagreeing']} disagree"
    yield f"all: {report['agreeing']} agree, {report['disagreeing']} disagree"
    for what, count in report["skipped_by"].items():
        yield f"skipped: {count} of {what!r}, which has no environment or is no kind of record"
    yield from (f"  {line}" for line in report["first_differences"])
