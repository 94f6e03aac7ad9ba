"""`release` on a project that is ready: answers, JSON, exit codes."""

from __future__ import annotations

import json
import shutil

import pytest
from release_project import make_ready

from review_app import cli


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_ready(tmp_path_factory.mktemp("ready"), "retail")


@pytest.fixture
def run(project, tmp_path, capsys):
    """Runs `release` on a copy of the project."""
    shutil.copy(project, tmp_path / "p.db")

    def command(*words):
        code = cli.main(["release", *map(str, words), "--db", str(tmp_path / "p.db")])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def as_json(result):
    code, out, err = result
    assert err == ""
    return code, json.loads(out)


def test_from_check_to_signed_and_verified(run, tmp_path):
    assert run("list")[:2] == (0, "")
    code, check = as_json(run("check", "--json"))
    assert code == 0 and check["ready"] and {gate["count"] for gate in check["gates"]} == {0}
    out = tmp_path / "out"
    code, planned = as_json(run("build", "v1", "--out", out, "--as", "Mio", "--dry-run", "--json"))
    assert code == 0 and planned["dry_run"] and not out.exists()
    words = ("build", "v1", "--out", out, "--as", "Mio", "--note", "first")
    code, lines, said = run(*words)
    assert code == 0 and "README.md  " in lines and "written in" in said
    assert run("sign", "v1", "--as", "Mio")[0] == 0
    code, _, said = run("sign", "v1", "--as", "Mio")
    assert code == 2 and "another maintainer" in said
    code, signed = as_json(run("sign", "v1", "--as", "Nao", "--json"))
    assert signed["signed"] and [s["person"] for s in signed["signatures"]] == ["Mio", "Nao"]
    code, lines, _ = run("list")
    assert lines.startswith("v1: signed, revision ") and "signed by Mio, Nao" in lines
    code, lines, _ = run("verify", out / "v1")
    assert code == 0 and lines.count(": yes") == 4


def test_a_blocked_release_says_where(run, tmp_path):
    cli.main(
        ["flags", "raise", "--domain", "retail", "--task", "3", "--severity", "3", "--text", "odd"]
        + ["--as", "Aki", "--db", str(tmp_path / "p.db")]
    )
    code, lines, _ = run("check")
    assert code == 1
    assert "     1 flags: open flags of severity 2 and up\n" in lines
    assert "         retail/3: odd /tasks?domain=retail&task=3\n" in lines
    code, _, said = run("build", "v1", "--out", tmp_path / "out", "--as", "Mio")
    assert code == 2 and "1 place blocks the release (flags 1)" in said
    words = ("build", "v1", "--out", tmp_path / "out", "--as", "Mio", "--allow-incomplete")
    assert run(*words)[0] == 0
    code, _, said = run("sign", "v1", "--as", "Mio")
    assert code == 2 and "not complete" in said


def test_differences_are_named_by_folder_or_name(run, tmp_path):
    out = tmp_path / "out"
    for name, variant in (("a", "j-tau"), ("b", "j-tau-no-json")):
        words = ("--out", out, "--as", "Mio", "--variant", variant, "--domain", "retail")
        run("build", name, *words, "--names")
    code, lines, said = run("diff", "a", out / "b", "--markdown", tmp_path / "d.md")
    assert code == 1 and said == "0 tasks, 1 texts, 0 database, 0 glossary, 0 patches, 0 files\n"
    assert "agent_prompt.md" in lines and "## texts (1)" in (tmp_path / "d.md").read_text("utf-8")
    code, diff = as_json(run("diff", "a", "a", "--json"))
    assert code == 0 and diff["differences"] == []
    assert run("diff", "a", "nowhere")[0] == 2


def test_a_damaged_release_is_an_answer_and_no_database_is_needed(run, tmp_path):
    run("build", "v1", "--out", tmp_path / "out", "--as", "Mio")
    (tmp_path / "p.db").unlink()
    code, verified = as_json(run("verify", tmp_path / "out" / "v1", "--json"))
    assert code == 0 and verified["checks"][-1]["not_checked"]
    (tmp_path / "out" / "v1" / "README.md").write_text("x")
    code, lines, _ = run("verify", tmp_path / "out" / "v1")
    assert code == 1 and "  README.md: is not as it was written\n" in lines
    assert "proof: not checked: " in lines
    assert not (tmp_path / "p.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build",), "release build NAME"),
        (("build", "v1", "--as", "Mio"), "--out: say where to build"),
        (("build", "v1", "--out", "x"), "--as: say who you are"),
        (("build", "../v1", "--out", "x", "--as", "Mio"), "not '/'"),
        (("build", "v1", "--out", "x", "--as", "Aki"), "a maintainer has to build"),
        (("sign", "v1", "--as", "Mio"), "none yet"),
        (("sign", "v1"), "say who you are"),
        (("verify",), "release verify DIR"),
        (("verify", "nowhere"), "holds no release"),
        (("diff", "a"), "release diff A B"),
        (("check", "--domain", "x"), "no domain 'x'"),
        (("check", "--variant", "x"), "x"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_is_missing_or_wrong_is_one_line(run, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_a_release_opens_a_new_project(run, project, tmp_path, capsys):
    assert run("build", "v1", "--out", tmp_path / "out", "--as", "Mio")[0] == 0
    folder, source, new = tmp_path / "out" / "v1", project.parent / "tau2", tmp_path / "new.db"
    words = [
        "release",
        "open",
        str(folder),
        "--source",
        str(source),
        "--db",
        str(new),
        "--as",
        "Rika",
    ]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "retail: " in said and " answers\n" in said and "note: not in a release" in said
    assert cli.main(words) == 2 and "is there already" in capsys.readouterr().err
    new.unlink()
    assert cli.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["people"][-1] == "Rika"
    assert cli.main(["release", "open", str(folder), "--db", str(tmp_path / "x.db")]) == 2
    assert "say where the source is" in capsys.readouterr().err


def test_the_source_edition_is_built_by_its_recipe(run, tmp_path):
    words = ("build", "en", "--out", tmp_path, "--variant", "tau-repaired", "--as", "Mio", "--json")
    code, done = as_json(run(*words))
    assert code == 0 and done["domains"]["retail"]["name"] == "retail"
    assert "upstream/ISSUE.md" in done["files"]
