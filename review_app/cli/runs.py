"""Runs: `run`."""

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
from review_app.errors import BadInput
from review_app.notices import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from review_app.models import Person
    from review_app.store import Store
    from review_app.workflows.runs.lifecycle import RunPlan, RunStatus
    from review_app.workflows.runs.released import PlayedRelease

POLL_S = 0.5


@command(
    "run",
    option(
        "action",
        nargs="?",
        default="status",
        help="what to do (status)",
        choices=("start", "status", "resume", "cancel", "export", "import", "judge", "estimate"),
    ),
    option("id", nargs="?", type=int, help="which run"),
    DOMAIN,
    option("--as", dest="person", metavar="NAME", help="who you are"),
    option("--name", metavar="TEXT", default="", help="what the run is called"),
    option("--variant", metavar="V", default="j-tau", help="see `derive` (j-tau)"),
    option("--approved", action="store_true", help="only approved translations"),
    option("--tasks", nargs="+", default=[], metavar="ID", help="only these tasks"),
    option("--trials", type=int, default=3, metavar="N", help="trials of each task (3)"),
    option(
        "--agent",
        choices=("model", "oracle", "scripted"),
        help="who plays: a model, a model that is told the gold steps, or the script, which is "
        "no model (model if one is configured, else scripted)",
    ),
    option(
        "--agent-model",
        metavar="M",
        help="as litellm names it (default: JTAU_AGENT_MODEL, else GLM-5.2)",
    ),
    option("--user-model", metavar="M", help="default: JTAU_USER_MODEL, else GLM-5.2"),
    option("--judge-model", metavar="M", help="default: JTAU_JUDGE_MODEL, else gpt-oss-120b"),
    option("--judge", action="store_true", help="let a model judge the finished trials"),
    option("--profile", metavar="P", help="error accounting (default: the variant's)"),
    option("--max-steps", type=int, default=200, metavar="N", help="longest trial (200)"),
    option("--max-errors", type=int, default=10, metavar="N", help="refused calls (10)"),
    option("--timeout", type=float, default=1800.0, metavar="S", help="seconds a trial (1800)"),
    option("--seed", type=int, default=1, metavar="N", help="of the run (1)"),
    option("--budget", type=float, metavar="USD", help="stop once so much is spent"),
    option("--concurrency", type=int, default=8, metavar="N", help="trials at once (8)"),
    option("--scheduler", metavar="ADDRESS", help="a Dask cluster, tcp://... (extra `cluster`)"),
    option("--again", action="store_true", help="judge also what was judged before"),
    option("--wait", action="store_true", help="wait for the end; Ctrl+C cancels"),
    option("--file", metavar="FILE", help="results file to write or to import"),
    option("--layout", choices=("json", "dir"), default="json", help="of the file (json)"),
    JSON,
)
def run(arguments: Arguments) -> int:
    """Start, watch, stop, resume and judge solvability runs; write and import results files."""
    return _ACTIONS[arguments.action](open_store(arguments), arguments)


def _plan(arguments: Arguments) -> RunPlan:
    from review_app.workflows.runs.lifecycle import RunPlan

    if not arguments.domain:
        raise BadInput(Notice("cli.run_domain", "name the domain to run"), "--domain")
    return RunPlan(
        domain=arguments.domain,
        name=arguments.name,
        variant=arguments.variant,
        use="approved" if arguments.approved else "current",
        tasks=tuple(arguments.tasks),
        trials=arguments.trials,
        agent=arguments.agent,
        agent_model=arguments.agent_model,
        user_model=arguments.user_model,
        judge_model=arguments.judge_model,
        judge=arguments.judge,
        profile=arguments.profile,
        max_steps=arguments.max_steps,
        max_errors=arguments.max_errors,
        timeout_s=arguments.timeout,
        seed=arguments.seed,
        budget_usd=arguments.budget,
        concurrency=arguments.concurrency,
        scheduler=arguments.scheduler,
    )


def _estimate(store: Store, arguments: Arguments) -> int:
    from dataclasses import asdict

    from review_app.workflows.runs import lifecycle

    estimate = lifecycle.estimate(store, _plan(arguments))
    cost = "unpriced" if estimate.cost_usd is None else f"{estimate.cost_usd:.2f} USD"
    who = ", ".join(f"{role} {model}" for role, model in estimate.models.items())
    line = (
        f"{estimate.trials} trials of {estimate.tasks} tasks, about {estimate.requests} requests, "
        f"{estimate.tokens_in:,} tokens in and {estimate.tokens_out:,} out: {cost} ({who})"
    )
    lines = [line]
    if estimate.undecided:
        lines.append(
            f"{estimate.undecided} tasks have no score until a judge reads them: add --judge"
        )
    show(arguments, asdict(estimate), lines)
    return 0


def _start(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.runs import lifecycle

    number = lifecycle.start(store, _person(store, arguments), _plan(arguments))
    return _followed(store, arguments, number)


def _resume(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.runs import lifecycle

    number = _id(arguments)
    lifecycle.resume(store, _person(store, arguments), number, budget_usd=arguments.budget)
    return _followed(store, arguments, number)


def _followed(store: Store, arguments: Arguments, number: int) -> int:
    """Wait for a run if that was asked for, and tell how it stands."""
    from time import sleep

    from review_app.workflows.background import jobs
    from review_app.workflows.runs import lifecycle

    if not arguments.wait:
        what = f"run {number} is under way: `jtau-review run status {number}` shows how far it is"
        show(arguments, {"run": number}, [what])
        return 0
    stopping = False
    while (status := lifecycle.status(store, number)).state in ("waiting", "running", "cancelling"):
        jobs.reap(store)
        if status.job is not None:
            show_progress(status.job.done, status.job.total, status.job.note or "")
        try:
            sleep(POLL_S)
        except KeyboardInterrupt:
            if stopping:
                raise
            stopping = True
            lifecycle.cancel(store, None, number)
    return _report(store, arguments, status)


def _status(store: Store, arguments: Arguments) -> int:
    from review_app.workflows import read_model
    from review_app.workflows.background import jobs
    from review_app.workflows.runs import lifecycle

    jobs.reap(store)
    if arguments.id is not None:
        return _report(store, arguments, lifecycle.status(store, arguments.id))
    statuses = [
        lifecycle.status(store, run.id) for run in read_model.runs(store, arguments.domain or "")
    ]
    show(arguments, [_record(run) for run in statuses], map(_line, statuses))
    return 0


def _report(store: Store, arguments: Arguments, status: RunStatus) -> int:
    from review_app.core.scoring import empty_passes
    from review_app.workflows.runs import passes

    proved = passes.of_run(store, status.run).solvability
    content = {**_record(status), "solvability": empty_passes.record(proved)}
    show(arguments, content, [_line(status), *map(str, empty_passes.summary(proved))])
    if status.resumable:
        say(f"jtau-review: `jtau-review run resume {status.run.id}` goes on")
    return int(status.state in ("stopped", "failed"))


def _cancel(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.runs import lifecycle

    number = _id(arguments)
    state = lifecycle.cancel(store, _person(store, arguments), number)
    show(arguments, {"run": number, "state": state}, [f"run {number}: {state}"])
    return 0


def _judge(store: Store, arguments: Arguments) -> int:
    from review_app.workflows.runs import lifecycle

    number = _id(arguments)
    job = lifecycle.judge(store, _person(store, arguments), number, again=arguments.again)
    show(arguments, {"job": job}, [f"job {job} judges run {number}: `jtau-review jobs` shows it"])
    return 0


def _export(store: Store, arguments: Arguments) -> int:
    from pathlib import Path

    from review_app.workflows.runs import results_files

    number, path = _id(arguments), _file(arguments)
    count = results_files.export(store, number, Path(path), layout=arguments.layout)
    show(arguments, {"file": path, "trials": count}, [f"{count} trials written to {path}"])
    return 0


def _import(store: Store, arguments: Arguments) -> int:
    from dataclasses import asdict
    from pathlib import Path

    from review_app.workflows.runs import results_files

    imported = results_files.import_file(
        store,
        _person(store, arguments),
        Path(_file(arguments)),
        domain=arguments.domain or "",
        name=arguments.name,
    )
    lines = [f"run {imported.run}: {imported.trials} trials of {imported.tasks} tasks"]
    if imported.played:
        lines.append(_played_line(imported.played))
    lines += [f"{name}: not the same task today" for name in imported.changed]
    lines += [f"{name}: no longer there today" for name in imported.gone]
    show(arguments, asdict(imported), lines)
    return 0


def _played_line(played: PlayedRelease) -> str:
    localized = f"{played.domain} in {played.locale} ({played.variant})"
    if not played.snapshot:
        return f"{localized}: the file names no release; compared with the domain as it is today"
    return f"{localized}: played release {played.snapshot}; compared with the domain as it is today"


_ACTIONS: dict[str, Callable[[Store, Arguments], int]] = {
    "start": _start,
    "status": _status,
    "resume": _resume,
    "cancel": _cancel,
    "export": _export,
    "import": _import,
    "judge": _judge,
    "estimate": _estimate,
}


def _id(arguments: Arguments) -> int:
    if arguments.id is None:
        raise BadInput(
            Notice(
                "cli.needs_run",
                "{command} needs the number of a run",
                command=f"run {arguments.action}",
            )
        )
    return int(arguments.id)


def _file(arguments: Arguments) -> str:
    if not arguments.file:
        raise BadInput(Notice("cli.run_file", "name the results file"), "--file")
    return str(arguments.file)


def _person(store: Store, arguments: Arguments) -> Person | None:
    from review_app.workflows import read_model

    return read_model.person_named(store, arguments.person) if arguments.person else None


def _record(status: RunStatus) -> dict[str, object]:
    return {
        "run": status.run.id,
        "name": status.run.name,
        "domain": status.run.domain,
        "variant": status.run.variant,
        "agent": status.run.agent_kind,
        "models": status.run.models,
        "profile": status.run.profile,
        "state": status.state,
        "problem": str(status.problem or ""),
        "trials": status.wanted,
        "outcomes": dict(status.outcomes),
        "units": dict(status.units),
        "cost_usd": status.cost_usd,
        "unpriced": status.unpriced,
    }


def _line(status: RunStatus) -> str:
    done = sum(status.outcomes.values())
    parts = ", ".join(f"{count} {name}" for name, count in sorted(status.outcomes.items()))
    why = f" ({status.problem})" if status.problem else ""
    what = f"run {status.run.id} {status.run.name}: {status.state}{why}"
    return f"{what}, {done}/{status.wanted} trials" + (f": {parts}" if parts else "")
