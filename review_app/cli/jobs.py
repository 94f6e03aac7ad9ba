"""Background work: `jobs`, and `job`, which is what their processes run."""

from __future__ import annotations

from review_app.cli.registry import JSON, Arguments, command, open_store, option, show
from review_app.errors import ReviewError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from review_app.records.project import Job


@command(
    "jobs",
    option(
        "action", nargs="?", choices=("list", "cancel", "resume"), default="list", help="what to do"
    ),
    option("id", nargs="?", type=int, help="which job"),
    option("--as", dest="person", metavar="NAME", help="who you are"),
    JSON,
)
def jobs(arguments: Arguments) -> int:
    """List background jobs, ask one to stop, or resume one that failed or was cancelled."""
    from review_app.workflows import read_model
    from review_app.workflows.background import jobs as work

    store = open_store(arguments)
    work.reap(store)
    if arguments.action != "list":
        if arguments.id is None:
            raise ReviewError(
                "cli.needs_job",
                "{command} needs the number of a job",
                command=f"jobs {arguments.action}",
            )
        person = read_model.person_named(store, arguments.person) if arguments.person else None
        act = work.cancel if arguments.action == "cancel" else work.resume
        act(store, person, arguments.id)
    listed = read_model.jobs(store)
    show(arguments, list(map(_record, listed)), map(_line, listed))
    return 0


def _record(job: Job) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(job) | {"note": str(job.note or ""), "error": str(job.error or "")}


def _line(job: Job) -> str:
    what = f"{job.id} {job.kind}{' ' + job.domain if job.domain else ''}: {job.state}"
    far = f", {job.done}/{job.total} {job.note or ''}" if job.total else ""
    return what + far + (f" ({job.error})" if job.error else "")


@command("job", option("id", type=int, help="a waiting job"))
def job(arguments: Arguments) -> int:
    """Do a waiting job; the app starts this as a process of its own."""
    from review_app.workflows.background import jobs as work
    from review_app.workflows.job_kinds import KINDS

    work.run(open_store(arguments), arguments.id, KINDS)
    return 0
