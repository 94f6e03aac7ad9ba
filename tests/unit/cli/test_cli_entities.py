"""`entities`, `entities-import` and `entities-infer` on a real database."""

from __future__ import annotations

import json

import pytest

from review_app import cli
from review_app.models import Entity
from review_app.workflows.localization import entities

HANA = Entity("person", "Ann Poe", "佐藤 花", "花", "佐藤", "ハナ サトウ", "Hana Sato")


@pytest.fixture
def run(imported, capsys):
    with imported.write("test"):
        imported.entities.add("airline", "ja", [HANA])

    def command(*words):
        code = cli.main([*map(str, words), "--db", str(imported.path)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_entities_are_listed_as_lines_and_as_json(run):
    assert run("entities", "--domain", "airline") == (
        0,
        "person Ann Poe -> 佐藤 花 (invented)\n",
        "",
    )
    code, out, _ = run("entities", "--domain", "airline", "--kind", "city", "--json")
    assert (code, json.loads(out)) == (0, [])


def test_entities_go_out_to_a_file_and_come_back_changed(run, imported, tmp_path):
    file = tmp_path / "entities.csv"
    assert run("entities", "--domain", "airline", "--csv", file)[0] == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbfdomain,kind,source")
    text = file.read_text(encoding="utf-8").replace("佐藤 花", "林 花").replace("佐藤", "林")
    file.write_text(text.replace("Sato", "Hayashi"), encoding="utf-8")
    words = ("entities-import", "--domain", "airline", file, "--as", "Mio")
    planned = run(*words, "--dry-run")
    assert planned[1] == "added: 0\nchanged: 1\ndisplaced: 0\nsame: 0\n"
    assert entities.rows(imported, "airline")[0].target == "佐藤 花"
    assert run(*words) == planned
    assert entities.rows(imported, "airline")[0].target == "林 花"


def test_an_annotator_imports_nothing(run, tmp_path):
    file = tmp_path / "entities.csv"
    run("entities", "--domain", "airline", "--csv", file)
    code, _, err = run("entities-import", "--domain", "airline", file, "--as", "Aki")
    assert (code, err) == (2, "jtau-review: a maintainer has to change entities\n")


def test_published_tasks_are_read_and_what_is_left_out_is_told(run, tmp_path):
    file = tmp_path / "published.json"
    file.write_text(json.dumps([{"id": "0"}]), encoding="utf-8")
    words = ("entities-infer", "--domain", "airline", "--published", file, "--as", "Mio", "--json")
    code, out, _ = run(*words)
    assert code == 0
    assert json.loads(out) == {"added": 0, "changed": 0, "displaced": 0, "same": 0, "left_out": []}


def test_a_file_that_is_not_there_is_one_line(run, tmp_path):
    code, _, err = run(
        "entities-import", "--domain", "airline", tmp_path / "none.csv", "--as", "Mio"
    )
    assert code == 2
    assert "none.csv" in err and "\n" not in err.strip()
