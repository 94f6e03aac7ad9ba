"""Whom texts call he or she, and that the names that are drawn agree with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from review_app.core.localize.counterparts import assigned
from review_app.core.localize.gathered import Gathered
from review_app.core.localize.prose.genders import stated_genders
from review_app.workflows.localization import entities

MIA, ANN, LEE = ("Mia", "Li"), ("Ann", "Berg"), ("Lee", "Berg")
PEOPLE = (MIA, ANN, LEE)


def task(known_info="You are Mia Li.", purpose="", reason=""):
    instructions = {"known_info": known_info, "reason_for_call": reason}
    return {
        "id": "0",
        "description": {"purpose": purpose},
        "user_scenario": {"instructions": instructions},
    }


def said(*tasks):
    return stated_genders(tasks, PEOPLE, entities.grammar())


@pytest.mark.parametrize(
    ("texts", "gender"),
    [
        ({"purpose": "User thinks she is gold."}, "female"),
        ({"purpose": "The customer wants his money back. She is a clerk."}, "male"),
        ({"known_info": "You are a funny guy. Your user id is mia_li_3668."}, "male"),
        ({"known_info": "You're a lady called Mia Li."}, "female"),
        ({"purpose": "Help Mrs. Mia Li, please."}, "female"),
        ({"purpose": "User wants to move the flight of the mother since she is ill."}, None),
        ({"reason": "Your son is ill. He wants a refund."}, None),
        ({"purpose": "User thinks she is gold; the user said he was not."}, None),
        ({"known_info": "You are Mia Li or Ann Berg.", "purpose": "User lost her bag"}, None),
        ({"purpose": "The weather: User theme here."}, None),
    ],
)
def test_a_text_says_the_gender_of_its_user(texts, gender):
    assert said(task(**texts)) == ({} if gender is None else {MIA: gender})


def test_a_noun_before_a_name_speaks_of_that_person_only():
    spoken = task(reason="You met a guy called Lee Berg and your wife Ann Berg.")
    assert said(spoken) == {LEE: "male", ANN: "female"}


def drawn(seen):
    ja = replace(entities.locale("ja"), entities_text="")
    rows = assigned(seen, (), ja, domain="airline", seed=1)
    return ja.name_pool(), {(row.kind, row.source): row for row in rows}


def test_names_are_drawn_of_the_gender_of_the_source_name():
    people = {(f"Name{at}", "Li"): None for at in range(20)}
    usual = {given: "male" if at % 2 else "female" for at, (given, _) in enumerate(people)}
    pool, rows = drawn(Gathered(people=people, usual_genders=usual))
    for given, gender in usual.items():
        assert pool.suits(rows["given_name", given].target, gender)
        assert pool.suits(rows["person", f"{given} Li"].given, gender)


def test_what_texts_say_wins_and_changes_that_person_alone():
    seen = Gathered(
        people={("Lee", "Li"): None, ("Lee", "Kim"): None},
        genders={("Lee", "Kim"): "female"},
        usual_genders={"Lee": "male"},
    )
    pool, rows = drawn(seen)
    assert pool.genders[rows["given_name", "Lee"].target] == "male"
    assert rows["person", "Lee Li"].given == rows["given_name", "Lee"].target
    assert pool.genders[rows["person", "Lee Kim"].given] == "female"


def test_a_name_without_usual_gender_takes_that_of_the_text():
    seen = Gathered(people={("Lei", "Li"): None}, genders={("Lei", "Li"): "female"})
    pool, rows = drawn(seen)
    assert pool.suits(rows["given_name", "Lei"].target, "female")
    assert rows["person", "Lei Li"].draw == 0
