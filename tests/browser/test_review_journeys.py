"""What reviewers do all day, in a real browser."""

from __future__ import annotations

from review_app.workflows.review import answers

POLICY = "airline"


def segment(store, number, domain=POLICY):
    """The n-th paragraph of a policy; every test takes its own."""
    found = [s for s in store.segments.all(domain) if s.kind == "policy"]
    return found[number]


def test_a_policy_text_is_approved_only_after_the_third_person(desk, store):
    one = segment(store, 2)
    for person, state in ((1, "in_review"), (2, "in_review"), (3, "approved")):
        tab = desk(person).review(one.id)
        tab.moves(lambda tab=tab: tab.page.locator(".st-key-approve button").first.click())
        assert store.segments.get(one.id).state == state
    assert "3 of 3" in desk(1).review(one.id).crumbs


def test_an_edit_sets_earlier_approvals_aside(desk, store):
    one = segment(store, 3)
    for person in (1, 2):
        tab = desk(person).review(one.id)
        tab.moves(lambda tab=tab: tab.page.locator(".st-key-approve button").first.click())
    tab = desk(3).review(one.id)
    tab.box.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type("（追記）")
    tab.moves(lambda: tab.page.keyboard.press("Control+Enter"))
    now = store.segments.get(one.id)
    assert now.target.endswith("（追記）")
    assert (now.state, now.version, now.answered) == ("in_review", 2, 1)


def test_the_second_of_two_saves_is_refused_and_loses_nothing(desk, store):
    one = segment(store, 4)
    first, second = desk(1).review(one.id), desk(2).review(one.id)
    for tab, words in ((first, "先に保存。"), (second, "後から保存。")):
        tab.box.click()
        tab.page.keyboard.press("Control+End")
        tab.page.keyboard.type(words)
    first.moves(lambda: first.page.keyboard.press("Control+Enter"))
    second.page.keyboard.press("Control+Enter")
    second.page.wait_for_selector("text=Your text", timeout=20_000)
    second.quiet()
    assert "Nothing was overwritten" in second.notices()
    assert store.segments.get(one.id).target.endswith("先に保存。")
    shown = second.page.locator("[data-testid=stMainBlockContainer]").inner_text()
    assert "先に保存。" in shown
    assert "後から保存。" in shown
    second.has_text("後から保存。")
    second.page.reload()
    second.ready()
    second.has_text("後から保存。")
    second.moves(lambda: second.page.locator(".st-key-approve button").first.click())
    after = store.segments.get(one.id)
    assert after.version == 3
    assert "後から保存。" in after.target


def test_text_typed_before_next_comes_back_after_a_reload(desk, store):
    one = segment(store, 5)
    words = "三十文字ほどの訳文をここに入力して次へを押します。ありがとう。"
    tab = desk(1).review(one.id)
    tab.box.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type(words)
    tab.moves(lambda: tab.page.locator(".st-key-next button").first.click())
    tab.review(one.id)
    tab.page.reload()
    tab.ready()
    tab.has_text(words)
    assert store.segments.get(one.id).version == 1


def test_typing_is_kept_without_pressing_anything(desk, store):
    one = segment(store, 6)
    tab = desk(1).review(one.id)
    tab.box.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type("書きかけ")
    tab.page.wait_for_selector("text=Draft saved", timeout=20_000)
    assert store.reviews.draft(one.id, 1).target.endswith("書きかけ")
    assert store.reviews.draft(one.id, 2) is None


def test_a_shortcut_saves_what_was_typed_last(desk, store):
    one = segment(store, 7)
    tab = desk(2).review(one.id)
    tab.box.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type("A")
    tab.page.keyboard.type("B")
    tab.moves(lambda: tab.page.keyboard.press("Control+Enter"))
    assert store.segments.get(one.id).target.endswith("AB")


def test_undo_brings_the_segment_and_its_text_back(desk, store):
    one = segment(store, 8)
    tab = desk(3).review(one.id)
    tab.box.click()
    tab.page.keyboard.press("Control+End")
    tab.page.keyboard.type("間違い")
    tab.moves(lambda: tab.page.keyboard.press("Control+Enter"))
    tab.moves(lambda: tab.page.locator(".st-key-undo button").first.click())
    assert tab.address == one.address
    tab.has_text(one.target)
    assert store.segments.get(one.id).version == 1


def test_a_change_request_needs_a_reason_and_hides_it_from_those_who_have_not_answered(desk, store):
    one = segment(store, 9)
    tab = desk(1).review(one.id)
    tab.click("ask")
    tab.page.locator(".st-key-request button").first.click()
    tab.page.wait_for_selector("text=needs a reason", timeout=20_000)
    tab.page.locator(".st-key-reason textarea").fill("敬体に統一してください")
    tab.moves(lambda: tab.page.locator(".st-key-request button").first.click())
    assert [d.note for d in store.reviews.decisions(one.id)] == ["敬体に統一してください"]
    other = desk(2).review(one.id)
    assert "敬体に統一" not in other.page.locator("body").inner_text()


def test_a_hostile_text_is_shown_and_not_run(desk, store):
    one = segment(store, 10)
    hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>![x](http://x.test/a)'
    answers.edit(store, one.id, store.people.get(1), target=hostile, expected_version=one.version)
    tab = desk(2).review(one.id)
    assert tab.page.evaluate("window.hit") is None
    assert "<script>" in tab.page.locator(".jt-here").inner_text()


def test_filters_stand_in_the_url_and_a_link_opens_the_same_list(desk, store):
    tab = desk(1).open("review", domain="retail", kind="task")
    tab.ready()
    assert "retail" in tab.crumbs
    assert "domain=retail" in tab.page.url
    tab.moves(lambda: tab.page.locator(".st-key-next button").first.click())
    there = tab.address
    tab.page.reload()
    tab.ready()
    assert tab.address == there


def test_the_person_stays_chosen_from_page_to_page(desk):
    tab = desk(2).open("")
    tab.quiet()
    tab.page.locator("[data-testid=stTopNavLink]", has_text="Review").first.click()
    tab.ready()
    assert "Choose who you are" not in tab.page.locator("body").inner_text()


def test_the_interface_speaks_japanese(desk, store):
    tab = desk(1).open("review", lang="ja", segment=segment(store, 11).id)
    tab.ready()
    assert "承認" in tab.page.locator(".st-key-approve button").first.inner_text()


def test_the_page_refuses_work_until_somebody_is_chosen(desk):
    tab = desk("")
    tab.open("review")
    tab.page.wait_for_selector("text=Choose who you are", timeout=20_000)
    assert tab.page.locator(".st-key-approve").count() == 0


def test_nothing_scrolls_sideways_at_1280_pixels(desk, store):
    tab = desk(1).review(segment(store, 12).id)
    wide = tab.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 1280
