"""Confidence intervals, a paired test and agreement for scores whose trials come in tasks.

Trials of one task are alike, so tasks, not trials, are what the uncertainty is counted in. All of
it is analytic: the same scores give the same interval, without random draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, pi, sqrt, tan
from statistics import NormalDist, stdev

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval, ratios."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two judges say the same of the same things."""

    judged: int
    same: int
    kappa: float | None
    """Cohen's: 1 full agreement, 0 as by chance; None where chance explains everything."""


def clustered(tasks: Sequence[tuple[float, int]]) -> Interval | None:
    """The interval of the mean reward over all trials, clustered by task.

    The linearized cluster-robust variance of the ratio gives the number of independent trials that
    the trials are worth; Wilson's interval is taken for that number, with Student's quantile for
    the number of tasks. So it stays within 0 and 1 and is not empty where all or none passed.

    Args:
        tasks: (sum of rewards from 0 to 1, trials) of each task with trials.

    Returns:
        None with fewer than two tasks: there is nothing to measure the spread of tasks by.
    """
    count, trials = len(tasks), sum(n for _, n in tasks)
    if count < 2:
        return None
    mean = sum(c for c, _ in tasks) / trials
    squares = sum((c - mean * n) ** 2 for c, n in tasks)
    variance = count / (count - 1) * squares / trials**2
    if variance:
        worth = min(mean * (1 - mean) / variance, float(trials))
    else:
        worth = float(trials if 0 < mean < 1 else count)
    return _wilson(mean, worth, t_quantile(count - 1))


def paired(differences: Sequence[float]) -> Interval | None:
    """The interval of the mean difference between paired tasks; None with fewer than two."""
    count = len(differences)
    if count < 2:
        return None
    mean = sum(differences) / count
    half = t_quantile(count - 1) * stdev(differences) / sqrt(count)
    return Interval(max(mean - half, -1.0), min(mean + half, 1.0))


def sign_test(won: int, lost: int) -> float:
    """The exact two-sided probability of so uneven a split of wins and losses by chance alone."""
    count = won + lost
    tail = sum(comb(count, k) for k in range(min(won, lost) + 1)) / 2**count
    return float(min(1.0, 2 * tail))


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """How far two judges agree, over the things that both have judged."""
    total = len(pairs)
    if not total:
        return Agreement(0, 0, None)
    ours, theirs = zip(*pairs, strict=True)
    same = sum(our_word == their_word for our_word, their_word in pairs)
    chance = sum(ours.count(word) * theirs.count(word) for word in set(ours)) / total**2
    kappa = None if chance >= 1 else (same / total - chance) / (1 - chance)
    return Agreement(total, same, kappa)


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, within 0.2 %.

    Source: exact for 1 and 2 degrees of freedom, else the expansion by Cornish and Fisher.
    """
    upper = (1 + LEVEL) / 2
    if freedom == 1:
        return tan(pi * (upper - 0.5))
    if freedom == 2:
        return (2 * upper - 1) * sqrt(2 / (4 * upper * (1 - upper)))
    z = NormalDist().inv_cdf(upper)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * freedom**4)
    )


def _wilson(mean: float, count: float, z: float) -> Interval:
    middle = (mean + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * sqrt(mean * (1 - mean) / count + z**2 / (4 * count**2))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
