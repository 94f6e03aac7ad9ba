"""What maintainers do around the review, in a real browser."""

from __future__ import annotations

import json

MAINTAINER = 4


def said(tab, words):
    """Wait until the words stand on the page, also below what is on the screen."""
    tab.page.wait_for_selector(f"text={words}", timeout=30_000, state="attached")


def test_a_domain_is_imported_after_a_preview_that_writes_nothing(desk, store, tmp_path):
    source = tmp_path / "tau2-bench" / "data" / "tau2" / "domains" / "hotel"
    source.mkdir(parents=True)
    (source / "policy.md").write_text("# Hotel\n\nGuests may cancel a room.\n", encoding="utf-8")
    task = {
        "id": "0",
        "user_scenario": {
            "instructions": {
                "domain": "hotel",
                "reason_for_call": "You want a quiet room.",
                "task_instructions": "Be brief.",
            }
        },
    }
    (source / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    tab = desk(MAINTAINER).open("project")
    tab.quiet()
    tab.page.get_by_role("textbox", name="Source folder").fill(str(tmp_path / "tau2-bench"))
    tab.page.get_by_role("textbox", name="Domain", exact=True).fill("hotel")
    tab.page.keyboard.press("Tab")
    tab.quiet()
    tab.page.get_by_role("button", name="Preview").click()
    said(tab, "policy")
    tab.quiet()
    assert "hotel" not in [info.name for info in store.documents.domains()]
    tab.page.get_by_role("button", name="Import").last.click()
    tab.page.wait_for_timeout(500)
    tab.quiet()
    assert "hotel" in [info.name for info in store.documents.domains()]


def test_a_wrong_source_folder_is_one_line_and_no_traceback(desk, tmp_path):
    tab = desk(MAINTAINER).open("project")
    tab.quiet()
    tab.page.get_by_role("textbox", name="Source folder").fill(str(tmp_path / "nothing"))
    tab.page.get_by_role("textbox", name="Domain", exact=True).fill("airline")
    tab.page.keyboard.press("Tab")
    tab.quiet()
    tab.page.get_by_role("button", name="Preview").click()
    said(tab, "is not a folder")
    assert tab.page.locator("[data-testid=stException]").count() == 0


def test_gold_actions_are_walked_and_stepped_back(desk):
    tab = desk(MAINTAINER).open("environment", domain="airline", task="1")
    tab.quiet()
    said(tab, "Gold actions")
    tab.page.keyboard.press("Control+ArrowDown")
    said(tab, "get_reservation_details")
    tab.page.get_by_role("button", name="Run all").first.click()
    said(tab, "status")
    tab.quiet()
    tab.page.get_by_role("button", name="Step back").first.click()
    tab.quiet()
    assert tab.page.locator("[data-testid=stException]").count() == 0
