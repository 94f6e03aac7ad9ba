"""Counterparts of entities: one for each, and none moves when the benchmark grows."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.localize.counterparts import assigned
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.gathered import Gathered
from review_app.core.localize.published_names import infer
from review_app.models import Entity
from review_app.workflows.localization import entities

JA = replace(entities.locale("ja"), entities_text="")
PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(["Mia", "Noah", "Yara", "Omar", "Anya"]),
        st.sampled_from(["Li", "Kim", "O'Hara", "Silva"]),
    ),
    unique=True,
    max_size=12,
)
SEEDS = st.integers(0, 50)
few = settings(max_examples=40, deadline=None)


def found(people, zips=()) -> Gathered:
    return Gathered(people=dict.fromkeys(people), zips=dict.fromkeys(zips, ("Nowhere", "XX")))


def rows(gathered: Gathered, seed: int, known=()) -> list[Entity]:
    return assigned(gathered, known, JA, domain="airline", seed=seed)


@few
@given(PEOPLE, SEEDS)
def test_no_two_entities_of_a_kind_have_one_counterpart(people, seed):
    made = rows(found(people), seed)
    for kind in ("person", "given_name", "family_name"):
        targets = [row.target for row in made if row.kind == kind]
        romanized = [row.romanized for row in made if row.kind == kind]
        assert len(set(targets)) == len(set(romanized)) == len(targets)
    assert {row.source for row in made if row.kind == "person"} == {" ".join(p) for p in people}


@few
@given(PEOPLE, PEOPLE, SEEDS)
def test_added_people_change_nobody(people, more, seed):
    before = rows(found(people), seed)
    after = rows(found([*people, *more]), seed, known=before)
    assert after[: len(before)] == before
    assert rows(found([*more, *people]), seed, known=before)[: len(before)] == before


@few
@given(PEOPLE, SEEDS)
def test_the_same_seed_gives_the_same_rows(people, seed):
    assert rows(found(people), seed) == rows(found(people), seed)


def test_another_seed_gives_other_names():
    people = [("Mia", "Li"), ("Noah", "Kim")]
    assert rows(found(people), 1) != rows(found(people), 2)


@few
@given(st.lists(st.from_regex(r"\d{5}", fullmatch=True), unique=True, max_size=20), SEEDS)
def test_no_two_zips_become_one(zips, seed):
    made = [row.target for row in rows(found([], zips), seed) if row.kind == "zip"]
    assert len(set(made)) == len(made) == len(zips)


@few
@given(PEOPLE.filter(bool), SEEDS)
def test_localized_tasks_give_back_who_is_who(people, seed):
    mapped = EntityMap(rows(found(people), seed), JA)
    pairs = [(one, mapped.name(*one)) for one in people]

    def tasks(at):
        said = [{"first_name": pair[at][0], "last_name": pair[at][1]} for pair in pairs]
        call = {"action_id": "0", "name": "book_reservation", "arguments": {"passengers": said}}
        return [{"id": "0", "evaluation_criteria": {"actions": [call]}}]

    pool = JA.name_pool()
    done = infer(entities.rules("airline"), tasks(0), tasks(1), people=[], locale=JA, pool=pool)
    assert done.problems == ()
    for row in done.rows:
        known = mapped.rows["person", row.source]
        assert (row.target, row.romanized) == (known.target, known.romanized)
