"""Localized tasks beside published ones: what differs, and why."""

from __future__ import annotations

import copy
import json

import pytest
from sample_project import sample_store

from review_app.errors import BadInput
from review_app.workflows.localization import published as localization_published
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived


@pytest.fixture(scope="module")
def derived(tmp_path_factory) -> Derived:
    """The sample's airline, localized. Read only."""
    return Derived(sample_store(tmp_path_factory.mktemp("sample"), "airline"), "airline")


@pytest.fixture
def published(derived: Derived) -> list:
    """The very tasks that localizing makes, to be changed."""
    return copy.deepcopy([each.task for each in derived.localized_tasks("tasks.json")])


def test_what_localizing_makes_agrees_with_itself(derived, published):
    found = localization_published.compare(derived, published)
    assert (found.tasks, found.agreeing, found.unlike) == (12, 12, ())


def test_a_changed_argument_and_a_changed_amount_are_two_differences(derived, published):
    published[1]["evaluation_criteria"]["actions"][0]["arguments"]["reservation_id"] = "AAAAAA"
    published[1]["evaluation_criteria"]["communicate_info"] = ["7"]
    found = localization_published.compare(derived, published)
    assert found.agreeing == 11
    assert [(each.task_id, each.place, each.published) for each in found.unlike] == [
        ("1", "actions/1_0/reservation_id", '"AAAAAA"'),
        ("1", "communicate_info/0", '"7"'),
    ]
    assert found.unlike[1].line() == (
        'task 1, communicate_info/0: "51300" here, "7" published; not explained'
    )


def test_a_missing_action_is_nothing_published(derived, published):
    del published[0]["evaluation_criteria"]["actions"][0]
    (unlike,) = localization_published.compare(derived, published).unlike
    assert unlike.place.startswith("actions/0_0") and unlike.published == "nothing"


def test_wording_and_unknown_tasks_are_not_compared(derived, published):
    published[0]["user_scenario"]["instructions"]["reason_for_call"] = "別の理由です。"
    published[0]["id"] = "of another benchmark"
    found = localization_published.compare(derived, published)
    assert (found.tasks, found.agreeing) == (11, 11)


def test_a_changed_number_and_a_changed_name_in_a_text_are_told_with_both_values(
    derived, published
):
    scenario = published[2]["user_scenario"]["instructions"]
    names = {entity.family for entity in derived.ground.entities if entity.kind == "person"}
    name = min(name for name in names if name in scenario["known_info"] and len(name) > 1)
    scenario["known_info"] = scenario["known_info"].replace(name, "") + "７７７７"
    comparison = localization_published.compare(derived, published)
    assert (comparison.agreeing, comparison.texts_agreeing) == (12, 11)
    (unlike,) = comparison.texts_unlike
    assert (unlike.task_id, unlike.place) == ("2", "user_scenario/instructions/known_info")
    assert name in unlike.ours and unlike.published == "7777"


def test_another_seed_of_another_locale_is_unlike(derived, published, tmp_path):
    german = Derived(sample_store(tmp_path, "airline"), "airline", DerivationChoice(locale="de"))
    found = localization_published.compare(german, published)
    assert found.agreeing < found.tasks == 12
    assert {each.why for each in found.unlike} == {""}


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "not JSON"), ("{}", "list of tasks"), ('[{"name": 1}]', "list of tasks"), ("[1]", "id")],
)
def test_a_file_that_is_no_list_of_tasks_is_refused(tmp_path, text, problem):
    path = tmp_path / "tasks.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=problem) as caught:
        localization_published.read_tasks(path)
    assert "tasks.json" in str(caught.value)


def test_tasks_are_read_as_they_are(tmp_path, published):
    (tmp_path / "tasks.json").write_text(json.dumps(published, ensure_ascii=False), "utf-8")
    assert localization_published.read_tasks(tmp_path / "tasks.json") == published
