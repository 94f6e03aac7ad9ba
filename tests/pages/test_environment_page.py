"""The Environment page on a real store, driven by Streamlit's AppTest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from review_app.core.envs.hashing import reference_hash
from review_app.store import Store
from review_app.ui.environment import fields, inputs
from review_app.ui.shared import i18n
from review_app.workflows import project
from review_app.workflows.benchmark import environments
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

APP = str(Path(__file__).resolve().parents[2] / "review_app" / "app.py")
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def database(tmp_path_factory, sample: Path) -> Path:
    """Telecom and retail of the sample; Aya is a maintainer, Ben is not. No test changes it."""
    path = tmp_path_factory.mktemp("environment") / "review.db"
    store = Store(path)
    project.add_person(store, "Aya", "maintainer")
    project.add_person(store, "Ben", "annotator")
    for domain in ("retail", "telecom"):
        import_domain.import_domain(store, ImportRequest(sample / "tau2", domain))
    store.close()
    return path


@pytest.fixture
def opened(database, monkeypatch):
    monkeypatch.setenv("JTAU_REVIEW_DB", str(database))

    def page(me="1", lang="en", **query: str) -> AppTest:
        page = AppTest.from_file(APP, default_timeout=30)
        page.query_params["me"] = me
        page.query_params["lang"] = lang
        page.run()
        page.switch_page("ui/environment/page.py")
        for name, value in ({"me": me, "lang": lang} | query).items():
            page.query_params[name] = value
        page.run()
        if page.session_state["person"] is None:
            page.selectbox(key="language").set_value(lang)
            page.selectbox(key="person").set_value(int(me)).run()
        assert not page.exception
        return page

    return page


def shown(page: AppTest) -> str:
    return " ".join(str(one.value) for one in [*page.get("html"), *page.caption, *page.info])


def press(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click().run()
    assert not page.exception
    return page


def calls(page: AppTest) -> list[tuple[str, int | None]]:
    return [(one["name"], one["gold"]) for one in page.session_state["environment"]["calls"]]


def test_only_maintainers_work_here(opened):
    page = opened(me="2")
    assert "for maintainers" in shown(page)
    assert not [one for one in page.button if str(one.key).startswith("environment")]
    assert "メンテナー用" in shown(opened(me="2", lang="ja"))


def test_without_domains_the_way_to_import_is_named(tmp_path, monkeypatch, opened):
    path = tmp_path / "empty.db"
    store = Store(path)
    project.add_person(store, "Aya", "maintainer")
    store.close()
    page = AppTest.from_file(APP, default_timeout=30)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    page.query_params["me"] = "1"
    page.run()
    page.switch_page("ui/environment/page.py").run()
    page.selectbox(key="person").set_value(1).run()
    assert "No domain with tools" in shown(page)


def test_gold_actions_are_walked_forth_and_back(opened, database):
    page = opened(domain="retail", task="9")
    assert "Gold actions: 0 of 4 done" in shown(page)
    press(page, "environment_next")
    assert calls(page) == [("find_user_id_by_email", 0)]
    press(page, "environment_to_2")
    assert [gold for _, gold in calls(page)] == [0, 1, 2]
    press(page, "environment_run_all")
    html = shown(page)
    assert "Gold actions: 4 of 4 done" in html and "jt-error'>refused" in html
    assert "Insufficient gift card balance" in html
    assert page.button(key="environment_next").disabled
    press(page, "environment_back")
    assert [gold for _, gold in calls(page)] == [0, 1, 2]
    press(page, "environment_over")
    assert calls(page) == [] and "Nothing was called yet" in shown(page)


def test_hashes_and_differences_are_those_of_replay(opened, database):
    store = Store(database)
    (wanted,) = environments.replay_domain(store, "retail", "0")
    page = press(opened(domain="retail", task="0"), "environment_run_all")
    html = shown(page)
    assert f"title='{wanted.agent_db_hash}'>{wanted.agent_db_hash[:10]}<" in html
    assert f"title='{wanted.canonical_hash}'" in html
    for line in wanted.as_json()["changes"]:
        assert line.replace(">", "&gt;").replace('"', "&quot;") in html
    before = store.documents.of("retail")
    database_text = next(store.documents.texts(d.id)[0] for d in before if d.file == "db.json")
    for _ in wanted.steps:
        press(page, "environment_back")
    state = environments.load(store, "retail").state
    assert state.hashes and reference_hash(state.tree) in shown(page)
    assert json.loads(database_text)["users"].keys() == state.tree["users"].keys()
    store.close()


def test_domain_and_task_are_in_the_url(opened):
    page = opened(domain="telecom")
    assert page.selectbox(key="environment_domain").value == "telecom"
    task = page.selectbox(key="environment_task").options[1]
    page.selectbox(key="environment_task").set_value(task).run()
    assert (page.query_params["task"], page.query_params["domain"]) == (task, "telecom")
    assert "Initial state" in page.expander[0].label
    page.selectbox(key="environment_domain").set_value("retail").run()
    assert page.selectbox(key="environment_task").value == ""
    assert "task" not in page.query_params and calls(page) == []


def test_a_link_to_a_task_that_is_not_there_says_so(opened):
    page = opened(domain="retail", task="nope")
    assert [one.value for one in page.warning] == [
        "There is no task nope in retail\\. Choose another one\\."
    ]
    assert page.selectbox(key="environment_task").value == ""


def test_a_tool_is_called_by_its_form_and_its_output_is_escaped(opened):
    page = opened(domain="retail")
    page.selectbox(key="environment_tool_retail_assistant").set_value("get_order_details").run()
    key = "environment_retail_assistant_get_order_details"
    page.text_input(key=f"{key}_order_id").set_value(HOSTILE)
    press(page, f"{key}_call")
    assert calls(page) == [("get_order_details", None)]
    html = shown(page)
    assert HOSTILE not in html and "&lt;img src=x" in html and "Order not found" in html


def test_half_a_character_in_an_argument_is_shown_as_its_escape(opened):
    page = opened(domain="retail")
    tool = "return_delivered_order_items"
    page.selectbox(key="environment_tool_retail_assistant").set_value(tool).run()
    key = f"environment_retail_assistant_{tool}"
    page.text_area(key=f"{key}_item_ids").set_value('["\\ud800"]')
    press(page, f"{key}_call")
    assert "\\ud800" in shown(page) and "jt-error'>refused" in shown(page)


def test_arguments_that_cannot_be_read_are_named_and_nothing_is_called(opened):
    page = opened(domain="retail")
    tool = "exchange_delivered_order_items"
    page.selectbox(key="environment_tool_retail_assistant").set_value(tool).run()
    key = f"environment_retail_assistant_{tool}"
    page.text_area(key=f"{key}_item_ids").set_value("[1,")
    page.text_area(key=f"{key}_new_item_ids").set_value("{}")
    press(page, f"{key}_call")
    problems = [one.value.replace("\\", "") for one in page.error]
    assert problems[0].startswith("item_ids is not JSON: ")
    assert problems[1] == 'new_item_ids must be a list, such as ["…"]'
    assert calls(page) == [] and page.text_area(key=f"{key}_item_ids").value == "[1,"
    page.selectbox(key="environment_tool_retail_assistant").set_value("calculate").run()
    assert not page.error


def test_the_users_tools_are_called_as_the_user(opened):
    page = opened(domain="telecom")
    page.get("button_group")[0].set_value("user").run()
    tool = page.selectbox(key="environment_tool_telecom_user")
    assert "toggle_airplane_mode" in tool.options
    tool.set_value("toggle_airplane_mode").run()
    press(page, "environment_telecom_user_toggle_airplane_mode_call")
    (call,) = page.session_state["environment"]["calls"]
    assert call["requestor"] == "user"
    assert "user database" in shown(page) and "device: airplane_mode" in shown(page)


def test_the_page_speaks_japanese(opened):
    page = press(opened(domain="retail", task="9", lang="ja"), "environment_run_all")
    html = shown(page)
    assert all(word in html for word in ("成功", "拒否", "エージェント側DB", "4件中 4件を実行済み"))


def test_the_session_holds_plain_data(opened):
    page = press(opened(domain="retail", task="0"), "environment_run_all")
    kept = page.session_state["environment"]
    assert json.loads(json.dumps(kept)) == kept


# -- fields from schemas -----------------------------------------------------------------------

PARAMETERS = {
    "$defs": {
        "Cabin": {"enum": ["business", "economy"], "type": "string"},
        "Leg": {
            "properties": {"no": {"type": "string"}, "seat": {"type": "integer"}},
            "type": "object",
        },
    },
    "properties": {
        "who": {"type": "string", "description": "Whose."},
        "bags": {"type": "integer", "default": 2},
        "gb": {"type": "number"},
        "sure": {"type": "boolean"},
        "cabin": {"$ref": "#/$defs/Cabin"},
        "mode": {"anyOf": [{"$ref": "#/$defs/Cabin"}, {"type": "string"}]},
        "legs": {
            "items": {"anyOf": [{"$ref": "#/$defs/Leg"}, {"type": "object"}]},
            "type": "array",
        },
        "leg": {"anyOf": [{"$ref": "#/$defs/Leg"}, {"type": "object"}]},
    },
    "required": ["who", "gb", "sure", "cabin", "mode", "legs", "leg"],
}


def test_each_type_of_a_schema_has_its_input():
    found = {field.name: field for field in fields.fields(PARAMETERS)}
    assert {name: field.input for name, field in found.items()} == {
        "who": "text",
        "bags": "integer",
        "gb": "number",
        "sure": "boolean",
        "cabin": "choice",
        "mode": "open_choice",
        "legs": "json",
        "leg": "json",
    }
    assert found["cabin"].choices == ("business", "economy") and not found["bags"].is_required
    assert json.loads(found["legs"].example) == [{"no": "…", "seat": 1}]
    assert (found["legs"].container, found["leg"].container) == ("array", "object")


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("who", "", ""),
        ("bags", 3, 3),
        ("gb", 1.5, 1.5),
        ("sure", False, False),
        ("legs", "[]", []),
        ("leg", ' {"a": 1}', {"a": 1}),
    ],
)
def test_what_is_typed_becomes_an_argument(name, typed, value):
    field = next(f for f in fields.fields(PARAMETERS) if f.name == name)
    given = inputs.read(field, typed)
    assert given.is_given and given.value == value and type(given.value) is type(value)


def test_an_optional_field_that_is_left_empty_is_left_out():
    field = next(f for f in fields.fields(PARAMETERS) if f.name == "bags")
    given = inputs.read(field, None)
    assert (given.is_given, given.problem) == (False, "")


@pytest.mark.parametrize(
    "typed", ["", None, "[", "NaN", "[Infinity]", "{}", "1" * 5000, "[" * 99999]
)
def test_what_is_no_list_is_never_an_argument(typed):
    field = next(f for f in fields.fields(PARAMETERS) if f.name == "legs")
    given = inputs.read(field, typed)
    assert not given.is_given and "legs" in given.problem


def test_both_languages_have_the_same_words():
    english, japanese = (i18n.catalogue(name, "environment") for name in ("en", "ja"))
    assert list(english) == list(japanese) and all(english.values()) and all(japanese.values())
