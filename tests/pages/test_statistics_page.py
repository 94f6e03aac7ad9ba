"""The Statistics page on the sample, driven by Streamlit's AppTest."""

from __future__ import annotations

import re

from curation_desk import ANNOTATOR, REN, approved, edited, page_of, person, shown

from review_app.records.curation import NewFlag
from review_app.store import Store
from review_app.workflows.curation import flags

TOLD = "user_scenario.instructions.task_instructions"
PAYING = "You pay with your mastercard, the credit card ending in 0472."


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", html)


def test_groups_and_hits_are_counted_before_and_after_patches(desk: Store):
    approved(desk, "airline", "10", edited(desk, "airline", "10", TOLD, PAYING))
    said = shown(page_of("statistics", level="serious"))
    words = re.sub(r"\s+", " ", plain(said))
    assert "airline 12 11 1 0 0" in words
    assert "retail 12 12 0 0 0" in words
    assert "PAY-01 payment not singled out error airline 1 0" in words
    assert "CRIT-06" not in words


def test_every_number_links_to_the_tasks_behind_it(desk: Store):
    said = shown(page_of("statistics", domain="airline"))
    assert "/tasks?domain=airline&amp;group=unmodified&amp;lang=en&amp;me=4" in said
    assert "/tasks?domain=airline&amp;code=PAY-01&amp;lang=en&amp;me=4" in said
    assert "code=RET-03" not in said


def test_flags_are_counted_by_state_and_severity(desk: Store):
    assert "No flags yet." in shown(page_of("statistics"))
    flags.raise_flag(desk, person(desk, REN), NewFlag("airline", "10", "odd", severity=2))
    words = re.sub(r"\s+", " ", plain(shown(page_of("statistics"))))
    assert "airline open 2 · changes results 1 0 0" in words


def test_each_table_can_be_downloaded(desk: Store):
    flags.raise_flag(desk, person(desk, REN), NewFlag("airline", "10", "odd"))
    page = page_of("statistics")
    names = [str(one.key) for one in page.get("download_button")]
    assert names == [f"statistics_csv_{name}" for name in ("groups", "rules", "flags")]


def test_the_page_speaks_japanese(desk: Store):
    said = shown(page_of("statistics", lang="ja"))
    assert "特定されない支払い方法" in said
    assert "グループ別のタスク数" in said


def test_only_maintainers_see_them(desk: Store):
    assert "for maintainers" in shown(page_of("statistics", me=ANNOTATOR))


def test_a_project_without_tasks_says_what_to_do(nothing: None):
    assert "Import a domain" in shown(page_of("statistics", me=1))
