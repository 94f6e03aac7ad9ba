"""Runs on the command line."""

from __future__ import annotations

import json
import shutil

import pytest
from curation_project import make_project
from results_cases import jtau_fault, results, simulation
from run_cases import played

from review_app import cli
from review_app.store import Store
from review_app.workflows.runs.lifecycle import RunPlan


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = make_project(tmp_path_factory.mktemp("cli"))
    store = Store(path)
    played(store, RunPlan("airline", variant="tau", tasks=("0", "2", "10"), trials=3))
    store.close()
    return path


@pytest.fixture
def run(template, tmp_path, capsys, monkeypatch):
    """Runs a command on a project with one run: exit code, standard output, standard error."""
    for name in ("JTAU_API_BASE", "JTAU_API_KEY", "JTAU_AGENT_API_BASE", "JTAU_AGENT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(template, tmp_path / "review.db")

    def command(*words):
        code = cli.main([*words, "--db", "review.db"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_a_run_is_started_waited_for_and_told_about(run):
    words = ("--domain", "airline", "--tasks", "0", "--trials", "1", "--wait", "--json")
    code, out, _ = run("run", "start", *words)
    told = json.loads(out)
    assert (code, told["state"], told["outcomes"]) == (0, "done", {"pass": 1})
    assert told["models"]["agent"]["model"] == "scripted (not a model)"
    code, out, _ = run("run", "status")
    assert code == 0 and "airline tau: scripted (not a model): done, 9/9 trials: 3 fail" in out
    assert run("run", "cancel", "2")[0] == 0
    assert run("run", "resume", "9")[0] == 2


def test_scores_tell_the_number_its_interval_and_every_profile(run):
    code, out, _ = run("score", "1", "--profile", "jtau")
    assert code == 0 and "all tasks: 66.7 [" in out and "pass^3 66.7" in out
    assert "under tau-star" in out and "9 trials counted" in out
    code, out, _ = run("score", "1", "--json")
    told = json.loads(out)
    assert told["total"]["is_complete"] and told["total"]["coverage"] == ""
    assert set(told["profiles"]) == {"upstream", "tau-star", "jtau", "leaderboard", "curation"}
    assert run("score", "1", "--profile", "strict")[0] == 2


def test_a_file_is_scored_without_a_database_and_compared_with_a_run(run, tmp_path):
    assert run("run", "export", "1", "--file", "r.json")[1] == "9 trials written to r.json\n"
    (tmp_path / "review.db").rename(tmp_path / "other.db")
    code, out, _ = run("score", "r.json", "--profile", "leaderboard", "--json")
    assert (code, json.loads(out)["total"]["profile"]) == (0, "leaderboard")
    (tmp_path / "other.db").rename(tmp_path / "review.db")
    out = run("score", "1", "--against", "r.json")[1]
    assert "difference +0.0" in out and "3 common tasks (0 left out)" in out
    assert run("run", "import", "--file", "r.json")[1].startswith("run 2: 9 trials of 3 tasks")


def test_candidates_come_with_their_evidence_and_become_flags(run):
    code, out, _ = run("candidates", "--run", "1")
    assert code == 1 and out.startswith("10: candidate, 3 of 3 failed, says task\n  rules: PAY-01")
    assert run("candidates", "--run", "1", "--flag", "10")[0] == 2
    code, out, _ = run("candidates", "--run", "1", "--flag", "10", "--as", "Ren")
    assert (code, out) == (0, "flag 1 on task 10\n")
    evidence = json.loads(run("flags", "show", "1", "--json")[1])["flag"]["evidence"]
    assert evidence[0]["note"].startswith("trials ") and evidence[1]["note"].startswith("PAY-01 ")
    assert run("candidates", "--run", "1", "--flag", "0", "--as", "Ren")[0] == 2
    every = json.loads(run("candidates", "--run", "1", "--all", "--json")[1])
    assert [one["standing"] for one in every] == ["candidate", "clean", "clean"]
    assert every[0]["signals"][0]["note"] == evidence[1]["note"]


def test_passes_that_prove_nothing_are_named_by_every_command(run):
    name = "8"  # its gold changes nothing and nothing has to be said
    played = ("--domain", "airline", "--variant", "tau", "--tasks", "1", name, "--trials", "2")
    code, out, _ = run("run", "start", *played, "--wait", "--json")
    said = "2 passes prove nothing: 2 × a do-nothing agent passes too\n"
    unproved = {
        "shown_solvable": ["1"],
        "not_shown_solvable": [name],
        "empty_passes": {"idle_passes": 2},
        "early_stops": 0,
        "unchecked": [],
    }
    assert (code, json.loads(out)["solvability"]) == (0, unproved)
    assert said in run("run", "status", "2")[1]
    assert said in run("score", "2")[1]
    told = json.loads(run("score", "2", "--json")[1])
    assert (told["solvability"], told["record_causes"]) == (unproved, None)
    out = run("candidates", "--run", "2", "--all")[1]
    assert f"  {said[:-1]}, not shown solvable\n" in out
    assert run("candidates", "--run", "2")[1] == (
        f"not shown solvable, because their passes prove nothing: {name}\n"
    )
    every = json.loads(run("candidates", "--run", "2", "--all", "--json")[1])
    assert {one["task_id"]: one["shown"] for one in every} == {"1": "shown", name: "not_shown"}
    told = json.loads(run("stats", "--domain", "airline", "--json")[1])
    assert told["solvability"] == {"airline": {"run": 2, **unproved}}
    assert "airline run 2: 1 tasks shown solvable, 1 only by passes" in run("stats")[1]


def test_an_estimate_calls_nobody_and_says_what_has_no_price(run):
    words = ("run", "estimate", "--domain", "airline", "--agent", "model", "--judge", "--json")
    code, out, _ = run(*words)
    told = json.loads(out)
    assert (code, told["trials"], told["cost_usd"]) == (0, 36, None)
    assert told["models"]["agent"] == "hosted_vllm/zai-org/GLM-5.2-FP8"
    assert told["models"]["judge"] == "hosted_vllm/openai/gpt-oss-120b"
    code, out, _ = run("run", "estimate", "--domain", "airline")
    assert code == 0 and "0.00 USD (agent scripted (not a model)" in out


@pytest.mark.parametrize(
    "words",
    [
        ("run", "start"),
        ("run", "start", "--domain", "airline", "--tasks", "none"),
        ("run", "start", "--domain", "airline", "--trials", "0"),
        ("run", "start", "--domain", "airline", "--profile", "strict"),
        ("run", "export", "1"),
        ("run", "export"),
        ("run", "judge", "9"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(run, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "") and err.count("\n") == 1


def test_an_estimate_says_that_assertions_need_a_judge(run):
    words = ("run", "estimate", "--domain", "retail", "--agent", "model")
    assert "have no score until a judge reads them" in run(*words)[1]
    assert "judge reads" not in run(*words, "--judge")[1]


def test_a_score_says_where_upstream_s_code_counts_otherwise(run, tmp_path):
    sims = [simulation("0", 0), simulation("0", 1, **jtau_fault())]
    (tmp_path / "r.json").write_text(json.dumps(results(sims, ["0"], 2)), "utf-8")
    code, out, _ = run("score", "r.json")
    assert code == 0
    assert "under upstream: 100.0; pass^1 100.0; 1 trials counted" in out
    assert "under upstream, as its code counts: 50.0; pass^1 50.0, pass^2 0.0; 2 trials" in out
    assert "  1 trial: its code counts agent_error with an empty or malformed output;" in out
    told = json.loads(run("score", "r.json", "--json")[1])["upstream_code"]
    assert (told["mean"], told["counted"], list(told["differences"].values())) == (0.5, 2, [1])


def test_what_json_cannot_say_is_null(capsys):
    from argparse import Namespace

    from review_app.cli.registry import show

    content = {"a": [float("nan"), (float("-inf"), 1.5)], "b": True}
    show(Namespace(json=True), content, [])
    assert json.loads(capsys.readouterr().out) == {"a": [None, [None, 1.5]], "b": True}
