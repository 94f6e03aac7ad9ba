"""What runs say: `score`, `candidates`."""

from __future__ import annotations

from review_app.cli.registry import JSON, Arguments, command, open_store, option, show
from review_app.errors import BadInput
from review_app.notices import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from review_app.core.scoring.run_scores import Summary
    from review_app.core.scoring.upstream_code import CodeCount
    from review_app.store import Store
    from review_app.workflows.runs.candidates import Candidate
    from review_app.workflows.runs.scores import Grades


@command(
    "score",
    option("source", metavar="FILE_OR_RUN", help="a results file, its folder, or a run's number"),
    option(
        "--profile",
        metavar="P",
        help="upstream, tau-star, jtau, leaderboard or curation (the run's own; jtau for a file)",
    ),
    option("--against", metavar="FILE_OR_RUN", help="compare with this one, task by task"),
    JSON,
)
def score(arguments: Arguments) -> int:
    """Score a run or a results file under a profile; exit code 1 if tasks have no valid trial."""
    from dataclasses import asdict
    from pathlib import Path

    from review_app.config import db_path
    from review_app.workflows.runs import scores

    def source(text: str) -> scores.Source:
        return int(text) if text.isdecimal() and not Path(text).exists() else Path(text)

    needs_store = isinstance(source(arguments.source), int) or db_path(arguments.db).is_file()
    store = open_store(arguments) if needs_store else None
    graded = scores.score(store, source(arguments.source), arguments.profile)
    content = _grades_record(graded)
    lines = list(_grades_lines(graded))
    if arguments.against:
        other = source(arguments.against)
        comparison = scores.compared(store, source(arguments.source), other, graded.profile)
        content["comparison"] = None if comparison is None else asdict(comparison)
        lines.append(_comparison_line(comparison))
    show(arguments, content, lines)
    return int(not graded.total.is_complete)


def _grades_record(graded: Grades) -> dict[str, object]:
    from dataclasses import asdict

    from review_app.core.scoring import empty_passes

    return {
        "label": graded.label,
        "domain": graded.domain,
        "variant": graded.variant,
        "models": dict(graded.models),
        "profile": graded.profile,
        "total": _summary_record(graded.total),
        "groups": {name: _summary_record(summary) for name, summary in graded.groups.items()},
        "profiles": {name: _summary_record(summary) for name, summary in graded.profiles.items()},
        "upstream_code": {
            **asdict(graded.upstream_code),
            "differences": {
                str(what): count for what, count in graded.upstream_code.differences.items()
            },
        },
        "judge_causes": graded.judge_causes,
        "human_causes": graded.human_causes,
        "agreement": asdict(graded.agreement),
        "user_rates": None
        if graded.user_rates is None
        else {
            **asdict(graded.user_rates),
            "err_percent": graded.user_rates.err_percent,
            "crit_percent": graded.user_rates.crit_percent,
        },
        "record_causes": graded.record_causes,
        "solvability": empty_passes.record(graded.solvability),
        "cost_usd": graded.cost_usd,
        "unpriced": graded.unpriced,
    }


def _summary_record(summary: Summary) -> dict[str, object]:
    from dataclasses import asdict

    return {
        **asdict(summary),
        "uncounted": {str(reason): count for reason, count in summary.uncounted.items()},
        "gaps": {str(missing): count for missing, count in summary.gaps.items()},
        "counted": summary.counted,
        "coverage": summary.coverage,
        "is_complete": summary.is_complete,
        "round_mean": summary.round_mean,
        "round_std": summary.round_std,
    }


def _grades_lines(graded: Grades) -> Iterator[str]:
    from review_app.core.scoring import empty_passes

    yield f"{graded.label} ({graded.domain}), profile {graded.profile}"
    yield _summary_line("all tasks", graded.total)
    yield from (_summary_line(name, summary) for name, summary in graded.groups.items())
    yield from (
        _summary_line(f"under {name}", summary) for name, summary in graded.profiles.items()
    )
    yield from _code_lines(graded.upstream_code)
    for remark, count in graded.total.gaps.items():
        yield f"{_trials(count)}: {remark}"
    yield from map(str, empty_passes.summary(graded.solvability))
    for who, causes in (
        ("the record", graded.record_causes),
        ("judge", graded.judge_causes),
        ("people", graded.human_causes),
    ):
        if causes is not None:
            yield f"causes by {who}: " + ", ".join(f"{n} {name}" for name, n in causes.items())


def _code_lines(code: CodeCount) -> Iterator[str]:
    """What upstream's own metrics say, where they count otherwise than its profile."""
    if not code.differences:
        return
    mean = "no number" if code.mean is None else f"{100 * code.mean:.1f}"
    parts = [mean, _powers(code.pass_k), f"{code.counted} trials counted"]
    yield "under upstream, as its code counts: " + "; ".join(part for part in parts if part)
    for difference, count in code.differences.items():
        yield f"  {_trials(count)}: {difference}"


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"


def _powers(pass_k: Sequence[float]) -> str:
    return ", ".join(f"pass^{k} {100 * value:.1f}" for k, value in enumerate(pass_k, 1))


def _summary_line(label: str, summary: Summary) -> str:
    if summary.mean is None:
        return f"{label}: no valid trial, {summary.tasks} tasks"
    interval = summary.interval
    around = f" [{100 * interval.low:.1f}, {100 * interval.high:.1f}]" if interval else ""
    reasons = {str(reason): count for reason, count in summary.uncounted.items()}
    left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    parts = [f"{100 * summary.mean:.1f}{around}", _powers(summary.pass_k), summary.coverage]
    parts += [f"{summary.counted} trials counted", f"left out: {left_out}" if left_out else ""]
    return f"{label}: " + "; ".join(part for part in parts if part)


def _comparison_line(comparison: object) -> str:
    from review_app.core.scoring.run_scores import RunComparison

    if not isinstance(comparison, RunComparison):
        return "no task has valid trials in both"
    around = ""
    if comparison.interval:
        low, high = 100 * comparison.interval.low, 100 * comparison.interval.high
        around = f" [{low:+.1f}, {high:+.1f}]"
    counts = f"{comparison.won} won, {comparison.lost} lost, p = {comparison.p_value:.3f}"
    return (
        f"difference {100 * comparison.difference:+.1f}{around} over {comparison.tasks} common "
        f"tasks ({comparison.left_out} left out): {counts}"
    )


# -- candidates --------------------------------------------------------------------------------


@command(
    "candidates",
    option("--run", type=int, metavar="ID", required=True, help="which run"),
    option("--profile", metavar="P", help="error accounting (the run's own)"),
    option("--all", action="store_true", dest="every", help="also tasks that are no candidates"),
    option("--flag", nargs="+", default=[], metavar="TASK", help="open flags of these candidates"),
    option("--as", dest="person", metavar="NAME", help="who you are, to open flags"),
    JSON,
)
def candidates(arguments: Arguments) -> int:
    """List tasks that fail in most trials, the most suspect first; exit code 1 if there are any."""
    from dataclasses import asdict

    from review_app.workflows.runs import candidates as work

    store = open_store(arguments)
    every = work.find(store, arguments.run, profile=arguments.profile, every=True)
    suspects = [suspect for suspect in every if arguments.every or suspect.standing == "candidate"]
    if arguments.flag:
        return _flag(store, arguments, suspects)
    content = [
        {
            **asdict(suspect),
            "agent_errors": dict(suspect.agent_errors),
            "rank": suspect.rank,
            "verdict": suspect.verdict,
        }
        for suspect in suspects
    ]
    lines = [line for suspect in suspects for line in _candidate_lines(suspect)]
    show(arguments, content, [*lines, *_unproved_lines(every)])
    return int(any(suspect.standing == "candidate" for suspect in suspects))


def _flag(store: Store, arguments: Arguments, suspects: list[Candidate]) -> int:
    from review_app.workflows import read_model
    from review_app.workflows.runs import candidates as work

    if not arguments.person:
        raise BadInput(Notice("cli.who", "say who you are"), "--as")
    person = read_model.person_named(store, arguments.person)
    known = {suspect.task_id: suspect for suspect in suspects}
    if odd := [name for name in arguments.flag if name not in known]:
        raise BadInput(
            Notice(
                "cli.no_candidate",
                "task {task!r} is no candidate of run {run}",
                task=odd[0],
                run=arguments.run,
            ),
            "--flag",
        )
    flagged = [work.open_flag(store, person, arguments.run, known[name]) for name in arguments.flag]
    lines = [f"flag {flag.id} on task {flag.task_id}" for flag in flagged]
    show(arguments, [{"flag": flag.id, "task": flag.task_id} for flag in flagged], lines)
    return 0


def _unproved_lines(every: list[Candidate]) -> Iterator[str]:
    tasks = [suspect.task_id for suspect in every if suspect.shown == "not_shown"]
    if tasks:
        yield f"not shown solvable, because their passes prove nothing: {', '.join(tasks)}"


def _candidate_lines(suspect: Candidate) -> Iterator[str]:
    from review_app.core.scoring import empty_passes

    says = f", says {suspect.verdict}" if suspect.verdict else ""
    yield f"{suspect.task_id}: {suspect.standing}, {suspect.failed} of {suspect.valid} failed{says}"
    for signal in suspect.signals:
        yield f"  {signal.kind}: {signal.note}"
    if suspect.empty:
        standing = ", not shown solvable" if suspect.shown == "not_shown" else ""
        yield f"  {empty_passes.described(suspect.empty)}{standing}"
    if suspect.early_stops:
        yield f"  ended by the user before the agent's first turn: {suspect.early_stops}"
