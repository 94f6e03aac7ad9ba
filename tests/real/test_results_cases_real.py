"""Results files and a task file on which the app was found wrong."""

from __future__ import annotations

import json
import shutil

import pytest

from review_app import cli
from review_app.store import Store
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest


@pytest.fixture
def score(shared, tmp_path, capsys):
    """Scores a case: exit code, standard output, standard error."""

    def command(case, *more):
        path = shared / "cases" / case
        code = cli.main(["score", str(path), "--db", str(tmp_path / "none.db"), *more])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.mark.parametrize(
    ("case", "file", "place"),
    [
        ("results_folder/index_of_ids/x", "results.json", "simulation_index/0: must be an object"),
        ("results_folder/index_int/x", "results.json", "simulation_index: must be a list, is 5"),
        ("results_folder/deep_file/x", "simulations/s0.json", "holds no JSON object"),
        ("results_folder/broken_third/x", "simulations/s2.json", "'termination_reason' is missing"),
        ("results_unnamed_error/list", "results.json", "holds no JSON object"),
        ("results_unnamed_error/empty", "results.json", "is empty"),
        ("results_unnamed_error/deep", "results.json", "simulations/0: nested too deep"),
        ("results_unnamed_error/trailing", "results.json", "something follows the JSON object"),
        ("results_nan_cost", "results.json", "simulations/0/agent_cost: nan is no number of JSON"),
    ],
)
def test_a_file_that_is_wrong_is_named_with_the_place(score, shared, case, file, place):
    code, out, err = score(case, "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert str(shared / "cases" / case / file) in err and place in err


@pytest.mark.parametrize(
    ("case", "mean", "remark"),
    [
        ("results_unnamed_error/bom", 0.75, None),
        ("results_partial_reward", 0.625, "the reward is partial"),
        ("results_same_task_and_trial_twice", 0.75, "another trial of the task bears the same"),
        ("results_unknown_ending", 0.5, "the ending 'TerminationReason.USER_STOP' is unknown"),
    ],
)
def test_a_file_that_is_odd_is_scored_and_what_is_odd_is_said(score, case, mean, remark):
    code, out, _ = score(case, "--json")
    told = json.loads(out)["total"]
    assert (code, told["mean"], told["counted"]) == (0, mean, 4)
    assert [text.startswith(remark) for text in told["gaps"]] == ([True] if remark else [])


def test_the_case_of_two_trials_of_one_number_scores_the_same_after_import_and_export(
    score, shared, tmp_path, capsys
):
    case = shared / "cases" / "results_same_task_and_trial_twice"
    database = ["--db", str(tmp_path / "review.db")]
    Store(tmp_path / "review.db").close()
    before = json.loads(score(case, "--json")[1])["profiles"]
    assert cli.main(["run", "import", "--file", str(case), *database]) == 0
    assert capsys.readouterr().out.startswith("run 1: 4 trials of 2 tasks")
    out = tmp_path / "out.json"
    assert cli.main(["run", "export", "1", "--file", str(out), *database]) == 0
    capsys.readouterr()
    for source in ("1", str(out)):
        assert cli.main(["score", source, "--json", *database]) == 0
        assert json.loads(capsys.readouterr().out)["profiles"] == before


def test_initial_data_of_a_wrong_kind_is_refused_with_its_task(sample, shared, tmp_path, capsys):
    source = tmp_path / "tau2"
    shutil.copytree(sample / "tau2" / "domains" / "retail", source / "domains" / "retail")
    file = source / "domains" / "retail" / "tasks.json"
    store = Store(tmp_path / "review.db")
    import_domain.import_domain(store, ImportRequest(source, "retail"))
    store.close()
    shutil.copyfile(shared / "cases" / "initial_data_of_wrong_kind" / "tasks.json", file)
    words = ["import", str(source), "--domain", "retail", "--db", str(tmp_path / "review.db")]
    assert cli.main(words) == 2
    place = f"{file}#0/initial_state/initialization_data/agent_data/orders"
    assert f"{place}: must be an object, is []" in capsys.readouterr().err
