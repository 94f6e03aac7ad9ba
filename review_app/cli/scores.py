"""What runs say: `score`, `candidates`."""

from __future__ import annotations

from review_app.cli.registry import JSON, Arguments, command, open_store, option, show
from review_app.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from review_app.core.scoring.run_scores import Summary
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
    made = scores.score(store, source(arguments.source), arguments.profile)
    content = _grades_record(made)
    lines = list(_grades_lines(made))
    if arguments.against:
        other = source(arguments.against)
        found = scores.compared(store, source(arguments.source), other, made.profile)
        content["comparison"] = None if found is None else asdict(found)
        lines.append(_comparison_line(found))
    show(arguments, content, lines)
    return int(not made.total.is_complete)


def _grades_record(made: Grades) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "label": made.label,
        "domain": made.domain,
        "variant": made.variant,
        "models": dict(made.models),
        "profile": made.profile,
        "total": _summary_record(made.total),
        "groups": {name: _summary_record(one) for name, one in made.groups.items()},
        "profiles": {name: _summary_record(one) for name, one in made.profiles.items()},
        "judge_causes": made.judge_causes,
        "human_causes": made.human_causes,
        "agreement": asdict(made.agreement),
        "user_rates": None
        if made.user_rates is None
        else {
            **asdict(made.user_rates),
            "err_percent": made.user_rates.err_percent,
            "crit_percent": made.user_rates.crit_percent,
        },
        "cost_usd": made.cost_usd,
        "unpriced": made.unpriced,
    }


def _summary_record(one: Summary) -> dict[str, object]:
    from dataclasses import asdict

    return {
        **asdict(one),
        "uncounted": dict(one.uncounted),
        "gaps": dict(one.gaps),
        "counted": one.counted,
        "coverage": one.coverage,
        "is_complete": one.is_complete,
        "round_mean": one.round_mean,
        "round_std": one.round_std,
    }


def _grades_lines(made: Grades) -> Iterator[str]:
    yield f"{made.label} ({made.domain}), profile {made.profile}"
    yield _summary_line("all tasks", made.total)
    yield from (_summary_line(name, one) for name, one in made.groups.items())
    yield from (_summary_line(f"under {name}", one) for name, one in made.profiles.items())
    for text, count in made.total.gaps.items():
        yield f"{count} trials: {text}"
    for who, causes in (("judge", made.judge_causes), ("people", made.human_causes)):
        if causes is not None:
            yield f"causes by {who}: " + ", ".join(f"{n} {name}" for name, n in causes.items())


def _summary_line(label: str, one: Summary) -> str:
    if one.mean is None:
        return f"{label}: no valid trial, {one.tasks} tasks"
    interval = one.interval
    around = f" [{100 * interval.low:.1f}, {100 * interval.high:.1f}]" if interval else ""
    powers = ", ".join(f"pass^{k} {100 * value:.1f}" for k, value in enumerate(one.pass_k, 1))
    left_out = ", ".join(f"{count} {why}" for why, count in sorted(one.uncounted.items()))
    parts = [f"{100 * one.mean:.1f}{around}", powers, one.coverage]
    parts += [f"{one.counted} trials counted", f"left out: {left_out}" if left_out else ""]
    return f"{label}: " + "; ".join(part for part in parts if part)


def _comparison_line(found: object) -> str:
    from review_app.core.scoring.run_scores import RunComparison

    if not isinstance(found, RunComparison):
        return "no task has valid trials in both"
    around = ""
    if found.interval:
        low, high = 100 * found.interval.low, 100 * found.interval.high
        around = f" [{low:+.1f}, {high:+.1f}]"
    return (
        f"difference {100 * found.difference:+.1f}{around} over {found.tasks} common tasks "
        f"({found.left_out} left out): {found.won} won, {found.lost} lost, p = {found.p_value:.3f}"
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
    found = work.find(store, arguments.run, profile=arguments.profile, every=arguments.every)
    if arguments.flag:
        return _flag(store, arguments, found)
    content = [
        {
            **asdict(one),
            "agent_errors": dict(one.agent_errors),
            "rank": one.rank,
            "verdict": one.verdict,
        }
        for one in found
    ]
    show(arguments, content, (line for one in found for line in _candidate_lines(one)))
    return int(any(one.standing == "candidate" for one in found))


def _flag(store: Store, arguments: Arguments, found: list[Candidate]) -> int:
    from review_app.workflows import read_model
    from review_app.workflows.runs import candidates as work

    if not arguments.person:
        raise BadInput("say who you are", "--as")
    person = read_model.person_named(store, arguments.person)
    known = {one.task_id: one for one in found}
    if odd := [name for name in arguments.flag if name not in known]:
        raise BadInput(f"task {odd[0]!r} is no candidate of run {arguments.run}", "--flag")
    made = [work.open_flag(store, person, arguments.run, known[name]) for name in arguments.flag]
    lines = [f"flag {flag.id} on task {flag.task_id}" for flag in made]
    show(arguments, [{"flag": flag.id, "task": flag.task_id} for flag in made], lines)
    return 0


def _candidate_lines(one: Candidate) -> Iterator[str]:
    says = f", says {one.verdict}" if one.verdict else ""
    yield f"{one.task_id}: {one.standing}, {one.failed} of {one.valid} failed{says}"
    for signal in one.signals:
        yield f"  {signal.kind}: {signal.note}"
