"""What runs of the scripted players say of the sample, before and after its repairs."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from dataclasses import replace

import pytest
from curation_project import SAMPLE, make_project, people
from run_cases import played
from sample_project import sample_store

from review_app.core.scoring.accounting import PROFILES, counts
from review_app.errors import BadInput, ReviewError
from review_app.records.runs import NewRun, NewTrialUnit, RunTask, TrialResult, TrialUnit
from review_app.store import Store
from review_app.workflows.curation import patches
from review_app.workflows.runs import (
    attribution,
    candidates,
    lifecycle,
    scores,
    snapshot,
    transcript,
)
from review_app.workflows.runs import trial as runs_trial
from review_app.workflows.runs.lifecycle import RunPlan

INVALID = {
    domain: {
        invalid["task_id"]
        for invalid in json.loads((SAMPLE / "invalid_tasks.json").read_text("utf-8"))
        if invalid["domain"] == domain
    }
    for domain in ("airline", "retail", "telecom")
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("candidates"))


@pytest.fixture
def project(template, tmp_path):
    path = tmp_path / "review.db"
    shutil.copy(template, path)
    store = Store(path)
    yield store
    store.close()


def failed(store, status):
    return {cell.task_id for cell in lifecycle.cells(store, status.run) if cell.outcome != "pass"}


@pytest.mark.parametrize("domain", INVALID)
def test_the_script_passes_every_valid_task_and_fails_exactly_the_documented_ones(project, domain):
    status = played(project, RunPlan(domain, variant="tau"))
    assert failed(project, status) == INVALID[domain]
    assert {candidate.task_id for candidate in candidates.find(project, status.run.id)} == INVALID[
        domain
    ]
    assert (
        status.state == "done" and status.run.models["agent"]["model"] == "scripted (not a model)"
    )


def test_fewer_tasks_fail_once_the_repairs_of_the_sample_are_approved(project):
    _, ren, mila = people(project)
    before = failed(project, played(project, RunPlan("retail")))
    for stored in project.patches.all("retail"):
        if stored.state == "proposed" and stored.patch.layer == "repair":
            patches.approve(project, mila if stored.proposer_id == ren.id else ren, stored.id)
    status = played(project, RunPlan("retail"))
    after = failed(project, status)
    assert before == INVALID["retail"] and after < before
    grades = scores.score(project, status.run.id)
    assert grades.groups["repaired"].tasks + grades.groups["unmodified"].tasks == 12
    # Runs are shown as they were played, whatever is repaired later.
    first = project.runs.list("retail")[-1].id
    assert {candidate.task_id for candidate in candidates.find(project, first)} == before


def test_a_candidate_has_its_evidence_and_one_call_makes_a_flag_of_it(project):
    _, ren, _ = people(project)
    played(project, RunPlan("airline", variant="tau", trials=1))
    status = played(project, RunPlan("airline", variant="tau"))
    listed = candidates.find(project, status.run.id)
    assert [candidate.task_id for candidate in listed] == ["10", "11"]
    kinds = [signal.kind for signal in listed[0].signals]
    assert kinds == [
        "rules",
        "oracle_failed",
        "same_wrong_state",
        "out_of_scope",
        "stopped_at_confirmation",
    ]
    flag = candidates.open_flag(project, ren, status.run.id, listed[0])
    assert {shown.kind for shown in flag.evidence} == {"run", "rule"}
    assert (flag.task_id, flag.reporter_id) == ("10", ren.id) and "PAY-01" in str(flag.description)
    notes = [(shown.ref, shown.note.code, str(shown.note)) for shown in flag.evidence]
    assert notes[0] == (str(status.run.id), "candidate.trials", f"trials {trials_of(listed[0])}")
    assert notes[1][:2] == ("PAY-01", "validity.violation")
    assert notes[1][2] == str(listed[0].signals[0].note) and notes[1][2].startswith("PAY-01 ")
    clean = candidates.find(project, status.run.id, every=True)[-1]
    assert (clean.standing, clean.verdict) == ("clean", "")


def trials_of(candidate):
    return ", ".join(map(str, candidate.units))


def test_a_dismissed_candidate_keeps_the_reason_and_is_answered(project):
    _, ren, _ = people(project)
    status = played(project, RunPlan("airline", variant="tau", tasks=("10",)))
    (candidate,) = candidates.find(project, status.run.id)
    with pytest.raises(ReviewError, match="needs a reason"):
        candidates.dismiss(project, ren, status.run.id, candidate, reason=" ")
    assert candidates.answered(project, status.run.id) == {}
    flag = candidates.dismiss(project, ren, status.run.id, candidate, reason="known")
    assert (flag.state, flag.resolution) == ("not_a_defect", "known")
    assert candidates.answered(project, status.run.id) == {"10": flag}


def test_two_valid_trials_are_not_enough(project):
    status = played(project, RunPlan("airline", variant="tau", trials=2, tasks=("10",)))
    assert candidates.find(project, status.run.id) == []
    (candidate,) = candidates.find(project, status.run.id, every=True)
    assert (candidate.standing, candidate.failed) == ("incomplete", 2)


def test_a_persons_verdict_stands_over_a_trial_and_counts_in_curation_only(project):
    aoi, *_ = people(project)
    status = played(project, RunPlan("airline", variant="tau", tasks=("10", "0"), trials=1))
    bad = next(unit for unit in project.units.of_run(status.run.id) if unit.task_id == "10")
    attribution.judge(project, aoi, bad.id, cause="task", turn=1)
    attribution.judge(project, aoi, bad.id, cause="user", turn=2, note="said too little")
    grades = scores.score(project, status.run.id)
    assert (grades.profiles["jtau"].mean, grades.profiles["curation"].mean) == (0.5, 1.0)
    assert grades.profiles["curation"].coverage == "over 1 of 2 tasks"
    assert grades.human_causes == {"pass": 1, "agent": 0, "user": 1, "eval": 0, "unknown": 0}
    assert [verdict.turn for verdict in project.units.verdicts(unit=bad.id)] == [1, 2]
    with pytest.raises(BadInput, match="no message 99"):
        attribution.judge(project, aoi, bad.id, cause="agent", turn=99)
    with pytest.raises(BadInput, match="no cause"):
        attribution.judge(project, aoi, bad.id, cause="weather")


def transcript_of(project, unit):
    stage = transcript.stage_of(project, project.runs.get(unit.run_id))
    shown = transcript.of_trial(project, unit.id, stage)
    assert shown.as_run and shown.recount is not None
    return shown


def test_a_trial_is_told_with_what_its_writes_changed_and_the_gold_beside(project):
    status = played(project, RunPlan("airline", tasks=("2", "10"), trials=1))
    good, bad = (transcript_of(project, unit) for unit in project.units.of_run(status.run.id))
    assert any(step.ok for step in good.recount.steps.values())
    assert all(action.match for action in good.recount.actions) and good.recount.differences == ()
    assert "###STOP###" in good.messages[-1]["content"]
    assert bad.recount.differences and not all(action.match for action in bad.recount.actions)
    assert "###OUT-OF-SCOPE###" in bad.messages[-1]["content"]


# -- attempts under profiles -------------------------------------------------------------------

EMPTY = {
    "kind": "empty_output",
    "speaker": "agent",
    "finish_reason": "stop",
    "provider_reason": "",
    "error": "",
    "detail": "",
    "thought": False,
}


def attempt(number, reason="user_stop", reward=1.0, fault=None, trial=0):
    unit = TrialUnit(number, 1, "0", "h", "s", trial, number, number, "done")
    return replace(unit, termination_reason=reason, reward=reward, fault=fault)


@pytest.mark.parametrize(
    ("profile", "outcomes"), [("upstream", ["pass"]), ("jtau", ["fail"]), ("leaderboard", ["fail"])]
)
def test_of_several_attempts_each_profile_counts_the_first_that_it_would_not_replace(
    profile, outcomes
):
    units = [attempt(0, "agent_error", 0.0, EMPTY), attempt(1)]
    entries = attribution.entries(units, PROFILES[profile])
    assert [counts(entry.facts, PROFILES[profile]) for entry in entries] == outcomes


def test_attempts_that_do_not_count_stand_beside_the_one_that_does():
    broken = EMPTY | {"speaker": "user"}
    units = [attempt(0, "user_error", 0.0, broken), attempt(1), attempt(2)]
    entries = attribution.entries(units, PROFILES["jtau"])
    assert Counter(counts(entry.facts, PROFILES["jtau"]) for entry in entries) == {
        "rerun": 1,
        "pass": 1,
    }


def test_footnote_8_from_stored_trials(store):
    """70 passes, 5 failures and 75 empty answers of 150: 93.3 upstream, 46.7 with the fix."""
    with store.write("test"):
        run = store.runs.add(
            NewRun("n", "airline", "tau", "en", "model", {}, "upstream", 3, {}, {}, config_hash="x")
        )
        kept = store.runs.keep({"id": "t"})
        tasks = [RunTask(str(at), kept, "s", at) for at in range(50)]
        store.runs.add_tasks(run, tasks)
        for number in range(150):
            passed, empty = number < 70, number >= 75
            result = TrialResult(
                "agent_error" if empty else "user_stop",
                float(passed),
                None,
                EMPTY if empty else None,
                "",
            )
            new = NewTrialUnit(str(number % 50), kept, "s", number // 50, 0, number)
            store.units.add_done(run, new, result, [])
    profiles = scores.score(store, run).profiles
    assert round(100 * profiles["upstream"].mean, 1) == 93.3
    assert round(100 * profiles["tau-star"].mean, 1) == 46.7


def test_a_flag_needs_a_candidate_that_speaks_against_the_task(project):
    _, ren, _ = people(project)
    odd = candidates.Candidate("0", "candidate", 3, 3, 0, (1, 2, 3), (), {"empty_output": 3})
    with pytest.raises(ReviewError, match="not at the task"):
        candidates.open_flag(project, ren, 1, odd)


def test_a_task_that_cannot_be_played_says_why_and_stops_no_other(project):
    plan = RunPlan("airline", variant="tau", tasks=("0", "2"), trials=1)
    run = project.runs.get(lifecycle.prepare(project, None, plan))
    stage = snapshot.stage(project, run)
    broken = stage.tasks["0"] | {"initial_state": {"message_history": [{"role": "system"}]}}
    stage = replace(stage, tasks={**stage.tasks, "0": broken})
    done = asyncio.run(runs_trial.play_trial(stage, run, "0", 1, None))
    assert done.trial.termination_reason == "infrastructure_error"
    assert "message_history" in done.trial.fault.detail
    assert asyncio.run(runs_trial.play_trial(stage, run, "2", 1, None)).score.reward == 1.0


@pytest.mark.parametrize(("variant", "said"), [("j-tau", "こんにちは！"), ("tau", "Hi! ")])
def test_the_agent_greets_in_the_language_of_the_conversation(project, variant, said):
    status = played(project, RunPlan("airline", variant=variant, tasks=("2",), trials=1))
    (unit,) = project.units.of_run(status.run.id)
    assert project.units.messages(unit.id)[0]["content"].startswith(said)


def test_the_list_of_tasks_shows_how_the_latest_run_went(project):
    assert lifecycle.last_outcomes(project, "airline") == {}
    played(project, RunPlan("airline", variant="tau", tasks=("2", "10"), trials=2))
    assert lifecycle.last_outcomes(project, "airline") == {"2": ["pass"] * 2, "10": ["fail"] * 2}


def test_a_run_of_a_model_is_refused_at_the_start_where_no_guideline_is_imported(tmp_path):
    store = sample_store(tmp_path, "airline")
    with pytest.raises(ReviewError, match="simulation_guidelines.md.*not imported"):
        lifecycle.prepare(store, None, RunPlan("airline", agent="model"))
    assert store.runs.list() == []
    lifecycle.prepare(store, None, RunPlan("airline", agent="scripted"))
