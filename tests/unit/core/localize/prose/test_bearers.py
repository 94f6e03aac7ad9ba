"""A given name that stands alone follows the person who has it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from localized_sample import words

from review_app.core.localize.expected_amounts import Amounts
from review_app.core.localize.prose.bearers import agreed, given_names, named_in
from review_app.core.localize.tasks import TaskLocalizer
from review_app.models import Entity

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
KIM = Entity("person", "Mia Kim", "林 千代", "千代", "林", "チヨ ハヤシ", "Chiyo Hayashi")
OVERRIDDEN = replace(KIM, target="林 恵", given="恵", origin="override")
ROW = Entity("given_name", "Mia", "千代")


@pytest.mark.parametrize(
    ("rows", "adapted"),
    [
        pytest.param((MIA, KIM, ROW), "千代 says", id="as drawn"),
        pytest.param((OVERRIDDEN, ROW), "恵 says", id="the one bearer is overridden"),
        pytest.param((MIA, OVERRIDDEN, ROW), "千代 says", id="one of two is"),
        pytest.param((MIA, OVERRIDDEN), "Mia says", id="it may mean either"),
        pytest.param((MIA, KIM), "千代 says", id="both are called so"),
        pytest.param((), "Mia says", id="nobody"),
    ],
)
def test_a_name_alone_is_that_of_its_bearers(rows, adapted):
    assert words(*rows).mentions.adapted("Mia says") == adapted


def test_among_known_people_it_means_one_of_them():
    mentions = words(MIA, OVERRIDDEN, ROW).mentions
    assert mentions.among([OVERRIDDEN]).adapted("Mia, Mia Li") == "恵, 木村 千代"
    assert mentions.among([MIA, OVERRIDDEN]).adapted("Mia") == "千代"
    assert mentions.adapted("Mia") == "千代"


@pytest.mark.parametrize("named", ["You are Mia Kim.", "Your user id is mia_kim_1234."])
def test_in_a_task_it_means_the_person_that_the_task_names(named):
    here = words(MIA, OVERRIDDEN, ROW)
    instructions = {"known_info": named, "reason_for_call": "Mia asks for help."}
    task = {"id": "0", "user_scenario": {"instructions": instructions}}
    made = TaskLocalizer(here.localizer, here.mentions).task(task, Amounts()).task
    assert made["user_scenario"]["instructions"]["reason_for_call"] == "恵 asks for help."


def test_people_are_named_in_full_or_by_id():
    known = {"mialili": "x", "miali": "z"}
    assert list(named_in("Mia Li, and mia_li_2; Mia is no Mia", known)) == ["z", "z"]
    assert agreed([MIA, OVERRIDDEN]) == {}
    assert given_names(words(MIA, OVERRIDDEN).entities) == {"Mia": "Mia"}
