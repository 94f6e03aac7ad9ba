"""Passes that prove nothing about an agent, each by its name.

A reward of 1 says that the end is right, not that anybody did something for it. No profile counts
such a pass differently: what is said here stands beside the score, and a task that is solved by
such passes only is not shown solvable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from review_app.core.envs.base import Environment
from review_app.core.scoring.accounting import FINISHED, is_success
from review_app.core.scoring.reward import ScoredRun, score
from review_app.json_types import Json
from review_app.notices import Notice

EarlyStop = Literal["nothing_asked", "agent_unheard"]
"""The user's end before the agent's first turn: in its first message, or later."""
EmptyPass = Literal["nothing_asked", "agent_unheard", "idle_passes"]
"""`idle_passes`: an agent that does nothing at all passes the task, too."""
NAMES: Mapping[EmptyPass, Notice] = {
    "nothing_asked": Notice("score.nothing_asked", "nothing asked of the agent"),
    "agent_unheard": Notice("score.agent_unheard", "ended before the agent could act"),
    "idle_passes": Notice("score.idle_passes", "a do-nothing agent passes too"),
}
"""What such passes are called."""
Shown = Literal["shown", "not_shown", "unsolved"]
"""What passes say of a task; `not_shown`: it has passes, and all of them are empty."""


@dataclass(frozen=True, slots=True)
class Solvability:
    """What the passes of a run say of its tasks."""

    shown: tuple[str, ...]
    """Tasks with a pass that proves something."""
    not_shown: tuple[str, ...]
    """Tasks whose passes prove nothing."""
    empty: Mapping[EmptyPass, int]
    """Passes that prove nothing, by why."""
    early_stops: int = 0
    """Trials that the user ended before the agent's first turn, failed ones too."""
    unchecked: tuple[str, ...] = ()
    """Tasks with passes of which nobody knows whether an idle agent passes: no databases."""
    by_task: Mapping[str, Mapping[EmptyPass, int]] = field(default_factory=dict)
    """`empty` of each task that has such passes."""

    def of(self, task_id: str) -> Shown:
        """What the passes say of one task."""
        if task_id in self.shown:
            return "shown"
        return "not_shown" if task_id in self.not_shown else "unsolved"


def early_stop(
    task: Json, messages: Sequence[Json], termination_reason: str | None
) -> EarlyStop | None:
    """How the user ended a trial before the agent's first turn; None if the agent had one.

    Nothing is said of a trial without messages: results files may leave them out.

    Args:
        task: Raw task: what its message history says is nobody's turn in the trial.
        messages: The trial's, the greeting included.
        termination_reason: Of the trial. Limits and errors are ends of their own.
    """
    if termination_reason not in FINISHED or not messages:
        return None
    opening = len(history(task)) or int(messages[0].get("role") == "assistant")
    turns = messages[opening:]
    if any(message.get("role") == "assistant" for message in turns):
        return None
    is_first = len(turns) == 1 and not turns[0].get("tool_calls")
    return "nothing_asked" if is_first else "agent_unheard"


def idle_passes(task: Json, environment: Environment) -> bool:
    """Whether an agent passes a task that says and does nothing, by the task's own basis.

    Assertions in words that count are a judge's matter: such a task is not said to pass.

    Args:
        task: Raw task.
        environment: Fresh, of the task's domain. It is not changed.

    Raises:
        BadInput: the task's own initial state fails.
    """
    idle = ScoredRun(history(task), "user_stop", strict=False)
    return is_success(score(task, idle, environment).reward)


def solvability(
    tries: Iterable[tuple[str, EmptyPass | None]],
    *,
    early_stops: int = 0,
    unchecked: Iterable[str] = (),
) -> Solvability:
    """What passes say together.

    Args:
        tries: (task, why it proves nothing) of each pass; None where it proves something.
        early_stops: See `Solvability`.
        unchecked: See there.
    """
    listed = list(tries)
    solved = dict.fromkeys(task for task, _ in listed)
    shown = {task for task, why in listed if why is None}
    by_task: dict[str, Counter[EmptyPass]] = {}
    for task, why in listed:
        if why is not None:
            by_task.setdefault(task, Counter())[why] += 1
    return Solvability(
        shown=tuple(task for task in solved if task in shown),
        not_shown=tuple(task for task in solved if task not in shown),
        empty=dict(Counter(why for _, why in listed if why is not None)),
        early_stops=early_stops,
        unchecked=tuple(unchecked),
        by_task={task: dict(reasons) for task, reasons in by_task.items()},
    )


def described(empty: Mapping[EmptyPass, int]) -> Notice:
    """How many passes prove nothing, and why."""
    parts = [
        Notice("score.empty_count", "{count} × {why}", count=count, why=NAMES[kind])
        for kind, count in empty.items()
    ]
    return Notice(
        "score.empty_passes",
        ("1 pass proves nothing: {parts}", "{count} passes prove nothing: {parts}"),
        count=sum(empty.values()),
        parts=tuple(parts),
    )


def summary(proved: Solvability) -> tuple[Notice, ...]:
    """What a person is told of a run's passes, a line each; nothing where all of them count."""
    lines = [described(proved.empty)] if proved.empty else []
    if proved.not_shown:
        lines.append(
            Notice(
                "score.not_shown",
                (
                    "1 task is not shown solvable: {tasks}",
                    "{count} tasks are not shown solvable: {tasks}",
                ),
                count=len(proved.not_shown),
                tasks=proved.not_shown,
            )
        )
    if proved.early_stops:
        lines.append(
            Notice(
                "score.early_stops",
                (
                    "1 trial was ended by the user before the agent's first turn",
                    "{count} trials were ended by the user before the agent's first turn",
                ),
                count=proved.early_stops,
            )
        )
    return tuple(lines)


def record(proved: Solvability) -> dict[str, object]:
    """The same as plain data."""
    return {
        "shown_solvable": list(proved.shown),
        "not_shown_solvable": list(proved.not_shown),
        "empty_passes": dict(proved.empty),
        "early_stops": proved.early_stops,
        "unchecked": list(proved.unchecked),
    }


def history(task: Json) -> Sequence[Json]:
    """The messages that a task starts with."""
    return (task.get("initial_state") or {}).get("message_history") or ()
