"""The Glossary page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.models import Term
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.review import answers, checks, glossary, import_domain, overview
from review_app.workflows.review.import_domain import ImportRequest

ROOT = Path(__file__).resolve().parents[2] / "review_app"

POLICY = "# Zones\n\nA gizmo helps.\n\nTwo gizmos and a super gizmo.\n"
DRAFT = "# 区域\n\nギズモが役立ちます。\n\n装置が二つです。\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    path = tmp_path / "review.db"
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    for name in ("Aya", "Ben", "Cy"):
        project.add_person(store, name, "maintainer" if name == "Aya" else "annotator")
    for name, policy in (("source", POLICY), ("draft", DRAFT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.md").write_text(policy, encoding="utf-8")
        (tmp_path / name / "tasks.json").write_text("[]\n", encoding="utf-8")
    request = ImportRequest(tmp_path / "source", "airline", draft=tmp_path / "draft")
    import_domain.import_domain(store, request)
    with store.write("test"):
        for term in store.terms.all():
            store.terms.retire(term.id)
        store.terms.add([Term("gizmo", "ギズモ", note="<i>note</i>"), Term("zone", "区域")])
    checks.refresh(store)
    return store


def gizmo(store: Store) -> Term:
    return next(term for term in store.terms.all() if term.source == "gizmo")


def page_of(term: int | None = None, me: str = "1", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    page.query_params["me"] = me
    page.query_params["lang"] = "en"
    page.run()
    page.switch_page("ui/glossary/page.py")
    if term is not None:
        page.query_params["term"] = str(term)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    if me and page.session_state["person"] is None:
        page.selectbox(key="language").set_value("en")
        page.selectbox(key="person").set_value(int(me)).run()
    assert not page.exception
    return page


def grid(page: AppTest) -> list[tuple[str, int, int]]:
    frame = next(one for one in page.dataframe if str(one.key).startswith("glossary_grid")).value
    return list(zip(frame["source"], frame["used"], frame["violated"], strict=True))


def field(page: AppTest, name: str):
    kinds = (page.text_input, page.text_area, page.selectbox)
    return next(
        one
        for kind in kinds
        for one in kind
        if str(one.key).startswith("term_") and str(one.key).endswith(f"_{name}")
    )


def test_the_grid_counts_uses_and_violations(store: Store) -> None:
    assert grid(page_of()) == [("gizmo", 2, 1), ("zone", 1, 0)]


def test_filters_come_from_the_url_and_go_back_to_it(store: Store) -> None:
    page = page_of(search="zon")
    assert [row[0] for row in grid(page)] == ["zone"]
    page.text_input(key="glossary_search").set_value("").run()
    assert "search" not in page.query_params
    assert len(grid(page)) == 2


def test_what_an_edit_would_do_is_shown_before_it_is_saved(store: Store) -> None:
    segment = next(text for text in store.segments.all() if "helps" in text.source)
    for number in (1, 2, 3):
        answers.answer(
            store, segment.id, store.people.get(number), verdict="approve", expected_version=1
        )
    page = page_of(gizmo(store).id)
    assert page.button(key="glossary_save").disabled
    field(page, "target").set_value("ガジェット").run()
    told = " ".join(str(one.value) for one in page.get("html"))
    assert "2 segments contain this term" in told
    assert "1 of them are approved" in told
    assert store.segments.get(segment.id).state == "approved"
    page.button(key="glossary_save").click().run()
    assert not page.exception
    assert gizmo(store).target == "ガジェット"
    assert store.segments.get(segment.id).state == "stale"
    assert grid(page)[0] == ("gizmo", 2, 2)


def test_a_new_term_can_be_added(store: Store) -> None:
    page = page_of()
    page.button(key="glossary_add").click().run()
    field(page, "source").set_value("super gizmo").run()
    field(page, "target").set_value("スーパーギズモ").run()
    field(page, "variants").set_value("supergizmo\n\n mega gizmo ").run()
    page.button(key="glossary_save").click().run()
    assert not page.exception
    added = store.terms.all()[-1]
    assert (added.source, added.variants) == ("super gizmo", ("supergizmo", "mega gizmo"))


def test_a_term_changed_meanwhile_is_not_overwritten(store: Store) -> None:
    page = page_of(gizmo(store).id)
    field(page, "target").set_value("わたしの訳").run()
    old = gizmo(store)
    glossary.save_term(store, store.people.get(2), old, Term("gizmo", "別の訳", id=old.id))
    page.button(key="glossary_save").click().run()
    assert gizmo(store).target == "別の訳"
    assert field(page, "target").value == "わたしの訳"
    assert page.error and page.warning
    page.button(key="glossary_load").click().run()
    assert field(page, "target").value == "別の訳"


def test_a_removed_term_can_be_brought_back(store: Store) -> None:
    page = page_of(gizmo(store).id)
    page.button(key="glossary_remove").click().run()
    assert [term.source for term in store.terms.all()] == ["zone"]
    page.button(key="glossary_undo_remove").click().run()
    assert field(page, "note").value == "<i>note</i>"
    page.button(key="glossary_save").click().run()
    assert gizmo(store).target == "ギズモ"


def test_history_shows_who_changed_what_and_gives_old_values_back(store: Store) -> None:
    old = gizmo(store)
    glossary.save_term(store, store.people.get(2), old, Term("gizmo", "別<訳>", id=old.id))
    page = page_of(old.id)
    told = " ".join(str(one.value) for one in page.get("html"))
    assert "<b>Ben</b> changed" in told
    assert "<訳>" not in told
    page.button(key=f"glossary_restore_{old.id}_0").click().run()
    assert field(page, "target").value == "ギズモ"
    assert gizmo(store).target == "別<訳>"


def test_a_file_is_previewed_then_applied(store: Store) -> None:
    page = page_of()
    head = "source,target,mode,domain,category,variants,accepted,exceptions,note\r\n"
    body = "gizmo,ガジェット,prose,,,,,,\r\nwidget,ウィジェット,prose,,,,,,\r\n"
    page.file_uploader[0].set_value(("terms.csv", (head + body).encode(), "text/csv")).run()
    assert not page.exception
    changes = next(one.value for one in page.dataframe if "Field" in one.value)
    assert ["gizmo", "Target", "ギズモ", "ガジェット"] in changes.to_numpy().tolist()
    assert gizmo(store).target == "ギズモ"
    page.button(key="glossary_apply").click().run()
    assert not page.exception
    assert [term.target for term in store.terms.all()] == ["ガジェット", "区域", "ウィジェット"]


def test_a_contradicting_or_broken_file_cannot_be_applied(store: Store) -> None:
    page = page_of()
    head = "source,target,mode,domain,category,variants,accepted,exceptions,note\r\n"
    twice = head + "a,b,prose,,,,,,\r\na,c,prose,,,,,,\r\n"
    page.file_uploader[0].set_value(("terms.csv", twice.encode(), "text/csv")).run()
    assert page.button(key="glossary_apply").disabled
    page.file_uploader[0].set_value(("terms.csv", b"\xff\xfe\x00", "text/csv")).run()
    assert not page.exception
    assert "UTF-8" in page.error[0].value


def test_annotators_edit_but_do_not_import(store: Store) -> None:
    page = page_of(gizmo(store).id, me="2")
    assert not page.file_uploader
    field(page, "target").set_value("ガジェット").run()
    page.button(key="glossary_save").click().run()
    assert gizmo(store).target == "ガジェット"


def test_uses_of_forbidden_words_are_counted(store: Store) -> None:
    with store.write("test"):
        store.terms.add([Term("gizmo", "装置", mode="forbidden")])
    checks.refresh(store)
    term = store.terms.all()[-1]
    assert overview.term_use(store)[term.id] == 2
    assert overview.term_violations(store)[term.id] == 1
