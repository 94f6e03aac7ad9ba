"""`localize`, `verify-localization` and `compare-localization` on the sample."""

from __future__ import annotations

import json

import pytest
from sample_project import contents, sample_store, tasks_of

from review_app import cli
from review_app.models import Term
from review_app.workflows import project as workflows_project
from review_app.workflows.localization import proof
from review_app.workflows.review import answers


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The sample's airline without a draft."""
    return sample_store(tmp_path_factory.mktemp("sample"), "airline")


@pytest.fixture
def run(project, capsys):
    """Runs a command on the sample; gives exit code, standard output and standard error."""

    def command(*words, db=None):
        code = cli.main([*map(str, words), "--db", str(db or project.path)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def records(tmp_path):
    """Recorded calls of some other database: they are not compared."""
    folder = tmp_path / "records"
    folder.mkdir()
    meta = {"kind": "meta", "id": "m", "domain": "airline", "pristine_hash": {"agent": "x"}}
    (folder / "airline.jsonl").write_text(json.dumps(meta) + "\n")
    return folder


def test_localize_writes_the_domain_and_says_what_stands_in(run, tmp_path):
    words = ("localize", "--domain", "airline", "--out", tmp_path / "out", "--allow-incomplete")
    code, _, err = run(*words)
    files = contents(tmp_path / "out")
    assert code == 0 and "airline/db.json" in files
    assert "texts stand in for translations" in err
    code, out, _ = run(*words, "--json")
    said = json.loads(out)
    assert code == 0 and said["folder"] == str(tmp_path / "out")
    assert said["variant"] == "j-tau" and len(said["files"]) == len(files) - 1
    assert contents(tmp_path / "out") == files


def test_localize_refuses_what_is_not_approved_and_names_it(run, tmp_path):
    code, out, err = run("localize", "--domain", "airline", "--out", tmp_path / "out")
    assert code == 2 and not out and not (tmp_path / "out").exists()
    assert "segments are not approved, first: airline/" in err and "--allow-incomplete" in err


def test_localize_takes_variant_locale_and_seed(run, tmp_path):
    options = (
        "--variant",
        "mt-only",
        "--locale",
        "de",
        "--seed",
        "3",
        "--drafts",
        "--assertions",
        "source",
        "--allow-incomplete",
    )
    code, out, _ = run(
        "localize", "--domain", "airline", "--out", tmp_path / "o", *options, "--json"
    )
    said = json.loads(out)
    told = {name: said[name] for name in ("variant", "locale", "seed", "texts", "assertions")}
    assert code == 0 and told == {
        "variant": "mt-only",
        "locale": "de",
        "seed": 3,
        "texts": "current",
        "assertions": "source",
    }


def test_what_cannot_be_localized_is_told_and_nothing_is_written(run, tmp_path):
    out = tmp_path / "out"
    for words, problem in (
        (("--domain", "hotel"), "no domain 'hotel'"),
        (("--domain", "airline", "--variant", "x"), "mt-only"),
        (("--domain", "airline", "--locale", "xx"), "no locale 'xx'"),
    ):
        code, _, err = run("localize", *words, "--out", out)
        assert code == 2 and problem in err and not out.exists()


def test_verify_says_that_nothing_is_violated(run, project, records):
    words = ("verify-localization", "--domain", "airline", "--records", records)
    code, out, _ = run(*words)
    assert code == 0
    assert out.startswith("airline, j-tau: 12 tasks, 0 recorded calls\n0 violations\n")
    code, out, _ = run(*words, "--json")
    assert code == 0 and json.loads(out)["by_code"] == {}
    assert proof.last(project, "airline").summary["tasks"] == 12


def test_verify_of_another_variant_is_not_kept(run, tmp_path, records):
    store = sample_store(tmp_path, "airline")
    words = ("verify-localization", "--domain", "airline", "--variant", "mt-only")
    code, out, _ = run(*words, "--records", records, db=store.path)
    assert code == 0 and "mt-only" in out
    assert proof.last(store, "airline") is None


def test_verify_names_what_is_left_over_and_exits_with_1(run, tmp_path, records):
    store = sample_store(tmp_path, "airline")
    person = workflows_project.add_person(store, "Aki", "annotator")
    address = "tasks.json#0/user_scenario/instructions/known_info"
    segment = store.segments.at("airline", address)
    said = "あなたはNora Castellです。"
    answers.edit(store, segment.id, person, target=said, expected_version=segment.version)
    words = ("verify-localization", "--domain", "airline", "--drafts", "--records", records)
    code, out, _ = run(*words, db=store.path)
    assert code == 1 and f"error LOC002 text {address}" in out


def test_compare_prints_every_difference_and_explains_it_or_exits_with_1(run, tmp_path):
    run("localize", "--domain", "airline", "--out", tmp_path / "out", "--allow-incomplete")
    published = list(tasks_of(contents(tmp_path / "out"), "airline").values())
    file = tmp_path / "published.json"
    file.write_text(json.dumps(published, ensure_ascii=False), "utf-8")
    words = ("compare-localization", "--domain", "airline", "--with", file)
    texts = "12 of 12 in names, dates and amounts of their texts"
    actions = "tasks agree in gold actions and expected strings"
    assert run(*words) == (0, "", f"12 of 12 {actions}; {texts}\n")
    published[1]["evaluation_criteria"]["communicate_info"] = ["1"]
    file.write_text(json.dumps(published, ensure_ascii=False), "utf-8")
    code, out, err = run(*words, "--without-fixes")
    assert code == 1 and "11 of 12 tasks agree" in err and "not explained" in out
    code, out, _ = run(*words, "--json")
    assert code == 1 and json.loads(out)["unlike"][0]["place"] == "communicate_info/0"
    file.write_text("{")
    code, _, err = run(*words)
    assert code == 2 and "published.json" in err


def test_terms_of_the_project_decide_what_a_text_says(run, tmp_path):
    store = sample_store(tmp_path, "airline")
    with store.write("test"):
        store.terms.add([Term("sister", "姉", domain="airline")])
    words = ("localize", "--domain", "airline", "--out", tmp_path / "out", "--allow-incomplete")
    run(*words, db=store.path)
    task = tasks_of(contents(tmp_path / "out"), "airline")["0"]
    assert "姉" in task["user_scenario"]["instructions"]["reason_for_call"]
