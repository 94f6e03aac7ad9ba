"""What a model gets has the names, amounts and places of the target already."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from model_server import ModelServer, says

from review_app import cli
from review_app.llm import Endpoint
from review_app.models import Term
from review_app.records.project import Pulse
from review_app.store import Store
from review_app.workflows import project as workflows_project
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.localization import (
    adapted_source,
    entities,
    entity_edits,
    translation,
    translation_plan,
)
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

PERSON = "Mia Li"
USER = {
    "name": {"first_name": "Mia", "last_name": "Li"},
    "address": {
        "address1": "975 Sunset Drive",
        "address2": "Suite 217",
        "country": "USA",
        "city": "Austin",
        "state": "TX",
        "zip": "78750",
    },
    "email": "mia.li3818@example.com",
    "dob": "1990-04-05",
    "payment_methods": {},
    "saved_passengers": [],
    "membership": "gold",
    "reservations": [],
}
KNOWN = "You are Mia Li, user mia_li_3668. You pay $100 for a flight from JFK at 3 pm EST."
POLICY = "# Rules\n\nA certificate is worth $50 in EST.\n"


@pytest.fixture
def bare(store, tmp_path, crew):
    """An airline with one user who occurs in a task, and no translation."""
    task = {
        "id": "0",
        "user_scenario": {
            "instructions": {
                "domain": "airline",
                "reason_for_call": "You want to fly.",
                "known_info": KNOWN,
                "task_instructions": "Be brief.",
            }
        },
        "evaluation_criteria": {"actions": []},
    }
    database = {"users": {"mia_li_3668": USER | {"user_id": "mia_li_3668"}}}
    database |= {"flights": {}, "reservations": {}}
    files = {"policy.md": POLICY, "tasks.json": json.dumps([task]), "db.json": json.dumps(database)}
    folder = tmp_path / "source"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    import_domain.import_domain(store, ImportRequest(folder, "airline"))
    return store


def person(store: Store):
    return next(row for row in entities.rows(store, "airline") if row.kind == "person")


def bracketed(payload):
    """Answers each text with itself, in capitals and brackets."""
    passage = json.loads(payload["messages"][-1]["content"])["passage"]
    entries = [
        {"key": one["key"], "text": f"[{one['text'].upper()}]"} for one in passage if "key" in one
    ]
    return says(json.dumps({"translations": entries}, ensure_ascii=False))


def order(
    store: Store, where: ModelServer | None = None, **params: object
) -> translation_plan.TranslationOrder:
    made = translation.order_of(store, "airline", params)
    return replace(made, endpoint=Endpoint("openai/test", where.url if where else "http://x/v1"))


def sent(model: ModelServer) -> str:
    return "\n".join(
        message["content"] for r in model.requests for message in r.payload["messages"]
    )


def test_a_request_names_the_people_amounts_airports_and_zone_of_the_target(bare):
    row = person(bare)
    with ModelServer(bracketed) as model:
        translation.translate(bare, order(bare, model), Reporter(Pulse()))
        told = sent(model)
    user_id = f"{row.romanized.split()[0]}_{row.romanized.split()[1]}_3668".lower()
    assert f"You are {row.target}, user {user_id}" in told and not row.target.isascii()
    assert "15,000円 for a flight from HND at 3 pm JST" in told and "7,500円" in told
    assert not [word for word in ("Mia", "mia_li", "$100", "JFK at", "EST") if word in told]
    task = next(one for one in bare.segments.all() if one.source == KNOWN)
    assert row.target in (task.target or "") and "15,000円" in (task.target or "")


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
