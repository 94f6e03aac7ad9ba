"""Replay and conformance on imported domains, as workflows and from the command line."""

from __future__ import annotations

import json
import shutil

import pytest

from review_app import cli
from review_app.core.envs.hashing import reference_hash
from review_app.errors import BadInput, NotFound
from review_app.workflows.benchmark import conformance, environments
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

USER = "ann_1"
DATABASE = {
    "products": {},
    "users": {
        USER: {
            "user_id": USER,
            "name": {"first_name": "Ann", "last_name": "Bo"},
            "address": {
                "address1": "1 Elm",
                "address2": "",
                "city": "Oslo",
                "country": "NO",
                "state": "-",
                "zip": "0150",
            },
            "email": "ann@example.org",
            "payment_methods": {},
            "orders": [],
        }
    },
    "orders": {},
}
ADDRESS = {
    "address1": "2 Oak",
    "address2": "",
    "city": "Rome",
    "country": "IT",
    "state": "-",
    "zip": "1",
}


def task(number, *actions, **more):
    said = {"domain": "retail", "reason_for_call": "You move.", "task_instructions": "Be brief."}
    gold = [
        {"action_id": f"{number}_{at}", "name": name, "arguments": arguments}
        for at, (name, arguments) in enumerate(actions)
    ]
    criteria = {"actions": gold}
    return {
        "id": number,
        "user_scenario": {"instructions": said},
        "evaluation_criteria": criteria,
    } | more


READ = ("get_user_details", {"user_id": USER})
MOVE = ("modify_user_address", {"user_id": USER, **ADDRESS})
REFUSED = ("modify_user_address", {"user_id": "nobody", **ADDRESS})


@pytest.fixture
def folder(tmp_path):
    """A retail domain with one user, three tasks, and one more in another task file."""
    domain = tmp_path / "retail"
    domain.mkdir()
    write(domain / "db.json", DATABASE)
    write(domain / "tasks.json", [task("0", READ, MOVE), task("1", READ), task("2")])
    write(domain / "tasks_small.json", [task("1", MOVE), task("9", REFUSED)])
    write(domain / "policy.md", "# Policy\n\nHelp.\n")
    parameters = {"properties": {"user_id": {"description": "Whose?"}}}
    function = {"name": "get_user_details", "description": "Look up.", "parameters": parameters}
    write(domain / "tools.json", [{"type": "function", "function": function}])
    return domain


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture
def retail(store, folder):
    import_domain.import_domain(store, ImportRequest(folder, "retail"))
    return store


@pytest.fixture
def run(retail, capsys):
    def command(*words):
        code = cli.main([*map(str, words), "--db", str(retail.path)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


# -- replay ------------------------------------------------------------------------------------


def test_every_task_of_the_main_file_is_replayed_on_a_fresh_database(retail):
    seen = []
    done = environments.replay_domain(retail, "retail", progress=lambda *now: seen.append(now))
    assert [(played.task_id, [s.name for s in played.steps]) for played in done] == [
        ("0", ["get_user_details", "modify_user_address"]),
        ("1", ["get_user_details"]),
        ("2", []),
    ]
    pristine = reference_hash(DATABASE)
    assert [played.agent_db_hash == pristine for played in done] == [False, True, True]
    assert seen == [(1, 3, "0"), (2, 3, "1"), (3, 3, "2")]


def test_one_task_is_found_in_other_task_files_but_the_main_file_wins(retail):
    (only,) = environments.replay_domain(retail, "retail", "9")
    assert [step.error for step in only.refused_writes] == ["User not found"]
    (both,) = environments.replay_domain(retail, "retail", "1")
    assert [step.name for step in both.steps] == ["get_user_details"]


def test_what_is_not_there_is_named_with_what_is(retail):
    with pytest.raises(NotFound, match="no task 'x'; there are: '0', '1', '2', '9'"):
        environments.replay_domain(retail, "retail", "x")
    with pytest.raises(NotFound, match="no domain 'bank' is imported; there are: 'retail'"):
        environments.replay_domain(retail, "bank")


def test_a_domain_without_database_or_environment_cannot_be_replayed(imported):
    assert environments.domains(imported) == []
    with pytest.raises(NotFound, match=r"'airline' was imported without db\.json or db\.toml"):
        environments.load(imported, "airline")


def test_a_broken_database_is_told_of_its_own_file(store, folder):
    broken = json.loads(json.dumps(DATABASE))
    del broken["users"][USER]["email"]
    write(folder / "db.json", broken)
    with pytest.raises(BadInput) as error:
        import_domain.import_domain(store, ImportRequest(folder, "retail"))
    assert error.value.file == str(folder / "db.json") and store.documents.domains() == []
    assert USER in error.value.address and "email" in str(error.value)


def test_a_broken_initial_state_is_told_of_its_own_file(store, folder):
    call = {"env_type": "assistant", "func_name": "no_such", "arguments": {}}
    bad = task("9", MOVE, initial_state={"initialization_actions": [call]})
    write(folder / "tasks_small.json", [bad])
    import_domain.import_domain(store, ImportRequest(folder, "retail"))
    with pytest.raises(BadInput, match=r"retail/tasks_small\.json#9/.*no_such"):
        environments.replay_domain(store, "retail", "9")


def test_a_state_is_shared_until_its_file_changes(retail, folder):
    before = environments.load(retail, "retail")
    assert environments.load(retail, "retail").state is before.state
    changed = json.loads(json.dumps(DATABASE))
    changed["users"][USER]["email"] = "new@example.org"
    write(folder / "db.json", changed)
    import_domain.import_domain(retail, ImportRequest(folder, "retail"))
    after = environments.load(retail, "retail")
    assert after.state is not before.state
    assert after.open().states()[0].hash == reference_hash(changed)


def test_calls_are_played_from_the_database_as_imported(retail):
    calls = [{"name": name, "arguments": given} for name, given in (READ, MOVE, REFUSED)]
    done = environments.play(retail, "retail", None, calls)
    assert [step.ok for step in done.steps] == [True, True, False]
    assert done.final[0].tree()["users"][USER]["address"]["city"] == "Rome"
    again = environments.play(retail, "retail", "0", calls[:1])
    assert again.agent_db_hash == reference_hash(DATABASE)


def test_tools_are_described_by_the_imported_texts(retail):
    tools = {
        t["function"]["name"]: t["function"]
        for t in environments.schemas(retail, "retail")["assistant"]
    }
    assert tools["get_user_details"]["description"] == "Look up."
    assert (
        tools["get_user_details"]["parameters"]["properties"]["user_id"]["description"] == "Whose?"
    )
    assert tools["cancel_pending_order"]["description"]


def test_the_samples_tasks_with_a_refused_gold_write_are_its_known_flaws(store, sample):
    refused = {}
    for domain in ("airline", "retail", "telecom"):
        import_domain.import_domain(store, ImportRequest(sample / "tau2", domain))
        done = environments.replay_domain(store, domain)
        assert done and all(played.steps for played in done)
        refused[domain] = [played.task_id for played in done if played.refused_writes]
    assert refused == {"airline": [], "retail": ["9", "11"], "telecom": []}
    assert done[0].user_db_hash and len(environments.schemas(store, "telecom")["user"]) == 30


# -- the command line --------------------------------------------------------------------------


def test_replay_prints_the_document_that_other_programs_read(run):
    code, out, err = run("replay", "--domain", "retail", "--task", "0", "--json")
    (document,) = json.loads(out)
    assert (code, err) == (0, "")
    assert set(document) == {
        "task_id",
        "steps",
        "refused_writes",
        "agent_db_hash",
        "user_db_hash",
        "changes",
    }
    assert [set(step) for step in document["steps"]] == [{"name", "requestor", "ok", "output"}] * 2
    assert document["user_db_hash"] is None
    assert "user ann_1: address/city Oslo -> Rome" in document["changes"]


def test_replay_prints_steps_and_differences_for_people(run):
    code, out, err = run("replay", "--domain", "retail")
    lines = out.splitlines()
    assert code == 0 and err == "3 tasks, 0 gold writes refused\n"
    assert lines[:2] == ["task 0", '  1 agent get_user_details(user_id="ann_1"): ok']
    assert "      user ann_1: address/city Oslo -> Rome" in lines


def test_a_refused_gold_write_is_exit_code_1(run):
    code, out, err = run("replay", "--domain", "retail", "--task", "9")
    assert code == 1 and "refused: User not found" in out
    assert err == "1 tasks, 1 gold writes refused\n"


def test_an_unknown_domain_or_task_is_one_line(run):
    for words in (("--domain", "bank"), ("--domain", "retail", "--task", "x")):
        code, out, err = run("replay", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)


def test_hostile_gold_arguments_are_printed_harmlessly(run, retail, folder):
    hostile = ("get_order_details", {"order_id": "\x1b[31m\n"})
    write(folder / "tasks.json", [task("0", hostile)])
    import_domain.import_domain(retail, ImportRequest(folder, "retail"))
    code, out, _ = run("replay", "--domain", "retail")
    assert code == 0 and out.count("\n") == 3 and "\x1b" not in out
    code, out, _ = run("replay", "--domain", "retail", "--json")
    assert code == 0 and json.loads(out)[0]["steps"][0]["ok"] is False


# -- conformance -------------------------------------------------------------------------------


def records(folder, *more, pristine=None):
    records = folder / "records"
    shutil.rmtree(records, ignore_errors=True)
    records.mkdir()
    meta = {
        "kind": "meta",
        "domain": "retail",
        "pristine_hash": {"agent": pristine or reference_hash(DATABASE), "user": None},
    }
    lines = [record if isinstance(record, str) else json.dumps(record) for record in (meta, *more)]
    write(records / "retail.jsonl", "\n".join(lines) + "\n\n")
    return records


def call(content, *, error=False):
    return {
        "kind": "call",
        "id": "retail/call/1",
        "domain": "retail",
        "tool": "calculate",
        "requestor": "assistant",
        "arguments": {"expression": "1+1"},
        "diff": {"agent": []},
        "result": {"content": content, "error": error},
    }


def test_records_are_compared_with_the_imported_domain(run, tmp_path):
    code, out, err = run("conformance", records(tmp_path, call("2.0")))
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "call: 1 agree, 0 disagree",
        "meta: 1 agree, 0 disagree",
        "all: 2 agree, 0 disagree",
    ]


def test_a_disagreement_is_exit_code_1_and_shows_both_answers(run, tmp_path):
    code, out, _ = run("conformance", records(tmp_path, call("2")))
    assert code == 1
    assert "  retail/call/1: call/content: recorded '2', here '2.0'" in out.splitlines()
    code, out, _ = run("conformance", records(tmp_path, call("2")), "--json")
    assert code == 1 and json.loads(out)["disagreeing"] == 1


def test_the_databases_can_come_from_the_benchmarks_files(folder, tmp_path):
    report = conformance.compare(None, records(tmp_path, call("2.0")), folder)
    assert report.ok and sum(report.agreeing.values()) == 2
    other = conformance.compare(None, records(tmp_path, call("2.0"), pristine="0" * 64), folder)
    assert other.disagreeing == {"meta": 1}


def test_records_of_another_database_say_what_to_do(retail, tmp_path):
    wanted = r"retail\.jsonl#line 1: .*another 'retail' database.*recorded 000000000000.*--source"
    with pytest.raises(BadInput, match=wanted):
        conformance.compare(retail, records(tmp_path, pristine="0" * 64))


def test_records_of_a_domain_that_is_not_imported_say_what_to_do(store, tmp_path):
    with pytest.raises(BadInput, match="'retail', which is not imported: import.*--source"):
        conformance.compare(store, records(tmp_path))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "must be an object"),
        ('{"domain": []}', "are text"),
        ({"kind": "call", "domain": "retail", "id": "c"}, "record c: lacks 'tool'"),
        ({"kind": [], "domain": "retail"}, "are text"),
        (call("2.0") | {"result": None}, "does not have the form"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_malformed_record_is_named_by_file_and_line(retail, tmp_path, line, problem):
    with pytest.raises(BadInput) as error:
        conformance.compare(retail, records(tmp_path, call("2.0"), line))
    message = str(error.value)
    assert "retail.jsonl#line 3: " in message and problem in message and "\n" not in message


def test_a_folder_without_records_is_refused(retail, tmp_path):
    with pytest.raises(BadInput, match=r"no \*\.jsonl files"):
        conformance.compare(retail, tmp_path)
    with pytest.raises(BadInput, match="is not a folder"):
        conformance.compare(retail, tmp_path / "nowhere")
