"""What the proof names: every fault that is planted, and nothing on a sound sample."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from localized_sample import database, pack_with, sample, tasks, words

from review_app.core.localize.gathered import calls
from review_app.core.proof import leftovers
from review_app.core.proof.square import SquareDifference
from review_app.models import Entity
from review_app.workflows.localization import entities as localization_entities
from review_app.workflows.review import glossary

DOMAINS = ("airline", "retail", "telecom")
MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
HERE = words(
    MIA,
    Entity("given_name", "Mia", "千代"),
    Entity("city", "Chicago", "名古屋市中区"),
    domain="airline",
    terms=tuple(glossary.terms_of("ja")),
    transcriptions={"Mia": ("ミア",), "Li": ("リー",)},
)


def localized(domain):
    return copy.deepcopy(sample(domain).localizer.database(database(domain)))


def left(*texts):
    given = [("database", f"r/{at}", "f", text) for at, text in enumerate(texts)]
    return [
        (each.record, each.values["found"], each.values["kind"])
        for each in leftovers.leftovers(HERE.mentions, given)
    ]


# -- leftovers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found", "kind"),
    [
        ("様Mia Li様", "Mia Li", "person"),
        ("Li Mia", "Li Mia", "person"),
        ("Li, Mia", "Li, Mia", "person"),
        ("MiaLi", "MiaLi", "person"),
        ("mia li", "mia li", "person"),
        ("ミア・リーです", "ミア・リー", "kana"),
        ("リー・ミア", "リー・ミア", "kana"),
        ("ミアリー", "ミアリー", "kana"),
        ("リーミア", "リーミア", "kana"),
        ("id mia_li_3668", "mia_li_3668", "user_id"),
        ("mia.li1@example.com", "mia.li1@example.com", "email"),
        ("Mia", "Mia", "given_name"),
        ("$50です", "$50", "amount"),
        ("50 dollars", "50 dollars", "amount"),
        ("50ドル", "50ドル", "amount"),
        ("JFKから", "JFK", "word"),
        ("3時 EST", "EST", "zone"),
        ("time_est", "est", "zone"),
        ("basic_economy", "basic_economy", "word"),
        ("one_way", "one_way", "word"),
        ("on time", "on time", "word"),
        ("Los Angeles", "Los Angeles", "place"),
    ],
)
def test_what_is_left_of_the_source_is_named_with_its_place(text, found, kind):
    assert left("問題なし", text, "問題なし") == [("r/1", found, kind)]


@pytest.mark.parametrize("kept", ["木村 千代", "chiyo_kimura_3668", "7,500円", "HND", "Liするもの"])
def test_what_stands_for_the_source_is_not_left_over(kept):
    assert left(kept) == []


def test_nothing_is_found_across_two_texts():
    assert left("x Mia", "Li x") == [("r/0", "Mia", "given_name")]
    assert left("合計50", "dollars") == [("r/1", "dollars", "amount")]
    assert left() == []


def test_a_leftover_says_what_stands_for_it():
    (found,) = leftovers.leftovers(HERE.mentions, [("text", "policy.md#a/1", "", "行先はMia Li")])
    assert (found.code, found.severity, found.where) == ("LOC002", "error", "text")
    assert (found.record, found.field) == ("policy.md#a/1", "")
    assert found.values == {"found": "Mia Li", "expected": "木村 千代", "kind": "person"}
    assert "'木村 千代' stands for it" in found.message


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_is_left_in_the_localized_sample(domain):
    texts = leftovers.database_texts("database", localized(domain))
    assert len(texts) > 20
    assert list(leftovers.leftovers(sample(domain).derivation.mentions, texts)) == []


def test_a_planted_name_is_found_in_a_database():
    tree = localized("airline")
    name = next(row.source for row in sample("airline").localizer.entities.of("person"))
    user = next(iter(tree["users"]))
    tree["users"][user]["name"]["first_name"] = name
    texts = leftovers.database_texts("database", tree)
    (found,) = leftovers.leftovers(sample("airline").derivation.mentions, texts)
    assert (found.record, found.field) == (f"users/{user}", "name/first_name")


def test_each_text_of_a_database_is_looked_at_once_and_numbers_never():
    tree = {"a": {"x": {"n": "名前", "m": ["名前", "12", 5, None], "o": "別"}}}
    assert leftovers.database_texts("user_database", tree) == [
        ("user_database", "a/x", "n", "名前"),
        ("user_database", "a/x", "o", "別"),
    ]


# -- references --------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_reference_of_the_sample_is_broken(domain):
    localizer = sample(domain).localizer
    assert list(leftovers.references(localizer.rules, localized(domain), localizer.pack)) == []


def test_a_dangling_user_id_and_airport_are_named():
    localizer, tree = sample("airline").localizer, localized("airline")
    key, record = next(iter(tree["reservations"].items()))
    record["user_id"] = "nobody_here_1"
    record["origin"] = "JFK"
    found = list(leftovers.references(localizer.rules, tree, localizer.pack))
    assert [(each.code, each.record, each.field, each.values["value"]) for each in found] == [
        ("LOC003", f"reservations/{key}", "user_id", "nobody_here_1"),
        ("LOC003", f"reservations/{key}", "origin", "JFK"),
    ]


# -- mappings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["ja", "de"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_mappings_of_the_sample_are_one_to_one(domain, locale):
    assert list(leftovers.injectivity(sample(domain, locale).localizer.entities, [])) == []


@pytest.mark.parametrize(
    ("kind", "one", "two"),
    [
        ("city", Entity("city", "Boston", "松江市"), Entity("city", "Miami", "松江市")),
        ("product", Entity("product", "Mug", "杯"), Entity("product", "Cup", "杯")),
        ("option", Entity("option", "size=L", "大"), Entity("option", "size=XL", "大")),
        ("person", MIA, replace(MIA, source="Mia Kim")),
        ("zip", Entity("zip", "60621", "460-0621"), Entity("zip", "10621", "460-0621")),
    ],
)
def test_two_sources_with_one_counterpart_are_named(kind, one, two):
    (found,) = leftovers.injectivity(words(one, two).entities, [])
    assert (found.code, found.where, found.record) == ("LOC004", "entity", kind)
    assert repr(one.source) in found.message and repr(two.source) in found.message


def test_options_of_two_keys_may_share_a_counterpart():
    both = Entity("option", "lid=no", "なし"), Entity("option", "filter=none", "なし")
    assert list(leftovers.injectivity(words(*both).entities, [])) == []


def test_ids_that_fall_together_are_named():
    twin = Entity("person", "Ann Ito", "木邑 知代", "知代", "木邑", "チヨ キムラ", "Chiyo Kimura")
    entities = words(MIA, twin).entities
    ids = [("user_id", "mia_li_1"), ("user_id", "ann_ito_1"), ("user_id", "ann_ito_2")]
    (found,) = leftovers.injectivity(entities, ids)
    assert (found.record, found.values["target"]) == ("user_id", "chiyo_kimura_1")


# -- vocabulary --------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_sample_uses_only_words_that_tools_know(domain):
    localizer = sample(domain).localizer
    assert list(leftovers.vocabulary(localizer, "database", database(domain))) == []
    for call in calls(tasks(domain).values()):
        name = call.get("name") or call["func_name"]
        assert list(leftovers.vocabulary(localizer, "arguments", {name: call["arguments"]})) == []


def test_a_value_that_no_tool_knows_is_named_once():
    localizer = sample("retail").localizer
    tree = {"orders": {"#W1": {"status": "lost"}, "#W2": {"status": "lost"}, "#W3": {"status": 5}}}
    (found,) = leftovers.vocabulary(localizer, "database", tree)
    assert (found.code, found.where, found.record) == ("LOC005", "database", "orders/#W1/status")
    assert found.values == {"value": "lost", "field": "order_status"}
    call = {"cancel_pending_order": {"reason": "just so"}}
    (found,) = leftovers.vocabulary(localizer, "arguments", call, "7")
    assert (found.where, found.record, found.field) == ("task", "7", "cancel_pending_order/reason")


def test_a_word_in_another_case_counts_where_tools_fold_it():
    localizer = sample("telecom").localizer

    def unknown(value):
        call = {"assert_internet_speed": {"expected_desc": value}}
        return list(leftovers.vocabulary(localizer, "arguments", call))

    assert unknown("excellent") == unknown("EXCELLENT") == []
    assert [each.values["value"] for each in unknown("supreme")] == ["supreme"]


def test_a_word_of_the_users_database_is_named_there():
    localizer = sample("telecom").localizer
    tree = {"device": {"sim_card_status": "molten"}}
    (found,) = leftovers.vocabulary(localizer, "user_database", tree)
    assert (found.where, found.record) == ("user_database", "device/sim_card_status")


# -- what has no counterpart -------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["ja", "de"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_everything_of_the_sample_has_a_counterpart(domain, locale):
    localizer = sample(domain, locale).localizer
    assert list(leftovers.unmapped(localizer, "database", database(domain))) == []


def test_what_has_no_dictionary_entry_is_named_once():
    localizer = words(Entity("option", "color=black", "黒")).localizer
    item = {"name": "Kayak", "options": {"color": "black", "size": "L", "pieces": 3}}
    tree = {
        "orders": {"#W1": {"items": [item]}, "#W2": {"items": [item]}},
        "users": {"mia_li_1": {"address": {"city": "Nowhere", "zip": "12345"}}},
    }
    found = list(leftovers.unmapped(localizer, "database", tree))
    assert {each.code for each in found} == {"LOC006"}
    assert [(each.record, each.values["kind"], each.values["value"]) for each in found] == [
        ("orders/#W1", "product", "Kayak"),
        ("orders/#W1", "option", "size=L"),
        ("users", "user_id", "mia_li_1"),
        ("users/mia_li_1", "city", "Nowhere"),
        ("users/mia_li_1", "zip", "12345"),
    ]


# -- spelling ----------------------------------------------------------------------------------


def test_translations_that_differ_from_the_dictionary_are_warned_of():
    entities = words(Entity("product", "Mug", "杯"), Entity("option", "color=black", "黒")).entities
    texts = [
        ("db.json#products/name/Mug", "Mug", "カップ"),
        ("db.json#products/options/color/black", "black", "ブラック"),
        ("db.json#products/options/color/black", "black", "黒"),
        ("db.json#products/options/sole/black", "black", "ブラック"),
        ("db.json#plans/name/Basic", "Basic", "基本"),
    ]
    found = list(leftovers.spelling(entities, texts))
    assert [(each.code, each.severity, each.record, each.values) for each in found] == [
        ("LOC007", "warning", texts[0][0], {"expected": "杯", "found": "カップ"}),
        ("LOC007", "warning", texts[1][0], {"expected": "黒", "found": "ブラック"}),
    ]


# -- the square --------------------------------------------------------------------------------


def test_a_broken_square_names_call_record_and_field():
    difference = SquareDifference("state", 2, "cancel", "orders/#W1", "status", "済", "x" * 999)
    found = leftovers.broken(difference, "task", "7")
    assert (found.code, found.where, found.record) == ("LOC001", "task", "7")
    assert found.field == "cancel/orders/#W1/status"
    assert found.values["expected"] == "'済'" and len(found.values["found"]) == 300
    assert "call 2 (cancel), state" in found.message


def test_every_code_has_a_name_of_its_own():
    assert len(set(leftovers.RULES.values())) == len(leftovers.RULES) == 12


def test_a_pack_without_a_renamed_word_is_seen_by_the_rules_of_its_words():
    here = sample("retail")
    odd = pack_with(here.ground.source, "words.order_status", {"pending": "waiting"})
    localizer = replace(here.localizer, source=odd)
    found = leftovers.vocabulary(localizer, "database", database("retail"))
    assert {each.values["value"] for each in found} == {"pending"}
    assert localization_entities.rules("retail") == localizer.rules


def test_a_word_that_must_be_said_and_no_dictionary_has_is_a_warning():
    found = leftovers.kept("89", "evaluation_criteria/communicate_info/3", "full")
    assert found is not None
    assert (found.code, found.severity, found.record) == ("LOC008", "warning", "89")
    assert leftovers.kept("89", "evaluation_criteria/communicate_info/0", "33916") is None
    assert leftovers.kept("89", "evaluation_criteria/communicate_info/1", "タクタイル") is None
