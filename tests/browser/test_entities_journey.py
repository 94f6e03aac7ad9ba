"""A maintainer gives somebody another name, undoes it, draws names anew and locks one."""

from __future__ import annotations

import pytest

from review_app.models import Entity
from review_app.workflows.localization import entities

MAINTAINER = 4


def row(store, source):
    return next(one for one in entities.rows(store, "retail") if one.source == source)


@pytest.fixture
def drawn(store):
    """A person with a drawn name in the sample, which states all of its own in a file."""
    if not any(one.source == "Mia Li" for one in entities.rows(store, "retail")):
        with store.write("test"):
            name = ("木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
            store.entities.add("retail", "ja", [Entity("person", "Mia Li", *name)])
    return store


def fill(tab, label, words):
    tab.page.get_by_role("textbox", name=label, exact=True).fill(words)
    tab.page.keyboard.press("Tab")
    tab.page.wait_for_timeout(300)
    tab.quiet()


def saved(tab, words):
    tab.page.wait_for_selector(f"text={words}", timeout=30_000)
    tab.quiet()


def test_a_name_is_overridden_undone_drawn_anew_and_locked(desk, drawn):
    old = row(drawn, "Mia Li")
    tab = desk(MAINTAINER).open("entities", domain="retail", entity=str(old.id))
    tab.page.wait_for_selector(".st-key-entities_save", timeout=30_000)
    tab.quiet()
    fill(tab, "Family name", "佐藤")
    fill(tab, "Romanized", "Chiyo Sato")
    tab.click("entities_save")
    saved(tab, "Saved Mia Li")
    assert row(drawn, "Mia Li").target == "佐藤 千代"
    tab.click("entities_undo_done")
    saved(tab, "Put back")
    assert row(drawn, "Mia Li").target == "木村 千代"
    tab.click("entities_redraw")
    saved(tab, "has another name")
    assert row(drawn, "Mia Li").target not in ("佐藤 千代", "木村 千代")
    tab.click("entities_lock")
    tab.page.wait_for_selector("text=Unlock", timeout=30_000)
    assert row(drawn, "Mia Li").locked
    assert tab.page.locator(".st-key-entities_redraw button").first.is_disabled()
    assert tab.page.locator("[data-testid=stException]").count() == 0


def test_choosing_a_row_opens_it_and_the_url_remembers_it(desk, store):
    tab = desk(MAINTAINER).open("entities", domain="airline")
    table = tab.page.locator("[data-testid=stDataFrame]").first
    table.wait_for(timeout=30_000)
    tab.quiet()
    box = table.bounding_box()
    tab.page.mouse.click(box["x"] + 14, box["y"] + 32 + 14)
    tab.page.wait_for_selector(".st-key-entities-editor", timeout=30_000)
    tab.quiet()
    assert "entity=" in tab.page.url
    tab.page.reload()
    tab.page.wait_for_selector(".st-key-entities-editor", timeout=30_000)
