"""What passes prove: of a scripted run, of an imported one, of a file; by every way to them."""

from __future__ import annotations

import json

import pytest
from results_cases import failed, jtau_fault, results, simulation
from run_cases import played
from sample_project import sample_store

from review_app.core.scoring.accounting import PROFILES
from review_app.core.scoring.empty_passes import record
from review_app.workflows.benchmark import environments
from review_app.workflows.runs import candidates, passes, results_files, scores, transcript
from review_app.workflows.runs.lifecycle import RunPlan

HI = {"role": "assistant", "content": "Hi!"}
ASKS = {"role": "user", "content": "Hello."}
STOP = {"role": "user", "content": "###STOP###"}
TALK = {"messages": [HI, ASKS, {"role": "assistant", "content": "Yes."}, STOP]}
CALLS = [{"id": "1", "name": "toggle_data", "arguments": {}}]
UNHEARD = {"messages": [HI, {"role": "user", "content": None, "tool_calls": CALLS}, STOP]}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = sample_store(tmp_path_factory.mktemp("passes"), "airline")
    yield store
    store.close()


@pytest.fixture(scope="module")
def idle(store):
    """Tasks of the sample that an idle agent passes, and others."""
    known = {name: dict(gold.task) for name, gold in environments.tasks(store, "airline").items()}
    place = environments.load(store, "airline")
    split = {True: [], False: []}
    for task in known.values():
        empty = passes.why_empty(None, task, place.open())
        split[empty == "idle_passes"].append(task)
    assert split[True] and len(split[False]) > 3
    return split


@pytest.fixture(scope="module")
def file(idle, tmp_path_factory):
    """One task that an idle agent passes; one shown, one only stopped early, one never solved."""
    free = idle[True][0]
    shown, stopped, lost, broken = idle[False][:4]
    sims = [
        *(simulation(str(free["id"]), at, **TALK) for at in range(3)),
        simulation(str(shown["id"]), 0),
        *(simulation(str(shown["id"]), at, **TALK) for at in (1, 2)),
        *(simulation(str(stopped["id"]), at, **more) for at, more in enumerate(({}, UNHEARD, {}))),
        *(simulation(str(lost["id"]), at, **failed()) for at in range(3)),
        *(simulation(str(broken["id"]), at, **jtau_fault()) for at in range(3)),
    ]
    whole = results(sims, [])
    whole["tasks"] = [free, shown, stopped, lost, broken]
    whole["info"]["environment_info"] = {"domain_name": "airline"}
    path = tmp_path_factory.mktemp("file") / "results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    names = ("free", "shown", "stopped", "lost", "broken")
    return path, dict(zip(names, (str(task["id"]) for task in whole["tasks"]), strict=True))


@pytest.fixture(scope="module")
def imported(store, file):
    return store.runs.get(results_files.import_file(store, None, file[0]).run)


def expected(names):
    return {
        "shown_solvable": [names["shown"]],
        "not_shown_solvable": [names["free"], names["stopped"]],
        "empty_passes": {"idle_passes": 3, "nothing_asked": 3, "agent_unheard": 1},
        "early_stops": 7,
        "unchecked": [],
    }


def test_a_task_that_only_such_passes_solve_is_not_shown_solvable(store, imported, file):
    proved = passes.of_run(store, imported)
    assert record(proved.solvability) == expected(file[1])
    units = {unit.id: unit for unit in store.units.of_run(imported.id)}
    assert {units[key].task_id for key in proved.empty} == {
        file[1][name] for name in ("free", "shown", "stopped")
    }
    assert {units[key].task_id for key in proved.early} == {
        file[1][name] for name in ("shown", "stopped", "lost")
    }


def test_scores_name_them_and_keep_their_numbers(store, imported, file):
    graded = scores.score(store, imported.id)
    assert record(graded.solvability) == expected(file[1])
    assert {name: summary.mean for name, summary in graded.profiles.items()} == {
        **dict.fromkeys(PROFILES, 9 / 15),
        "upstream": 9 / 12,
    }
    causes = {"pass": 9, "agent": 3, "user": 0, "eval": 0, "early_stop": 3, "unknown": 0}
    assert graded.record_causes == causes
    assert (graded.judge_causes, graded.human_causes) == (None, None)
    own = scores.score(store, file[0])
    assert (own.solvability, own.record_causes) == (graded.solvability, causes)


def test_without_databases_nobody_can_tell_whether_an_idle_agent_passes(file):
    proved = scores.score(None, file[0]).solvability
    names = file[1]
    assert proved.shown == (names["free"], names["shown"])
    assert proved.not_shown == (names["stopped"],)
    assert proved.unchecked == (names["free"], names["shown"])


def test_a_run_without_failures_by_anybody_names_no_cause(store):
    played(store, RunPlan("airline", variant="tau", agent="scripted", tasks=("0",), trials=1))
    run = store.runs.list()[0]
    assert scores.score(store, run.id).record_causes is None


def test_candidates_say_what_their_passes_prove_and_who_stopped(store, imported, file):
    found = {one.task_id: one for one in candidates.find(store, imported.id, every=True)}
    said = {name: (found[task].shown, dict(found[task].empty)) for name, task in file[1].items()}
    assert said == {
        "free": ("not_shown", {"idle_passes": 3}),
        "shown": ("shown", {"nothing_asked": 1}),
        "stopped": ("not_shown", {"nothing_asked": 2, "agent_unheard": 1}),
        "lost": ("unsolved", {}),
        "broken": ("unsolved", {}),
    }
    lost, broken = found[file[1]["lost"]], found[file[1]["broken"]]
    assert (lost.early_stops, lost.verdict) == (3, "user stops early")
    assert (broken.early_stops, broken.verdict) == (0, "model or settings")


def test_a_scripted_run_is_looked_at_on_its_own_databases(store, idle):
    tasks = tuple(str(task["id"]) for task in (idle[True][0], idle[False][0]))
    played(store, RunPlan("airline", variant="tau", agent="scripted", tasks=tasks, trials=2))
    run = store.runs.list()[0]
    for _ in range(2):
        proved = passes.of_run(store, run)
        assert (proved.early, proved.solvability.early_stops) == ({}, 0)
        assert proved.solvability.of(tasks[0]) == "not_shown"
        assert proved.solvability.empty == {"idle_passes": 2}
    shown = transcript.of_trial(store, min(proved.empty), transcript.stage_of(store, run))
    assert (shown.early, shown.empty) == (None, "idle_passes")
    latest, known = passes.of_domains(store)["airline"]
    assert (latest.id, known) == (run.id, proved.solvability)


def test_a_transcript_says_how_the_user_stopped_early(store, imported):
    proved = passes.of_run(store, imported)
    for key, early in proved.early.items():
        shown = transcript.of_trial(store, key, None)
        assert (shown.early, shown.empty) == (early, early)
