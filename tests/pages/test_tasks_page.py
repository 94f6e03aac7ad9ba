"""The Tasks page on the sample, driven by Streamlit's AppTest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from curation_desk import (
    ANNOTATOR,
    MILA,
    REN,
    approved,
    edited,
    keys,
    page_of,
    person,
    press,
    shown,
)
from streamlit.testing.v1 import AppTest

from review_app.records.curation import NewFlag
from review_app.store import Store
from review_app.ui.shared import i18n
from review_app.workflows.curation import flags, validity

UI = Path(__file__).resolve().parents[2] / "review_app" / "ui"
HOSTILE = "<img src=x onerror=alert(1)>"
KNOWN = "user_scenario.instructions.known_info"


def listed(page: AppTest) -> list[str]:
    return list(page.dataframe[0].value["id"]) if page.dataframe else []


def warned(store: Store) -> str:
    """Give a task a warning: its instructions name a reservation that does not exist."""
    told = (
        "You are Ivo Brandt. Your user id is ivo_brandt_7730. The reservation is R4XW9T or ZZ9ZZ9."
    )
    approved(store, "airline", "1", edited(store, "airline", "1", KNOWN, told))
    [found] = [
        each
        for each in validity.inspect(store, "airline", "1")["1"]
        if each.violation.level == "warning"
    ]
    return found.fingerprint


def test_the_list_says_what_the_rules_say(desk: Store):
    page = page_of("tasks", domain="airline")
    table = page.dataframe[0].value
    assert len(table) == 12
    row = table[table["id"] == "10"].iloc[0]
    assert (row["rules"], row["codes"]) == ("1 error", "PAY-01")
    assert "12 of 12 tasks" in shown(page)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"code": "PAY-01"}, ["10"]),
        ({"level": "error"}, ["10", "11"]),
        ({"nothing": "yes"}, ["0", "8"]),
        ({"search": "bag for"}, ["10"]),
        ({"group": "repair"}, []),
        ({"patch": "none", "level": "clean", "search": "certificate"}, ["5"]),
        ({"flags": "yes"}, []),
    ],
    ids=str,
)
def test_filters_come_from_the_url(desk: Store, query: dict[str, str], expected: list[str]):
    page = page_of("tasks", domain="airline", **query)
    assert listed(page) == expected
    assert expected or "Nothing passes" in shown(page)


def test_a_filter_goes_into_the_url(desk: Store):
    page = page_of("tasks", domain="retail")
    page.selectbox(key="tasks_level").set_value("error").run()
    assert page.query_params["level"] == "error"
    page.selectbox(key="tasks_level").set_value("").run()
    assert "level" not in page.query_params


def test_a_card_has_story_record_gold_and_rules(desk: Store):
    said = shown(page_of("tasks", domain="airline", task="10"))
    assert "You bought a ceramic pot" in said
    assert "陶器の鉢" in said
    assert "users · marisol_vega_7715" in said
    assert "total_baggages 1 -&gt; 2" in said
    assert "nothing says to pay with credit_card_7714208" in said
    assert "credit_card_7714208</div>" in said


def test_the_card_speaks_japanese(desk: Store):
    said = shown(page_of("tasks", domain="airline", task="10", lang="ja"))
    assert "credit_card_7714208 で支払うとはどこにも書かれておらず" in said
    assert "正解アクション" in said


def test_a_task_with_two_sides_says_who_calls(desk: Store):
    name = "[service_issue]airplane_mode_on|unseat_sim_card[PERSONA:None]"
    said = shown(page_of("tasks", domain="telecom", task=name))
    assert "toggle_airplane_mode()" in said
    assert ">user</span>" in said


def test_an_unknown_task_is_told_with_the_way_back(desk: Store):
    page = page_of("tasks", domain="airline", task="99")
    assert "There is no task" in shown(page)
    press(page, "tasks_back")
    assert len(listed(page)) == 12


def test_next_follows_the_filtered_list(desk: Store):
    page = page_of("tasks", domain="airline", level="error")
    page.query_params["task"] = "10"
    page.run()
    press(page, "tasks_next")
    assert page.session_state["tasks_task"] == "11"
    assert "airline 11" in shown(page)


def test_annotators_may_look_and_nothing_more(desk: Store):
    page = page_of("tasks", me=ANNOTATOR, domain="airline", task="10")
    assert "PAY-01" in shown(page)
    own = [key for key in keys(page) if key.startswith(("flag", "ack", "tasks_"))]
    assert own == ["tasks_back", "tasks_previous", "tasks_next"]


def test_an_error_cannot_be_accepted(desk: Store):
    page = page_of("tasks", domain="airline", task="10")
    assert not [key for key in keys(page) if key.startswith("ack_")]


def test_a_warning_is_accepted_with_a_reason_and_opened_again(desk: Store):
    mark = warned(desk)
    page = page_of("tasks", domain="airline", task="1")
    press(page, f"ack_{mark}")
    press(page, "tasks_ack")
    assert "needs a reason" in shown(page)
    page.text_input(key="tasks_ack_reason").set_value(f"known {HOSTILE}")
    press(page, "tasks_ack")
    assert "accepted by Ren Kuramoto" in shown(page)
    assert HOSTILE not in shown(page)
    press(page, f"withdraw_{mark}")
    assert validity.inspect(desk, "airline", "1")["1"][0].open


def test_a_flag_takes_its_evidence_from_the_rule(desk: Store):
    page = page_of("tasks", domain="airline", task="10")
    [rule] = [key for key in keys(page) if re.fullmatch(r"flag_[0-9a-f]{16}", key)]
    press(page, rule)
    assert page.text_input(key="flag_title").value.startswith("nothing says to pay with")
    page.selectbox(key="flag_kind").set_value("non_deterministic_gold")
    press(page, "flag_send")
    [flag] = desk.flags.all("airline", "10")
    assert (flag.kind, flag.severity) == ("non_deterministic_gold", 2)
    assert [(one.kind, one.ref) for one in flag.evidence] == [("rule", "PAY-01")]
    assert "Flag #1 is raised." in shown(page)


def test_a_flag_without_a_title_keeps_what_was_typed(desk: Store):
    page = page_of("tasks", domain="airline", task="10")
    press(page, "tasks_flag")
    page.text_area(key="flag_description").set_value("long story")
    press(page, "flag_send")
    assert "a flag needs a title" in shown(page)
    assert page.text_area(key="flag_description").value == "long story"
    assert desk.flags.all() == []


def test_a_severe_flag_is_closed_by_two_people(desk: Store):
    new = NewFlag("airline", "10", HOSTILE, severity=2)
    flag = flags.raise_flag(desk, person(desk, REN), new)
    for me in (REN, MILA):
        page = page_of("tasks", me=me, domain="airline", task="10")
        assert HOSTILE not in shown(page)
        press(page, f"flag_close_{flag.id}")
        page.selectbox(key="flag_outcome").set_value("not_a_defect")
        page.text_input(key="flag_reason").set_value("it is fine")
        press(page, "flag_close_send")
        closed = desk.flags.get(flag.id).closed
        assert closed == (me == MILA)
        assert closed or "1 of 2 people" in shown(page)
    press(page, f"flag_reopen_{flag.id}")
    page.text_area(key="flag_reopen_reason").set_value("it is not")
    press(page, "flag_reopen_send")
    assert not desk.flags.get(flag.id).closed


def test_a_flag_is_discussed_triaged_and_taken(desk: Store):
    flag = flags.raise_flag(desk, person(desk, REN), NewFlag("airline", "10", "odd"))
    page = page_of("tasks", domain="airline", task="10")
    press(page, f"flag_comment_{flag.id}")
    page.text_area(key="flag_comment").set_value("look at the card")
    press(page, "flag_comment_send")
    assert "look at the card" in shown(page)
    press(page, f"flag_triage_{flag.id}")
    page.selectbox(key="flag_triage_kind").set_value("wrong_gold")
    page.selectbox(key="flag_triage_severity").set_value(3)
    press(page, "flag_triage_send")
    press(page, f"flag_own_{flag.id}")
    found = desk.flags.get(flag.id)
    assert (found.kind, found.severity, found.state) == ("wrong_gold", 3, "triaged")
    assert found.owner_id == REN


def test_a_project_without_tasks_says_what_to_do(nothing: None):
    assert "Import a domain" in shown(page_of("tasks", me=1))


@pytest.mark.parametrize("name", ["tasks", "patch", "statistics", "curation"])
def test_both_languages_have_the_same_words(name: str):
    english, japanese = (i18n.catalogue(tongue, name) for tongue in ("en", "ja"))
    assert english
    assert set(english) == set(japanese)
    assert [key for key in english if fields(english[key]) != fields(japanese[key])] == []


def fields(words: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", words))


def test_every_word_that_the_pages_ask_for_is_in_the_catalogue():
    code = "".join(path.read_text("utf-8") for path in UI.rglob("*.py"))
    for name in ("tasks", "patch", "statistics", "curation"):
        asked = set(re.findall(rf"text\(\s*f?[\"']{name}\.([\w.]+)[\"']", code))
        assert asked - set(i18n.catalogue("en", name)) == set()
