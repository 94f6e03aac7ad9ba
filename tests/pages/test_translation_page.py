"""The Translation page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from model_server import ModelServer, refuses, says
from streamlit.testing.v1 import AppTest

from review_app.llm import Answer
from review_app.notices import as_it_is
from review_app.records.project import Pulse
from review_app.store import Store
from review_app.ui.shared import endpoint as shared_endpoint
from review_app.workflows import job_kinds, project
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.localization import prompts
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

ROOT = Path(__file__).resolve().parents[2] / "review_app"
KEY = "sk-nobody-may-see-this-0123456789"
HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = ("MODEL", "API_BASE", "API_KEY", "PARAMETERS")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("JTAU_REVIEW_DB", str(tmp_path / "review.db"))
    for name in NAMES:
        monkeypatch.delenv(f"JTAU_TRANSLATE_{name}", raising=False)
        monkeypatch.delenv(f"JTAU_{name}", raising=False)
    store = Store(tmp_path / "review.db")
    project.add_person(store, "Aya", "maintainer")
    project.add_person(store, "Ben", "annotator")
    return store


@pytest.fixture
def store(empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    folder = tmp_path / "source"
    folder.mkdir()
    policy = f"# Fees\n\nEach bag costs $50.\n\n- {HOSTILE}\n"
    (folder / "policy.md").write_text(policy, encoding="utf-8")
    (folder / "tasks.json").write_text("[]\n", encoding="utf-8")
    import_domain.import_domain(empty, ImportRequest(folder, "airline"))
    monkeypatch.setenv("JTAU_TRANSLATE_MODEL", "openai/test")
    monkeypatch.setenv("JTAU_TRANSLATE_API_KEY", KEY)
    monkeypatch.setenv("JTAU_TRANSLATE_API_BASE", f"http://me:{KEY}@model.example:8080/v1")
    return empty


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs that would have been given a process."""
    found: list[int] = []
    monkeypatch.setattr(jobs, "_spawn", lambda store, job: found.append(job))
    return found


def page_of(me: str = "1", lang: str = "en", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page.query_params["me"] = me
    page.query_params["lang"] = lang
    page.run()
    page.switch_page("ui/translation/page.py")
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    if page.session_state["person"] is None:
        page.selectbox(key="language").set_value(lang)
        page.selectbox(key="person").set_value(int(me)).run()
    assert not page.exception
    return page


def told(page: AppTest) -> str:
    groups = (page.get("html"), page.caption, page.info, page.warning, page.error, page.success)
    return " ".join(str(one.value) for group in groups for one in group)


def buttons(page: AppTest) -> dict[str, bool]:
    """Key of every button, and whether it can be pressed."""
    return {one.key: not one.disabled for one in page.button}


# -- states that are designed ------------------------------------------------------------------


def test_an_annotator_is_told_whose_page_it_is(store: Store) -> None:
    page = page_of(me="2")
    assert "for maintainers" in told(page)
    assert "translation_start" not in buttons(page)


@pytest.mark.parametrize(("lang", "words"), [("en", "import a domain"), ("ja", "取り込んで")])
def test_without_a_domain_the_next_step_is_named(empty: Store, lang: str, words: str) -> None:
    assert words in told(page_of(lang=lang))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_to_set_is_said_where_neither_key_nor_endpoint_is(
    store: Store, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JTAU_TRANSLATE_API_KEY")
    monkeypatch.delenv("JTAU_TRANSLATE_API_BASE")
    page = page_of(lang=lang)
    for name in ("MODEL", "API_BASE", "API_KEY"):
        assert f"JTAU_TRANSLATE_{name}" in page.warning[0].value
    assert "secrets.toml" in page.warning[0].value
    assert not buttons(page)["translation_start"]
    assert "translation_try" not in buttons(page)


def test_a_setting_that_cannot_be_used_is_one_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JTAU_TRANSLATE_PARAMETERS", "[")
    page = page_of()
    assert "JTAU_TRANSLATE_PARAMETERS" in page.error[0].value
    assert "translation_start" not in buttons(page)


# -- planning and starting ---------------------------------------------------------------------


def test_the_plan_names_texts_model_host_and_where_the_key_is_from_but_no_key(store: Store) -> None:
    page = page_of()
    words = told(page)
    for one in ("openai/test", "model.example:8080", "JTAU_TRANSLATE_API_KEY", "unpriced"):
        assert one in words
    assert KEY not in words and "me:" not in words
    assert "<td class='jt-num'>3</td>" in words
    assert buttons(page)["translation_start"]


def test_start_makes_a_job_of_the_chosen_kinds(store: Store, started: list[int]) -> None:
    page = page_of()
    page.toggle(key="translation_again").set_value(True).run()
    page.button(key="translation_start").click().run()
    assert not page.exception and len(started) == 1
    job = store.jobs.get(started[0])
    assert (job.kind, job.domain, job.started_by) == ("translate", "airline", 1)
    assert job.params == {"again": True, "kinds": ["policy"]}
    assert "translation_start" not in buttons(page) and buttons(page)["translation_cancel"]


def test_without_a_kind_there_is_nothing_to_start(store: Store) -> None:
    page = page_of()
    page.button_group(key="translation_kinds_airline").set_value([]).run()
    assert "at least one kind" in told(page)
    assert "translation_start" not in buttons(page)


def test_a_second_start_from_another_window_is_refused_in_one_line(
    store: Store, started: list[int]
) -> None:
    first, second = page_of(), page_of()
    first.button(key="translation_start").click().run()
    second.button(key="translation_start").click().run()
    assert not second.exception
    assert "unfinished" in second.error[0].value and len(started) == 1


# -- a job -------------------------------------------------------------------------------------


def running(store: Store, done: int = 1, price: float | None = 0.5) -> int:
    with store.write("test"):
        number = store.jobs.create("translate", "airline", {}, 1)
        store.jobs.claim(number, os.getpid())
        reporter = Reporter(Pulse())
        reporter.progress(done, 3, "texts")
        reporter.spent(Answer("x", "stop", (), 1000, 200, price, 0.1, "m", 1, "r"))
        store.jobs.beat(number, os.getpid(), reporter.pulse())
    return number


def end(store: Store, number: int, state: str, error: str = "") -> None:
    with store.write("test"):
        store.jobs.finish(store.jobs.get(number), state, as_it_is(error) if error else None)


@pytest.mark.parametrize(("price", "words"), [(0.5, "0.5000 USD"), (None, "unpriced")])
def test_a_running_job_shows_how_far_it_is_and_is_cancelled(
    store: Store, price: float | None, words: str
) -> None:
    number = running(store, price=price)
    page = page_of()
    assert "Translating: 1 of 3 texts" in page.get("progress")[0].proto.text
    assert "1,000 tokens in, 200 out" in told(page) and words in told(page)
    page.button(key="translation_cancel").click().run()
    assert store.jobs.get(number).state == "cancelling"
    assert not buttons(page)["translation_cancel"]


def test_a_cancelled_job_is_resumed_as_the_same_row(store: Store, started: list[int]) -> None:
    number = running(store)
    end(store, number, "cancelled")
    page = page_of(lang="ja")
    assert "1 / 3" in page.warning[0].value
    page.button(key="translation_resume").click().run()
    assert started == [number] and store.jobs.get(number).state == "waiting"


def test_a_failed_job_says_why_and_hostile_words_are_shown_as_they_are(store: Store) -> None:
    end(store, running(store), "failed", f"the key was refused {HOSTILE} **x**")
    page = page_of()
    assert r"\*\*x\*\*" in page.error[0].value and r"\<img" in page.error[0].value
    row = page.dataframe[0].value.iloc[0]
    assert (row["person"], row["state"], row["done"]) == ("Aya", "failed", "1 / 3")
    assert row["log"].endswith(".log") and HOSTILE in row["said"]


def test_a_job_that_is_gone_is_said_in_the_readers_language(store: Store) -> None:
    number = running(store)
    with store.write("test"):
        store.jobs.finish(store.jobs.get(number), "failed", jobs.STOPPED)
    assert "stopped unexpectedly" in page_of().error[0].value
    page = page_of(lang="ja")
    assert "予期せず停止しました" in page.error[0].value
    assert "予期せず停止しました" in page.dataframe[0].value.iloc[0]["said"]


def test_a_finished_job_leads_to_its_drafts(store: Store) -> None:
    end(store, running(store, done=3), "done")
    page = page_of()
    assert "done: 3 of 3" in page.success[0].value
    link = next(one.proto for one in page.get("page_link") if "Drafts" in one.proto.label)
    assert "state=draft" in link.query_string and "domain=airline" in link.query_string


# -- trying the endpoint -----------------------------------------------------------------------


@pytest.mark.parametrize("fault", [None, "refused"])
def test_the_endpoint_is_tried_in_a_job_and_the_server_never_loads_the_library(
    store: Store, started: list[int], fault: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    was_loaded = "litellm" in sys.modules  # by tests of other files in this process
    answer = refuses(401, f"bad key {KEY}") if fault else says("OK")
    with ModelServer(lambda _: answer) as model:
        monkeypatch.setenv("JTAU_TRANSLATE_API_BASE", model.url)
        page = page_of()
        page.button(key="translation_try").click().run()
        assert "asking the model" in told(page)
        assert ("litellm" in sys.modules) == was_loaded
        assert not buttons(page)["translation_try"]
        monkeypatch.setattr(
            job_kinds.llm,
            "preflight",
            lambda endpoint: as_it_is(f"{fault} by {endpoint.model}") if fault else None,
        )
        try:
            jobs.run(store, started[0], job_kinds.KINDS)
        except jobs.ReviewError as error:
            assert fault and "refused" in str(error)
    page.run()
    assert ("refused by openai/test" if fault else "The endpoint answers.") in told(page)
    assert KEY not in told(page)


def test_the_host_of_an_address_is_all_that_is_shown_of_it() -> None:
    def shown(address: str | None) -> str:
        return shared_endpoint.host(shared_endpoint.Endpoint("m", address))

    assert shown("https://u:p@api.example/v1?key=secret") == "api.example"
    assert shown(None) == "" and shown("http://[::1") == "?"


# -- prompts -----------------------------------------------------------------------------------

POLICY = "translate/policy"


def area(page: AppTest) -> object:
    return next(one for one in page.text_area if one.key.startswith("translation_text_"))


def test_a_prompt_is_saved_as_a_version_and_the_shipped_one_comes_back(store: Store) -> None:
    page = page_of(section="prompts", prompt=POLICY)
    assert "As shipped" in told(page) and not buttons(page)["translation_restore"]
    area(page).set_value("Mind the policy.")
    page.button(key="translation_save").click().run()
    assert not page.exception
    assert "Version 1, Aya" in told(page) and area(page).value == "Mind the policy."
    page.button(key="translation_restore").click().run()
    assert "Version 2: the shipped one restored, Aya" in told(page)
    assert [one.text for one in store.prompts.history(POLICY)] == [None, "Mind the policy."]
    assert "History (2)" in [one.label for one in page.expander]


def test_an_unsound_prompt_is_refused_and_what_was_typed_stays(store: Store) -> None:
    page = page_of(section="prompts", prompt=POLICY)
    area(page).set_value("Into {nowhere}.")
    page.button(key="translation_save").click().run()
    assert "nowhere" in page.error[0].value
    assert area(page).value == "Into {nowhere}." and not store.prompts.history(POLICY)


def test_of_two_who_edit_a_prompt_the_second_loses_nothing(store: Store) -> None:
    page = page_of(section="prompts", prompt=POLICY)
    prompts.save(store, store.people.get(1), POLICY, "Theirs.", expected_version=0)
    area(page).set_value("Mine.")
    page.button(key="translation_save").click().run()
    assert "meanwhile" in told(page)
    page.run()
    page.button(key="translation_mine").click().run()
    assert area(page).value == "Mine."
    page.button(key="translation_save").click().run()
    assert [one.text for one in store.prompts.history(POLICY)] == ["Mine.", "Theirs."]


def test_the_preview_shows_the_messages_as_plain_text_with_amounts_localized(store: Store) -> None:
    page = page_of(section="prompts", prompt=POLICY)
    page.text_input(key="translation_search").set_value("bag").run()
    system, user = (one.value for one in page.code)
    assert "Japanese" in system and "7,500円" in user and "$50" not in user
    page.text_input(key="translation_search").set_value("img").run()
    assert HOSTILE in page.code[1].value
    page.text_input(key="translation_search").set_value("nothing like this").run()
    assert "No text of this kind" in told(page) and not page.code
