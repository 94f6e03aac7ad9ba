"""Every command on a real database, JSON documents, exit codes, bad input."""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tiny_benchmark import dump

from review_app import cli
from review_app.cli.registry import REGISTERED
from review_app.core.formats.glossary import terms_to_csv
from review_app.models import Term
from review_app.workflows.review import checks

ROOT = Path(__file__).resolve().parents[3]
POLICY = "airline/policy.md#refunds/1"


@pytest.fixture
def run(store, capsys):
    """Runs a command on the database; gives exit code, standard output and standard error."""

    def command(*words, db=store.path):
        code = cli.main([*map(str, words), *(["--db", str(db)] if db else [])])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def loaded(run, tiny, crew):
    """The same, with the small domain imported."""
    run("import", tiny.source, "--domain", "airline", "--draft", tiny.draft)
    return run


def as_json(result):
    code, out, err = result
    assert err == ""
    return code, json.loads(out)


# -- commands ----------------------------------------------------------------------------------


def test_import_says_what_it_did_and_a_dry_run_what_it_would_do(run, store, tiny):
    words = ("import", tiny.source, "--domain", "airline", "--draft", tiny.draft)
    code, planned = as_json(run(*words, "--dry-run", "--json"))
    assert code == 0 and planned["dry_run"] and store.documents.domains() == []
    code, done = as_json(run(*words, "--json"))
    assert code == 0 and done == planned | {"dry_run": False}
    assert set(done) == {
        "domain",
        "files",
        "segments",
        "added",
        "removed",
        "translated",
        "redrafted",
        "stale",
        "kept",
        "unaligned",
        "notes",
        "changed",
        "dry_run",
        "guides",
    }
    assert run(*words)[1].startswith("airline: nothing changed\n")
    tiny.change("policy.md", "24 hours", "48 hours")
    out = run(*words, "--dry-run")[1]
    assert "would be stale: policy.md#refunds/1" in out


def test_a_dry_run_into_a_new_database_makes_none(run, tiny, tmp_path):
    words = ("import", tiny.source, "--domain", "airline", "--dry-run", "--json")
    code, planned = as_json(run(*words, db=tmp_path / "deep" / "new.db"))
    assert code == 0 and planned["added"] == 23
    assert not (tmp_path / "deep").exists()
    code, _, err = run(*words, db=tmp_path)
    assert code == 2 and str(tmp_path) in err


def test_import_lists_what_is_not_aligned(run, tiny):
    tiny.change("policy.md", "- 返金には5営業日かかります。\n", "", draft=True)
    words = ("import", tiny.source, "--domain", "airline", "--draft", tiny.draft)
    assert "not aligned (source): policy.md#refunds/1: section 'Refunds'" in run(*words)[1]


def test_import_takes_tools_from_named_files(run, tiny, tmp_path):
    (tiny.folder / "tools.json").rename(tmp_path / "schema.json")
    words = ("import", tiny.folder, "--domain", "airline", "--tools", tmp_path / "schema.json")
    code, report = as_json(run(*words, "--json"))
    assert code == 0 and report["segments"]["tool"] == 4


def test_the_imported_domain_is_checked_and_can_be_searched(loaded, store):
    assert store.findings.unchecked("") != []
    code, found = as_json(loaded("segments", "--search", "24時間", "--json"))
    assert code == 0 and [entry["address"] for entry in found] == ["policy.md#refunds/1"]


def test_check_exits_with_1_only_if_there_is_an_error(loaded):
    code, found = as_json(loaded("check", "--domain", "airline", "--json"))
    assert code == int(any(one["severity"] == "error" for one in found)) == 0
    loaded("answer", "airline/policy.md#baggage/1", "edit", "--as", "Aki", "--text", "50ドルです。")
    code, found = as_json(loaded("check", "--json"))
    assert code == 1
    wrong = next(one for one in found if one["code"] == "AMT001")
    assert {"code", "severity", "domain", "file", "address", "span", "message"} <= set(wrong)
    code, out, _ = loaded("check")
    assert code == 1 and "error AMT001 airline/policy.md#baggage/1: " in out


def test_findings_are_right_at_once_after_an_answer_and_an_undo(loaded):
    def listed():
        return len(as_json(loaded("segments", "--finding", "AMT001", "--json"))[1])

    assert listed() == 0
    loaded("answer", "airline/policy.md#baggage/1", "edit", "--as", "Aki", "--text", "50ドルです。")
    assert listed() == 1
    loaded("undo", "--as", "Aki")
    assert listed() == 0


def test_status_counts_by_file_and_state(loaded):
    code, rows = as_json(loaded("status", "--json"))
    assert code == 0 and rows[0] == {
        "domain": "airline",
        "file": "policy.md",
        "kind": "policy",
        "state": "draft",
        "segments": 8,
    }
    assert "airline/policy.md: 8 draft\n" in loaded("status")[1]


def test_three_people_approve_on_the_command_line(loaded):
    for name, state in (("Aki", "in_review"), ("Ben", "in_review"), ("Chie", "approved")):
        code, segment = as_json(loaded("answer", POLICY, "approve", "--as", name, "--json"))
        assert (code, segment["state"]) == (0, state)
    code, segment = as_json(loaded("undo", "--as", "Chie", "--json"))
    assert (code, segment["state"], segment["answered"]) == (0, "in_review", 2)
    assert {
        "id",
        "domain",
        "file",
        "address",
        "kind",
        "source",
        "target",
        "version",
        "state",
        "needed",
        "answered",
    } <= set(segment)


def test_edit_request_change_and_adjudicate(loaded):
    assert "version 2" in loaded("answer", POLICY, "edit", "--as", "Aki", "--text", "- 訳。")[1]
    assert loaded("answer", POLICY, "request_change", "--as", "Ben", "--note", "長い")[0] == 0
    code, segment = as_json(loaded("answer", POLICY, "adjudicate", "--as", "Mio", "--json"))
    assert (code, segment["state"]) == (0, "approved")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("answer", POLICY, "approve", "--as", "Nobody"), "no person 'Nobody'"),
        (("answer", "airline/policy.md#none/1", "approve", "--as", "Aki"), "policy.md#none/1"),
        (("answer", "0123", "approve", "--as", "Aki"), "no segment '0123'"),
        (("answer", POLICY, "request_change", "--as", "Aki"), "reason"),
        (("answer", POLICY, "edit", "--as", "Aki"), "empty"),
        (("answer", POLICY, "edit", "--as", "Aki", "--text", "x", "--version", "7"), "version 1"),
        (("answer", POLICY, "adjudicate", "--as", "Aki"), "maintainer"),
        (("undo", "--as", "Aki"), "nothing"),
        (("segments", "--mine", "waiting"), "--as"),
        (("check", "--domain", "retial"), "retial"),
        (("segments", "--domain", "retial"), "retial"),
        (("export", "out", "--domain", "retial"), "retial"),
        (("glossary", "import"), "file name"),
        (("glossary", "export", "/nowhere/at/all.csv"), "/nowhere/at/all.csv"),
        (("people", "add"), "needs a name"),
        (("people", "add", "Aki"), "there already"),
        (("backup", "/proc/nothing/here.db"), "cannot be written"),
        (("restore", "no-such.db"), "no-such.db"),
        (("import", "no-such-folder", "--domain", "airline"), "no-such-folder"),
        (("sample",), "domains already"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(loaded, store, words, says):
    before = dump(store.path)
    code, out, err = loaded(*words)
    assert (code, out) == (2, "")
    assert err.startswith("jtau-review: ") and err.count("\n") == 1
    assert says in err
    own = {"drafts": [], "actor": []}  # a refused text is kept as the person's draft
    assert dump(store.path) | own == before | own


def test_queues_of_different_people(loaded):
    loaded("answer", POLICY, "approve", "--as", "Aki")
    for name, count in (("Aki", 22), ("Ben", 23)):
        _, found = as_json(
            loaded("segments", "--mine", "waiting", "--as", name, "--json", "--limit", "50")
        )
        assert len(found) == count
    assert len(as_json(loaded("segments", "--limit", "5", "--json"))[1]) == 5


def test_the_glossary_goes_out_and_in_again(loaded, tmp_path):
    code, terms = as_json(loaded("glossary", "list", "--json"))
    assert code == 0 and {"source", "target", "mode", "domain", "note"} <= set(terms[0])
    for name in ("terms.csv", "terms.tbx"):
        assert loaded("glossary", "export", tmp_path / name)[0] == 0
        words = ("glossary", "import", tmp_path / name, "--as", "Mio", "--json")
        assert as_json(loaded(*words)) == (0, {"added": 0, "changed": 0, "same": len(terms)})


def test_findings_are_right_at_once_after_a_glossary_came_in(loaded, store, tmp_path):
    (tmp_path / "new.csv").write_text(terms_to_csv([Term("window seat", "窓際席")]))
    assert loaded("glossary", "import", tmp_path / "new.csv", "--as", "Mio")[0] == 0
    assert store.findings.unchecked(checks.rules_key(store)) == []
    listed = as_json(loaded("segments", "--finding", "TRM001", "--search", "window", "--json"))[1]
    assert len(listed) == 1


def test_people_are_listed_and_added(run):
    code, out, _ = run("people", "add", "Rei", "--role", "maintainer")
    assert (code, out) == (0, "Rei (maintainer)\n")
    assert as_json(run("people", "--json"))[1] == [
        {"id": 1, "name": "Rei", "role": "maintainer", "active": True}
    ]


def test_backup_restore_and_doctor(loaded, store, tmp_path):
    assert loaded("backup", tmp_path / "b.db")[0] == 0
    saved = dump(store.path)
    loaded("answer", POLICY, "approve", "--as", "Aki")
    code, _, err = loaded("restore", tmp_path / "b.db")
    assert code == 0 and "before-restore" in err
    assert dump(store.path) == saved
    assert as_json(loaded("doctor", "--json")) == (0, [])
    assert loaded("doctor")[1] == "the database is sound\n"
    with store.write("test"):
        store.segments.put_target(
            store.segments.at("airline", "policy.md#refunds/1").id,
            "x",
            version=9,
            author=None,
            expected=1,
        )
    code, problems = as_json(loaded("doctor", "--json"))
    assert code == 1 and "no revision" in problems[0]


def test_export_refuses_with_a_list_and_writes_if_told_to(loaded, tmp_path):
    code, out, err = loaded("export", tmp_path / "out", "--json")
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert "23 segments are not approved" in lines[0] and len(lines) == 24
    assert not (tmp_path / "out").exists()
    code, out, err = loaded("export", tmp_path / "out", "--json", "--allow-incomplete")
    report = json.loads(out)
    assert code == 0 and set(report) == {"folder", "files", "missing"}
    assert len(report["missing"]) == 23 and "not approved" in err


def test_the_sample_is_loaded_into_a_new_database(run, tmp_path):
    assert run("sample", db=tmp_path / "new.db")[0] == 0
    code, rows = as_json(run("status", "--json", db=tmp_path / "new.db"))
    assert code == 0 and {row["domain"] for row in rows} >= {"airline", "retail", "telecom"}


# -- which database ----------------------------------------------------------------------------


def test_the_database_is_the_one_given_else_of_the_environment(
    loaded, store, tmp_path, monkeypatch
):
    monkeypatch.setenv("JTAU_REVIEW_DB", str(store.path))
    assert "airline" in loaded("status", db=None)[1]
    monkeypatch.setenv("JTAU_REVIEW_DB", str(tmp_path / "other.db"))
    assert loaded("status", db=None)[0] == 2
    assert "airline" in loaded("status")[1]
    monkeypatch.delenv("JTAU_REVIEW_DB")
    monkeypatch.chdir(tmp_path)
    code, _, err = loaded("status", db=None)
    assert code == 2 and ".local/review.db" in err


def test_reading_commands_make_no_database(run, tmp_path):
    reading = ("status", "check", "segments", "doctor", "glossary list", "people", "people list")
    for words in map(str.split, reading):
        code, _, err = run(*words, db=tmp_path / "no.db")
        assert code == 2 and "no review database" in err
    assert not (tmp_path / "no.db").exists()


# -- bad input ---------------------------------------------------------------------------------


def tasks_of(tiny):
    return json.loads((tiny.folder / "tasks.json").read_text())


def put_tasks(tiny, tasks):
    (tiny.folder / "tasks.json").write_text(json.dumps(tasks))


def not_json(tiny):
    (tiny.folder / "tasks.json").write_text('[\n  {"id": "0",}\n]')
    return "tasks.json#line 2 column 14: not JSON"


def twice(tiny):
    tasks = tasks_of(tiny)
    put_tasks(tiny, [*tasks, tasks[1]])
    return "tasks.json#1: task id '1' occurs twice"


def twice_with_a_line_break(tiny):
    tasks = [{**task, "id": "a\nb"} for task in tasks_of(tiny)]
    put_tasks(tiny, tasks)
    return "occurs twice"


def id_is_a_number(tiny):
    tasks = tasks_of(tiny)
    tasks[1]["id"] = 1
    put_tasks(tiny, tasks)
    return "tasks.json#1/id: must be text, is 1"


def wrong_type_inside(tiny):
    tasks = tasks_of(tiny)
    tasks[2]["evaluation_criteria"]["actions"][0]["arguments"] = "x"
    put_tasks(tiny, tasks)
    return "tasks.json#2/evaluation_criteria/actions/0/arguments: must be an object"


def tools_are_no_list(tiny):
    (tiny.folder / "tools.json").write_text("{}")
    return "tools.json: must be"


def no_policy(tiny):
    (tiny.folder / "policy.md").unlink()
    return "airline: has no policy.md"


def no_tasks(tiny):
    (tiny.folder / "tasks.json").unlink()
    return "airline: has no tasks.json"


def too_large(tiny):
    with (tiny.folder / "db.json").open("wb") as file:
        file.truncate(200 * 2**20)
    return "db.json: has 200 MB"


def link_out(tiny):
    outside = tiny.source.parent / "outside.json"
    outside.write_text("{}")
    (tiny.folder / "db.json").symlink_to(outside)
    return "db.json: points outside the source folder"


def broken_utf8(tiny):
    (tiny.folder / "policy.md").write_bytes(b"# A\n\nB\xff\n")
    return "policy.md#line 3: is not UTF-8 (byte 0xff)"


def broken_gzip(tiny):
    (tiny.folder / "db.json.gz").write_bytes(b"\x1f\x8b not gzip")
    return "db.json.gz: is not a gzip file"


def cut_gzip(tiny):
    (tiny.folder / "db.json.gz").write_bytes(gzip.compress(b'{"a": 1}' * 100)[:-9])
    return "db.json.gz: ends in the middle"


def gzip_bomb(tiny):
    (tiny.folder / "db.json.gz").write_bytes(gzip.compress(bytes(70 * 2**20), 1))
    return "db.json.gz: has 64 MB, more than"


def deep(tiny):
    (tiny.folder / "db.json").write_text("[" * 100_000)
    return "db.json: not usable as JSON"


def half_a_character(tiny):
    tiny.change("tasks.json", "You are Ann.", "\\ud83d")
    return "tasks.json#0/user_scenario/instructions/known_info: holds half a character"


def source_of_another_domain(tiny):
    tiny.change("tasks.json", '"domain": "airline"', '"domain": "retail"')
    return "tasks.json#0/user_scenario/instructions/domain: is 'retail'"


def draft_of_another_domain(tiny):
    tiny.change("tasks.json", '"domain": "airline"', '"domain": "retail"', draft=True)
    return "draft_ja/tasks.json#0/user_scenario/instructions/domain: is 'retail'"


def draft_of_other_tasks(tiny):
    path = tiny.draft / "tasks.json"
    tasks = json.loads(path.read_text())
    path.write_text(json.dumps([{**task, "id": "x" + task["id"]} for task in tasks]))
    return "draft_ja/tasks.json: the draft has no task id of the source"


def draft_not_json(tiny):
    (tiny.draft / "messages.json").write_text("{")
    return "draft_ja/messages.json#line 1 column 2: not JSON"


BAD = (
    not_json,
    twice,
    twice_with_a_line_break,
    id_is_a_number,
    wrong_type_inside,
    tools_are_no_list,
    no_policy,
    no_tasks,
    too_large,
    link_out,
    broken_utf8,
    broken_gzip,
    cut_gzip,
    gzip_bomb,
    deep,
    half_a_character,
    source_of_another_domain,
    draft_of_another_domain,
    draft_of_other_tasks,
    draft_not_json,
)


@pytest.mark.parametrize("fault", BAD, ids=lambda fault: fault.__name__)
def test_bad_input_is_one_line_naming_the_place_and_changes_nothing(loaded, store, tiny, fault):
    says = fault(tiny)
    before = dump(store.path)
    code, out, err = loaded(
        "import", tiny.source, "--domain", "airline", "--draft", tiny.draft, "--json"
    )
    assert (code, out) == (2, "")
    assert err.startswith("jtau-review: ") and err.count("\n") == 1, err
    assert says in err
    assert dump(store.path) == before


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.tbx", '<?xml version="1.0"?><!DOCTYPE tbx SYSTEM "file:///x"><tbx/>', "DOCTYPE"),
        ("t.tbx", '<!DOCTYPE t [<!ENTITY a "aa">]><tbx>&a;</tbx>', "entities"),
        ("t.tbx", "<tbx><text></tbx>", "not XML"),
        ("t.csv", "source,target\na,b\n", "t.csv#line 1"),
        ("t.txt", "", "neither .csv nor .tbx"),
    ],
)
def test_a_bad_glossary_file_is_one_line_and_changes_nothing(
    loaded, store, tmp_path, name, content, says
):
    (tmp_path / name).write_text(content)
    before = dump(store.path)
    code, out, err = loaded("glossary", "import", tmp_path / name, "--as", "Mio")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert name in err and says in err
    assert dump(store.path) == before


def test_a_database_that_is_none_is_one_line(run, tmp_path):
    (tmp_path / "text.db").write_text("hello" * 1000)
    for path in (tmp_path / "text.db", tmp_path):
        code, out, err = run("status", db=path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert str(path) in err


# -- start -------------------------------------------------------------------------------------


def test_the_command_line_starts_without_what_is_slow_to_import():
    heavy = (
        "streamlit",
        "litellm",
        "pandas",
        "sqlite3",
        "dataclasses",
        "typing",
        "json",
        "pathlib",
    )
    code = f"import sys, review_app.cli; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert out.stdout == "[]\n"


IMPORTED_BY = """
import sys
before = set(sys.modules)
from review_app import cli
try:
    cli.main(sys.argv[1:])
finally:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


def imported_by(*words):
    """What a command has imported when it is done."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED_BY, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def parts_of_the_app(modules, depth):
    own = (name.split(".") for name in modules if name.startswith("review_app."))
    return {".".join(names[1 : depth + 1]) for names in own}


def test_help_imports_no_family_of_commands():
    modules = imported_by("--help")
    assert parts_of_the_app(modules, 2) == {"cli", "cli.registry", "errors", "notices"}
    assert modules & {"sqlite3", "dataclasses", "typing", "json", "pathlib"} == set()


def test_status_imports_only_its_own_family_the_store_and_the_standard_library(loaded, store):
    modules = imported_by("status", "--db", store.path)
    used = parts_of_the_app(modules, 1)
    assert used - {"workflows"} == {
        "cli",
        "config",
        "errors",
        "models",
        "notices",
        "records",
        "store",
    }
    parts = parts_of_the_app(modules, 2)
    assert {part for part in parts if part.startswith("workflows.")} == {"workflows.read_model"}
    assert {part for part in parts if part.startswith("cli.")} == {"cli.registry", "cli.review"}
    assert parts & {"store.curation", "store.runs"} == set()
    packages = {name.partition(".")[0] for name in modules}
    assert packages - sys.stdlib_module_names == {"review_app"}


def test_the_table_of_commands_says_what_their_functions_say():
    folder = ROOT / "review_app" / "cli"
    families = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__", "registry"}
    said = {}
    for family in families:
        import_module(f"review_app.cli.{family}")
    for name, (run, _) in REGISTERED.items():
        said.setdefault(run.__module__.rpartition(".")[2], {})[name] = run.__doc__.strip()
    assert said == cli.FAMILIES


def test_help_names_every_command():
    shown = subprocess.run(
        [sys.executable, "-m", "review_app.cli", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert all(name in shown for name in cli.COMMANDS)


def options_of(name):
    return {o for action in subparsers()[name]._actions for o in action.option_strings}


def subparsers():
    for action in cli.parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("the parser has no commands")


def test_every_command_takes_a_database_and_every_reading_one_json():
    assert all("--db" in options_of(name) for name in cli.COMMANDS)
    reading = {
        "import",
        "export",
        "check",
        "status",
        "segments",
        "glossary",
        "people",
        "doctor",
        "answer",
        "undo",
    }
    assert {name for name in cli.COMMANDS if "--json" in options_of(name)} >= reading


def command_table():
    """The commands with their arguments and help, as the README shows them."""
    lines = ["| command | what it does |", "|---|---|"]
    for parser in subparsers().values():
        usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
        usage = usage.replace(" [-h]", "").replace(" [--db PATH]", "").replace("|", "\\|")
        lines.append(f"| `{usage}` | {parser.description} |")
    return "\n".join(lines)


START, END = "<!-- commands -->\n", "<!-- /commands -->"


def test_the_readme_lists_the_commands_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition(START)[2].partition(END)[0]
    write = "COLUMNS=1000 PYTHONPATH=tests python tests/unit/cli/test_cli.py"
    assert shown == command_table() + "\n", f"out of date, run: {write}"


def write_readme():
    """Put the table of commands between the markers of the README."""
    before, start, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    text = f"{before}{start}{command_table()}\n{end}{after}"
    (ROOT / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_readme()
