"""A maintainer builds a release in the browser, two people sign it, and it verifies clean."""

from __future__ import annotations

import json
import shutil

import pytest
from app_server import serving
from release_project import make_ready

from review_app.workflows.release import signatures, verify
from review_app.workflows.review import answers

ANNOTATOR, FIRST, SECOND = 1, 4, 5
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app on the airline of the sample, of which nothing blocks a release."""
    if shutil.which("chromium") is None and shutil.which("chromium-browser") is None:
        pytest.skip("no chromium on this machine: apt-get install chromium fonts-noto-cjk")
    path = make_ready(tmp_path_factory.mktemp("release"), "airline")
    with serving(path, {}) as url:
        yield url, path


def says(tab, words):
    tab.page.get_by_text(words).first.wait_for(timeout=WAIT_MS)
    tab.quiet()


def fill(tab, key, words):
    tab.page.locator(f".st-key-{key} :is(input, textarea)").first.fill(words)
    tab.page.wait_for_timeout(200)


def test_a_release_is_built_signed_by_two_and_verifies_clean(desk, store, served):
    exports = served[1].parent / "exports"
    mine = desk(FIRST).open("release")
    says(mine, "Nothing blocks a release.")
    fill(mine, "release_name", "../x")
    mine.click("release_go")
    says(mine, "a name has letters, digits")
    assert not exports.exists()

    fill(mine, "release_name", "2026-12")
    fill(mine, "release_note", "the first <b>one</b>")
    mine.click("release_dry_run")
    says(mine, "files would be written")
    assert not (exports / "2026-12").exists()
    mine.click("release_go")
    says(mine, "Open the release")
    folder = exports / "2026-12"
    stated = json.loads((folder / "MANIFEST.json").read_text("utf-8"))
    assert stated["complete"] and stated["note"] == "the first <b>one</b>"

    mine.click("way_built")
    says(mine, "waits for another maintainer")
    assert "release=2026-12" in mine.page.url
    mine.click("release_sign")
    says(mine, "another maintainer has to sign it too")
    yours = desk(SECOND).open("release", release="2026-12", lang="ja")
    says(yours, "2人目として署名")
    yours.click("release_sign")
    says(yours, "2名のメンテナーが署名しました")
    assert signatures.named(store, "2026-12").signed

    mine.page.reload()
    says(mine, "Two maintainers have signed it.")
    mine.click("release_verify")
    says(mine, "Nothing is wrong with it")
    assert verify.verify(folder, store).ok
    with mine.page.expect_download() as download:
        mine.click("release_zip")
    assert download.value.suggested_filename == "2026-12.zip"
    for tab in (mine, yours):
        assert tab.page.locator("[data-testid=stException]").count() == 0


def test_a_gate_leads_to_the_place_that_blocks(desk, store):
    text = next(known for known in store.segments.all("airline") if known.kind == "policy")
    answers.edit(
        store,
        text.id,
        store.people.get(FIRST),
        target=f"{text.target}。",
        expected_version=text.version,
    )
    tab = desk(ANNOTATOR).open("release")
    says(tab, "1 place blocks the release.")
    assert tab.page.locator(".st-key-release_go").count() == 0
    tab.page.locator(".jt-gate a").first.click()
    tab.ready()
    assert f"segment={text.id}" in tab.page.url and tab.address == text.address
