"""The benchmark itself plays the project's sample in Japanese."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from peer_cases import PEER_VARIABLES, checked, english_left, peer_python, played, run_plugin
from sample_project import DOMAINS

from review_app.workflows.runs import scores

TASKS = 4
"""Of each domain are played by the benchmark's own command; the self-test replays all."""


def tasks_of(folder, name):
    file = folder / "data" / "tau2" / "domains" / name / "tasks.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_gold_action_does_in_the_benchmark_what_it_does_here(sample_snapshot):
    report = checked(sample_snapshot)
    assert report["differences"] == []
    assert report["tasks"] == report["agree"] == 30
    assert report["known"]


def test_a_difference_and_an_unknown_version_are_told(sample_snapshot, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(sample_snapshot, folder)
    module = folder / "plugin" / "jtau_domains"
    about = json.loads((module / "tables" / "release.json").read_text("utf-8"))
    about |= {"domains": ["retail_ja"], "checked_with": ["tau2 0.0"]}
    (module / "tables" / "release.json").write_text(json.dumps(about), "utf-8")
    record = json.loads((module / "record" / "retail_ja.json").read_text("utf-8"))
    changed, *_ = (task for task, done in record.items() if done["actions"])
    record[changed]["states"] = ["0" * 64]
    (module / "record" / "retail_ja.json").write_text(json.dumps(record), "utf-8")
    done = run_plugin(folder, "check", "--json")
    report = json.loads(done.stdout.strip().splitlines()[-1])
    assert done.returncode == 1
    assert [difference["task"] for difference in report["differences"]] == [changed]
    assert report["agree"] == report["tasks"] - 1
    assert not report["known"]
    assert "the release was checked with tau2 0.0" in done.stderr


@pytest.mark.parametrize("domain", DOMAINS)
def test_gold_ends_with_reward_1_and_no_english_reaches_a_model(sample_snapshot, tmp_path, domain):
    name = f"{domain}_ja"
    tasks = tasks_of(sample_snapshot, name)[:TASKS]
    results, requests = played(sample_snapshot, name, tasks, tmp_path)
    rewards = [simulation["reward_info"]["reward"] for simulation in results["simulations"]]
    assert rewards == [1.0] * TASKS
    assert list(english_left(sample_snapshot, name, requests)) == []


def test_english_that_reaches_a_model_is_found(sample_snapshot):
    call = {"function": {"arguments": json.dumps({"cabin": "economy"})}}
    messages = [
        {"role": "system", "content": ""},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "content": json.dumps({"cabin": "business"})},
        {"role": "tool", "content": "Error: Flight HAT001 not found on date 2024-05-01"},
    ]
    tool = {"type": "function", "function": {"name": "calculate", "enum": ["gold"]}}
    request = {"model": "agent", "messages": messages, "tools": [tool]}
    assert set(english_left(sample_snapshot, "airline_ja", [request])) >= {
        ("schema", "calculate"),
        ("enum", "gold"),
        ("argument", "economy"),
        ("answer", "business"),
        ("message", "not found on date"),
    }


def test_results_score_here_as_they_do_there(sample_snapshot, tmp_path):
    tasks = tasks_of(sample_snapshot, "retail_ja")
    # Only tasks whose gold writes something fail when the agent does nothing.
    written = [task for task in tasks if _writes(task)][:3]
    results, _ = played(sample_snapshot, "retail_ja", written, tmp_path, trials=2, idle=(1, 2, 5))
    rewards = [simulation["reward_info"]["reward"] for simulation in results["simulations"]]
    assert sorted(rewards) == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    told = json.loads((tmp_path / "retail_ja_results.json").read_text("utf-8"))["metrics"]
    graded = scores.score(None, tmp_path / "retail_ja.json", "upstream")
    assert graded.total.mean == told["avg_reward"]
    assert list(graded.total.pass_k) == [told["pass_at_k"]["1"], told["pass_at_k"]["2"]]


def _writes(task):
    names = [action["name"] for action in task["evaluation_criteria"]["actions"] or ()]
    return any(name.startswith(("cancel_", "modify_", "return_", "exchange_")) for name in names)


def test_an_installed_copy_brings_its_data_along(sample_snapshot, tmp_path):
    folder = tmp_path / "snapshot"
    shutil.copytree(sample_snapshot, folder)
    site = tmp_path / "site"
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(site)]
    before = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    subprocess.run([str(peer_python()), *install, str(folder / "plugin")], check=True)
    after = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    assert before == after
    shutil.rmtree(folder)
    code = "from jtau_domains import release; print(len(release.domains()), release.data_folder())"
    done = subprocess.run(
        [str(peer_python()), "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.split("\n")[-2].startswith(f"3 {site}")


@pytest.mark.parametrize(("shown", "key"), [("0", "jst"), ("1", "est")])
def test_names_of_fields_are_the_release_s_or_on_request_the_benchmark_s(
    sample_snapshot, shown, key
):
    code = (
        "from jtau_domains import registration as r;"
        "from tau2.data_model.message import ToolCall;"
        "e = r.environment('airline_ja'); f = next(iter(e.tools.db.flights.values()));"
        "d = next(d for d, s in f.dates.items() if s.status == 'available');"
        "a = {'origin': f.origin, 'destination': f.destination, 'date': d};"
        "print(e.get_response(ToolCall(id='', name='search_direct_flight', arguments=a)).content)"
    )
    done = subprocess.run(
        [str(peer_python()), "-c", code],
        cwd=sample_snapshot / "plugin",
        env={**os.environ, **PEER_VARIABLES, "JTAU_SOURCE_KEYS": shown},
        capture_output=True,
        text=True,
        check=True,
    )
    flight = json.loads(done.stdout.strip().splitlines()[-1])[0]
    assert f"scheduled_departure_time_{key}" in flight
