"""Whatever two models say, a trial ends and can be scored; whatever ended, it is counted."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import facts
from trial_cases import Replies, called, played, said

from review_app.core.results.stream import members
from review_app.core.scoring.accounting import PROFILES, Facts, TrialFault, counts
from review_app.core.scoring.intervals import clustered
from review_app.core.scoring.reward import ScoredRun, score
from review_app.core.scoring.run_scores import TrialEntry, pass_hat, summarize
from review_app.core.simulation.records import Limits, Reply
from review_app.core.tasks.replay import follow

NAMES = st.sampled_from(["get_user_details", "toggle_data", "reboot_device", "nothing", ""])
ARGUMENTS = st.sampled_from(["{}", '{"user_id": "x"}', '{"self": 1}', "{", "[]", '{"a": NaN}'])
TEXTS = st.sampled_from(["", " ", "Hi", "###STOP###", "so ###OUT-OF-SCOPE###"])
REASONS = st.sampled_from(["stop", "length", "tool_calls", "", "network_error"])


@st.composite
def replies(draw):
    calls = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    return (
        called(*calls, text=draw(TEXTS))
        if calls
        else said(
            draw(TEXTS),
            finish_reason=draw(REASONS),
            error=draw(st.sampled_from(["", "", "timeout"])),
        )
    )


LISTS = st.lists(replies(), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(LISTS, LISTS, st.sampled_from(["airline", "telecom"]))
def test_every_trial_ends_well_formed_and_is_scored(agent, user, domain):
    models = Replies(*agent), Replies(*user)
    limits = Limits(max_steps=30, max_errors=5)
    trial = played(*models, domain=domain, limits=limits)
    environment = facts(domain).open()
    followed = follow(environment.fork(), trial.messages)
    assert (followed.malformed, followed.differences) == ("", ())
    assert [message["turn_idx"] for message in trial.messages] == list(range(len(trial.messages)))
    assert (trial.fault is None) == (not trial.termination_reason.endswith("_error"))
    run = ScoredRun(trial.messages, trial.termination_reason)
    reward = score({"evaluation_criteria": {"actions": []}}, run, environment).reward
    for profile in PROFILES.values():
        assert counts(trial.facts(reward), profile) in ("pass", "fail", "excluded", "rerun")
    for request in (request for model in models for request in model.requests):
        open_calls = []
        for message in request.messages:
            if message["role"] == "tool":
                assert message["tool_call_id"] == open_calls.pop(0)
            else:
                assert not open_calls
                open_calls += [call["id"] for call in message.get("tool_calls") or ()]
        assert not open_calls


FAULTS = st.builds(
    TrialFault,
    st.sampled_from(
        ["empty_output", "malformed_tool_call", "invalid_message", "unspecified", "no_answer"]
    ),
    st.sampled_from(["agent", "user", ""]),
    st.one_of(st.none(), REASONS),
)
FACTS = st.builds(
    Facts,
    st.sampled_from(["user_stop", "max_steps", "agent_error", "user_error", "odd"]),
    st.sampled_from([0.0, 1.0, None]),
    st.one_of(st.none(), FAULTS),
)
ENTRIES = st.lists(
    st.builds(TrialEntry, st.sampled_from("abc"), st.integers(0, 3), FACTS), max_size=20
)


@settings(max_examples=50, deadline=None)
@given(ENTRIES)
def test_profiles_differ_only_in_what_they_leave_out(entries):
    summaries = {name: summarize(entries, profile, "abc", 3) for name, profile in PROFILES.items()}
    assert {sum(summary.outcomes.values()) for summary in summaries.values()} == {len(entries)}
    assert len({summary.outcomes["pass"] for summary in summaries.values()}) == 1
    assert summaries["leaderboard"].counted == len(entries)
    assert summaries["jtau"].outcomes == summaries["tau-star"].outcomes
    for summary in summaries.values():
        assert sum(summary.uncounted.values()) == len(entries) - summary.counted
        assert all(a >= b for a, b in zip(summary.pass_k, summary.pass_k[1:], strict=False))
        if summary.mean is not None and summary.interval is not None:
            assert summary.interval.low <= summary.mean + 1e-9
            assert summary.interval.high >= summary.mean - 1e-9


TALLY = st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=50, deadline=None)
@given(st.lists(TALLY, min_size=2, max_size=30))
def test_an_interval_holds_the_mean_and_stays_between_0_and_1(tasks):
    interval = clustered(tasks)
    mean = sum(c for c, _ in tasks) / sum(n for _, n in tasks)
    assert 0 <= interval.low <= mean + 1e-9 and mean - 1e-9 <= interval.high <= 1
    mirrored = clustered([(n - c, n) for c, n in tasks])
    assert abs(mirrored.low - (1 - interval.high)) < 1e-9


@given(TALLY)
def test_pass_1_is_the_share_passed(tally):
    passed, trials = tally
    assert abs(pass_hat(passed, trials, 1) - passed / trials) < 1e-12


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["a", "tasks", "simulations", "é"]), JSON),
    st.integers(1, 20),
    st.sampled_from([None, 2]),
)
def test_reading_in_pieces_is_reading_whole(value, size, indent):
    text = json.dumps(value, indent=indent)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    expected = []
    for key, member in value.items():
        apart = key in ("tasks", "simulations") and isinstance(member, list)
        expected += [(key, element) for element in member] if apart else [(key, member)]
    assert list(members(chunks)) == expected


def test_the_same_reply_again_and_again_ends_by_a_limit():
    assert played([said("Hm")], [Reply(text="Hm")]).termination_reason == "max_steps"
