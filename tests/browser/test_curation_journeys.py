"""A suspect task is flagged, patched, approved by a second person and reverted, in a browser."""

from __future__ import annotations

import pytest
from curation_desk import MILA, REN

from review_app.workflows.curation import patches

TOLD = "tasks.json#11/user_scenario/instructions/task_instructions"
WAIT_MS = 20_000


def said(tab, words):
    """Wait until the words stand on the page, also below what is on the screen."""
    tab.page.wait_for_selector(f"text={words}", timeout=WAIT_MS, state="attached")
    tab.quiet()


def fill(tab, key, words):
    """Write into the text input or text area with this part of a key."""
    tab.page.locator(f"[class*=st-key-{key}] textarea, [class*=st-key-{key}] input").first.fill(
        words
    )


@pytest.fixture
def clear(store):
    """The task without the repair that the sample proposes for it."""
    for one in store.patches.all("airline", "11"):
        if one.state == "proposed":
            patches.reject(store, store.people.get(one.proposer_id), one.id, note="made anew")


def test_flag_patch_diff_second_person_approves_revert(desk, store, clear):
    ren, mila = desk(REN), desk(MILA)
    segment = store.segments.at("airline", TOLD)
    before = patches.task(store, "airline", "11")

    ren.open("tasks", domain="airline", task="11")
    ren.quiet()
    said(ren, "can never be found")
    ren.page.get_by_role("button", name="Flag this").first.click()
    said(ren, "What is wrong, in one line")
    ren.click("flag_send")
    said(ren, "is raised")
    assert store.flags.all("airline", "11")[-1].evidence[0].ref == "CRIT-01"

    ren.open("patch", domain="airline", task="11")
    ren.quiet()
    box = ren.page.locator("[class*=st-key-patch_][class*=task_instructions] textarea").first
    box.fill(f"{box.input_value()} Be brief.")
    ren.page.get_by_role("tab", name="Criteria").click()
    fill(ren, "patch_1_evaluation_criteria-communicate_info", "1284")
    ren.page.keyboard.press("Control+Enter")
    said(ren, "solved")
    said(ren, "Texts that go back to review (1)")
    ren.page.locator(".st-key-patch_kind input").first.click()
    ren.page.get_by_role("option", name="wrong amount").click()
    fill(ren, "patch_reason", "The comma can never match.")
    ren.click("patch_propose")
    said(ren, "is proposed. Another maintainer has to approve it.")
    patch = store.patches.all("airline", "11")[-1]
    assert ren.page.locator(".st-key-patch_approve").count() == 0

    mila.open("patch", patch=patch.id)
    mila.quiet()
    said(mila, "proposed by Ren Kuramoto")
    said(mila, "solved")
    mila.click("patch_approve")
    said(mila, "is approved and in force")
    assert patches.task(store, "airline", "11") != before
    assert store.segments.get(segment.id).source.endswith("Be brief.")

    fill(mila, "patch_revert_reason", "Too brief.")
    mila.click("patch_revert")
    said(mila, "takes another patch back")
    ren.open("patch", patch=store.patches.all("airline", "11")[-1].id)
    ren.quiet()
    ren.click("patch_approve")
    said(ren, "is approved and in force")
    assert patches.task(store, "airline", "11") == before
    assert store.segments.get(segment.id).source == segment.source
    for tab in (ren, mila):
        assert tab.page.locator("[data-testid=stException]").count() == 0
