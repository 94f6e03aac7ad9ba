"""The Entities page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.models import Entity
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.shared import i18n
from review_app.workflows import project
from review_app.workflows.localization import entities, entity_edits, entity_files, proof

ROOT = Path(__file__).resolve().parents[2] / "review_app"
ANNOTATOR, MAINTAINER = 1, 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("entities") / "sample.db"
    store = Store(path)
    project.load_sample(store)
    for info in store.documents.domains():
        entities.rows(store, info.name)
    store.close()
    return path


@pytest.fixture
def store(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "review.db"
    shutil.copy(made, path)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    opened = Store(path)
    yield opened
    opened.close()


@pytest.fixture
def drawn(store: Store) -> Store:
    """The sample with two people whose names are drawn, of one family name."""
    rows = [
        Entity("given_name", "Mia", "千代", reading="チヨ", romanized="Chiyo"),
        Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura"),
    ]
    with store.write("test"):
        store.entities.add("airline", "ja", rows)
    return store


def row(store: Store, source: str, kind: str = "person") -> Entity:
    rows = entities.rows(store, "airline")
    return next(each for each in rows if (each.kind, each.source) == (kind, source))


def page_of(me: int = MAINTAINER, lang: str = "en", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for name, value in {"me": str(me), "lang": lang, "domain": "airline", **query}.items():
        page.query_params[name] = value
    page.run()
    page.switch_page("ui/entities/page.py")
    for name, value in {"me": str(me), "lang": lang, "domain": "airline", **query}.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def grid(page: AppTest) -> list[str]:
    found = [one for one in page.dataframe if "_grid_" in str(one.key)]
    return list(found[0].value["source"]) if found else []


def field(page: AppTest, name: str):
    return next(
        one
        for one in page.text_input
        if str(one.key).startswith("entity_") and str(one.key).endswith(f"_{name}")
    )


def said(page: AppTest) -> str:
    shown = (*page.success, *page.error, *page.warning, *page.info, *page.caption, *page.markdown)
    return " ".join(one.value for one in shown)


def test_the_sample_comes_with_entities_ready(store: Store):
    page = page_of()
    assert "Nora Castell" in grid(page)
    assert "22 of 22 rows" in said(page)


def test_annotators_are_told_who_may(store: Store):
    page = page_of(me=ANNOTATOR)
    assert "changed by maintainers" in said(page)
    assert grid(page) == []


def test_filters_come_from_the_url(store: Store):
    assert grid(page_of(search="深沢")) == ["Ivo Brandt", "Edda Brandt"]
    assert grid(page_of(state="locked")) == []
    assert "Boston" in grid(page_of(group="addresses", kind="city"))


def test_every_group_of_every_domain_has_a_state(store: Store):
    page = page_of()
    for domain in ("retail", "telecom", "airline"):
        page.selectbox(key="entities_domain").set_value(domain).run()
        for group in ("products", "airports", "amounts", "zones"):
            page.button_group(key="entities_group").set_value([group]).run()
            assert not page.exception
            assert grid(page) or page.info, (domain, group)


def test_a_name_is_overridden_and_the_override_undone(store: Store):
    old = row(store, "Ivo Brandt")
    page = page_of(entity=str(old.id))
    assert page.button(key="entities_save").disabled
    field(page, "family").set_value("佐藤")
    field(page, "romanized").set_value("Ippei Sato").run()
    assert "Changes 1 rows" in said(page)
    page.button(key="entities_save").click().run()
    assert not page.exception
    assert row(store, "Ivo Brandt").target == "佐藤 一平"
    assert "Saved Ivo Brandt" in said(page)
    page.button(key="entities_undo_done").click().run()
    assert row(store, "Ivo Brandt").target == old.target


def test_a_name_that_somebody_has_is_refused_before_it_is_saved(store: Store):
    page = page_of(entity=str(row(store, "Ivo Brandt").id))
    field(page, "given").set_value("恵理").run()
    assert "stands for 'Edda Brandt' already" in said(page)
    assert page.button(key="entities_save").disabled


def test_a_row_is_locked_and_unlocked(store: Store):
    page = page_of(entity=str(row(store, "Ivo Brandt").id))
    page.button(key="entities_lock").click().run()
    assert row(store, "Ivo Brandt").locked
    assert page.button(key="entities_redraw").disabled
    page.button(key="entities_lock").click().run()
    assert not row(store, "Ivo Brandt").locked


def test_texts_with_the_old_name_are_brought_along_in_one_click(store: Store):
    old = row(store, "Ivo Brandt")
    page = page_of(entity=str(old.id))
    field(page, "family").set_value("佐藤")
    field(page, "romanized").set_value("Ippei Sato").run()
    page.button(key="entities_save").click().run()
    before = entity_edits.outdated(store, row(store, "Ivo Brandt"))[1]
    assert before
    page.button(key="entities_replace_done").click().run()
    assert not page.exception
    assert entity_edits.outdated(store, row(store, "Ivo Brandt"))[1] == []
    assert all(store.segments.get(one.id).version > one.version for one in before)


def test_an_entity_says_where_it_occurs_with_links(store: Store):
    page = page_of(entity=str(row(store, "Ivo Brandt").id))
    places = next(one.value for one in page.dataframe if "where" in one.value)
    assert "users/ivo_brandt_7730" in list(places["where"])
    assert any(url.startswith("/review?segment=") for url in places["open"])


def test_history_puts_an_older_version_back(store: Store):
    old = row(store, "Ivo Brandt")
    maintainer = store.people.get(MAINTAINER)
    entity_edits.override(store, maintainer, replace(old, reading="イッペイ ブラント"))
    page = page_of(entity=str(old.id))
    page.button(key=f"entities_restore_{old.id}_1").click().run()
    assert row(store, "Ivo Brandt").reading == old.reading


def test_many_are_drawn_anew_after_a_preview(drawn: Store, monkeypatch: pytest.MonkeyPatch):
    page = page_of()
    page.button(key="entities_bulk_preview").click().run()
    assert "would change" in said(page) or page.button(key="entities_bulk_apply").disabled
    page = page_of(domain="airline", group="addresses")
    page.button(key="entities_bulk_preview").click().run()
    assert not page.exception


def test_one_person_is_drawn_anew(drawn: Store):
    old = row(drawn, "Mia Li")
    page = page_of(entity=str(old.id))
    page.button(key="entities_redraw").click().run()
    assert row(drawn, "Mia Li").target != old.target
    assert "has another name" in said(page)


def test_a_file_is_previewed_then_applied(store: Store):
    text = entity_files.write_entities(store, "airline", "people")
    edited = text.replace("深沢一平", "佐藤一平").replace(",一平,深沢,", ",一平,佐藤,")
    edited = edited.replace("Ippei Fukazawa", "Ippei Sato")
    page = page_of()
    upload = page.file_uploader[0]
    upload.set_value(("entities.csv", edited.encode(), "text/csv")).run()
    assert not page.exception
    assert row(store, "Ivo Brandt").target == "深沢一平"
    page.button(key="entities_apply").click().run()
    assert row(store, "Ivo Brandt").target == "佐藤一平"


def test_a_broken_file_is_one_line(store: Store):
    page = page_of()
    upload = page.file_uploader[0]
    upload.set_value(("tasks.json", json.dumps({}).encode(), "application/json")).run()
    assert "no list of tasks" in said(page)


def test_both_languages_have_the_same_words(store: Store):
    english, japanese = (i18n.catalogue(name, "entities") for name in ("en", "ja"))
    assert set(english) == set(japanese)
    assert "22件中" in said(page_of(lang="ja"))


def test_a_project_without_domains_says_what_to_do(tmp_path: Path, monkeypatch):
    path = tmp_path / "empty.db"
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    project.add_person(store, "Mio", "maintainer")
    store.close()
    assert "Import a domain" in said(page_of(me=1))


def test_the_check_runs_and_says_that_everything_holds(store: Store):
    page = page_of(domain="retail", group="check").run()
    assert any("has not been checked yet" in each.value for each in page.info)
    run = next(each for each in page.button if each.label == "Run the check")
    page = run.click().run()
    assert not page.exception
    assert any("Everything holds." in each.value for each in page.success)
    assert store.violations.proof("retail") is not None


def test_the_check_lists_what_drafts_leave_over_with_the_text_it_is_about(store: Store):
    page = page_of(domain="telecom", group="check", lang="ja").run()
    page = page.toggle(key="entities_check_drafts").set_value(True).run()
    run = next(each for each in page.button if each.label == "検証する")
    page = run.click().run()
    assert not page.exception and len(page.error) == 1
    rows = page.dataframe[0].value
    assert any("Omar Farouk" in message for message in rows["message"])
    assert any("原文のロケールの Omar Farouk（人物）が残っています" in m for m in rows["message"])
    about = [each for each in store.violations.of("telecom") if each.segment_id]
    assert about and all(link for link in rows["open"])
    finding = store.findings.of(about[0].segment_id or "")
    assert any(each.finding.code == about[0].violation.code for each in finding)


def test_amounts_off_by_rounding_are_said_in_the_readers_language(store: Store):
    proven = proof.Proof("retail", "j-tau")
    proven.roundings.append(
        Notice(
            "proof.rounding",
            "{record}: {call} {place}: {expected} expected, {actual} found",
            record="7",
            call="pay",
            place="total",
            expected="1500",
            actual="1501",
        )
    )
    proof.keep(store, proven, [])
    page = page_of(domain="retail", group="check", lang="ja").run()
    assert not page.exception
    assert [block.value for block in page.code] == ["7：pay total：期待値は1500、実際は1501"]
    last = proof.last(store, "retail")
    assert last is not None
    older = last.summary | {"roundings": [str(proven.roundings[0])]}
    with store.write("proof"):
        store.violations.put("retail", [], older)
    page = page_of(domain="retail", group="check", lang="ja").run()
    assert [block.value for block in page.code] == ["7: pay total: 1500 expected, 1501 found"]


# -- what is undecided -------------------------------------------------------------------------

PLACE = "Statue of Liberty"


@pytest.fixture
def puzzled(store: Store) -> Store:
    """The sample with a text that names what nothing stands for."""
    segment = next(each for each in store.segments.all("airline") if each.kind == "task")
    with store.write("test"):
        store._db.execute(
            "UPDATE segments SET source = ? WHERE id = ?", (f"See the {PLACE}.", segment.id)
        )
    return store


def press(page: AppTest, words: str) -> AppTest:
    (button,) = [each for each in page.button if each.label == words]
    button.click().run()
    assert not page.exception
    return page


def test_what_is_undecided_is_given_on_its_tab(puzzled):
    page = page_of(group="undecided")
    assert grid(page) == [PLACE]
    page.text_input(key=f"undecided_to_{PLACE}").set_value("通天閣")
    press(page, "Use this replacement")
    assert grid(page) == [] and row(puzzled, PLACE, "value").target == "通天閣"


def test_what_may_stay_is_accepted_with_a_reason_and_taken_back(puzzled):
    page = press(page_of(group="undecided"), "Accept")
    assert any("say why" in each.value for each in page.error)
    page.text_input(key=f"undecided_why_{PLACE}").set_value("a film title")
    press(page, "Accept")
    assert grid(page) == []
    press(page, "Take back")
    assert grid(page) == [PLACE]
