"""The Project page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import csv
import io
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.store import Store
from review_app.ui.project import database
from review_app.ui.shared import downloads
from review_app.workflows import project

ROOT = Path(__file__).resolve().parents[2] / "review_app"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JTAU_REVIEW_DB", str(tmp_path / "review.db"))
    monkeypatch.chdir(tmp_path)
    for name, policy in (
        ("source", "# Fees\n\nOne text.\n\n- a\n- b\n"),
        ("draft", "# 料金\n\n本文です。\n\n- =1+1<b>\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.md").write_text(policy, encoding="utf-8")
        (tmp_path / name / "tasks.json").write_text("[]\n", encoding="utf-8")
    return tmp_path / "source"


@pytest.fixture
def store(source: Path) -> Store:
    store = Store(source.parent / "review.db")
    project.add_person(store, "Aya", "maintainer")
    project.add_person(store, "Ben", "annotator")
    return store


def page_of(section: str = "", me: str = "1", lang: str = "en") -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    page.query_params["me"] = me
    page.query_params["lang"] = lang
    page.run()
    page.switch_page("ui/project/page.py")
    if section:
        page.query_params["section"] = section
    page.run()
    if me and page.session_state["person"] is None:
        page.selectbox(key="language").set_value(lang)
        page.selectbox(key="person").set_value(int(me)).run()
    assert not page.exception
    return page


def told(page: AppTest) -> str:
    return " ".join(str(one.value) for one in page.get("html"))


def fill_in(page: AppTest, source: Path) -> None:
    page.text_input(key="import_source").set_value(str(source))
    page.text_input(key="import_draft").set_value(str(source.parent / "draft"))
    page.text_input(key="import_domain").set_value("airline").run()


def test_the_first_person_is_added_by_nobody_and_is_at_work_at_once(source: Path) -> None:
    page = page_of(me="")
    page.text_input(key="new_name").set_value("Aya")
    page.button(key="new_add").click().run()
    assert not page.exception
    assert page.session_state["person"] == 1
    assert page.button(key="import_preview")
    people = Store(source.parent / "review.db").people.all()
    assert [(one.name, one.role) for one in people] == [("Aya", "maintainer")]


def test_with_people_there_nothing_works_until_one_is_chosen(store: Store) -> None:
    page = page_of(me="")
    assert "Choose who you are" in page.info[0].value
    assert not page.text_input


def test_a_preview_writes_nothing_and_names_what_is_not_aligned(store: Store, source: Path) -> None:
    page = page_of()
    fill_in(page, source)
    page.button(key="import_preview").click().run()
    assert not page.exception
    assert "Nothing has been written" in page.info[0].value
    table = page.dataframe[0].value
    assert "- =1+1<b>" in list(table["Text of the draft"])
    assert not store.documents.domains()


def test_an_import_is_checked_searchable_and_listed(store: Store, source: Path) -> None:
    page = page_of()
    fill_in(page, source)
    page.button(key="import_go").click().run()
    assert not page.exception
    assert "imported" in page.success[0].value
    assert [info.name for info in store.documents.domains()] == ["airline"]
    assert "<td>airline</td>" in told(page)
    assert len(page.dataframe) == 2  # of the report, and of the domain
    page.button(key="import_go").click().run()
    assert "nothing would change" in page.info[0].value


def test_unaligned_texts_can_be_filtered(store: Store, source: Path) -> None:
    page = page_of()
    fill_in(page, source)
    page.button(key="import_go").click().run()
    page.selectbox(key="unaligned_side_domain_airline").set_value("draft").run()
    table = page.dataframe[-1].value
    assert set(table["Side"]) == {"draft"}


def test_reasons_are_read_in_japanese_and_older_ones_as_they_were_kept(
    store: Store, source: Path
) -> None:
    page = page_of(lang="ja")
    fill_in(page, source)
    page.button(key="import_go").click().run()
    reason = "節「Fees」：箇条書きの項目が原文に2個、下訳に1個あります"
    assert [set(table.value["理由"]) for table in page.dataframe] == [{reason}, {reason}]
    with closing(sqlite3.connect(source.parent / "review.db")) as older, older:
        older.execute("UPDATE unaligned SET reason = 'section Fees: {2} list items'")
    (table,) = page_of(lang="ja").dataframe
    assert set(table.value["理由"]) == {"section Fees: {2} list items"}


def test_broken_input_is_one_line_naming_the_file(store: Store, source: Path) -> None:
    (source / "tasks.json").write_text("{", encoding="utf-8")
    page = page_of()
    fill_in(page, source)
    page.button(key="import_go").click().run()
    assert not page.exception
    assert "tasks.json" in page.error[0].value
    assert not store.documents.domains()


def test_people_are_added_change_roles_and_leave(store: Store) -> None:
    page = page_of("people")
    page.text_input(key="new_name").set_value("Cy")
    page.button(key="new_add").click().run()
    page.selectbox(key="role_2").set_value("maintainer").run()
    page.toggle(key="active_3").set_value(False).run()
    assert not page.exception
    people = store.people.all()
    assert [(one.name, one.role, one.active) for one in people] == [
        ("Aya", "maintainer", True),
        ("Ben", "maintainer", True),
        ("Cy", "annotator", False),
    ]
    assert store.people.history("people", "2")[0].actor == "Aya"


def test_a_name_that_is_taken_is_refused(store: Store) -> None:
    page = page_of("people")
    page.text_input(key="new_name").set_value("Ben")
    page.button(key="new_add").click().run()
    assert "there already" in page.error[0].value


def test_annotators_and_the_last_maintainer_cannot_lock_everybody_out(store: Store) -> None:
    assert page_of("people").selectbox(key="role_1").disabled
    page = page_of("people", me="2")
    assert page.selectbox(key="role_1").disabled
    assert all(one.key != "new_add" for one in page.button)


def test_an_incomplete_export_lists_what_is_missing_then_goes_through_if_allowed(
    store: Store, source: Path
) -> None:
    page = page_of()
    fill_in(page, source)
    page.button(key="import_go").click().run()
    page = page_of("export")
    page.text_input(key="export_name").set_value("first").run()
    page.button(key="export_go").click().run()
    assert "Nothing was written" in page.error[0].value
    assert "airline/policy.md" in told(page)
    assert not (source.parent / "exports").exists()
    page.toggle(key="export_incomplete").set_value(True).run()
    page.button(key="export_go").click().run()
    assert not page.exception
    written = source.parent / "exports" / "first" / "data" / "tau2" / "domains" / "airline"
    assert "本文です。" in (written / "policy.md").read_text(encoding="utf-8")
    assert "policy.md" in told(page)


def test_a_folder_outside_exports_is_refused(store: Store, source: Path) -> None:
    page = page_of()
    fill_in(page, source)
    page.button(key="import_go").click().run()
    page = page_of("export")
    page.text_input(key="export_name").set_value("../elsewhere").run()
    page.toggle(key="export_incomplete").set_value(True).run()
    page.button(key="export_go").click().run()
    assert "no folder name" in page.error[0].value
    assert not (source.parent / "elsewhere").exists()


def test_the_project_is_named_by_the_first_import_and_can_be_renamed(
    store: Store, source: Path
) -> None:
    page = page_of()
    assert all(one.key != "project_name" for one in page.text_input)
    fill_in(page, source)
    page.button(key="import_go").click().run()
    assert page.text_input(key="project_name").value == "J-tau review"
    page.text_input(key="project_name").set_value("航空").run()
    page.button(key="project_name_save").click().run()
    assert not page.exception
    assert store.people.project().name == "航空"


def test_the_database_is_examined_and_its_backup_is_a_database(
    store: Store, tmp_path: Path
) -> None:
    page = page_of("database", lang="ja")
    page.button(key="database_examine").click().run()
    assert "問題はありません" in page.success[0].value
    (tmp_path / "copy.db").write_bytes(database.backup())
    assert [one.name for one in Store(tmp_path / "copy.db").people.all()] == ["Aya", "Ben"]


def test_a_table_opens_in_a_spreadsheet_without_formulas() -> None:
    blob = downloads.table_csv(["文", "x"], [["=1+1", "a,b"], ["@x", "改\n行"]])
    assert blob.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(blob.decode("utf-8-sig"), newline="")))
    assert rows == [["文", "x"], ["'=1+1", "a,b"], ["'@x", "改\n行"]]


def test_an_archive_holds_the_listed_files(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.md").write_text("x", encoding="utf-8")
    blob = downloads.archive(tmp_path / "out", ["a.md"])
    assert zipfile.ZipFile(io.BytesIO(blob)).namelist() == ["out/a.md"]
