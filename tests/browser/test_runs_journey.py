"""A maintainer plays the script, reads a failed trial, and flags the task, in a real browser."""

from __future__ import annotations

MAINTAINER = 4
WAIT_MS = 60_000


def test_a_run_is_started_watched_read_and_its_candidate_flagged(desk, store):
    tab = desk(MAINTAINER).open("runs", section="start", domain="telecom")
    tab.quiet()
    page = tab.page.locator("[data-testid=stMainBlockContainer]")
    assert "scripted, not a model" in page.inner_text()
    tab.click("runs_start")
    page.get_by_text("18 of 18 trials count").wait_for(timeout=WAIT_MS)
    tab.quiet()
    assert page.locator("a.jt-cell").count() == 18
    page.locator("a.jt-cell.jt-error").first.click()
    page.get_by_text("Gold actions").wait_for(timeout=WAIT_MS)
    tab.quiet()
    assert "unit=" in tab.page.url and "me=4" in tab.page.url
    page.locator(".jt-turn details").first.click()
    assert page.locator(".jt-turn details[open]").count() == 1
    page.locator("[class*=st-key-verdict_cause] button", has_text="task").click()
    tab.click("verdict_say")
    page.get_by_text("Your verdict is saved").wait_for(timeout=WAIT_MS)
    run = store.runs.list("telecom", limit=1)[0].id
    [said] = store.units.verdicts(run=run)
    assert (said.layer, said.cause) == ("human", "task")
    tab.open("candidates", run=run)
    tab.quiet()
    page.get_by_text("Open a flag").first.click()
    page.get_by_text("is raised, with the evidence").wait_for(timeout=WAIT_MS)
    [flag] = [one for one in store.flags.all("telecom") if str(one.title) == "3 of 3 trials failed"]
    assert ("run", str(run)) in {(one.kind, one.ref) for one in flag.evidence}
    tab.page.locator("[data-testid=stTopNavSection]", has_text="Runs").click()
    tab.page.get_by_role("link", name="Scores").last.click()
    page.get_by_text("over 6 of 6 tasks").first.wait_for(timeout=WAIT_MS)
    assert "/scores" in tab.page.url
