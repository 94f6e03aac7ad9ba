"""Scores, their spread and what stands beside them."""

from __future__ import annotations

import math

import pytest

from review_app.core.scoring.accounting import PROFILES, Facts, TrialFault
from review_app.core.scoring.intervals import (
    Interval,
    agreement,
    clustered,
    paired,
    sign_test,
    t_quantile,
)
from review_app.core.scoring.run_scores import (
    TrialEntry,
    by_group,
    cause_counts,
    compare,
    pass_hat,
    standing,
    summarize,
)

JTAU, UPSTREAM = PROFILES["jtau"], PROFILES["upstream"]
ENDS = {
    "1": Facts("user_stop", 1.0),
    "0": Facts("user_stop", 0.0),
    "x": Facts("infrastructure_error", 0.0, TrialFault("no_answer", "agent")),
    "u": Facts("user_error", 0.0, TrialFault("empty_output", "user", "stop")),
    "h": Facts("user_stop", 0.0, human_cause="user"),
}


def entries(**tasks):
    """Trials by task: `a="1x0"` passed, had no answer, failed."""
    return [
        TrialEntry(task, at, ENDS[end])
        for task, ends in tasks.items()
        for at, end in enumerate(ends)
    ]


def summary(profile=JTAU, wanted=3, **tasks):
    return summarize(entries(**tasks), profile, tasks, wanted)


def remarks(scores):
    """What stands beside the numbers."""
    return {str(remark): count for remark, count in scores.gaps.items()}


def reasons(scores):
    """Why trials are not counted, as the command line says it."""
    return {str(reason): count for reason, count in scores.uncounted.items()}


def test_pass_k_is_the_chance_that_k_drawn_trials_all_passed():
    assert [pass_hat(2, 3, k) for k in (1, 2, 3)] == [2 / 3, 1 / 3, 0.0]
    scores = summary(a="110", b="111")
    assert scores.pass_k == pytest.approx((5 / 6, 2 / 3, 1 / 2))
    with pytest.raises(ValueError, match=r"needs 4 trials"):
        pass_hat(3, 3, 4)


def test_k_goes_as_far_as_every_covered_task_has_trials():
    assert len(summary(a="11x", b="111").pass_k) == 2
    assert len(summary(a="11111", b="11111", wanted=3).pass_k) == 3
    assert summary(a="xxx").pass_k == ()


def test_the_mean_is_over_trials_and_pass_1_over_tasks():
    scores = summary(a="1xx", b="000")
    assert (scores.mean, scores.pass_k[0], scores.counted) == (0.25, 0.5, 4)


def test_mean_and_deviation_over_trials_are_those_of_table_1():
    rounds = (43, 43, 41)
    tasks = {
        f"t{at}": "".join("1" if at < passed else "0" for passed in rounds) for at in range(50)
    }
    scores = summary(**tasks)
    assert (f"{100 * scores.round_mean:.1f}", f"{100 * scores.round_std:.1f}") == ("84.7", "2.3")
    assert scores.rounds == (0.86, 0.86, 0.82)


def test_a_round_without_a_counted_trial_has_no_mean():
    scores = summary(a="1x", b="0x", wanted=2)
    assert scores.rounds == (0.5, None) and scores.round_mean == 0.5 and scores.round_std is None


def test_a_task_without_a_valid_trial_is_said_beside_the_number():
    scores = summary(a="1101", b="xxxx", wanted=4)
    assert scores.coverage == "over 1 of 2 tasks" and not scores.is_complete
    assert (scores.covered, scores.tasks, scores.full) == (1, 2, 1)
    assert reasons(scores) == {"infrastructure": 4} and scores.mean == 0.75
    missing = summarize(entries(a="111"), JTAU, ["a", "b"], 3)
    assert missing.coverage == "over 1 of 2 tasks"
    assert summary(a="111").coverage == "" and summary(a="111").is_complete


def test_trials_of_other_tasks_are_left_out():
    assert summarize(entries(a="111", z="000"), JTAU, ["a"], 3).mean == 1.0


def test_what_is_not_counted_is_counted_by_reason():
    scores = summary(PROFILES["curation"], a="1xuh")
    assert reasons(scores) == {"infrastructure": 1, "user empty_output": 1, "a person: user": 1}
    assert scores.outcomes == {"pass": 1, "fail": 0, "excluded": 2, "rerun": 1}


def test_nothing_is_left_out_of_the_leaderboard():
    scores = summary(PROFILES["leaderboard"], a="1xuh")
    assert (scores.mean, scores.counted, scores.uncounted) == (0.25, 4, {})


def test_no_counted_trial_is_no_score():
    scores = summary(a="xx")
    assert (scores.mean, scores.interval, scores.round_mean) == (None, None, None)


# -- groups, comparison, causes --------------------------------------------------------------------


def test_groups_have_scores_of_their_own():
    trials = entries(a="111", b="000", c="111")
    groups = by_group(trials, JTAU, {"a": "repaired", "b": "unmodified", "d": "unmodified"}, 3)
    assert list(groups) == ["repaired", "unmodified"]
    assert (groups["repaired"].mean, groups["repaired"].tasks) == (1.0, 1)
    assert (groups["unmodified"].mean, groups["unmodified"].coverage) == (0.0, "over 1 of 2 tasks")


def test_two_runs_are_paired_over_common_tasks():
    comparison = compare(
        entries(a="100", b="11", c="0", d="1"), entries(a="111", b="11", c="xx"), JTAU
    )
    assert (comparison.tasks, comparison.left_out) == (2, 2)
    assert (comparison.won, comparison.lost, comparison.tied) == (1, 0, 1)
    assert comparison.first == pytest.approx(2 / 3) and comparison.second == 1.0
    assert comparison.difference == pytest.approx(1 / 3)
    assert compare(entries(a="1"), entries(b="1"), JTAU) is None


def test_causes_are_counted_among_failures_only():
    trials = [
        ("pass", "agent"),
        ("fail", "agent"),
        ("fail", "eval"),
        ("fail", "?"),
        ("excluded", "user"),
    ]
    assert cause_counts(trials) == {"pass": 1, "agent": 1, "user": 0, "eval": 1, "unknown": 1}


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ("110", "clean"),
        ("100", "candidate"),
        ("000", "candidate"),
        ("00", "incomplete"),
        ("00x", "incomplete"),
        ("00x1", "candidate"),
        ("1101", "clean"),
    ],
)
def test_a_candidate_fails_twice_or_more_in_three_valid_trials(ends, expected):
    outcome = {"1": "pass", "0": "fail", "x": "excluded"}
    assert standing([outcome[end] for end in ends]) == expected


# -- intervals -------------------------------------------------------------------------------------


def test_trials_of_one_task_that_agree_are_worth_one():
    alike, apart = clustered([(3, 3), (0, 3)] * 20), clustered([(1, 3), (2, 3)] * 20)
    single = clustered([(1, 1), (0, 1)] * 20)
    assert alike.high - alike.low > 1.6 * (apart.high - apart.low)
    assert alike.low == pytest.approx(single.low, abs=0.01)


def test_an_interval_of_all_or_none_is_not_empty_and_stays_inside():
    all_passed = clustered([(3, 3)] * 50)
    assert all_passed.high == pytest.approx(1.0) and 0.9 < all_passed.low < 0.95
    none = clustered([(0, 3)] * 50)
    assert (none.low, none.high) == (0.0, pytest.approx(1 - all_passed.low))


def test_one_task_has_no_interval():
    assert clustered([(2, 3)]) is None and paired([0.5]) is None


def test_the_paired_interval_is_students():
    interval = paired([0.0, 0.5, 1.0])
    assert interval.low == pytest.approx(0.5 - 4.3027 * 0.5 / math.sqrt(3), abs=1e-3)
    assert interval.high == 1.0
    assert paired([0.25] * 3) == Interval(0.25, 0.25)


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (49, 2.010)],
)
def test_quantiles_are_those_of_the_tables(freedom, value):
    assert t_quantile(freedom) == pytest.approx(value, rel=2e-3)


def test_the_sign_test_is_exact():
    assert sign_test(0, 0) == sign_test(3, 3) == 1.0
    assert sign_test(5, 0) == sign_test(0, 5) == 2 / 32


def test_agreement_is_corrected_for_chance():
    same = agreement([("agent", "agent"), ("user", "user")])
    assert (same.judged, same.same, same.kappa) == (2, 2, 1.0)
    chance = [("agent", "agent"), ("agent", "user"), ("user", "agent"), ("user", "user")]
    assert agreement(chance).kappa == 0.0
    assert agreement([("agent", "agent")]).kappa is None
    assert agreement([]).judged == 0


# -- partial rewards, unknown endings, shared numbers ----------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_a_partial_reward_counts_as_it_is_in_the_mean_and_never_as_a_success(profile):
    facts = {"a": [1.0, 0.25], "b": [1.0, 1.0]}
    trials = [
        TrialEntry(task, at, Facts("user_stop", reward))
        for task, rewards in facts.items()
        for at, reward in enumerate(rewards)
    ]
    scores = summarize(trials, PROFILES[profile], facts, 2)
    assert scores.mean == pytest.approx(3.25 / 4)
    assert scores.rounds == pytest.approx((1.0, 0.625))
    assert scores.pass_k == pytest.approx((0.75, 0.5))
    assert scores.outcomes["pass"] == 3 and scores.outcomes["fail"] == 1
    assert scores.interval.low < scores.mean < scores.interval.high
    [(sentence, count)] = remarks(scores).items()
    assert sentence.startswith("the reward is partial") and count == 1
    whole = [TrialEntry(entry.task_id, entry.trial, Facts("user_stop", 1.0)) for entry in trials]
    comparison = compare(trials, whole, PROFILES[profile])
    assert comparison.difference == pytest.approx(0.375 / 2)
    assert (comparison.won, comparison.tied) == (1, 1)


def test_a_partial_reward_of_a_trial_that_did_not_finish_counts_nothing():
    scores = summarize([TrialEntry("a", 0, Facts("max_steps", 0.5))], JTAU, "a", 1)
    assert scores.mean == 0.0 and remarks(scores) == {}


@pytest.mark.parametrize("ending", ["TerminationReason.USER_STOP", "", "done"])
def test_an_unknown_ending_is_a_failure_and_said(ending):
    scores = summarize([TrialEntry("a", 0, Facts(ending, 1.0))], JTAU, "a", 1)
    assert scores.mean == 0.0
    assert remarks(scores) == {f"the ending {ending!r} is unknown; counted as a failure": 1}


@pytest.mark.parametrize("ending", ["max_steps", "timeout", "unexpected_error", "judge_stop"])
def test_a_known_ending_needs_no_remark(ending):
    assert remarks(summarize([TrialEntry("a", 0, Facts(ending, 0.0))], JTAU, "a", 1)) == {}
