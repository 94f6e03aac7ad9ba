"""Results files: a run goes out, comes back, and scores as before; other people's files come in."""

from __future__ import annotations

import json
import shutil
import sqlite3

import pytest
from curation_project import make_project
from results_cases import failed, results, simulation
from run_cases import played

from review_app.errors import BadInput
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.curation import patches
from review_app.workflows.runs import (
    candidates,
    lifecycle,
    rescore,
    results_files,
    scores,
    transcript,
)
from review_app.workflows.runs.lifecycle import RunPlan


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = make_project(tmp_path_factory.mktemp("results"))
    store = Store(path)
    played(store, RunPlan("airline", variant="tau", tasks=("0", "2", "10"), trials=3))
    store.close()
    return path


@pytest.fixture
def project(template, tmp_path):
    path = tmp_path / "review.db"
    shutil.copy(template, path)
    store = Store(path)
    yield store
    store.close()


@pytest.mark.parametrize("layout", ["json", "dir"])
def test_a_run_that_goes_out_and_comes_back_scores_as_before(project, tmp_path, layout):
    path = tmp_path / "out"
    assert results_files.export(project, 1, path, layout=layout) == 9
    imported = results_files.import_file(project, None, path)
    assert (imported.tasks, imported.trials, imported.changed, imported.gone) == (3, 9, (), ())
    before, after = scores.score(project, 1), scores.score(project, imported.run)
    assert (after.total.pass_k, after.total.rounds) == (before.total.pass_k, before.total.rounds)
    assert scores.score(None, path).total == scores.score(project, path).total
    assert after.models["agent"] == "scripted (not a model)"
    again = tmp_path / "again"
    results_files.export(project, imported.run, again, layout=layout)
    first, second = (results_files.read(file) for file in (path, again))
    assert [simulation.raw for simulation in first.simulations] == [
        simulation.raw for simulation in second.simulations
    ]
    assert (first.tasks, first.info) == (second.tasks, second.info)


def test_an_imported_run_keeps_its_tasks_and_tells_which_are_others_today(project, tmp_path):
    path = tmp_path / "r.json"
    results_files.export(project, 1, path)
    content = json.loads(path.read_text("utf-8"))
    content["tasks"][0]["user_scenario"]["persona"] = "someone else"
    content["tasks"][1]["id"] = "99"
    path.write_text(json.dumps(content), "utf-8")
    imported = results_files.import_file(project, None, path, name="theirs")
    assert (imported.changed, imported.gone) == (("0",), ("99",))
    unit = next(unit for unit in project.units.of_run(imported.run) if unit.task_id == "0")
    shown = transcript.of_trial(project, unit.id, None)
    assert shown.task["user_scenario"]["persona"] == "someone else"
    today = rescore.task_today(project, imported.run, "0")
    assert today["user_scenario"].get("persona") != "someone else"
    assert lifecycle.status(project, imported.run).state == "done"


def test_files_without_costs_raw_data_or_trial_numbers_are_imported(project, tmp_path):
    path = tmp_path / "r.json"
    records = [
        simulation("0", None, agent_cost=None, user_cost=None),
        simulation("0", None, termination_reason="infrastructure_error"),
        simulation("7", 0),
    ]
    for at, record in enumerate(records):
        record["id"] = f"s{at}"
    path.write_text(json.dumps(results(records, ["0"])), "utf-8")
    imported = results_files.import_file(project, None, path, domain="airline")
    units = project.units.of_run(imported.run)
    assert [(unit.task_id, unit.trial) for unit in units] == [("0", 0), ("0", 1), ("7", 0)]
    assert (units[0].cost_usd, units[0].unpriced) == (None, 2)
    assert candidates.find(project, imported.run) == []


def test_a_taken_path_and_a_missing_file_are_refused(project, tmp_path):
    (tmp_path / "taken").write_text("mine", "utf-8")
    with pytest.raises(BadInput, match="exists already"):
        results_files.export(project, 1, tmp_path / "taken")
    with pytest.raises(BadInput, match="no such results file"):
        results_files.read(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{", "utf-8")
    with pytest.raises(BadInput):
        scores.score(None, tmp_path / "bad.json")
    with pytest.raises(BadInput, match="no profile"):
        scores.score(project, 1, "strict")
    assert (tmp_path / "taken").read_text("utf-8") == "mine"


def test_two_runs_are_paired_by_task_and_stand_side_by_side(project):
    played(project, RunPlan("airline", variant="tau", tasks=("0", "10"), trials=3))
    comparison = scores.compared(project, 1, 2, "jtau")
    assert (comparison.tasks, comparison.left_out, comparison.difference, comparison.tied) == (
        2,
        1,
        0.0,
        2,
    )
    rows = scores.table(project, [1], "jtau")
    assert list(rows) == ["tau: scripted (not a model)"]
    assert scores.mean_over_domains(rows["tau: scripted (not a model)"].values()) == (
        pytest.approx(2 / 3)
    )


def test_an_imported_run_is_not_resumed(project, tmp_path):
    path = tmp_path / "r.json"
    results_files.export(project, 1, path)
    imported = results_files.import_file(project, None, path)
    with pytest.raises(Exception, match="was imported"):
        lifecycle.resume(project, None, imported.run)
    assert jobs.reap(project) == []


def test_old_trials_are_counted_by_todays_tasks_beside_those_that_were_played(project):
    people_ = [project.people.named(name) for name in ("Ren", "Mila")]
    before = rescore.score_today(project, 1)
    assert before.mean == scores.score(project, 1).total.mean == pytest.approx(2 / 3)
    status = played(project, RunPlan("retail", tasks=("0", "11"), trials=3))
    assert results_files.against_today(project, status.run.id) == ((), ())
    stored = project.patches.named("retail/11/repair/1")
    mine = people_[0] if stored.proposer_id != people_[0].id else people_[1]
    patches.approve(project, mine, stored.id)
    assert results_files.against_today(project, status.run.id) == (("11",), ())
    assert rescore.score_today(project, status.run.id).tasks == 2
    assert scores.score(project, status.run.id).total.mean == 0.5


# -- nothing is dropped ------------------------------------------------------------------------


def written(path, simulations, tasks=("0", "2"), layout="json"):
    """A results file, or its folder, with these records."""
    head = results([], tasks, 2)
    if layout == "json":
        content = {**head, "simulations": simulations}
        path.write_text(json.dumps(content), "utf-8")
        return path
    (path / "simulations").mkdir(parents=True)
    for at, record in enumerate(simulations):
        (path / "simulations" / f"{at}.json").write_text(json.dumps(record), "utf-8")
    head["simulation_index"] = [{"id": record["id"]} for record in simulations]
    (path / "results.json").write_text(json.dumps(head), "utf-8")
    return path


def numbers(grades):
    """All that scores say, whoever holds the trials."""
    return grades.total, grades.profiles, grades.upstream_code, grades.total.gaps


@pytest.mark.parametrize("layout", ["json", "dir"])
def test_trials_of_one_number_count_the_same_in_a_file_a_run_and_an_export(
    project, tmp_path, layout
):
    sims = [
        simulation("0", 0, id="s1"),
        simulation("0", 0, id="s0", **failed()),
        simulation("0", None, id="s4"),
        simulation("2", 1, id="s3", reward_info={"reward": 0.5}),
        simulation("2", 1, id="s2", termination_reason="stopped"),
    ]
    file = written(tmp_path / "in", sims, layout=layout)
    before = scores.score(project, file)
    assert before.total.counted == 5 and before.total.mean == pytest.approx(2.5 / 5)
    for at in range(2):  # the same file twice is two runs
        imported = results_files.import_file(project, None, file, domain="airline")
        assert imported.trials == 5
        assert numbers(scores.score(project, imported.run)) == numbers(before)
        for again in ("json", "dir"):
            out = tmp_path / f"out-{at}-{again}"
            assert results_files.export(project, imported.run, out, layout=again) == 5
            assert numbers(scores.score(project, out)) == numbers(before)
            kept = {trial.id: trial.raw for trial in results_files.read(out).simulations}
            assert kept == {record["id"]: record for record in sims}


def test_simulations_of_one_id_are_kept_and_no_folder_can_hold_them(project, tmp_path):
    sims = [simulation("0", at, id="s") for at in range(2)]
    file = written(tmp_path / "in.json", sims)
    imported = results_files.import_file(project, None, file, domain="airline")
    assert results_files.export(project, imported.run, tmp_path / "out.json") == 2
    with pytest.raises(BadInput, match="two trials are called 's'"):
        results_files.export(project, imported.run, tmp_path / "out", layout="dir")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../s", "a/b", "a\\b", ".", "x" * 201, "a\nb", "a:b"])
def test_a_trial_whose_name_is_no_file_s_is_refused_in_a_folder(project, tmp_path, name):
    file = written(tmp_path / "in.json", [simulation("0", 0, id=name)])
    imported = results_files.import_file(project, None, file, domain="airline")
    with pytest.raises(BadInput, match="can name no file"):
        results_files.export(project, imported.run, tmp_path / "o" / "ut", layout="dir")
    assert not (tmp_path / "o").exists()


def test_a_broken_record_of_a_folder_is_told_with_its_own_file(tmp_path):
    folder = written(tmp_path / "in", [simulation("0", at) for at in range(3)], layout="dir")
    broken = folder / "simulations" / "1.json"
    for content, says in (
        ("{", "not JSON"),
        ("[" * 100_000, "holds no JSON object"),
        ('{"id": ' + "[" * 100_000, "nested too deep"),
        ("", "is empty"),
        ('{"id": "0-1"}', "'task_id' is missing"),
        (json.dumps(simulation("0", 1, seed="7")), "must be a whole number"),
    ):
        broken.write_text(content, "utf-8")
        with pytest.raises(BadInput, match=says) as error:
            results_files.read(folder)
        assert error.value.file == str(broken)
    broken.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="cannot be read") as error:
        results_files.read(folder)
    assert error.value.file == str(broken)


def test_a_byte_order_mark_is_fine(tmp_path):
    folder = written(tmp_path / "in", [simulation("0", 0)], layout="dir")
    for path in (folder / "results.json", folder / "simulations" / "0.json"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(results_files.read(folder).simulations) == 1


@pytest.mark.parametrize("layout", ["json", "dir"])
def test_what_an_older_import_took_and_json_cannot_say_is_refused_at_export(
    project, tmp_path, layout
):
    file = written(tmp_path / "in.json", [simulation("0", 0)])
    imported = results_files.import_file(project, None, file, domain="airline")
    with sqlite3.connect(project.path) as database:
        query = "UPDATE units SET extras = replace(extras, '1.5', 'NaN') WHERE run_id = ?"
        assert database.execute(query, (imported.run,)).rowcount == 1
    with pytest.raises(BadInput, match="cannot be written"):
        results_files.export(project, imported.run, tmp_path / "out", layout=layout)
    assert [path.name for path in tmp_path.glob("**/*.part")] == []


@pytest.mark.parametrize("member", ["tasks", "simulations"])
@pytest.mark.parametrize("value", [{"id": "0"}, "x", 5, False])
def test_tasks_and_simulations_are_lists_or_refused(tmp_path, member, value):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({**results([], []), member: value}), "utf-8")
    with pytest.raises(BadInput, match=f"{member}: must be a list"):
        results_files.read(path)
    path.write_text(json.dumps({**results([], []), member: None}), "utf-8")
    assert results_files.read(path).simulations == ()
