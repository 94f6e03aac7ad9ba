"""The Overview page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.review import answers, checks, import_domain, queue
from review_app.workflows.review import overview as review_overview
from review_app.workflows.review.import_domain import ImportRequest

APP = str(Path(__file__).resolve().parents[2] / "review_app" / "app.py")

POLICY = "# Refunds\n\nOffer a certificate of $100.\n\nAnswer in one line.\n"
DRAFT = "# 返金\n\n証明書 $100 を提供します。\n\n一行で答えてください。\n"


def write_domain(folder: Path, policy: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.md").write_text(policy, encoding="utf-8")
    (folder / "tasks.json").write_text("[]\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    path = tmp_path / "review.db"
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    project.add_person(store, "Aya", "maintainer")
    project.add_person(store, "<b>Ben</b>", "annotator")
    return store


def import_airline(store: Store, tmp_path: Path) -> None:
    source = write_domain(tmp_path / "source", POLICY)
    draft = write_domain(tmp_path / "draft", DRAFT)
    import_domain.import_domain(store, ImportRequest(source, "airline", draft=draft))
    checks.refresh(store)


def overview(me: str, lang: str = "en") -> AppTest:
    page = AppTest.from_file(APP, default_timeout=30)
    page.query_params["me"] = me
    page.query_params["lang"] = lang
    page.run()
    assert not page.exception
    return page


def shown(page: AppTest) -> str:
    return " ".join(str(one.value) for one in [*page.get("html"), *page.markdown])


def links(page: AppTest) -> dict[str, str]:
    found = page.get("page_link")
    return {
        one.proto.label.replace("\\", ""): one.proto.query_string.partition("&lang=")[0]
        for one in found
    }


def test_an_empty_database_says_what_to_do_first(store: Store) -> None:
    page = overview("1")
    assert "jtau-review sample" in shown(page)
    assert "Import a domain" in links(page)


def test_work_is_refused_until_somebody_is_chosen(store: Store) -> None:
    page = AppTest.from_file(APP, default_timeout=30).run()
    assert "Choose who you are" in page.info[0].value


def test_what_waits_links_to_the_queue_behind_it(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    page = overview("2")
    assert links(page)["Start reviewing"] == "mine=waiting"
    assert "Open contested segments" not in links(page)
    assert "To adjudicate" not in shown(page)


def test_a_maintainer_sees_what_is_contested(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    segment = next(iter(store.segments.all()))
    for number, verdict in ((1, "approve"), (2, "request_change")):
        answers.answer(
            store,
            segment.id,
            store.people.get(number),
            verdict=verdict,
            expected_version=1,
            note="no",
        )
    assert store.segments.get(segment.id).state == "contested"
    assert links(overview("1"))["Open contested segments"] == "state=contested"


def test_blockers_name_counts_and_link_to_their_lists(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    found = links(overview("1"))
    assert found["3 draft"] == "state=draft"
    assert found["1 with warning TRM002: forbidden word used"] == "finding=TRM002"


def test_names_are_escaped_and_agreement_without_comparison_is_undefined(
    store: Store, tmp_path: Path
) -> None:
    import_airline(store, tmp_path)
    text = shown(overview("1"))
    assert "&lt;b&gt;Ben" in text and "<b>Ben" not in text
    assert "undefined" in text
    assert "算出不可" in shown(overview("1", "ja"))


def test_agreement_counts_comparisons_on_the_same_version(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    first, second = list(store.segments.all())[:2]
    for segment, verdicts in (
        (first, ("approve", "approve")),
        (second, ("approve", "request_change")),
    ):
        for number, verdict in enumerate(verdicts, 1):
            answers.answer(
                store,
                segment.id,
                store.people.get(number),
                verdict=verdict,
                expected_version=1,
                note="no",
            )
    work = review_overview.people_work(store)
    assert [(one.compared, one.agreed, one.agreement) for one in work] == [(2, 1, 0.5)] * 2
    assert "50% of 2" in shown(overview("1"))


def test_the_burn_up_falls_when_an_approval_is_taken_back(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    project.add_person(store, "Cy", "annotator")
    segment = next(iter(store.segments.all()))
    for number in (1, 2, 3):
        answers.answer(
            store, segment.id, store.people.get(number), verdict="approve", expected_version=1
        )
    assert [(day.decisions, day.approved) for day in review_overview.burn_up(store)] == [(3, 1)]
    answers.undo(store, store.people.get(3))
    assert [(day.decisions, day.approved) for day in review_overview.burn_up(store)] == [(2, 0)]


def test_waiting_shrinks_with_each_answer(store: Store, tmp_path: Path) -> None:
    import_airline(store, tmp_path)
    aya = store.people.get(1)
    assert review_overview.waiting(store, aya).review == 3
    segment = queue.next_segment(store, aya, QueueFilter())
    assert segment
    answers.answer(store, segment, aya, verdict="approve", expected_version=1)
    now = review_overview.waiting(store, aya)
    assert (now.review, now.done_today) == (2, 1)
