"""Results of localized domains: recognized by the benchmark's name, compared with the domain."""

from __future__ import annotations

import json

import pytest
from curation_project import make_project
from results_cases import results, simulation

from review_app.store import Store
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.runs import rescore, results_files, snapshot


@pytest.fixture
def project(tmp_path):
    store = Store(make_project(tmp_path))
    yield store
    store.close()


def written(project, path, name="airline_ja", **info):
    """A file as the benchmark writes it: null for what a task does not have."""
    derived = Derived(project, "airline", DerivationChoice(locale="ja"))
    ids = list(derived.tasks)[:2]
    tasks = [{**snapshot.derived_task(derived, id), "unset": None} for id in ids]
    content = results([simulation(id) for id in ids], ids) | {"tasks": tasks}
    content["info"] = {"environment_info": {"domain_name": name}, "num_trials": 1, **info}
    path.write_text(json.dumps(content), "utf-8")
    return ids


@pytest.mark.parametrize("name", ["airline_ja", "airline_ja-workflow"])
def test_a_localized_domain_is_recognized_by_its_name(project, tmp_path, name):
    file = tmp_path / "r.json"
    ids = written(project, file, name)
    imported = results_files.import_file(project, None, file)
    assert (imported.changed, imported.gone) == ((), ())
    assert (imported.played.domain, imported.played.locale) == ("airline", "ja")
    assert imported.played.snapshot == ""
    run = project.runs.get(imported.run)
    assert (run.domain, run.locale, run.variant) == ("airline", "ja", "j-tau")
    assert sorted(rescore.today(project, run).tasks) == sorted(ids)
    out = tmp_path / "out.json"
    results_files.export(project, imported.run, out)
    before, after = results_files.read(file), results_files.read(out)
    assert (before.info, before.tasks) == (after.info, after.tasks)
    assert [trial.raw for trial in before.simulations] == [trial.raw for trial in after.simulations]


def test_the_release_that_a_file_names_is_told(project, tmp_path):
    file = tmp_path / "r.json"
    written(project, file, jtau_release={"sha256": "ab" * 32, "variant": "j-tau"})
    assert results_files.import_file(project, None, file).played.snapshot == "ab" * 32


def test_a_domain_whose_ending_is_no_locale_is_its_own(project, tmp_path):
    file = tmp_path / "r.json"
    written(project, file, "airline_xx")
    imported = results_files.import_file(project, None, file)
    assert imported.played is None
    assert len(imported.gone) == 2


def test_a_changed_localized_task_is_told(project, tmp_path):
    file = tmp_path / "r.json"
    ids = written(project, file)
    content = json.loads(file.read_text("utf-8"))
    content["tasks"][0]["user_scenario"]["persona"] = "someone else"
    file.write_text(json.dumps(content), "utf-8")
    assert results_files.import_file(project, None, file).changed == (ids[0],)
