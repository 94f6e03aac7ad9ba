"""The tables of the drop-in plugin, and what its own modules make of them, on the sample."""

from __future__ import annotations

import importlib.util
import json
import re
import sys

import pytest
from localized_sample import DATA
from sample_project import DOMAINS, sample_store

from review_app.core.localize.variants import parse_variants
from review_app.workflows.localization import entities
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.release import plugin

SOURCES = DATA / "plugin" / "jtau_domains"


def module(name):
    """A module of the plugin that needs no benchmark."""
    spec = importlib.util.spec_from_file_location(f"plugin_{name}", SOURCES / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = sample_store(tmp_path_factory.mktemp("plugin"))
    for domain in DOMAINS:
        entities.rows(opened, domain)
    yield opened
    opened.close()


def derived(store, domain, **choice):
    with store.read():
        return Derived(store, domain, DerivationChoice(**choice))


def words(tables):
    return module("words").Words(tables, lambda text: text)


@pytest.mark.parametrize("locale", ["ja", "de"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_a_localized_database_comes_back_from_the_source_s_words(store, domain, locale):
    localized = derived(store, domain, locale=locale)
    converter, source = words(plugin.tables(localized)), localized.derivation.localizer.source
    for place, tree in (
        ("database", localized.database),
        ("user_database", localized.user_database),
    ):
        if tree is None:
            continue
        there = converter.to_source(place, tree)
        assert there != tree
        assert converter.to_target(place, there) == tree
    known = {word for field in source.words.values() for word in field.values()}
    assert known & set(strings(converter.to_source("database", localized.database)))


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_message_is_recognized_and_said_in_the_target(store, domain):
    tables = plugin.tables(derived(store, domain))
    messages = module("messages").Messages(tables)
    for name in tables["spoken"]:
        both = tables["messages"][name]
        places = re.findall(r"\{(\w+)\}", both["source"])
        if set(places) & set(tables["slots"]):
            continue  # written by rules of their own: below
        filled = {place: f"X{at}" for at, place in enumerate(places)}
        said = messages.translated(fill(both["source"], filled))
        assert said == fill(both["target"], filled), name


def fill(text, values):
    return re.sub(r"\{(\w+)\}", lambda place: values.get(place[1], place[0]), text)


def strings(value):
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        (
            "Airplane Mode is now ON.\nStatus Bar: ✈️ Airplane Mode | 🔋 80%",
            "機内モード: オン\nステータスバー: ✈️ 機内モード | 🔋 80%",
        ),
        (
            "Speed Test Result: 22.00 Mbps (Fair). "
            "Connection is okay for web browsing and some standard definition streaming.",
            "スピードテストの結果: 22.00 Mbps（やや遅い）。"
            "ウェブサイトの閲覧と、標準画質の動画の再生が一部可能です。",
        ),
        (
            "Line suspended successfully. $5/month holding fee will apply.",
            "回線を利用停止にしました。月額 750円の利用停止手数料がかかります。",
        ),
        (
            "You have a payment request for bill B1 of 8250.0 USD.",
            "請求書 B1 について 8250円の支払いリクエストが届いています。",
        ),
        (
            "App 'messaging' has permission for: sms, storage.",
            "アプリ「messaging」に付与済みの権限: sms、storage",
        ),
        ("MMSC URL is 5G", "MMSC URL is 5G"),
    ],
)
def test_what_the_phone_says_is_said_in_the_target(store, english, japanese):
    messages = module("messages").Messages(plugin.tables(derived(store, "telecom")))
    assert messages.translated(english) == japanese


def test_a_word_of_the_source_is_no_word_of_the_target(store):
    converter = words(plugin.tables(derived(store, "airline")))
    booked = {"cabin": "ビジネス", "insurance": "yes"}
    assert converter.to_source("arguments", booked, "book_reservation") == {
        "cabin": "business",
        "insurance": "yes",
    }
    passed = converter.to_source("arguments", {"cabin": "business"}, "book_reservation")
    assert passed == {"cabin": "(business)"}


def test_python_s_complaints_are_cut_down_to_names(store):
    messages = module("messages").Messages(plugin.tables(derived(store, "retail")))
    error = TypeError("get_order_details() got an unexpected keyword argument 'order'")
    assert messages.refusal("get_order_details", error) == (
        "ツール「get_order_details」の引数が正しくありません: order"
    )
    assert messages.refusal("calculate", ZeroDivisionError("division by zero")) == (
        "計算できません: ZeroDivisionError"
    )
    assert messages.refusal("x", ValueError("Order not found")) == "注文が見つかりません"


def test_fees_keys_and_airports_are_the_target_s(store):
    tables = plugin.tables(derived(store, "airline"))
    assert tables["fees"]["book_reservation"] == {"30": 4500, "50": 7500}
    assert tables["keys"]["scheduled_arrival_time_est"] == "scheduled_arrival_time_jst"
    assert tables["answers"]["list_all_airports"][0] == {"iata": "ITM", "city": "伊丹"}


@pytest.mark.parametrize("variant", parse_variants((DATA / "variants.toml").read_text("utf-8")))
def test_every_variant_has_tables_in_its_own_words(store, variant):
    localized = derived(store, "airline", variant=variant)
    tables, recipe = plugin.tables(localized), localized.variant
    cabin = "ビジネス" if recipe.values == "target" else "business"
    assert tables["words"]["cabin"]["business"] == cabin
    fee = 7500 if recipe.entities == "target" else 50
    assert tables["fees"]["update_reservation_baggages"] == {"50": fee}


def test_the_plugin_is_whole_and_the_same_on_every_writing(store, tmp_path):
    domains = [derived(store, "retail"), derived(store, "telecom")]
    with store.read():
        places = plugin.write_plugin(tmp_path / "one", domains)
    once_more = [derived(store, "retail"), derived(store, "telecom")]
    with store.read():
        again = dict(plugin.plugin_files(once_more))
    assert {p: (tmp_path / "one" / p).read_text("utf-8") for p in places} == again
    about = json.loads(again["plugin/jtau_domains/tables/release.json"])
    assert about["domains"] == ["retail_ja", "telecom_ja"]
    assert "@" not in again["plugin/pyproject.toml"]
    assert "retail_ja" in again["plugin/README.md"]
    tasks = json.loads(again["plugin/jtau_domains/record/retail_ja.json"])
    assert len(tasks) == 12
    assert {len(task["states"]) for task in tasks.values()} == {1}
    assert all(step["content"] for task in tasks.values() for step in task["actions"])


def test_no_source_of_the_plugin_names_a_language():
    for path in sorted(SOURCES.rglob("*.py")):
        assert not re.search(r"[^\x00-\x7f]|Japan|\bja\b", path.read_text("utf-8")), path.name
