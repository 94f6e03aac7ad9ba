"""The Patch page on the sample, driven by Streamlit's AppTest."""

from __future__ import annotations

import json

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
    proposed,
    shown,
)
from streamlit.testing.v1 import AppTest

from review_app.store import Store
from review_app.ui.patch import fields
from review_app.workflows.curation import patch_drafts, patches

HOSTILE = "<img src=x onerror=alert(1)>"
TOLD = "user_scenario.instructions.task_instructions"
PAYING = "You pay with your mastercard, the credit card ending in 0472."
PAYMENT = "evaluation_criteria.actions.2.arguments.payment_id"


def editor(me: int = REN, domain: str = "airline", task: str = "10", **query: str) -> AppTest:
    return page_of("patch", me, domain=domain, task=task, **query)


def key(page: AppTest, *parts: object) -> str:
    return "_".join(["patch", str(page.session_state["patch_draft"]["turn"]), *map(str, parts)])


def draft(page: AppTest) -> dict:
    return page.session_state["patch_draft"]["task"]


def actions(page: AppTest) -> list[str]:
    return [each["name"] for each in draft(page)["evaluation_criteria"]["actions"]]


def write(page: AppTest, words: str, path: str = TOLD) -> AppTest:
    page.text_area(key=key(page, path)).set_value(words)
    return press(page, "patch_save")


def test_only_maintainers_patch(desk: Store):
    page = editor(me=ANNOTATOR)
    assert "made and approved by maintainers" in shown(page)
    assert not [one for one in keys(page) if one.startswith("patch")]


def test_nothing_is_changed_at_first(desk: Store):
    page = editor()
    assert "Nothing is changed yet." in shown(page)
    assert "Old and new gold end alike." in shown(page)


def test_an_edited_text_is_shown_by_characters_with_its_rules_and_translations(desk: Store):
    page = write(editor(), f"{PAYING} {HOSTILE}")
    said = shown(page)
    assert "<ins class=" in said
    assert HOSTILE not in said
    assert "PAY-01" in said
    assert ">solved</span>" in said
    assert "Texts that go back to review (1)" in said
    assert "親しみやすく" in said


def test_what_was_typed_is_there_after_a_reload_and_for_nobody_else(desk: Store):
    write(editor(), PAYING)
    again = editor()
    assert again.text_area(key=key(again, TOLD)).value == PAYING
    other = editor(me=MILA)
    assert other.text_area(key=key(other, TOLD)).value != PAYING
    press(again, "patch_start_over")
    assert again.text_area(key=key(again, TOLD)).value != PAYING
    assert patch_drafts.kept(desk, person(desk, REN), "airline", "10", "repair") is None


def test_an_argument_is_picked_from_what_the_user_has_and_ends_elsewhere(desk: Store):
    page = editor()
    box = page.selectbox(key=key(page, 2, "payment_id"))
    assert box.options[0].startswith("credit_card_3380946")
    box.set_value("credit_card_3380946")
    press(page, "patch_save")
    said = shown(page)
    assert "arguments/payment_id" in said
    assert "End, new gold" in said
    assert ">changed</span>" in said
    action = draft(page)["evaluation_criteria"]["actions"][2]
    assert action["arguments"]["payment_id"] == "credit_card_3380946"


def test_actions_are_inserted_moved_and_removed(desk: Store):
    page = editor()
    page.selectbox(key="patch_new_tool").set_value("assistant get_user_details")
    press(page, "patch_insert_2")
    assert actions(page)[-1] == "get_user_details"
    press(page, "patch_up_3")
    assert actions(page)[2:] == ["get_user_details", "update_reservation_baggages"]
    press(page, "patch_remove_0")
    assert actions(page)[0] == "get_reservation_details"
    assert ">inserted</span>" in shown(page)
    assert ">removed</span>" in shown(page)


def test_a_text_typed_before_a_button_of_the_list_is_pressed_is_not_lost(desk: Store):
    page = editor()
    page.text_area(key=key(page, TOLD)).set_value(PAYING)
    press(page, "patch_remove_1")
    assert draft(page)["user_scenario"]["instructions"]["task_instructions"] == PAYING
    assert len(actions(page)) == 2


def test_form_and_raw_text_follow_each_other(desk: Store):
    page = write(editor(), PAYING)
    raw = page.text_area(key=key(page, "raw"))
    assert json.loads(raw.value) == draft(page)
    changed = {**draft(page), "note": "new"}
    raw.set_value(fields.as_json(changed))
    page.text_area(key=key(page, "user_scenario.instructions.known_info")).set_value("I am Mo.")
    press(page, "patch_save")
    made = draft(page)
    assert made["note"] == "new"
    assert made["user_scenario"]["instructions"]["known_info"] == "I am Mo."
    assert page.text_area(key=key(page, "user_scenario.instructions.known_info")).value


def test_bad_json_is_told_and_kept_while_the_form_goes_on(desk: Store):
    page = editor()
    good = page.text_area(key=key(page, "raw")).value
    bad = good.replace('"annotations": null', '"annotations": oops')
    page.text_area(key=key(page, "raw")).set_value(bad)
    press(page, "patch_save")
    assert "cannot be read" in shown(page)
    page = editor()
    assert page.text_area(key=key(page, "raw")).value == bad
    write(page, PAYING)
    assert page.text_area(key=key(page, "raw")).value == bad
    page.text_area(key=key(page, "raw")).set_value(bad.replace("oops", "[7]"))
    press(page, "patch_save")
    assert draft(page)["annotations"] == [7]
    assert draft(page)["user_scenario"]["instructions"]["task_instructions"] == PAYING


def test_a_proposal_needs_kind_and_reason(desk: Store):
    page = write(editor(), PAYING)
    press(page, "patch_propose")
    assert "Choose what is wrong" in shown(page)
    page.selectbox(key="patch_kind").set_value("non_deterministic_gold")
    press(page, "patch_propose")
    assert "a patch needs a reason" in shown(page)
    page.text_area(key="patch_reason").set_value("Nothing said which card.")
    press(page, "patch_propose")
    stored = desk.patches.all("airline", "10")[-1]
    assert (stored.patch.kind, stored.state) == ("non_deterministic_gold", "proposed")
    assert page.query_params["patch"] == str(stored.id)
    assert "another maintainer has to approve" in shown(page)


def test_a_fix_that_breaks_another_rule_is_refused_and_kept(desk: Store):
    before = desk.patches.all()
    page = editor()
    page.number_input(key=key(page, 2, "nonfree_baggages")).set_value(0)
    page.selectbox(key="patch_kind").set_value("wrong_gold")
    page.text_area(key="patch_reason").set_value("try")
    press(page, "patch_propose")
    assert "the patch breaks rules that hold now" in shown(page)
    assert "the patch would be refused" in shown(page)
    assert desk.patches.all() == before
    assert draft(page)["evaluation_criteria"]["actions"][2]["arguments"]["nonfree_baggages"] == 0


def test_the_proposer_may_withdraw_and_not_approve(desk: Store):
    stored = proposed(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    page = page_of("patch", patch=str(stored.id))
    assert "patch_approve" not in keys(page)
    press(page, "patch_reject")
    assert "needs a reason" in shown(page)
    page.text_area(key="patch_note").set_value("my mistake")
    press(page, "patch_reject")
    assert desk.patches.get(stored.id).state == "rejected"


def test_a_second_person_approves_and_the_text_goes_back_to_review(desk: Store):
    stored = proposed(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    page = page_of("patch", me=MILA, patch=str(stored.id))
    assert "Ren Kuramoto" in shown(page)
    assert "PAY-01" in shown(page)
    press(page, "patch_approve")
    assert desk.patches.get(stored.id).approver_id == MILA
    assert "approved by Mila Odell" in shown(page)
    segment = desk.segments.at("airline", "tasks.json#10/" + TOLD.replace(".", "/"))
    assert segment.source == PAYING


def test_an_approved_patch_is_reverted_by_two_people(desk: Store):
    before = patches.task(desk, "airline", "10")
    stored = approved(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    page = page_of("patch", patch=str(stored.id))
    page.text_input(key="patch_revert_reason").set_value("too much")
    press(page, "patch_revert")
    inverse = int(page.query_params["patch"])
    assert "takes another patch back" in shown(page)
    press(page_of("patch", me=MILA, patch=str(inverse)), "patch_approve")
    assert patches.task(desk, "airline", "10") == before
    assert desk.patches.get(stored.id).state == "inverted"


def test_a_moved_base_shows_three_versions_and_loses_nothing(desk: Store):
    write(editor(), PAYING)
    theirs = edited(desk, "airline", "10", TOLD, "You pay with your mastercard, no other card.")
    theirs["user_scenario"]["instructions"]["unknown_info"] = "the price"
    approved(desk, "airline", "10", theirs)
    page = editor()
    assert "changed since this was written" in shown(page)
    assert ">Theirs</div>" in shown(page)
    assert "user_scenario/instructions/unknown_info" in shown(page)
    press(page, "patch_merge")
    instructions = draft(page)["user_scenario"]["instructions"]
    assert instructions["task_instructions"] == PAYING
    assert instructions["unknown_info"] == "the price"
    assert "patch_save" in keys(page)


def test_a_proposed_patch_whose_base_moved_is_proposed_again(desk: Store):
    stored = proposed(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    other = "user_scenario.instructions.unknown_info"
    approved(desk, "airline", "10", edited(desk, "airline", "10", other, "the price"))
    page = page_of("patch", me=MILA, patch=str(stored.id))
    press(page, "patch_approve")
    assert "Refused: the task changed" in shown(page)
    assert desk.patches.get(stored.id).state == "proposed"
    press(page, "patch_merge")
    assert page.query_params["task"] == "10"
    assert draft(page)["user_scenario"]["instructions"]["task_instructions"] == PAYING
    assert page.text_area(key="patch_reason").value == "because"


def test_one_change_is_proposed_for_similar_tasks(desk: Store):
    path = "user_scenario.instructions.unknown_info"
    stored = proposed(desk, "airline", "10", edited(desk, "airline", "10", path, "the fee"))
    page = page_of("patch", patch=str(stored.id))
    press(page, "patch_similar_find")
    assert "tasks" in shown(page)
    assert page.checkbox
    page.checkbox(key=f"patch_similar_{stored.id}_1").check()
    press(page, "patch_similar_send")
    assert desk.patches.all("airline")[-1].patch.task_id == "1"


def test_a_localization_changes_the_localized_task(desk: Store):
    page = editor(layer="localization")
    box = page.text_area(key=key(page, TOLD))
    assert "エージェント" in box.value
    write(page, box.value + "カードは末尾0472です。")
    assert "末尾0472" in shown(page)
    assert "You are friendly" in shown(page)


def test_the_list_has_what_waits_for_me_and_filters(desk: Store):
    mine = proposed(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    for me in (REN, MILA):
        waiting = [one.patch.id for one in patches.waiting(desk, person(desk, me))]
        page = page_of("patch", me=me, state="waiting")
        assert f"{len(waiting)} patches wait for your approval" in shown(page)
        assert sorted(page.dataframe[0].value["name"]) == sorted(waiting)
        assert (mine.patch.id in waiting) == (me == MILA)
    assert "Nothing passes" in shown(page_of("patch", state="inverted"))


def test_without_patches_the_way_to_one_is_named(nothing: None):
    assert "Open a task" in shown(page_of("patch", me=1))
    assert "タスクを開いて" in shown(page_of("patch", me=1, lang="ja"))


def test_a_patch_that_does_not_exist_is_one_line(desk: Store):
    assert "no patch 99" in shown(page_of("patch", patch="99"))
    assert "no task" in shown(editor(task="99"))
