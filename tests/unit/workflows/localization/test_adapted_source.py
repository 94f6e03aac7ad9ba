"""What a model gets has the names, amounts and places of the target already."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bare_airline import KNOWN, imported, order, person

from review_app import cli
from review_app.models import Term
from review_app.workflows import project as workflows_project
from review_app.workflows.localization import adapted_source, entity_edits, translation_plan


@pytest.fixture
def bare(store, tmp_path, crew):
    return imported(store, tmp_path / "source")


def test_words_of_the_glossary_are_terms_and_stay_in_the_text(bare):
    with bare.write("test"):
        bare.terms.add([Term("certificate", "旅行クーポン", mode="exact")])
    messages = [
        message["content"]
        for batch in translation_plan.plan(bare, order(bare)).batches
        for message in translation_plan.TranslationSetup(bare, order(bare)).messages(batch)
    ]
    assert any("A certificate is worth 7,500円 in JST." in one for one in messages)


def test_the_preview_is_the_adapted_request(bare):
    task = next(one for one in bare.segments.all() if one.source == KNOWN)
    shown = translation_plan.preview(bare, task.id, order(bare))[1]["content"]
    assert person(bare).target in shown and "Mia" not in shown


def test_another_name_is_another_request_and_the_others_are_not_asked_again(bare, crew):
    before = translation_plan.plan(bare, order(bare))
    row, sources = person(bare), {one.id: one.source for one in bare.segments.all()}
    entity_edits.redraw(bare, crew.m, row)
    assert person(bare).target != row.target
    after = translation_plan.plan(bare, order(bare))
    changed = [id for id in after.made_from if after.made_from[id] != before.made_from[id]]
    assert [sources[one] for one in changed] == [KNOWN]
    told = {
        batch.file: [
            translation_plan.TranslationSetup(bare, order(bare)).request_hash(batch, None, (0, 0))
            for batch in (first, batch)
        ]
        for first, batch in zip(before.batches, after.batches, strict=True)
    }
    assert {file: old != new for file, (old, new) in told.items()} == {
        "policy.md": False,
        "tasks.json": True,
    }


def test_only_the_chosen_kinds_are_planned(bare):
    every = translation_plan.plan(bare, order(bare))
    some = translation_plan.plan(bare, order(bare, kinds=["policy"]))
    assert {one.kind for batch in some.batches for one in batch.wanted.values()} == {"policy"}
    assert 0 < len(some.made_from) < len(every.made_from)
    assert sum(some.counts.values()) < sum(every.counts.values())


def test_without_rules_for_the_target_locale_texts_stay_as_they_are(bare):
    project = bare.people.project()
    workflows_project.set_project(bare, replace(project, target_locale="xx"), actor="test")
    adapt = adapted_source.adapted(bare, "airline")
    assert {adapt(one) == one.source for one in bare.segments.all()} == {True}


def test_a_dry_run_on_the_command_line_counts_the_adapted_texts(bare, capsys):
    assert cli.main(["translate", "--domain", "airline", "--dry-run", "--db", str(bare.path)]) == 0
    assert " texts in " in capsys.readouterr().out


def test_a_given_name_alone_means_the_person_that_its_task_names(bare, crew):
    """Two people are called Mia, and one of them was given a name as a whole."""
    row = replace(person(bare), id=0, source="Mia Kim", target="林 恵", given="恵", family="林")
    row = replace(row, romanized="Megumi Hayashi", origin="override")
    with bare.write("test"):
        bare.entities.add("airline", "ja", [row])
    texts = {one.source: one for one in bare.segments.all()}
    reason = replace(texts["You want to fly."], source="Mia wants to fly.")
    known = replace(texts[KNOWN], source="You are Mia Kim.")
    assert adapted_source.adapted(bare, "airline")(reason).startswith(person(bare).given)
    with bare.write("test"):
        bare._db.execute("UPDATE segments SET source = ? WHERE id = ?", [known.source, known.id])
    assert adapted_source.adapted(bare, "airline")(reason) == "恵 wants to fly."
