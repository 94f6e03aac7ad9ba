"""Scores of a run under a profile: pass^k, spread over trials, coverage, intervals, comparisons.

Source: format specification, sections 11, 12 and 13; Tables 1, 2 and 4 of the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, stdev
from typing import Literal, NamedTuple

from review_app.core.scoring.accounting import (
    RULE_VERSION,
    Cause,
    CountedAs,
    EndingKind,
    Facts,
    ScoringProfile,
    Speaker,
    classify,
    counts,
    remarks,
    worth,
)
from review_app.core.scoring.intervals import Interval, clustered, paired, sign_test
from review_app.notices import Notice

TaskStanding = Literal["candidate", "clean", "incomplete"]

VALID_TRIALS = 3
"""Valid trials that a task needs before anything is said about it."""
FAILURES = 2
"""Failures among them that make a task a candidate."""


@dataclass(frozen=True, slots=True)
class TrialEntry:
    """One trial of a run."""

    task_id: str
    trial: int
    """From 0; the trials of one number make one round over all tasks. One that is played again
    keeps the number of the one that it replaces."""
    facts: Facts


_Judged = tuple[TrialEntry, CountedAs]


class Uncounted(NamedTuple):
    """Why a trial is not counted: how it ended, or whom a person blamed for that."""

    kind: EndingKind | None = None
    speaker: Speaker = ""
    cause: Cause | None = None

    def __str__(self) -> str:
        return f"a person: {self.cause}" if self.cause else f"{self.speaker} {self.kind}".strip()


@dataclass(frozen=True, slots=True)
class Summary:
    """A run's scores under one profile. Scores are ratios."""

    profile: str
    profile_version: int
    rule_version: int
    tasks: int
    """That the run was to play."""
    covered: int
    """Tasks with at least one counted trial."""
    full: int
    """Tasks with as many counted trials as wanted."""
    wanted: int
    """Trials of a task."""
    outcomes: Mapping[CountedAs, int]
    """Trials by what became of them."""
    uncounted: Mapping[Uncounted, int]
    """Trials that are not counted, by reason."""
    mean: float | None
    """Of the rewards of counted trials, a partial one as it is; None if there is none."""
    interval: Interval | None
    """Of `mean`, clustered by task (see `intervals.clustered`)."""
    pass_k: tuple[float, ...]
    """pass^1, pass^2, ... as far as every covered task has trials: the mean over covered tasks."""
    rounds: tuple[float | None, ...]
    """Mean of each trial number over the tasks; None if no trial of that number counts."""
    gaps: Mapping[Notice, int]
    """What must be said beside the numbers -> of how many trials (see `accounting.remarks`)."""

    @property
    def counted(self) -> int:
        """Trials that passed or failed."""
        return self.outcomes["pass"] + self.outcomes["fail"]

    @property
    def round_mean(self) -> float | None:
        """Mean over the rounds, as in Table 1."""
        known = [mean for mean in self.rounds if mean is not None]
        return fmean(known) if known else None

    @property
    def round_std(self) -> float | None:
        """Sample standard deviation over the rounds, as in Table 1; None with fewer than two."""
        known = [mean for mean in self.rounds if mean is not None]
        return stdev(known) if len(known) > 1 else None

    @property
    def is_complete(self) -> bool:
        """Whether every task has a counted trial. Without that there is no headline number."""
        return self.covered == self.tasks

    @property
    def coverage(self) -> str:
        """What must stand beside the number: `over 1 of 2 tasks`; empty if it covers all."""
        return "" if self.is_complete else f"over {self.covered} of {self.tasks} tasks"


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs over the tasks that both have counted trials of."""

    tasks: int
    left_out: int
    """Tasks that only one of the two has counted trials of."""
    first: float
    """Mean over common tasks of their mean rewards."""
    second: float
    interval: Interval | None
    """Of `difference`."""
    won: int
    """Tasks in which the second run earns more."""
    lost: int
    tied: int
    p_value: float
    """Of the exact sign test over tasks that differ."""

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first


def summarize(
    entries: Sequence[TrialEntry], profile: ScoringProfile, tasks: Iterable[str], wanted: int
) -> Summary:
    """The scores of a run under a profile.

    Args:
        entries: Its trials; those of other tasks are left out.
        profile: One of `accounting.PROFILES`.
        tasks: Ids of the tasks that the run was to play.
        wanted: Trials of a task.
    """
    ids = dict.fromkeys(tasks)
    known = [entry for entry in entries if entry.task_id in ids]
    judged = _judged(known, profile)
    tally, earned = _tally(judged), _earned(judged)
    trials = sum(n for _, n in tally.values())
    outcomes = Counter(outcome for _, outcome in judged)
    every: tuple[CountedAs, ...] = ("pass", "fail", "excluded", "rerun")
    return Summary(
        profile=profile.name,
        profile_version=profile.version,
        rule_version=RULE_VERSION,
        tasks=len(ids),
        covered=len(tally),
        full=sum(n >= wanted for _, n in tally.values()),
        wanted=wanted,
        outcomes={name: outcomes[name] for name in every},
        uncounted=Counter(
            _reason(entry.facts, profile) for entry, outcome in judged if not _counted(outcome)
        ),
        mean=sum(reward for reward, _ in earned.values()) / trials if trials else None,
        interval=clustered(list(earned.values())),
        pass_k=_pass_k(list(tally.values()), wanted),
        rounds=_rounds(judged, wanted),
        gaps=Counter(remark for entry in known for remark in remarks(entry.facts, profile)),
    )


def by_group(
    entries: Sequence[TrialEntry], profile: ScoringProfile, groups: Mapping[str, str], wanted: int
) -> dict[str, Summary]:
    """The scores of each group of tasks, as Table 2 has them.

    Args:
        entries: All trials.
        profile: One of `accounting.PROFILES`.
        groups: Task id -> group (`repaired`, `unmodified`); other tasks are in none.
        wanted: Trials of a task.
    """
    names = dict.fromkeys(groups.values())
    return {
        name: summarize(entries, profile, [t for t, g in groups.items() if g == name], wanted)
        for name in names
    }


def compare(
    first: Sequence[TrialEntry], second: Sequence[TrialEntry], profile: ScoringProfile
) -> RunComparison | None:
    """Two runs paired by task; None if no task has counted trials in both."""
    ours, theirs = (
        {task: reward / n for task, (reward, n) in _earned(_judged(entries, profile)).items()}
        for entries in (first, second)
    )
    common = [task for task in ours if task in theirs]
    if not common:
        return None
    differences = [theirs[task] - ours[task] for task in common]
    won, lost = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return RunComparison(
        tasks=len(common),
        left_out=len(ours.keys() ^ theirs.keys()),
        first=fmean(ours[task] for task in common),
        second=fmean(theirs[task] for task in common),
        interval=paired(differences),
        won=won,
        lost=lost,
        tied=len(common) - won - lost,
        p_value=sign_test(won, lost),
    )


def tallied(entries: Sequence[TrialEntry], profile: ScoringProfile) -> dict[str, tuple[int, int]]:
    """Task -> (passed, counted trials); tasks without a counted trial are not there."""
    return _tally(_judged(entries, profile))


def pass_hat(passed: int, trials: int, k: int) -> float:
    """The chance that k trials drawn of these all passed.

    Raises:
        ValueError: fewer than k trials.

    Example:
        2 of 3 passed, k 2 -> 1/3
    """
    if not 1 <= k <= trials:
        raise ValueError(f"pass^{k} needs {k} trials, there are {trials}")
    return comb(passed, k) / comb(trials, k)


def standing(outcomes: Sequence[CountedAs]) -> TaskStanding:
    """What solvability trials say of a task: a candidate for curation, clean, or not yet known."""
    valid = [outcome for outcome in outcomes if _counted(outcome)]
    if len(valid) < VALID_TRIALS:
        return "incomplete"
    return "candidate" if valid.count("fail") >= FAILURES else "clean"


def cause_counts(
    trials: Iterable[tuple[CountedAs, str]], own: Sequence[str] = ()
) -> dict[str, int]:
    """Passed trials, and failed ones by the cause that a judge or a person gave, as in Table 4.

    Args:
        trials: (outcome, cause) of each; the cause is looked at where the trial failed. Trials
            that do not count are left out; another cause than the three is `unknown`.
        own: Causes beside the three of Table 4 that are counted by their own name.
    """
    tally = dict.fromkeys(("pass", "agent", "user", "eval", *own, "unknown"), 0)
    for outcome, cause in trials:
        if outcome == "pass":
            tally["pass"] += 1
        elif outcome == "fail":
            tally[cause if cause in ("agent", "user", "eval", *own) else "unknown"] += 1
    return tally


def _counted(outcome: CountedAs) -> bool:
    return outcome in ("pass", "fail")


def _judged(entries: Iterable[TrialEntry], profile: ScoringProfile) -> list[_Judged]:
    return [(entry, counts(entry.facts, profile)) for entry in entries]


def _earned(judged: Sequence[_Judged]) -> dict[str, tuple[float, int]]:
    """Task -> (sum of rewards, counted trials)."""
    earned: dict[str, tuple[float, int]] = {}
    for entry, outcome in judged:
        if _counted(outcome):
            reward, trials = earned.get(entry.task_id, (0.0, 0))
            earned[entry.task_id] = reward + _reward(entry.facts, outcome), trials + 1
    return earned


def _reward(facts: Facts, outcome: CountedAs) -> float:
    return 1.0 if outcome == "pass" else worth(facts)


def _tally(judged: Sequence[_Judged]) -> dict[str, tuple[int, int]]:
    tally: dict[str, tuple[int, int]] = {}
    for entry, outcome in judged:
        if _counted(outcome):
            passed, trials = tally.get(entry.task_id, (0, 0))
            tally[entry.task_id] = passed + (outcome == "pass"), trials + 1
    return tally


def _pass_k(tally: Sequence[tuple[int, int]], wanted: int) -> tuple[float, ...]:
    most = min([wanted, *(n for _, n in tally)]) if tally else 0
    return tuple(fmean(pass_hat(c, n, k) for c, n in tally) for k in range(1, most + 1))


def _rounds(judged: Sequence[_Judged], wanted: int) -> tuple[float | None, ...]:
    rewards: dict[int, list[float]] = {number: [] for number in range(wanted)}
    for entry, outcome in judged:
        if _counted(outcome):
            rewards.setdefault(entry.trial, []).append(_reward(entry.facts, outcome))
    return tuple(fmean(rewards[at]) if rewards[at] else None for at in sorted(rewards))


def _reason(facts: Facts, profile: ScoringProfile) -> Uncounted:
    if facts.human_cause in profile.excluded_causes:
        return Uncounted(cause=facts.human_cause)
    attribution = classify(facts)
    return Uncounted(attribution.kind, attribution.speaker)
