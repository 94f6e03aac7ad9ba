"""The paper's patches applied to the real tasks through a project: Table 12, rules, replays."""

from __future__ import annotations

import json

import pytest

from review_app import cli
from review_app.core.tasks.replay import replay_task
from review_app.store import Store
from review_app.workflows import project as workflows_project
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.curation import flags, packs, validity
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

DOMAINS = ("airline", "retail", "telecom")
TABLE_12 = {
    "airline": {"total": 50, "unmodified": 41, "repair": 4, "both": 2, "localization": 3},
    "retail": {"total": 114, "unmodified": 80, "repair": 12, "both": 0, "localization": 22},
    "telecom": {"total": 114, "unmodified": 114, "repair": 0, "both": 0, "localization": 0},
}
NAMED = {"airline": {"7", "29", "32", "33", "44"}, "retail": {"38", "64", "105", "110"}}


@pytest.fixture(scope="module")
def project(shared, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("real") / "real.db")
    for domain in DOMAINS:
        import_domain.import_domain(store, ImportRequest(shared / "tau2", domain))
    workflows_project.add_person(store, "Mia", "maintainer")
    before = {domain: validity.inspect(store, domain) for domain in DOMAINS}
    code = cli.main(["patches", "apply", "--pack", "ja", "--as", "Mia", "--db", str(store.path)])
    assert code == 0
    yield store, before
    store.close()


@pytest.mark.parametrize("domain", NAMED)
def test_before_the_pack_the_rules_name_the_tasks_of_table_10(project, domain):
    _, before = project
    hit = {
        name
        for name, found in before[domain].items()
        if any(each.violation.level in ("error", "warning") for each in found)
    }
    assert hit >= NAMED[domain]


def test_table_12_comes_out_of_the_command_line(project, capsys):
    store, _ = project
    assert cli.main(["stats", "--json", "--db", str(store.path)]) == 0
    assert json.loads(capsys.readouterr().out)["table12"] == TABLE_12


@pytest.mark.parametrize("domain", DOMAINS)
def test_after_the_pack_no_error_is_left_and_validate_says_so(project, capsys, domain):
    store, _ = project
    code = cli.main(["validate", "--domain", domain, "--json", "--db", str(store.path)])
    found = json.loads(capsys.readouterr().out)
    assert [each for each in found if each["level"] == "error"] == [] and code == 0


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_after_the_pack_no_gold_write_is_refused(project, domain):
    store, _ = project
    ground = environments.load(store, domain)
    refused = [
        name
        for name, gold in tasks_in_force.tasks(store, domain).items()
        if gold.file == environments.TASKS and replay_task(ground.open(), gold.task).refused_writes
    ]
    assert refused == []


def test_applying_the_pack_again_changes_nothing(project):
    store, _ = project
    edition = store.patches.edition()
    done = packs.apply_pack(store, store.people.named("Mia"))
    assert (done.applied, done.skipped, done.requeued) == ((), {}, 0) and len(done.known) == 45
    assert store.patches.edition() == edition


def test_localizations_of_a_pack_hold_in_its_locale_only(project):
    store, _ = project
    layers = {each.layer for each in tasks_in_force.in_force(store, "retail", "de")}
    assert layers == {"repair"}
    assert {each.layer for each in tasks_in_force.in_force(store, "retail")} == {
        "repair",
        "localization",
    }


def test_texts_under_review_follow_the_repairs(project):
    store, _ = project
    for domain in ("airline", "retail"):
        texts = {each.address: each.source for each in store.segments.all(domain)}
        for name, gold in tasks_in_force.tasks(store, domain).items():
            told = gold.task["user_scenario"]["instructions"]["task_instructions"]
            address = f"{gold.file}#{name}/user_scenario/instructions/task_instructions"
            assert texts.get(address, told) == told


def test_issues_of_the_benchmark_become_flags_and_are_written_without_addresses(project):
    store, _ = project
    made = flags.import_issues(store, store.people.named("Mia"), "retail")
    assert [each.task_id for each in made] == ["4", "5", "7"]
    text = flags.tasks_file(store, "retail")
    assert "author_email" not in text and text.count('"simulation_file"') == 3
