"""The Review page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.store import Store
from review_app.ui.review import side
from review_app.ui.shared import i18n, markup
from review_app.workflows import project as workflows_project
from review_app.workflows.review import answers

ROOT = Path(__file__).resolve().parents[2]
APP = str(ROOT / "review_app" / "app.py")


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("review") / "sample.db"
    store = Store(path)
    workflows_project.load_sample(store)
    store.close()
    return path


@pytest.fixture
def project(sample_file, tmp_path, monkeypatch):
    path = tmp_path / "review.db"
    shutil.copy(sample_file, path)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    yield store
    store.close()


def opened(me: str = "1", lang: str = "en", **query: str) -> AppTest:
    page = AppTest.from_file(APP, default_timeout=30)
    for name, value in ({"me": me, "lang": lang} | query).items():
        page.query_params[name] = value
    page.run()
    page.switch_page("ui/review/page.py")
    for name, value in ({"me": me, "lang": lang} | query).items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def policy(store, number):
    return [s for s in store.segments.all("airline") if s.kind == "policy"][number]


def editor(page):
    return next(area for area in page.text_area if area.key and area.key.startswith("text-"))


def test_approving_moves_to_the_next_text_and_counts(project):
    one = policy(project, 2)
    page = opened(segment=one.id)
    assert editor(page).value == one.target
    page.button(key="approve").click().run()
    assert not page.exception
    assert project.reviews.answers(one.id) == {1: "approve"}
    assert editor(page).value != one.target


def test_a_changed_text_is_saved_as_a_version_by_approving(project):
    one = policy(project, 3)
    page = opened(segment=one.id)
    editor(page).set_value(f"{one.target}（追記）")
    page.button(key="approve").click().run()
    after = project.segments.get(one.id)
    assert (after.target, after.version) == (f"{one.target}（追記）", 2)


def test_a_text_saved_by_approving_or_brought_back_by_undo_has_its_findings(project):
    def codes():
        return [stored.finding.code for stored in project.findings.of(segment.id)]

    segment = next(text for text in project.segments.all("airline") if "$" in text.source)
    before = codes()
    page = opened(segment=segment.id)
    editor(page).set_value("金額のない訳です。")
    page.button(key="approve").click().run()
    assert not page.exception
    assert any(code.startswith("AMT") for code in codes() if code not in before)
    page.button(key="undo").click().run()
    assert (project.segments.get(segment.id).target, codes()) == (segment.target, before)


def test_next_keeps_what_was_typed_as_a_draft(project):
    one = policy(project, 4)
    page = opened(segment=one.id)
    editor(page).set_value("書きかけの訳文")
    page.button(key="next").click().run()
    assert project.reviews.draft(one.id, 1).target == "書きかけの訳文"
    assert project.segments.get(one.id).version == 1


def test_a_stale_save_shows_three_columns_and_no_traceback(project):
    one = policy(project, 5)
    page = opened(segment=one.id)
    answers.edit(
        project, one.id, project.people.get(2), target="先に保存", expected_version=one.version
    )
    editor(page).set_value("後から保存")
    page.button(key="approve").click().run()
    assert not page.exception
    assert any("Nothing was overwritten" in note.value for note in page.warning)
    assert project.segments.get(one.id).target == "先に保存"
    assert project.reviews.draft(one.id, 1).target == "後から保存"


def test_a_request_without_a_reason_is_refused_in_words(project):
    one = policy(project, 6)
    page = opened(segment=one.id)
    page.button(key="ask").click().run()
    page.button(key="request").click().run()
    assert any("reason" in note.value for note in page.error)
    page.text_area(key="reason").set_value("「です・ます」に")
    page.button(key="request").click().run()
    assert [d.note for d in project.reviews.decisions(one.id)] == ["「です・ます」に"]


def test_a_finding_is_dismissed_with_a_reason(project):
    address = project.findings.open("airline")[0][2]
    one = project.segments.at("airline", address)
    page = opened(segment=one.id)
    page.button(key="ask_dismiss").click().run()
    page.text_input(key="dismiss_reason").set_value("意図した表記です")
    page.button(key="dismiss").click().run()
    assert not page.exception
    assert project.findings.of(one.id)[0].dismissed.reason == "意図した表記です"


def test_others_words_stay_hidden_until_one_has_answered(project):
    one = policy(project, 7)
    answers.answer(
        project,
        one.id,
        project.people.get(2),
        verdict="request_change",
        expected_version=1,
        note="秘密の理由",
    )
    page = opened(segment=one.id)
    page.selectbox(key="panel").set_value("versions").run()
    assert "秘密の理由" not in json.dumps([str(e) for e in page.get("html")], ensure_ascii=False)


@pytest.mark.parametrize("panel", side.PANELS)
def test_every_panel_opens_on_a_task(project, panel):
    task = next(s for s in project.segments.all("retail") if s.address.endswith("known_info"))
    page = opened(segment=task.id, lang="ja")
    page.selectbox(key="panel").set_value(panel).run()
    assert not page.exception


def test_a_draft_text_that_could_not_be_aligned_is_put_into_the_editor(project):
    texts = list(project.segments.all("retail"))
    one = next(s for s in texts if s.state == "untranslated" and s.kind == "policy")
    page = opened(segment=one.id)
    page.selectbox(key="panel").set_value("leftovers").run()
    page.button(key="use_leftover").click().run()
    assert not page.exception
    left = [item.text for item in project.documents.unaligned("retail") if item.side == "draft"]
    assert editor(page).value in left
    assert project.reviews.draft(one.id, 1).target in left


def test_a_filter_that_nothing_passes_says_so(project):
    page = opened(search="zzzz-not-there")
    assert any("No segment passes" in note.value for note in page.info)


def test_a_link_to_an_unknown_segment_is_a_message(project):
    page = opened(segment="0" * 16)
    assert any("no segment" in note.value for note in page.error)
    page = opened(segment="0" * 16, lang="ja")
    assert any("「0000000000000000」はありません" in note.value for note in page.error)


def test_an_empty_project_names_the_next_step(tmp_path, monkeypatch):
    monkeypatch.setenv("JTAU_REVIEW_DB", str(tmp_path / "empty.db"))
    store = Store(tmp_path / "empty.db")
    workflows_project.add_person(store, "Aya", "annotator")
    store.close()
    assert any("Import a domain" in note.value for note in opened().info)


def test_both_languages_have_the_same_words():
    pages = [(path, path.with_name("ja.json")) for path in i18n.PAGES.glob("*/en.json")]
    shared = [
        (path, i18n.SHARED / "ja" / path.name) for path in (i18n.SHARED / "en").glob("*.json")
    ]
    assert len(pages) == 15 and shared
    for path, other in (*pages, *shared):
        english = json.loads(path.read_text(encoding="utf-8"))
        japanese = json.loads(other.read_text(encoding="utf-8"))
        assert english.keys() == japanese.keys(), path


def test_reviewed_text_is_escaped_wherever_it_is_shown():
    hostile = "<img src=x onerror=alert(1)>"
    shown = markup.block(hostile) + markup.difference("a", hostile) + markup.markdown(hostile)
    shown += markup.marked(hostile, [markup.Highlight(0, 4, "term", hostile)])
    assert "<img" not in shown


@pytest.mark.parametrize(
    "source", ["![x](http://x.test/a.png)", "[x](javascript:alert(1))", "<http://x.test>"]
)
def test_a_preview_loads_and_links_nothing(source):
    shown = markup.markdown(source)
    assert "<img" not in shown
    assert "href" not in shown
