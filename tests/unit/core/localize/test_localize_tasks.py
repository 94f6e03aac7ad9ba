"""A task in the target locale: texts, calls, what it expects to be said; all else as it was."""

from __future__ import annotations

import copy
from decimal import Decimal

import pytest
from localized_sample import sample, tasks, words

from review_app.core.localize.expected_amounts import Amounts
from review_app.core.localize.tasks import TaskLocalizer
from review_app.models import Entity

ROWS = (
    Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura"),
    Entity("city", "Chicago", "名古屋市中区"),
    Entity("state", "IL", "愛知県"),
    Entity("street", "Maple Drive", "紅葉町"),
    Entity("option", "color=black", "黒"),
    Entity("option", "size=L", "エル"),
)
HERE = words(*ROWS)


def localizer(**more) -> TaskLocalizer:
    return TaskLocalizer(HERE.localizer, HERE.mentions, **more)


def task(**criteria):
    return {
        "zz_unknown": {"first_name": "Mia", "amount": 5, "list": [], "null": None},
        "id": "7",
        "user_scenario": {
            "persona": None,
            "instructions": {
                "known_info": "You are Mia Li.",
                "reason_for_call": " ",
                "task_instructions": "You paid $2.50 in black.",
            },
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": "7_0",
                    "name": "get_user_details",
                    "arguments": {"user_id": "mia_li_1", "x": None},
                    "info": None,
                },
                {"action_id": "7_1", "name": "calculate", "arguments": {"expression": "2 * 2.50"}},
            ],
            "communicate_info": [],
            "nl_assertions": ["The agent greets Mia Li."],
            **criteria,
        },
    }


SHOWN = Amounts(options={("color", "black"): None, ("size", "L"): None})


def shape(value):
    if isinstance(value, dict):
        return [(key, shape(each)) for key, each in value.items()]
    return [shape(each) for each in value] if isinstance(value, list) else type(value)


def test_a_task_keeps_keys_order_nulls_and_empty_lists():
    source = task()
    before = copy.deepcopy(source)
    made = localizer().task(source, SHOWN).task
    assert shape(made) == shape(source)
    assert made["zz_unknown"] == source["zz_unknown"]
    assert source == before


def test_texts_without_a_translation_are_adapted_and_reported():
    made = localizer(texts={"7/user_scenario/instructions/known_info": "あなたは木村です。"}).task(
        task(), SHOWN
    )
    said = made.task["user_scenario"]["instructions"]
    assert said["known_info"] == "あなたは木村です。"
    assert said["task_instructions"] == "You paid 375円 in 黒."
    assert said["reason_for_call"] == " "
    assert made.stand_ins == (
        "7/user_scenario/instructions/task_instructions",
        "7/evaluation_criteria/nl_assertions/0",
    )


ASSERTION = "7/evaluation_criteria/nl_assertions/0"


@pytest.mark.parametrize(
    ("assertions", "said", "stands_in"),
    [("target", "挨拶する。", False), ("source", "The agent greets 木村 千代.", False)],
)
def test_assertions_are_in_the_chosen_language(assertions, said, stands_in):
    made = localizer(texts={ASSERTION: "挨拶する。"}, assertions=assertions).task(task(), SHOWN)
    assert made.task["evaluation_criteria"]["nl_assertions"] == [said]
    assert (ASSERTION in made.stand_ins) is stands_in


def test_calls_are_localized_and_calculations_too():
    made = localizer().task(task(), SHOWN).task["evaluation_criteria"]["actions"]
    assert made[0]["arguments"] == {"user_id": "chiyo_kimura_1", "x": None}
    assert made[1]["arguments"] == {"expression": "2 * 375"}


@pytest.mark.parametrize("arguments", [None, [], "x"])
def test_calls_with_broken_arguments_stay(arguments):
    calls = [{"name": name, "arguments": arguments} for name in ("calculate", "get_user_details")]
    made = localizer().task(task(actions=calls), SHOWN).task
    assert made["evaluation_criteria"]["actions"] == calls


def test_initial_calls_and_assertions_of_the_environment_are_localized():
    telecom = sample("telecom")
    for source in tasks("telecom").values():
        made = telecom.tasks().calls(source)
        for ours, theirs in zip(
            source["initial_state"]["initialization_actions"],
            made["initial_state"]["initialization_actions"],
            strict=True,
        ):
            wanted = telecom.localizer.arguments(ours["func_name"], ours["arguments"])
            assert theirs["arguments"] == wanted
        assert made["user_scenario"] == source["user_scenario"]
    assert "set_user_info" in str(made) and made != source


def test_initial_data_is_localized_like_the_databases():
    data = {"agent_data": {"users": {"mia_li_1": {"user_id": "mia_li_1"}}}, "user_data": None}
    made = localizer().calls({"id": "1", "initial_state": {"initialization_data": data}})
    there = made["initial_state"]["initialization_data"]
    assert there == {
        "agent_data": {"users": {"chiyo_kimura_1": {"user_id": "chiyo_kimura_1"}}},
        "user_data": None,
    }


@pytest.mark.parametrize(
    ("info", "said"),
    [
        pytest.param("2.50", "375", id="an amount"),
        pytest.param("1,628", "244200", id="an amount with separators"),
        pytest.param("12", "12", id="a count"),
        pytest.param("746342064230", "746342064230", id="an id"),
        pytest.param("60", "9001", id="a whole amount of a record"),
        pytest.param("black", "黒", id="an option"),
        pytest.param("L", "L", id="a short option means anything"),
        pytest.param("Chicago", "名古屋市中区", id="a city"),
        pytest.param("IL", "愛知県", id="a state"),
        pytest.param("943 Maple Drive", "紅葉町10-5-4", id="a street"),
        pytest.param("Suite 356", "356号室", id="a unit"),
        pytest.param("mia_li_1", "chiyo_kimura_1", id="a user id"),
        pytest.param("Mia Li", "木村 千代", id="a person"),
        pytest.param("pays $4", "pays 600円", id="prose with an amount"),
        pytest.param("polyester", "polyester", id="a word that nothing knows"),
        pytest.param("", "", id="nothing"),
        pytest.param(None, None, id="null"),
        pytest.param(60, 60, id="no text"),
    ],
)
def test_what_must_be_said_is_localized_by_what_it_is(info, said):
    shown = Amounts([[(Decimal(60), Decimal(9001))]], options=SHOWN.options)
    for around in ([], ["", None, 3]):
        made = localizer().task(task(communicate_info=[*around, info]), shown).task
        assert made["evaluation_criteria"]["communicate_info"][-1] == said


def test_an_amount_is_the_same_in_texts_and_in_what_must_be_said():
    shown = Amounts(calculated={Decimal("2.50"): Decimal("375.5")})
    made = localizer().task(task(communicate_info=["2.50"]), shown).task
    assert made["evaluation_criteria"]["communicate_info"] == ["376"]
    assert "376円" in made["user_scenario"]["instructions"]["task_instructions"]


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_no_amount_of_the_sample_stays_in_dollars(domain):
    here = sample(domain)
    for name, source in tasks(domain).items():
        expected = source["evaluation_criteria"]["communicate_info"]
        made = here.tasks().task(source, here.amounts(source)).task
        said = made["evaluation_criteria"]["communicate_info"]
        stayed = [each for each in expected if each in said]
        assert stayed == (["4"] if (domain, name) == ("retail", "8") else []), name


def test_without_criteria_only_texts_change():
    source = {"id": "7", "user_scenario": "You are Mia Li.", "evaluation_criteria": None}
    made = localizer().task(source, SHOWN).task
    assert made["id"] == "7" and made["evaluation_criteria"] is None
