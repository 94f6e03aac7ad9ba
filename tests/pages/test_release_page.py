"""The Release page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from release_project import make_ready
from streamlit.testing.v1 import AppTest

from review_app.core.validity.registry import RuleViolation
from review_app.errors import ReviewError
from review_app.models import Segment
from review_app.store import Store
from review_app.ui.shared import i18n
from review_app.workflows import job_kinds
from review_app.workflows.background import jobs
from review_app.workflows.curation import validity
from review_app.workflows.release import build_job, gates, signatures
from review_app.workflows.review import answers

ROOT = Path(__file__).resolve().parents[2] / "review_app"
ANNOTATOR, FIRST, SECOND = 1, 4, 5
SIDE_FILES = {"review.db-wal", "review.db-shm"}


@pytest.fixture(scope="session")
def ready_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_ready(tmp_path_factory.mktemp("ready"), "airline")


@pytest.fixture
def ready(ready_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A project of which nothing blocks a release; the app opens it."""
    path = tmp_path / "review.db"
    shutil.copy(ready_project, path)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    yield store
    store.close()


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs that would have been given a process."""
    numbers: list[int] = []
    monkeypatch.setattr(jobs, "_spawn", lambda store, job: numbers.append(job))
    return numbers


def page_of(me: int = FIRST, lang: str = "en", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in {"me": str(me), "lang": lang}.items():
        page.query_params[name] = value
    page.run()
    page.switch_page("ui/release/page.py")
    for name, value in {"me": str(me), "lang": lang, **query}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def said(page: AppTest) -> str:
    shown = (*page.success, *page.error, *page.warning, *page.info, *page.caption, *page.markdown)
    return "\n".join(
        [*(known.value for known in shown), *(html.proto.body for html in html_of(page))]
    )


def html_of(page: AppTest):
    return page.get("html")


def refusal(page: AppTest) -> str:
    """The last error, without the marks that keep it from being read as Markdown."""
    return page.error[-1].value.replace("\\", "")


def keys(page: AppTest) -> set[str]:
    return {str(button.key) for button in page.button}


def order(
    page: AppTest, name: str, button: str = "release_go", incomplete: bool = False
) -> AppTest:
    page.text_input(key="release_name").set_value(name)
    page.toggle(key="release_incomplete").set_value(incomplete)
    page.button(key=button).click().run()
    assert not page.exception
    return page


def finish(store: Store, started: list[int]) -> None:
    """Do what the process of the last job would do."""
    with suppress(ReviewError):
        jobs.run(store, started[-1], job_kinds.KINDS)


def built(store: Store, started: list[int], name: str, *, incomplete: bool = False) -> None:
    order(page_of(), name, incomplete=incomplete)
    finish(store, started)
    assert store.jobs.get(started[-1]).state == "done", store.jobs.get(started[-1]).error


# -- gates -------------------------------------------------------------------------------------


def test_every_gate_has_a_row_with_its_count_and_links(desk: Store):
    words = said(page_of())
    check = gates.check(desk)
    for gate in check.gates:
        assert i18n.notice_text(gate.title) in words
    counts = check.counts
    assert counts["pending"] > 3
    total = sum(counts.values())
    assert f"{total:,} places block the release, in {len(counts)} of the gates" in words
    patch = next(gate for gate in check.gates if gate.name == "patches").blockers[0]
    assert f"/patch?patch={patch.query['patch']}&amp;lang=en&amp;me=4" in words
    assert words.count("● clean") == len(check.gates) - len(counts)


def test_the_rest_of_many_places_is_folded(desk: Store):
    words = said(page_of())
    pending = gates.check(desk).counts["pending"]
    assert f"<summary class='jt-muted'>{pending - 3:,} more</summary>" in words
    assert f"and {pending - 203:,} more" in words


def test_a_project_without_a_blocker_says_so(ready: Store):
    words = said(page_of())
    assert "Nothing blocks a release." in words
    assert "● blocks" not in words


def test_accepted_warnings_stand_apart_with_their_reasons(
    ready: Store, monkeypatch: pytest.MonkeyPatch
):
    warning = RuleViolation("PAY-05", "made_for_the_test", "warning", "1", "/x", "odd", {})
    validity.acknowledge(ready, ready.people.get(FIRST), "airline", warning, reason="it <is> fine")
    inspect, mark = validity.inspect, validity.fingerprint(warning)

    def inspected(store: Store, domain: str, **options: object):
        accepted = store.validations.acknowledged(domain)["1", mark]
        known = inspect(store, domain, **options)
        return known | {"1": [validity.Checked(warning, mark, accepted)]}

    assert "Warnings that people accepted</b></div>\n<div class='jt-muted'" in said(page_of())
    monkeypatch.setattr(validity, "inspect", inspected)
    with ready.write("test"):
        ready.people.put_project(replace(ready.people.project(), name="another"))
    words = said(page_of())
    assert "/tasks?domain=airline&amp;task=1" in words
    assert "PAY-05 odd" in words and "it &lt;is&gt; fine · Mio" in words


def test_the_check_is_of_the_chosen_variant_and_domains(desk: Store):
    page = page_of(variant="tau", domains="airline")
    assert page.multiselect(key="release_domains").value == ["airline"]
    words = said(page)
    assert "texts that are not approved" not in words
    assert "retail/" not in words


def test_an_older_check_is_said_to_be_one_until_it_is_made_again(desk: Store):
    page = page_of()
    with desk.write("test"):
        desk.people.put_project(replace(desk.people.project(), name="another"))
    page.run()
    assert "The project has changed since this check." in said(page)
    page.button(key="release_again").click().run()
    assert "The project has changed since this check." not in said(page)


def test_annotators_see_gates_and_list_and_no_buttons(ready: Store, started: list[int]):
    built(ready, started, "first")
    page = page_of(me=ANNOTATOR)
    assert "Nothing blocks a release." in said(page)
    assert "signed by nobody yet" in said(page)
    assert not {key for key in keys(page) if key.startswith("release")}
    page = page_of(me=ANNOTATOR, release="first")
    assert "waits for a maintainer" in said(page)
    assert not {key for key in keys(page) if key.startswith("release")}
    assert not page.get("download_button")


def test_a_project_without_domains_says_what_to_do(nothing: None):
    page = page_of(me=1)
    assert "Import one on the Project page" in said(page)
    assert "No release was built yet." in said(page)


# -- building ----------------------------------------------------------------------------------


def test_what_blocks_is_said_at_the_form(desk: Store, started: list[int]):
    page = order(page_of(), "first")
    assert not started
    assert "place" in refusal(page) and "pending" in refusal(page)
    assert page.text_input(key="release_name").value == "first"


def test_an_incomplete_release_is_built_beside_the_database(desk: Store, started: list[int]):
    page = order(page_of(), "first", incomplete=True)
    assert "first: waiting to start" in said(page) or page.get("progress")
    finish(desk, started)
    page = page_of()
    folder = desk.path.resolve().parent / "exports" / "first"
    stated = json.loads((folder / "MANIFEST.json").read_text("utf-8"))
    assert f"{len(stated['files'])} files are in" in page.success[-1].value.replace("\\", "")
    assert not stated["complete"]
    page = page_of(release="first")
    assert "What blocked it when it was built" in said(page)
    assert page.button(key="release_sign").disabled
    assert "build it anew when nothing blocks" in said(page)
    assert page.get("download_button")


def test_a_dry_run_says_how_many_files_and_writes_none(desk: Store, started: list[int]):
    order(page_of(), "first", button="release_dry_run")
    finish(desk, started)
    words = page_of().info[-1].value.replace("\\", "")
    assert "files would be written in" in words
    assert f"{sum(gates.check(desk).counts.values()):,} places block" in words
    assert not build_job.exports(desk).exists()
    assert signatures.releases(desk) == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../x",
        "/etc/x",
        "con",
        "NUL.txt",
        "a" * 300,
        "two\nlines",
        "rocket🚀",
        "<img src=x onerror=alert(1)>",
        "[a](http://evil.example) *b*",
        "a b",
        ".hidden",
        "C:\\x",
    ],
)
def test_hostile_names_are_errors_at_the_form(
    ready: Store, started: list[int], name: str, tmp_path: Path
):
    before = {path.name for path in tmp_path.rglob("*")}
    page = order(page_of(), name)
    assert not started
    shown = page.error[-1].value
    assert shown and not re.search(r"(?<!\\)[\[\]<*]", shown)
    assert {path.name for path in tmp_path.rglob("*")} - before <= SIDE_FILES


def test_a_name_is_refused_before_what_blocks_and_neither_speaks_of_commands(
    desk: Store, started: list[int]
):
    name, gates_said = refusal(order(page_of(), "../x")), refusal(order(page_of(), "first"))
    assert "block" not in name
    assert "): settle them, or build although something blocks" in gates_said
    assert "--" not in gates_said and "`" not in gates_said and not started


def test_a_link_in_the_place_of_a_release_is_an_error(
    ready: Store, started: list[int], tmp_path: Path
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    build_job.exports(ready).mkdir()
    (build_job.exports(ready) / "first").symlink_to(elsewhere)
    page = order(page_of(), "first")
    assert not started and "is a link to somewhere else" in refusal(page)
    assert list(elsewhere.iterdir()) == []


def test_a_build_that_fails_says_why(ready: Store, started: list[int]):
    order(page_of(), "first")
    exports = build_job.exports(ready)
    exports.mkdir()
    (exports / "first").write_text("somebody else's")
    finish(ready, started)
    page = page_of()
    assert "is a file" in refusal(page)
    assert (exports / "first").read_text() == "somebody else's"


def test_a_build_is_stopped(ready: Store, started: list[int]):
    page = order(page_of(), "first")
    page.button(key="release_cancel").click().run()
    assert ready.jobs.get(started[0]).state in ("cancelling", "cancelled")
    assert not (build_job.exports(ready) / "first").exists()


# -- releases ----------------------------------------------------------------------------------


def test_two_different_maintainers_sign(ready: Store, started: list[int]):
    built(ready, started, "first")
    page = page_of(release="first")
    assert page.button(key="release_sign").label == "Sign as the first"
    page.button(key="release_sign").click().run()
    assert not page.exception
    assert page.button(key="release_sign").disabled
    assert "another maintainer has to sign it too" in said(page)
    page = page_of(me=SECOND, release="first")
    assert page.button(key="release_sign").label == "Sign as the second"
    page.button(key="release_sign").click().run()
    assert signatures.named(ready, "first").signed
    assert "Two maintainers have signed it." in said(page)
    assert "signed by Mio, Nao" in said(page_of())


def test_verify_says_that_nothing_is_wrong_or_what_is(ready: Store, started: list[int]):
    built(ready, started, "first")
    page = page_of(release="first")
    assert "Not verified since it was built" in said(page)
    page.button(key="release_verify").click().run()
    assert "Nothing is wrong with it" in said(page)
    assert said(page).count("● sound") == 4
    (build_job.exports(ready) / "first" / "STATISTICS.md").write_text("otherwise")
    page.button(key="release_verify").click().run()
    assert "Something is wrong with it" in said(page)
    assert "STATISTICS.md: is not as it was written" in said(page)


def change(store: Store, segment: Segment, target: str) -> None:
    """Give a text another translation, and approve it."""
    answers.edit(
        store, segment.id, store.people.get(FIRST), target=target, expected_version=segment.version
    )
    for number in (1, 2, 3):
        known = store.segments.get(segment.id)
        if known.state != "approved":
            answers.answer(
                store,
                known.id,
                store.people.get(number),
                verdict="approve",
                expected_version=known.version,
            )


def test_two_releases_are_compared_area_by_area(ready: Store, started: list[int]):
    built(ready, started, "first")
    segment = next(known for known in ready.segments.all("airline") if known.kind == "policy")
    change(ready, segment, f"{segment.target} <新>")
    built(ready, started, "second")
    assert {"first", "second"} <= set(page_of().selectbox(key="release_old").options)
    page = page_of(compare="first,second")
    words = said(page)
    assert "first → second" in words
    assert "policy.md#" in words
    assert "Texts 1" in words or "Texts 2" in words
    assert "no difference" in words
    assert "<新>" not in words
    assert "do not differ" in said(page_of(compare="first,first"))


@pytest.mark.parametrize(
    "query", [{"release": "none"}, {"compare": "none,<b>"}, {"release": "[a](http://evil.example)"}]
)
def test_an_unknown_release_is_an_error(ready: Store, query: dict[str, str]):
    page = page_of(**query)
    assert "no release" in refusal(page)
    assert not re.search(r"(?<!\\)[\[\]<*]", page.error[-1].value)


def test_a_comparison_needs_two(ready: Store):
    assert "Name two releases" in said(page_of(compare="first"))


def test_everything_is_said_in_japanese(ready: Store, started: list[int]):
    words = said(page_of(lang="ja"))
    assert "リリースを妨げるものはありません。" in words
    assert "未承認の文章" in words and "clean" not in words
    page = order(page_of(lang="ja"), "../x")
    assert "名前に使えるのは文字" in refusal(page)
    order(page_of(lang="ja"), "first")
    finish(ready, started)
    page = page_of(lang="ja")
    assert "個のファイルを書き出しました" in page.success[-1].value.replace("\\", "")
    page = page_of(lang="ja", release="first")
    assert page.button(key="release_sign").label == "1人目として署名"
    page.button(key="release_verify").click().run()
    assert "正解アクションの結果が記録どおり" in said(page)
