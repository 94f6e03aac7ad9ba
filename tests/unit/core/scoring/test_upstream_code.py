"""What upstream's own metrics say of the same trials, and where its profile says otherwise."""

from __future__ import annotations

import pytest

from review_app.core.scoring.accounting import PROFILES, Facts, TrialFault
from review_app.core.scoring.run_scores import TrialEntry, summarize
from review_app.core.scoring.upstream_code import as_its_code_counts

EMPTY = TrialFault("empty_output", "agent", "stop")
ENDS = {
    "1": Facts("user_stop", 1.0),
    "0": Facts("agent_stop", 0.0),
    "h": Facts("user_stop", 0.5),
    "m": Facts("max_steps", 0.0),
    "x": Facts("infrastructure_error", 0.0, TrialFault("no_answer", "")),
    "a": Facts("agent_error", 0.0, EMPTY),
    "u": Facts("user_error", 0.0, TrialFault("malformed_tool_call", "user")),
    "n": Facts("agent_error", 0.0, TrialFault("no_answer", "")),
    "i": Facts("infrastructure_error", 0.0, TrialFault("invalid_message", "agent")),
    "r": Facts("max_steps", 1.0),
    "s": Facts("TerminationReason.USER_STOP", 1.0),
    "-": Facts("user_stop", None),
}


def counted(wanted=2, **tasks):
    entries = [
        TrialEntry(task, at, ENDS[end])
        for task, ends in tasks.items()
        for at, end in enumerate(ends)
    ]
    ours = summarize(entries, PROFILES["upstream"], tasks, wanted)
    return as_its_code_counts(entries, tasks, wanted), ours


def said(code):
    return {str(difference): count for difference, count in code.differences.items()}


def test_where_nothing_differs_both_say_the_same():
    code, ours = counted(a="10", b="hm", c="x1")
    assert (code.mean, code.pass_k, code.counted) == (ours.mean, ours.pass_k, ours.counted)
    assert code.mean == pytest.approx(2.5 / 5) and code.differences == {}


@pytest.mark.parametrize(
    ("end", "reward", "differs"),
    [
        ("a", 1 / 2, "counts agent_error with an empty or malformed output"),
        ("u", 1 / 2, "counts user_error with an empty or malformed output"),
        ("n", 1 / 2, "counts agent_error that no output caused"),
        ("i", 1.0, "does not count infrastructure_error"),
        ("r", 1.0, "counts the reward of a trial that ended in max_steps"),
    ],
)
def test_what_its_code_counts_otherwise_is_said(end, reward, differs):
    code, ours = counted(a="1" + end)
    assert code.mean == reward and code.mean != ours.mean
    [(sentence, trials)] = said(code).items()
    assert differs in sentence and trials == 1


@pytest.mark.parametrize(
    ("end", "why"), [("s", "knows no ending"), ("-", "stops where no reward is recorded")]
)
def test_there_is_no_number_where_its_code_stops(end, why):
    code, _ = counted(a="1" + end)
    assert (code.mean, code.counted, code.pass_k) == (None, 0, ())
    [sentence] = said(code)
    assert why in sentence


def test_pass_k_is_over_the_tasks_that_are_left():
    code, _ = counted(a="11", b="1a", c="xx")
    assert code.pass_k == pytest.approx(((1 + 1 / 2) / 2, 1 / 2))
    assert code.counted == 4 and counted(a="xx")[0].mean is None
