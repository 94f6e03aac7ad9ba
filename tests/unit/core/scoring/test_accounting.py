"""Whose fault the end of a trial was, and how each profile counts it."""

from __future__ import annotations

import pytest

from review_app.core.scoring.accounting import (
    PROFILES,
    Facts,
    TrialFault,
    attempts_allowed,
    classify,
    counts,
    gap,
    termination,
)

NAMES = ("upstream", "tau-star", "jtau", "leaderboard", "curation")


def facts(reason="user_stop", reward=0.0, **more):
    return Facts(reason, reward, **more)


def broken(kind="empty_output", speaker="agent", finish_reason="stop", **more):
    fault = TrialFault(kind, speaker, finish_reason, **more)
    return Facts(termination(fault), 0.0, fault)


def outcomes(trial):
    return tuple(counts(trial, PROFILES[name]) for name in NAMES)


CASES = {
    "passed": (facts(reward=1.0), ("pass",) * 5),
    "passed but for rounding": (facts(reward=1 - 1e-9), ("pass",) * 5),
    "failed": (facts(), ("fail",) * 5),
    "partial": (facts(reward=0.5), ("fail",) * 5),
    "agent stopped": (facts("agent_stop", 1.0), ("pass",) * 5),
    "too many steps": (facts("max_steps"), ("fail",) * 5),
    "too many errors": (facts("too_many_errors"), ("fail",) * 5),
    "timeout": (facts("timeout"), ("fail",) * 5),
    "agent silent": (broken(), ("excluded", "fail", "fail", "fail", "fail")),
    "agent cut off": (broken(finish_reason="length"), ("excluded", "fail", "fail", "fail", "fail")),
    "agent malformed": (
        broken("malformed_tool_call", finish_reason="tool_calls"),
        ("excluded", "fail", "fail", "fail", "fail"),
    ),
    "user silent": (broken(speaker="user"), ("excluded", "rerun", "rerun", "fail", "rerun")),
    "user malformed": (
        broken("malformed_tool_call", "user"),
        ("excluded", "rerun", "rerun", "fail", "rerun"),
    ),
    "silent without a reason": (broken(finish_reason=""), ("excluded",) * 3 + ("fail", "excluded")),
    "network": (broken(provider_reason="network_error"), ("excluded",) * 3 + ("fail", "excluded")),
    "malformed by the network": (
        broken("malformed_tool_call", provider_reason="network_error"),
        ("excluded",) * 3 + ("fail", "excluded"),
    ),
    "no answer": (broken("no_answer"), ("excluded",) * 3 + ("fail", "excluded")),
    "agent refused": (broken("invalid_message"), ("fail",) * 5),
    "user refused": (
        broken("invalid_message", "user"),
        ("fail", "rerun", "rerun", "fail", "rerun"),
    ),
    "no verdict": (facts(reward=None), ("excluded",) * 3 + ("fail", "excluded")),
    "infrastructure": (facts("infrastructure_error"), ("excluded",) * 3 + ("fail", "excluded")),
    "a person blames the user": (facts(human_cause="user"), ("fail",) * 4 + ("excluded",)),
    "a person blames the framework": (
        facts(reward=1.0, human_cause="framework"),
        ("pass",) * 4 + ("excluded",),
    ),
    "a person blames the agent": (facts(human_cause="agent"), ("fail",) * 5),
    "a person blames the task": (facts(human_cause="task"), ("fail",) * 5),
}


@pytest.mark.parametrize("case", CASES)
def test_every_end_is_counted_as_the_profile_says(case):
    trial, expected = CASES[case]
    assert dict(zip(NAMES, outcomes(trial), strict=True)) == dict(zip(NAMES, expected, strict=True))


def test_the_profiles_are_named_and_versioned():
    assert tuple(PROFILES) == NAMES
    assert all(profile.version >= 1 and profile.about for profile in PROFILES.values())


@pytest.mark.parametrize(
    ("trial", "rule", "speaker"),
    [
        (broken(), "1:empty_output", "agent"),
        (broken(finish_reason=None), "1:empty_output_finish_unrecorded", "agent"),
        (broken(finish_reason="other"), "1:empty_output_finish_unknown", ""),
        (broken(provider_reason="network_error"), "1:network_error", ""),
        (broken(finish_reason="network_error"), "1:network_error", ""),
        (broken("malformed_tool_call", "user"), "1:malformed_tool_call", "user"),
        (broken("malformed_tool_call", ""), "1:speaker_unrecorded", ""),
        (facts("max_steps"), "1:max_steps", ""),
        (facts(), "1:finished", ""),
    ],
)
def test_the_rule_and_the_speaker_are_named(trial, rule, speaker):
    attribution = classify(trial)
    assert (attribution.rule_id, attribution.speaker, attribution.layer) == (
        rule,
        speaker,
        "framework",
    )


@pytest.mark.parametrize(
    ("trial", "upstream", "jtau"),
    [(broken(), 4, 1), (broken("no_answer"), 4, 4), (facts(), 1, 1), (facts(reward=None), 4, 4)],
    ids=["empty", "no answer", "failed", "not judged"],
)
def test_outputs_are_tried_again_upstream_only(trial, upstream, jtau):
    assert attempts_allowed(trial, PROFILES["upstream"]) == upstream
    assert attempts_allowed(trial, PROFILES["jtau"]) == jtau


def test_what_a_profile_misses_is_said_where_it_matters():
    unsaid = broken(finish_reason=None)
    assert str(gap(unsaid, PROFILES["jtau"])).startswith("the finish reason is not recorded")
    assert gap(unsaid, PROFILES["upstream"]) is gap(unsaid, PROFILES["leaderboard"]) is None
    bare = facts("infrastructure_error")
    assert "not recorded" in str(gap(bare, PROFILES["tau-star"])) and not gap(
        bare, PROFILES["upstream"]
    )
    error = facts("agent_error")
    assert "not recorded" in str(gap(error, PROFILES["upstream"])) and not gap(
        error, PROFILES["jtau"]
    )
    assert "who" in str(gap(broken(speaker=""), PROFILES["curation"]))
    assert "reward" in str(gap(facts(reward=None), PROFILES["leaderboard"]))
    assert gap(facts(), PROFILES["jtau"]) is gap(broken(), PROFILES["jtau"]) is None
