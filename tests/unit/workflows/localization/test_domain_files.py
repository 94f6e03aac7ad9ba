"""Localized domains as files: every variant, the same bytes again, all or nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sample_project import DOMAINS, SAMPLE, contents, copied_sample, sample_store, tasks_of, written

from review_app.core.envs import environment_class, open_environment
from review_app.core.formats.structured import parse_structured
from review_app.core.tasks.replay import replay_task
from review_app.errors import BadInput, ExportBlocked, NotFound
from review_app.models import Person
from review_app.store import Store
from review_app.workflows import project as workflows_project
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import derived_domain, domain_files, entities
from review_app.workflows.review import answers as review_answers
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

ROOT = SAMPLE.parents[4]
VARIANTS = list(derived_domain.variants())
RULE = "policy.md#airline-agent-policy/1"
JSON_SENTENCE = "JSON"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Store:
    """The whole sample without a draft. Read only."""
    return sample_store(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def localized(project: Store, tmp_path_factory):
    """The files of a domain in a variant, written once."""
    kept: dict[tuple[str, str], dict[str, bytes]] = {}

    def files(domain: str, variant: str = "j-tau") -> dict[str, bytes]:
        if (domain, variant) not in kept:
            out = tmp_path_factory.mktemp("out") / "folder"
            kept[domain, variant] = written(project, domain, out, variant=variant)
        return kept[domain, variant]

    return files


def source_of(domain: str) -> dict[str, bytes]:
    return contents(SAMPLE / ("" if domain == "user_simulator" else "domains") / domain)


# -- variants ----------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_variant_has_the_files_of_the_source_and_says_what_it_is(localized, domain, variant):
    files = localized(domain, variant)
    assert {f"{domain}/{name}" for name in source_of(domain)} <= files.keys()
    assert f"{domain}/agent_prompt.md" in files
    for name, blob in files.items():
        if name.endswith((".json", ".toml")):
            assert parse_structured(name, blob.decode("utf-8"))
    manifest = json.loads(files["MANIFEST.json"])
    told = (*manifest["domains"], manifest["variant"], manifest["locale"], manifest["seed"])
    assert told == (domain, variant, "ja", 1)
    assert len(manifest["files"]) == len(files) - 1


@pytest.mark.parametrize("variant", ["tau", "tau*"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_source_comes_back_byte_for_byte(localized, domain, variant):
    files = localized(domain, variant)
    for name, blob in source_of(domain).items():
        assert files[f"{domain}/{name}"] == blob, name
    for name, blob in source_of("user_simulator").items():
        assert files[f"user_simulator/{name}"] == blob, name
    assert json.loads(files["MANIFEST.json"])["domains"][domain]["stand_ins"] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_user_of_another_guideline_is_told_which_language_to_speak(localized, domain):
    files = localized(domain, "j-tau-en-user")
    for name, blob in source_of("user_simulator").items():
        said = files[f"user_simulator/{name}"].decode("utf-8")
        assert said.startswith(blob.decode("utf-8").rstrip())
        added = said.removeprefix(blob.decode("utf-8").rstrip()).strip()
        assert added.count("\n") == 0 and "Japanese" in added
    same = localized(domain)
    assert {n for n in files if files[n] != same[n]} == {
        "MANIFEST.json",
        *(f"user_simulator/{name}" for name in source_of("user_simulator")),
    }


def test_one_variant_lacks_the_sentence_about_json_and_nothing_else(localized):
    with_it, without = localized("retail"), localized("retail", "j-tau-no-json")
    prompt = "retail/agent_prompt.md"
    assert JSON_SENTENCE in with_it[prompt].decode("utf-8")
    assert JSON_SENTENCE not in without[prompt].decode("utf-8")
    assert "{policy}" in without[prompt].decode("utf-8")
    assert {n for n in with_it if with_it[n] != without[n]} == {"MANIFEST.json", prompt}


@pytest.mark.parametrize("domain", DOMAINS)
def test_tools_of_the_source_meet_entities_of_the_target(localized, domain):
    files, whole = localized(domain, "j-tau-en-tool"), localized(domain)
    source = source_of(domain)
    ours = json.loads(files[f"{domain}/tools.json"])
    assert ours != json.loads(whole[f"{domain}/tools.json"])
    enums = [json.dumps(each) for each in _closed(json.loads(source["tools.json"]))]
    assert [json.dumps(each) for each in _closed(ours)] == enums
    people = _names(domain, files)
    assert people == _names(domain, whole)
    assert people != _names(domain, {f"{domain}/{name}": blob for name, blob in source.items()})


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_translated_benchmark_keeps_entities_and_values_and_tasks(localized, domain):
    files, source = localized(domain, "mt-only"), source_of(domain)
    for name in source:
        if name.endswith("db.toml") or name == "db.json" and domain == "airline":
            here = parse_structured(name, files[f"{domain}/{name}"].decode("utf-8"))
            assert here == parse_structured(name, source[name].decode("utf-8"))
    gold = {task["id"]: task["evaluation_criteria"] for task in json.loads(source["tasks.json"])}
    for task_id, task in tasks_of(files, domain).items():
        criteria = task["evaluation_criteria"]
        assert criteria["actions"] == gold[task_id]["actions"]
        assert criteria.get("communicate_info") == gold[task_id].get("communicate_info")


def _closed(value):
    """Every closed set of values in tool schemas, in order."""
    if isinstance(value, list):
        return [one for each in value for one in _closed(each)]
    if not isinstance(value, dict):
        return []
    found = [value["enum"]] if "enum" in value else []
    return found + [one for each in value.values() for one in _closed(each)]


def _names(domain, files):
    file = next(name for name in ("db.json", "db.toml") if f"{domain}/{name}" in files)
    tree = parse_structured(file, files[f"{domain}/{file}"].decode("utf-8"))
    if domain == "telecom":
        return [each["full_name"] for each in tree["customers"]]
    return [tuple(each["name"].values()) for each in tree["users"].values()]


# -- texts -------------------------------------------------------------------------------------


@pytest.fixture
def airline(tmp_path: Path) -> Store:
    """Airline alone, to be changed."""
    return sample_store(tmp_path, "airline")


@pytest.fixture
def crew(airline: Store) -> list[Person]:
    return [
        workflows_project.add_person(airline, name, "annotator") for name in ("Aki", "Ben", "Cleo")
    ]


def _translate(store: Store, people: list[Person], address: str, text: str, answers: int) -> None:
    segment = store.segments.at("airline", address)
    done = review_answers.edit(
        store, segment.id, people[0], target=text, expected_version=segment.version
    )
    for person in people[1:answers]:
        review_answers.answer(
            store, segment.id, person, verdict="approve", expected_version=done.version
        )


def test_approved_text_is_written_and_what_is_not_yet_is_listed(airline, crew, tmp_path):
    _translate(airline, crew, RULE, "承認済みの規定です。", 3)
    draft = "policy.md#airline-agent-policy/0"
    _translate(airline, crew, draft, "# 下訳", 1)
    states = [airline.segments.at("airline", each).state for each in (RULE, draft)]
    assert states == ["approved", "in_review"]
    files = written(airline, "airline", tmp_path / "approved")
    policy = files["airline/policy.md"].decode("utf-8")
    assert "承認済みの規定です。" in policy and "# 下訳" not in policy
    listed = json.loads(files["MANIFEST.json"])["domains"]["airline"]["stand_ins"]
    assert draft in listed and RULE not in listed
    files = written(airline, "airline", tmp_path / "drafts", use="current")
    assert "# 下訳" in files["airline/policy.md"].decode("utf-8")
    assert draft not in json.loads(files["MANIFEST.json"])["domains"]["airline"]["stand_ins"]


def test_what_stands_in_names_nobody_of_the_source(localized):
    said = localized("airline")["airline/tasks.json"].decode("utf-8")
    assert "小川" in said
    for name in ("Nora", "Castell", "nora_castell_4821", "$"):
        assert name not in said


def test_assertions_stay_in_the_source_language_about_the_target_s_entities(
    airline, crew, tmp_path
):
    address = "tasks.json#1/evaluation_criteria/nl_assertions/0"
    _translate(airline, crew, address, "予約を取り消す。", 3)
    kept = written(airline, "airline", tmp_path / "kept", assertions="source")
    made = written(airline, "airline", tmp_path / "made")
    texts = [
        tasks_of(files, "airline")["1"]["evaluation_criteria"]["nl_assertions"]
        for files in (kept, made)
    ]
    assert texts == [["The agent cancels reservation R4XW9T."], ["予約を取り消す。"]]
    assert json.loads(kept["MANIFEST.json"])["assertions"] == "source"


def test_amounts_inside_kept_assertions_are_the_target_s(project, tmp_path):
    files = written(project, "retail", tmp_path / "out", assertions="source")
    (said,) = tasks_of(files, "retail")["2"]["evaluation_criteria"]["nl_assertions"]
    assert said == "The agent names a refund of 5,115円."


# -- the same again ----------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_same_data_and_seed_give_the_same_bytes_in_another_project(localized, domain, tmp_path):
    other = sample_store(tmp_path, domain, "user_simulator")
    assert written(other, domain, tmp_path / "out") == localized(domain)


_SCRIPT = """
import sys
from pathlib import Path
from review_app.store import Store
from review_app.workflows.localization import derived_domain, domain_files
choice = derived_domain.DerivationChoice(locale="de")  # its names are drawn in memory
store = Store(Path(sys.argv[1]))
domain_files.write(store, ["retail"], Path(sys.argv[2]), choice, allow_incomplete=True)
"""


def test_two_processes_with_other_hashes_write_the_same_bytes(project, localized, tmp_path):
    assert localized("retail")  # the entities of the project's own locale are there already
    started = []
    for number in (0, 1):
        words = [sys.executable, "-c", _SCRIPT, str(project.path), str(tmp_path / str(number))]
        environment = os.environ | {"PYTHONHASHSEED": str(number)}
        started.append(subprocess.Popen(words, env=environment, cwd=ROOT))
    assert [process.wait(timeout=60) for process in started] == [0, 0]
    one, two = (contents(tmp_path / str(number)) for number in (0, 1))
    assert one == two and len(one) > 5


def test_an_added_user_changes_no_other_record(localized, tmp_path):
    source = copied_sample(tmp_path)
    store = sample_store(tmp_path, "airline", source=source)
    before = written(store, "airline", tmp_path / "before")
    path = source / "domains" / "airline" / "db.json"
    tree = json.loads(path.read_text("utf-8"))
    first = next(iter(tree["users"].values()))
    name = {"first_name": "Zora", "last_name": "Quill"}
    added = {
        **first,
        "user_id": "zora_quill_1234",
        "name": name,
        "reservations": [],
        "saved_passengers": [],
        "email": "zora.quill1@example.com",
    }
    tree["users"] = {"zora_quill_1234": added, **tree["users"]}
    path.write_text(json.dumps(tree, ensure_ascii=False, indent=4) + "\n", "utf-8")
    import_domain.import_domain(store, ImportRequest(source, "airline"))
    after = written(store, "airline", tmp_path / "after")
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"MANIFEST.json", "airline/db.json"}
    old, new = (json.loads(files["airline/db.json"]) for files in (before, after))
    (extra,) = new["users"].keys() - old["users"].keys()
    assert extra.endswith("_1234") and not extra.startswith("zora")
    del new["users"][extra]
    for table, records in old.items():
        for key, record in records.items():
            assert json.dumps(new[table][key]) == json.dumps(record)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_localized_domain_is_imported_and_replayed_by_the_target_s_tools(
    localized, domain, tmp_path
):
    files = localized(domain)
    folder = tmp_path / "tau2" / "domains" / domain
    folder.mkdir(parents=True)
    for name, blob in files.items():
        if name.startswith(f"{domain}/"):
            (folder / name.partition("/")[2]).write_bytes(blob)
    store = Store(tmp_path / "again.db")
    report = import_domain.import_domain(store, ImportRequest(tmp_path / "tau2", domain))
    assert report.changed and report.segments["task"]
    made, pack = environment_class(domain), entities.pack(domain, "ja")
    trees = [
        next(iter(environments.plain_databases(store, domain, names).values()), None)
        for names in (environments.DATABASES, environments.USER_DATABASES)
    ]
    state = made.load(trees[0], pack)
    user = made.load_user(trees[1], pack) if trees[1] is not None else None
    gold = environments.tasks(store, domain)
    source = environments.tasks(sample_store(tmp_path, domain), domain)
    english = environments.load(Store(tmp_path / "sample.db"), domain)
    assert gold.keys() == source.keys()
    for task_id, task in gold.items():
        here = replay_task(open_environment(domain, state, pack, user), task.task)
        there = replay_task(english.open(), source[task_id].task)
        assert [step.ok for step in here.steps] == [step.ok for step in there.steps], task_id


# -- gates -------------------------------------------------------------------------------------


def test_texts_without_an_approved_translation_are_refused_with_their_number(project, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ExportBlocked) as blocked:
        domain_files.write(project, ["airline", "retail"], out)
    listed = blocked.value.missing
    assert f"airline/{RULE}: draft" in listed or f"airline/{RULE}: untranslated" in listed
    assert {line.partition("/")[0] for line in listed} == {"airline", "retail", "user_simulator"}
    assert not out.exists()


def test_a_variant_that_translates_nothing_needs_no_approval(project, tmp_path):
    done = domain_files.write(
        project, ["airline"], tmp_path / "out", derived_domain.DerivationChoice(variant="tau")
    )
    assert done.manifest["complete"] and done.manifest["domains"]["airline"]["stand_ins"] == []


def test_a_second_call_adds_its_domain_and_leaves_the_first(project, tmp_path):
    out = tmp_path / "out"
    first = written(project, "airline", out)
    both = written(project, "retail", out)
    manifest = json.loads(both["MANIFEST.json"])
    assert list(manifest["domains"]) == ["airline", "retail"]
    assert {name: both[name] for name in first if name != "MANIFEST.json"} == {
        name: blob for name, blob in first.items() if name != "MANIFEST.json"
    }
    at_once = domain_files.write(
        project, ["airline", "retail"], tmp_path / "at_once", allow_incomplete=True
    )
    assert contents(tmp_path / "at_once") == both
    assert at_once.files.keys() == manifest["files"].keys()
    again = written(project, "airline", out)
    assert json.loads(again["MANIFEST.json"])["files"] == manifest["files"]


def test_a_folder_has_one_recipe(project, tmp_path):
    before = written(project, "airline", tmp_path / "out")
    with pytest.raises(BadInput, match=r"holds airline with another variant \(j-tau\)"):
        written(project, "retail", tmp_path / "out", variant="mt-only")
    assert contents(tmp_path / "out") == before
    assert "airline/db.json" in written(project, "airline", tmp_path / "out", variant="mt-only")


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("[]")])
def test_a_domain_that_was_changed_by_hand_is_not_taken_over(project, tmp_path, spoil):
    written(project, "airline", tmp_path / "out")
    spoil(tmp_path / "out" / "data" / "tau2" / "domains" / "airline" / "tasks.json")
    with pytest.raises(BadInput, match=r"tasks\.json: is not as it was written"):
        written(project, "retail", tmp_path / "out")
    assert "airline/tasks.json" in written(project, "airline", tmp_path / "out")


# -- where to ----------------------------------------------------------------------------------


def test_a_first_command_on_a_new_project_gives_its_entities_counterparts(airline, tmp_path):
    assert airline.entities.of("airline", "ja") == []
    assert "小川" in written(airline, "airline", tmp_path / "out")["airline/db.json"].decode(
        "utf-8"
    )


def test_an_unknown_domain_variant_or_locale_writes_nothing(project, tmp_path):
    for error, domain, choice in (
        (NotFound, "hotel", {}),
        (NotFound, "airline", {"variant": "k-tau"}),
        (BadInput, "airline", {"locale": "xx"}),
    ):
        with pytest.raises(error):
            domain_files.write(
                project, [domain], tmp_path / "out", derived_domain.DerivationChoice(**choice)
            )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_left_alone(project, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"mine\.txt"):
        written(project, "airline", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def _rename(store: Store, file: str) -> None:
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("UPDATE documents SET file = ? WHERE file = 'split_tasks.json'", (file,))
        db.commit()


def test_a_disk_that_refuses_leaves_the_earlier_folder(airline, tmp_path):
    before = written(airline, "airline", tmp_path / "out")
    _rename(airline, "x" * 300)
    for folder in (tmp_path / "out", tmp_path / "new"):
        with pytest.raises(BadInput, match="cannot be written"):
            written(airline, "airline", folder)
    assert contents(tmp_path / "out") == before
    assert not (tmp_path / "new").exists() and list(tmp_path.glob(".export-*")) == []


@pytest.mark.parametrize(
    "name",
    ["../../../../../escaped.txt", "a/../../../../../../escaped.txt", "{folder}/escaped.txt"],
)
def test_a_hostile_file_name_writes_nothing_at_all(airline, tmp_path, name):
    _rename(airline, name.format(folder=tmp_path))
    with pytest.raises(BadInput, match="no place inside"):
        written(airline, "airline", tmp_path / "deep" / "out")
    assert list(tmp_path.rglob("escaped.txt")) == []
    assert list(tmp_path.rglob(".export-*")) == [] and not (tmp_path / "deep" / "out").exists()
