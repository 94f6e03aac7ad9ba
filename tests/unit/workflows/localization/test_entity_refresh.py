"""A project's entities: found, kept, changed, undone, and where they occur."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from review_app.errors import BadInput, NotAllowed, NotFound, ReviewError, StaleEdit
from review_app.models import Entity, Person
from review_app.store import Store
from review_app.workflows.localization import entities, entity_edits, entity_files
from review_app.workflows.review import answers, import_domain
from review_app.workflows.review.import_domain import ImportRequest

PEOPLE = ("Mia Li", "Noah Kim", "Mia Kim")


def user(name: str, number: int) -> dict:
    first, last = name.split()
    return {
        "user_id": f"{first.lower()}_{last.lower()}_{number}",
        "name": {"first_name": first, "last_name": last},
        "address": {
            "address1": "975 Sunset Drive",
            "city": "Denver",
            "country": "USA",
            "state": "CO",
            "zip": "80299",
        },
        "email": f"{first.lower()}.{last.lower()}{number}@example.com",
        "saved_passengers": [],
        "payment_methods": {},
        "reservations": [],
        "membership": "gold",
        "dob": "1990-04-05",
    }


def task(number: int, name: str, said: str) -> dict:
    action = {
        "action_id": f"{number}_0",
        "name": "get_user_details",
        "arguments": {"user_id": user(name, number)["user_id"]},
    }
    return {
        "id": str(number),
        "user_scenario": {
            "instructions": {
                "domain": "airline",
                "reason_for_call": "You call.",
                "task_instructions": "Be brief.",
                "known_info": said,
            }
        },
        "evaluation_criteria": {"actions": [action]},
    }


def write(folder: Path, people=PEOPLE, draft: str | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    users = [user(name, number) for number, name in enumerate(people)]
    database = {"users": {one["user_id"]: one for one in users}, "reservations": {}, "flights": {}}
    tasks = [task(n, name, draft or f"You are {name}.") for n, name in enumerate(people)]
    (folder / "policy.md").write_text("# Policy\n\nBe kind.\n", encoding="utf-8")
    (folder / "db.json").write_text(json.dumps(database), encoding="utf-8")
    (folder / "tasks.json").write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    return folder


@pytest.fixture
def project(store: Store, tmp_path: Path) -> Store:
    import_domain.import_domain(store, ImportRequest(write(tmp_path / "source"), "airline"))
    return store


@pytest.fixture
def me(crew) -> Person:
    return crew.m


def row(store: Store, kind: str, source: str) -> Entity:
    rows = entities.rows(store, "airline")
    return next(each for each in rows if (each.kind, each.source) == (kind, source))


def translate(store: Store, person: Person, target: str, task_id: str = "0") -> str:
    """Write a translation of a task's text; returns the segment's id."""
    segment = store.segments.at(
        "airline", f"tasks.json#{task_id}/user_scenario/instructions/known_info"
    )
    answers.edit(store, segment.id, person, target=target, expected_version=segment.version)
    return segment.id


def approve(store: Store, segment: str, *people: Person) -> None:
    version = store.segments.get(segment).version
    for person in people:
        answers.answer(store, segment, person, verdict="approve", expected_version=version)
    assert store.segments.get(segment).state == "approved"


HANA = {"given": "花", "family": "佐藤", "reading": "ハナ サトウ", "romanized": "Hana Sato"}

# -- locales and packs -------------------------------------------------------------------------


def test_a_locale_is_a_folder_with_rules():
    assert {"ja", "de"} <= set(entities.locales())
    assert "en" not in entities.locales()
    assert entities.locale("ja") is entities.locale("ja")
    with pytest.raises(BadInput, match="no locale 'xx'; there are: 'de', 'ja'"):
        entities.locale("xx")


def test_the_pack_of_a_locale_is_laid_over_the_source():
    assert (
        entities.pack("airline", "ja").words["cabin"]
        != entities.source_pack("airline").words["cabin"]
    )


# -- finding -----------------------------------------------------------------------------------


def test_a_domain_s_entities_are_there_when_they_are_asked_for(project: Store):
    rows = entities.rows(project, "airline")
    assert {each.source for each in rows if each.kind == "person"} == set(PEOPLE)
    assert row(project, "street", "Sunset Drive").target
    assert entities.refresh(project, "airline").added == 0


def test_an_added_record_adds_rows_and_changes_none(project: Store, tmp_path: Path):
    before = entities.rows(project, "airline")
    write(tmp_path / "source", (*PEOPLE, "Yara Silva"))
    import_domain.import_domain(project, ImportRequest(tmp_path / "source", "airline"))
    after = entities.rows(project, "airline")
    assert after[: len(before)] == before
    assert {each.source for each in after[len(before) :]} == {"Yara", "Silva", "Yara Silva"}


def test_entities_of_other_projects_in_the_locale_s_file_are_left_out(project: Store):
    assert entities.locale("ja").written("airline")
    assert {each.origin for each in entities.rows(project, "airline") if each.kind == "person"} == {
        "invented"
    }


def test_another_seed_draws_anew_in_memory_and_keeps_what_is_locked(project: Store, me: Person):
    entity_edits.set_locked(project, me, row(project, "person", "Mia Li"), locked=True)
    stored = entities.rows(project, "airline")
    other = entities.entity_map(project, "airline", seed=2)
    assert other.full_name("Noah Kim") != row(project, "person", "Noah Kim").target
    assert other.full_name("Mia Li") == row(project, "person", "Mia Li").target
    assert entities.rows(project, "airline") == stored
    same = entities.entity_map(project, "airline", seed=1)
    assert same.rows == entities.entity_map(project, "airline").rows


def test_an_unknown_domain_is_not_found(project: Store):
    with pytest.raises(NotFound, match="no domain 'hotel'"):
        entities.refresh(project, "hotel")


def test_occurrences_name_records_calls_and_texts(project: Store):
    found = entities.occurrences(project, "airline", row(project, "person", "Mia Li"))
    assert [(each.file, each.address.split("#")[-1]) for each in found] == [
        ("db.json", "users/mia_li_0"),
        ("tasks.json", "0/evaluation_criteria/actions/0"),
        ("tasks.json", "0/user_scenario/instructions/known_info"),
    ]
    assert entities.index(project, "airline") is entities.index(project, "airline")


# -- override, lock, undo ----------------------------------------------------------------------


def test_an_override_names_a_person_in_the_locale_s_order(project: Store, me: Person):
    mia = row(project, "person", "Mia Li")
    entity_edits.override(project, me, replace(mia, **HANA))
    now = row(project, "person", "Mia Li")
    assert (now.target, now.origin, now.version) == ("佐藤 花", "override", 2)
    assert entities.entity_map(project, "airline").value("user_id", "mia_li_0") == "hana_sato_0"


def test_who_has_a_name_already_is_said(project: Store, me: Person):
    mia, noah = row(project, "person", "Mia Li"), row(project, "person", "Noah Kim")
    with pytest.raises(ReviewError, match="stands for 'Noah Kim' already"):
        entity_edits.override(project, me, replace(mia, given=noah.given, family=noah.family))
    assert row(project, "person", "Mia Li") == mia


def test_only_a_maintainer_changes_entities(project: Store, crew):
    with pytest.raises(NotAllowed):
        entity_edits.override(project, crew.a, replace(row(project, "person", "Mia Li"), **HANA))


def test_a_second_override_of_the_same_version_is_refused(project: Store, me: Person):
    mia = row(project, "person", "Mia Li")
    entity_edits.override(project, me, replace(mia, **HANA))
    with pytest.raises(StaleEdit):
        entity_edits.override(
            project, me, replace(mia, given="葵", family="林", romanized="Aoi Hayashi")
        )


def test_an_override_is_undone_and_the_history_keeps_both(project: Store, me: Person):
    mia = row(project, "person", "Mia Li")
    effect = entity_edits.override(project, me, replace(mia, **HANA))
    entity_edits.restore(project, me, effect.before)
    assert replace(row(project, "person", "Mia Li"), version=1) == mia
    told = [(each.actor, each.new.target) for each in entity_edits.history(project, mia)]
    assert told == [("Mio", mia.target), ("Mio", "佐藤 花"), ("entities", mia.target)]


def test_an_undo_that_would_give_two_people_one_name_is_refused(project: Store, me: Person):
    mia, noah = row(project, "person", "Mia Li"), row(project, "person", "Noah Kim")
    effect = entity_edits.override(project, me, replace(mia, **HANA))
    names = {name: getattr(mia, name) for name in ("given", "family", "romanized")}
    entity_edits.override(project, me, replace(noah, **names))
    with pytest.raises(ReviewError, match="'Noah Kim' already"):
        entity_edits.restore(project, me, effect.before)


def test_people_built_of_a_given_name_follow_it(project: Store, me: Person):
    mia = row(project, "given_name", "Mia")
    new = replace(mia, target="花", reading="ハナ", romanized="Hana")
    effect = entity_edits.override(project, me, new)
    assert {each.source for _, each in effect.changes} == {"Mia", "Mia Li", "Mia Kim"}
    assert row(project, "person", "Mia Kim").given == "花"


def test_locking_keeps_a_row_from_being_drawn_anew(project: Store, me: Person):
    mia = entity_edits.set_locked(project, me, row(project, "person", "Mia Li"), locked=True)
    with pytest.raises(ReviewError, match="locked"):
        entity_edits.redraw(project, me, mia)
    planned = entity_edits.regeneration(project, "airline", "people")
    assert "Mia Li" not in {old.source for old, _ in planned.changes}


def test_one_person_is_drawn_anew(project: Store, me: Person):
    mia = row(project, "person", "Mia Li")
    entity_edits.redraw(project, me, mia)
    now = row(project, "person", "Mia Li")
    assert now.target != mia.target
    assert (now.draw, now.origin) == (1, "invented")


def test_many_are_drawn_anew_as_previewed_and_undone_at_once(project: Store, me: Person):
    before = entities.rows(project, "airline")
    planned = entity_edits.regeneration(project, "airline", "people")
    assert entities.rows(project, "airline") == before
    done = entity_edits.regenerate(project, me, "airline", "people")
    assert [new.target for _, new in done.changes] == [new.target for _, new in planned.changes]
    assert row(project, "person", "Noah Kim").draw == 1
    entity_edits.restore(project, me, done.before)
    assert [each.target for each in entities.rows(project, "airline")] == [
        each.target for each in before
    ]


# -- texts -------------------------------------------------------------------------------------


def test_approved_texts_with_the_old_name_go_back_to_review(project: Store, crew):
    mia = row(project, "person", "Mia Li")
    segment = translate(project, crew.a, f"あなたは{mia.target}です。")
    approve(project, segment, crew.b, crew.c)
    new = replace(mia, **HANA)
    assert [one.id for one in entity_edits.preview(project, new).requeued] == [segment]
    entity_edits.override(project, crew.m, new)
    assert project.segments.get(segment).state != "approved"
    assert project.segments.review_row(segment)["recheck"] == "entity Mia Li"


def test_the_new_name_is_put_into_the_texts_as_an_edit_of_the_maintainer(project: Store, crew):
    mia = row(project, "person", "Mia Li")
    segment = translate(project, crew.a, f"あなたは{mia.target.replace(' ', '')}です。")
    other = translate(project, crew.a, "あなたは別の人です。", task_id="1")
    effect = entity_edits.override(project, crew.m, replace(mia, **HANA))
    changes, texts = entity_edits.outdated(project, effect.changes[0][1])
    assert [one.id for one in texts] == [segment]
    entity_edits.replace_in_texts(project, crew.m, "airline", changes)
    assert project.segments.get(segment).target == "あなたは佐藤花です。"
    assert project.reviews.revisions(segment)[-1].author_id == crew.m.id
    assert project.segments.get(other).version == 1
    assert entity_edits.outdated(project, effect.changes[0][1])[1] == []


def test_what_changed_since_is_told_from_the_history(project: Store, me: Person):
    mia = row(project, "person", "Mia Li")
    effect = entity_edits.override(project, me, replace(mia, **HANA))
    assert entity_edits.changes_since(project, effect.before) == list(effect.changes)


# -- files -------------------------------------------------------------------------------------


def test_what_is_exported_is_imported_as_the_same(project: Store):
    text = entity_files.write_entities(project, "airline")
    plan = entity_files.compare(
        project, "airline", entity_files.read_entities(text, "entities.csv", "airline")
    )
    assert (plan.added, plan.changed, plan.displaced) == ((), (), ())
    assert plan.same == len(entities.rows(project, "airline"))


def test_a_name_that_a_file_gives_away_is_drawn_anew_for_who_had_it(project: Store, me: Person):
    mia, noah = row(project, "person", "Mia Li"), row(project, "person", "Noah Kim")
    taken = replace(
        mia,
        target=noah.target,
        given=noah.given,
        family=noah.family,
        romanized=noah.romanized,
        origin="file",
        id=0,
        version=0,
    )
    plan = entity_files.import_entities(project, me, "airline", [taken])
    assert (len(plan.added), len(plan.changed), len(plan.displaced)) == (0, 1, 1)
    assert row(project, "person", "Mia Li").target == noah.target
    assert row(project, "person", "Noah Kim").target != noah.target


def test_a_file_that_takes_a_name_that_a_person_chose_is_refused(project: Store, me: Person):
    noah = row(project, "person", "Noah Kim")
    entity_edits.override(project, me, replace(noah, **HANA))
    taken = Entity("person", "Mia Li", "佐藤花", **HANA, origin="file")
    with pytest.raises(ReviewError, match="'Noah Kim' already"):
        entity_files.import_entities(project, me, "airline", [taken])


def test_a_file_of_another_domain_is_refused(project: Store):
    text = entity_files.write_entities(project, "airline")
    with pytest.raises(BadInput, match="no row of domain 'retail'"):
        entity_files.read_entities(text, "entities.csv", "retail")


def test_published_tasks_name_the_people(project: Store, me: Person):
    published = [task(0, "Mia Li", "あなたは木村 真綾です。")]
    published[0]["evaluation_criteria"]["actions"][0]["arguments"]["user_id"] = "maaya_kimura_0"
    found = entity_files.infer(project, "airline", published)
    entity_files.import_entities(project, me, "airline", found.rows)
    now = row(project, "person", "Mia Li")
    assert (now.target, now.romanized, now.origin) == ("木村 真綾", "Maaya Kimura", "inferred")
    assert entities.entity_map(project, "airline").value("user_id", "mia_li_0") == "maaya_kimura_0"


def test_a_file_of_published_tasks_that_is_no_list_is_refused(tmp_path: Path):
    (tmp_path / "tasks.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BadInput, match="no list of tasks"):
        entity_files.read_tasks(tmp_path / "tasks.json")
