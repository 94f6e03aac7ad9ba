"""What a localized domain is derived from: seeds, locales, patches, texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_project import DOMAINS, sample_store

from review_app.core.tasks.operations import Operation
from review_app.core.tasks.patches import Patch, task_hash
from review_app.errors import BadInput, NotFound
from review_app.store import Store
from review_app.workflows import project as workflows_project
from review_app.workflows.benchmark import tasks_in_force
from review_app.workflows.localization import entities, entity_edits
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived, variants

NAMES = {"person", "given_name", "family_name"}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Store:
    """The sample without a draft. Read only."""
    return sample_store(tmp_path_factory.mktemp("sample"), *DOMAINS)


def rows(derived: Derived) -> dict:
    return {(each.kind, each.source): each for each in derived.ground.entities}


# -- seeds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
def test_another_seed_changes_only_what_is_drawn(project, domain):
    one, two = (
        rows(Derived(project, domain, DerivationChoice(locale="de", seed=n))) for n in (1, 2)
    )
    assert one.keys() == two.keys()
    changed = {key for key in one if one[key].target != two[key].target}
    assert {"person"} < {kind for kind, _ in changed} <= NAMES | {"street"}
    assert {one[key].origin for key in changed} == {"invented"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_another_seed_keeps_people_written_by_hand(project, domain):
    one, two = (rows(Derived(project, domain, DerivationChoice(seed=n))) for n in (1, 2))
    assert one == two


def test_a_locked_name_is_kept_under_another_seed(tmp_path):
    store = sample_store(tmp_path, "airline")
    me = workflows_project.add_person(store, "Mio", "maintainer")
    first, second = [each for each in entities.rows(store, "airline") if each.kind == "person"][:2]
    for row in (first, second):
        entity_edits.redraw(store, me, row)
    drawn = {each.source: each for each in entities.rows(store, "airline")}
    entity_edits.set_locked(store, me, drawn[first.source], locked=True)
    other = rows(Derived(store, "airline", DerivationChoice(seed=2)))
    assert other["person", first.source].target == drawn[first.source].target
    assert other["person", second.source].target != drawn[second.source].target


def test_the_seed_of_the_project_is_no_other_seed(project):
    plain, named = (
        Derived(project, "airline", choice)
        for choice in (DerivationChoice(), DerivationChoice(seed=1))
    )
    assert plain.database == named.database and plain.seed == named.seed == 1


# -- locales -----------------------------------------------------------------------------------


def test_another_locale_is_derived_without_being_the_project_s(project):
    derived = Derived(project, "airline", DerivationChoice(locale="de"))
    said = str(derived.database)
    assert "München" in said and "小川" not in said
    assert "reservations" in derived.database
    assert all(text.stands_in for text in derived.texts.values())


def test_an_unknown_variant_names_those_there_are(project):
    with pytest.raises(NotFound, match="mt-only"):
        Derived(project, "airline", DerivationChoice(variant="x"))
    with pytest.raises(NotFound, match="no domain 'hotel'"):
        Derived(project, "hotel")
    with pytest.raises(BadInput, match="no locale"):
        Derived(project, "airline", DerivationChoice(locale="xx"))


def test_every_text_but_those_of_tasks_has_a_standing(project):
    derived = Derived(project, "retail")
    files = {address.partition("#")[0] for address in derived.texts}
    assert {"policy.md", "db.json", "tools.json"} <= files and "tasks.json" not in files


def test_texts_that_are_the_source_s_on_purpose_stand_in_for_nothing(project):
    for name in ("tau", "tau*"):
        derived = Derived(project, "airline", DerivationChoice(variant=name))
        assert derived.stand_ins() == []
        assert derived.localized_tasks("tasks.json")[0].stand_ins == ()


# -- patches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_shipped_patches_rest_on_tasks_that_they_were_not_written_for(project, domain):
    derived, shipped = Derived(project, domain), tasks_in_force.shipped(domain, "ja")
    assert {patch.task_id for patch in shipped} & derived.originals.keys()
    for gold in derived.originals.values():
        assert tasks_in_force.fitting(gold.task, shipped) == []
        assert tasks_in_force.repaired(gold.task, shipped) == gold.task


def test_variants_say_which_of_them_fix_tasks():
    assert {name for name, each in variants().items() if each.fixes} == {
        "j-tau",
        "j-tau-en-tool",
        "j-tau-en-user",
        "j-tau-no-json",
        "tau-repaired",
    }


def _patch_for(derived: Derived, task_id: str, layer: str) -> Patch:
    """A shipped patch of a layer, as if it had been written for a task of the sample."""
    shipped = tasks_in_force.shipped("airline", "ja")
    found = next(each for each in shipped if each.layer == layer)
    base = task_hash(dict(derived.originals[task_id].task))
    path, said = "/evaluation_criteria/nl_assertions/-", "The agent says so."
    operation = Operation(op="add", path=path, value=said)
    return replace(found, task_id=task_id, base_hash=base, operations=(operation,))


def test_a_repair_of_this_very_task_is_in_force(project):
    derived = Derived(project, "airline")
    patch = _patch_for(derived, "0", "repair")
    before = derived.originals["0"].task["evaluation_criteria"]["nl_assertions"]
    task = tasks_in_force.repaired(derived.originals["0"].task, [patch])
    assert task["evaluation_criteria"]["nl_assertions"] == [*before, "The agent says so."]
    assert derived.originals["0"].task["evaluation_criteria"]["nl_assertions"] == before
    other = tasks_in_force.repaired(derived.originals["1"].task, [patch])
    assert other == derived.originals["1"].task


def test_a_localization_patch_is_laid_over_the_localized_task(project):
    derived = Derived(project, "airline")
    patch = _patch_for(derived, "0", "localization")
    original = derived.originals["0"].task
    made = derived.task(derived.tasks["0"], original).task
    done = tasks_in_force.with_localizations(made, original, [patch], derived.derivation)
    said = done["evaluation_criteria"]["nl_assertions"]
    assert said == [*made["evaluation_criteria"]["nl_assertions"], "The agent says so."]
