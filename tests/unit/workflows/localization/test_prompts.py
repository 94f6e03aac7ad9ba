"""Prompts are edited in versions; a preview shows exactly what is sent."""

from __future__ import annotations

import sqlite3

import pytest

from review_app.config import data_text
from review_app.errors import BadInput, NotAllowed, NotFound, ReviewError
from review_app.llm import Endpoint
from review_app.workflows.localization import prompts, translation_plan
from review_app.workflows.review import import_domain

POLICY = "translate/policy"
STYLE = "locales/ja/style"
ORDER = translation_plan.TranslationOrder(
    "airline", Endpoint("openai/test", "http://localhost", "k")
)


def prompt(store, name):
    return next(one for one in prompts.prompts(store) if one.name == name)


def test_the_shipped_files_are_in_force_at_first(store):
    found = {one.name: one for one in prompts.prompts(store)}
    assert len(found) == 10
    assert found[POLICY].text == data_text("prompts", "translate", "policy.md")
    assert found[STYLE].text == data_text("locales", "ja", "style.md")
    assert {(one.version, one.author) for one in found.values()} == {(0, "")}


def test_a_saved_prompt_is_in_force_and_the_default_can_be_restored(store, crew):
    before = prompts.templates_for(store, "policy").version
    assert prompts.save(store, crew.m, POLICY, "New.", expected_version=0) == 1
    now = prompt(store, POLICY)
    assert (now.text, now.version, now.author) == ("New.", 1, "Mio")
    assert prompts.templates_for(store, "policy").guide == "New."
    assert prompts.templates_for(store, "policy").version != before
    assert prompts.templates_for(store, "tool").guide == prompt(store, "translate/tool").default
    assert prompts.restore_default(store, crew.m, POLICY, expected_version=1) == 2
    assert prompt(store, POLICY).text == prompt(store, POLICY).default
    assert prompts.templates_for(store, "policy").version == before
    assert [one.text for one in store.prompts.history(POLICY)] == [None, "New."]
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), store.write("x"):
        store._db.execute("DELETE FROM prompts")


def test_a_prompt_is_changed_by_one_maintainer_at_a_time_and_must_be_sound(store, crew):
    prompts.save(store, crew.m, POLICY, "One.", expected_version=0)
    for error, person, name, text, version in (
        (ReviewError, crew.m, POLICY, "Two.", 0),
        (NotAllowed, crew.a, POLICY, "Two.", 1),
        (NotFound, crew.m, "locales/xx/style", "Two.", 0),
        (BadInput, crew.m, POLICY, "{nothing}", 1),
    ):
        with pytest.raises(error):
            prompts.save(store, person, name, text, expected_version=version)
    assert prompt(store, POLICY).text == "One."


def test_a_preview_is_what_the_plan_would_send(store, tiny, crew):
    import_domain.import_domain(store, tiny.request(draft=None))
    segment = store.segments.at("airline", "policy.md#refunds/1")
    plan = translation_plan.plan(store, ORDER)
    sent = translation_plan.TranslationSetup(store, ORDER).messages(plan.batches[0])
    assert translation_plan.preview(store, segment.id, ORDER) == sent
    prompts.save(store, crew.m, POLICY, "Mind {target_language}.", expected_version=0)
    assert "Mind Japanese." in translation_plan.preview(store, segment.id, ORDER)[0]["content"]


def test_a_text_that_is_not_to_do_is_previewed_alone(imported):
    segment = imported.segments.at("airline", "policy.md#refunds/1")
    content = translation_plan.preview(imported, segment.id, ORDER)[1]["content"]
    assert content.count('"key"') == 1 and '"translation": "## 返金"' in content
