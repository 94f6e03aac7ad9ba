"""The paper's fixes fit the real tasks, make their gold actions run, and add up to Table 12."""

import gzip
import json
from collections import Counter

import pytest

from review_app.config import data_text
from review_app.core.envs import environment_class, open_environment
from review_app.core.tasks.operations import operate
from review_app.core.tasks.patch_files import patches_as_json, patches_from_json
from review_app.core.tasks.patches import apply, invert, placeholders, table12, task_hash
from review_app.core.tasks.replay import replay_task
from review_app.core.tasks.taskdiff import diff
from review_app.workflows.benchmark.environments import english_pack

TABLE_12 = {
    "airline": {"total": 50, "unmodified": 41, "repair": 4, "both": 2, "localization": 3},
    "retail": {"total": 114, "unmodified": 80, "repair": 12, "both": 0, "localization": 22},
    "telecom": {"total": 114, "unmodified": 114, "repair": 0, "both": 0, "localization": 0},
}
UPSTREAM = {"retail/28/repair/1", "retail/99/repair/1", "retail/104/repair/1"}
OTHER_STATE = {"airline": {"44"}, "retail": {"18", "91", "105", "107"}}
"""Repairs whose gold actions end in another database; of a transfer the database knows nothing."""

USER = {
    "user.given": "舞",
    "user.family": "山田",
    "user.id": "mai_yamada_1116",
    "person.Ethan Lopez": "山崎聡太郎",
    "airport.EWR": "NRT",
    "airport.JFK": "HND",
    "airport.PHL": "NGS",
}


def pack(domain):
    if domain == "telecom":
        return ()
    return patches_from_json(data_text("patches", "ja", f"{domain}.json"), f"{domain}.json")


PATCHES = [patch for domain in ("airline", "retail") for patch in pack(domain)]


def ids_of(patches):
    return [patch.id for patch in patches]


@pytest.fixture(scope="module")
def real_tasks(shared):
    folder = shared / "tau2" / "domains"
    return {
        domain: {
            task["id"]: task for task in json.loads((folder / domain / "tasks.json").read_text())
        }
        for domain in TABLE_12
    }


@pytest.fixture(scope="module")
def open_real(shared):
    folder = shared / "tau2" / "domains"
    texts = {
        "airline": gzip.decompress((folder / "airline" / "db.json.gz").read_bytes()),
        "retail": (folder / "retail" / "db.json").read_bytes(),
    }
    states = {
        domain: environment_class(domain).load(json.loads(text), english_pack(domain))
        for domain, text in texts.items()
    }
    return lambda domain: open_environment(domain, states[domain], english_pack(domain))


def repaired(task, patches):
    for patch in patches:
        if patch.layer == "repair" and patch.task_id == task["id"]:
            task = apply(task, patch)
    return task


@pytest.mark.parametrize("domain", TABLE_12)
def test_the_pack_adds_up_to_table_12(domain, real_tasks):
    assert table12(real_tasks[domain], pack(domain)) == TABLE_12[domain]


def test_patches_are_of_the_tasks_that_the_paper_names():
    found = {
        (domain, layer): sorted(
            {int(p.task_id) for p in pack(domain) if p.layer == layer and p.domain == domain}
        )
        for domain in ("airline", "retail")
        for layer in ("repair", "localization")
    }
    assert found == {
        ("airline", "repair"): [7, 29, 32, 33, 39, 44],
        ("airline", "localization"): [6, 7, 15, 24, 39],
        ("retail", "repair"): [18, 25, 26, 28, 38, 64, 91, 99, 104, 105, 107, 110],
        ("retail", "localization"): [
            *range(5, 15),
            35,
            39,
            *range(45, 49),
            *range(56, 59),
            *range(67, 70),
        ],
    }


@pytest.mark.parametrize("patch", PATCHES, ids=ids_of(PATCHES))
def test_a_patch_fits_its_task_and_is_undone_to_the_byte(patch, real_tasks):
    task = real_tasks[patch.domain][patch.task_id]
    assert patch.base_hash == task_hash(task)
    patched = apply(task, patch, USER)
    assert (patched is task) == bool(patch.upstream) == (patch.id in UPSTREAM)
    assert json.dumps(operate(patched, invert(task, patch))) == json.dumps(task)
    assert placeholders(patch) <= set(USER)


@pytest.mark.parametrize("patch", PATCHES, ids=ids_of(PATCHES))
def test_every_patch_states_its_reason(patch):
    table = "Table 10" if patch.layer == "repair" else "Table 9"
    assert patch.source == table and len(patch.reason) > 40
    assert patch.id == f"{patch.domain}/{patch.task_id}/{patch.layer}/1"


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_a_file_is_written_as_it_stands(domain):
    text = data_text("patches", "ja", f"{domain}.json")
    assert patches_as_json(patches_from_json(text, domain)) == text


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_after_the_pack_no_gold_write_is_refused(domain, real_tasks, open_real):
    patches = pack(domain)
    refused = [
        task["id"]
        for task in real_tasks[domain].values()
        if replay_task(open_real(domain), repaired(task, patches)).refused_writes
    ]
    assert refused == []


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_only_repairs_of_the_gold_end_in_another_database(domain, real_tasks, open_real):
    patches = pack(domain)
    moved = set()
    for task in real_tasks[domain].values():
        after = repaired(task, patches)
        if after is not task:
            hashes = {replay_task(open_real(domain), each).agent_db_hash for each in (task, after)}
            moved |= {task["id"]} if len(hashes) > 1 else set()
    assert moved == OTHER_STATE[domain]


def test_upgrades_that_are_left_in_airline_44_cost_what_the_assertion_says(real_tasks, open_real):
    task = repaired(real_tasks["airline"]["44"], pack("airline"))
    writes = replay_task(open_real("airline"), task).writes
    paid = [json.loads(step.output)["payment_history"][-1]["amount"] for step in writes]
    assert paid == [484, 163]
    assert "between $640 and $650" in task["evaluation_criteria"]["nl_assertions"][1]


def test_airline_7_communicates_what_is_left_to_fly(real_tasks):
    task = repaired(real_tasks["airline"]["7"], pack("airline"))
    assert task["evaluation_criteria"]["communicate_info"] == ["708"]
    assert task["evaluation_criteria"]["nl_assertions"][3].endswith(" is $708.")


def test_the_transfer_moves_from_retail_26_to_25(real_tasks):
    patches, tasks = pack("retail"), real_tasks["retail"]
    rows = {
        name: Counter(
            row.status for row in diff(tasks[name], repaired(tasks[name], patches)).actions
        )
        for name in ("25", "26")
    }
    assert rows == {"25": {"same": 6, "inserted": 1}, "26": {"same": 7, "removed": 1}}


def test_the_fixed_sentence_names_the_user(real_tasks):
    patch = next(patch for patch in PATCHES if patch.id == "retail/5/localization/1")
    source = real_tasks["retail"]["5"]
    localized = {**source, "ticket": "日本語"}
    info = apply(localized, patch, USER, source=source)["user_scenario"]["instructions"][
        "known_info"
    ]
    assert info.endswith("\nあなたの名前は山田 舞です。")
