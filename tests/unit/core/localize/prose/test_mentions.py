"""What texts name of the source, in every form in which it may be written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from localized_sample import words

from review_app.core.locale.messages import Messages, same_message
from review_app.models import Entity, Term
from review_app.workflows.localization import entities
from review_app.workflows.review import glossary

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
ANN = Entity("person", "Ann O'Hara", "森 葵", "葵", "森", "アオイ モリ", "Aoi Mori")
ROWS = (
    MIA,
    ANN,
    Entity("given_name", "Mia", "千代"),
    Entity("family_name", "Li", "木村"),
    Entity("city", "Chicago", "名古屋市中区"),
    Entity("zip", "60621", "460-0621"),
    Entity("street", "Maple Drive", "紅葉町"),
    Entity("product", "Travel Mug", "トラベルマグ"),
    Entity("phone", "555-123-2002", "090-1232-0020"),
)
KANA = {"Mia": ("ミア",), "Li": ("リー", "リ"), "Chicago": ("シカゴ",)}
TERMS = (*glossary.terms_of("ja"), Term("lounge", "ラウンジ", mode="keep"))
AIRLINE = words(*ROWS, domain="airline", terms=TERMS, transcriptions=KANA).mentions
RETAIL = words(*ROWS, domain="retail", terms=TERMS, transcriptions=KANA).mentions


@pytest.mark.parametrize(
    "text",
    [
        "Mia Li",
        "Li Mia",
        "Li, Mia",
        "MiaLi",
        "LiMia",
        "mia li",
        "MIA LI",
        "Mia  Li",
        "Mia・Li",
        "mia.li",
        "mia_li",
        "Mıa Li",
        "ミアリー",
        "ミア・リー",
        "リー・ミア",
        "リーミア",
        "ミア リ",
        "ミア　リー",
        "ミア＝リー",
        "リ・ミア",
    ],
)
def test_a_person_is_found_in_every_written_form(text):
    assert AIRLINE.adapted(f"様: {text}、よろしく") == "様: 木村 千代、よろしく"


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("mia_li_3668", "chiyo_kimura_3668"),
        ("mia.li7741@example.com", "chiyo.kimura7741@example.com"),
        ("Mia.Li7741@example.com", "chiyo.kimura7741@example.com"),
        ("ann_o'hara", "森 葵"),
        ("O’Hara", "O’Hara"),
        ("Mia said", "千代 said"),
        ("Ms. Li said", "Ms. 木村 said"),
        ("Li said", "Li said"),
        ("Amia Lima", "Amia Lima"),
        ("mia_lima_3668", "mia_lima_3668"),
        ("マミア・リー", "マミア・リー"),
        ("シカゴ", "名古屋市中区"),
        ("Chicago", "名古屋市中区"),
        ("60621", "460-0621"),
        ("#60621", "#460-0621"),
        ("160621", "160621"),
        ("943 Maple Drive, Suite 356", "紅葉町10-5-4, 356号室"),
        ("in the USA", "in the 日本"),
        ("us and you", "us and you"),
        ("555-123-2002", "090-1232-0020"),
        ("Travel Mug", "トラベルマグ"),
        ("two travel mugs", "two トラベルマグ"),
        ("travel muggers", "travel muggers"),
    ],
)
def test_entities_are_replaced_in_the_forms_of_prose(text, adapted):
    assert RETAIL.adapted(text) == adapted


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("$50", "7,500円"),
        ("$153.23.", "22,984円."),
        ("50 dollars", "7,500円"),
        ("$1,628", "244,200円"),
        ("-$153.23", "-22,984円"),
        ("50ドル", "7,500円"),
        ("50 doors", "50 doors"),
        ("7,500円", "7,500円"),
    ],
)
def test_amounts_are_replaced_with_their_currency(text, adapted):
    assert RETAIL.adapted(text) == adapted


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("JFK", "HND"),
        ("from SFO.", "from ITM."),
        ("EST", "JST"),
        ("3pm EST", "3pm JST"),
        ("departure_time_est", "departure_time_jst"),
        ("BEST EST", "BEST JST"),
        ("test_est1", "test_est1"),
        ("est", "est"),
        ("best", "best"),
        ("basic_economy", "ベーシックエコノミー"),
        ("`one_way`", "`片道`"),
        ("business", "ビジネス"),
        ("a business trip", "a business trip"),
        ("lounge", "lounge"),
    ],
)
def test_airports_zones_and_words_are_replaced(text, adapted):
    assert AIRLINE.adapted(text) == adapted


def test_the_city_of_an_airport_is_another_than_the_city_of_an_address():
    place = next(
        term for term in TERMS if term.category == "Airport Name" and term.source == "Chicago"
    )
    assert AIRLINE.adapted("Chicago") == place.target
    assert place.target != "名古屋市中区"


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("JFKからEST", "HNDからJST"),
        ("basic_economyで", "ベーシックエコノミーで"),
        ("$50JFK", "7,500円HND"),
        ("XJFK", "XJFK"),
    ],
)
def test_letters_of_other_scripts_and_what_was_replaced_are_no_part_of_a_word(text, adapted):
    assert AIRLINE.adapted(text) == adapted


def test_a_mention_says_what_it_is_and_where():
    text = "Mia Li paid $50 at JFK, 3pm EST"
    found = AIRLINE.find(text)
    assert [(each.kind, text[each.start : each.end], each.target) for each in found] == [
        ("person", "Mia Li", "木村 千代"),
        ("amount", "$50", "7,500円"),
        ("word", "JFK", "HND"),
        ("zone", "EST", "JST"),
    ]
    assert all(each.source == text[each.start : each.end] for each in found)


def test_known_figures_win_over_conversion_and_keep_their_sign():
    figures = {Decimal("17.99"): Decimal(2698), Decimal("2.5"): Decimal("375.5")}
    assert RETAIL.adapted("$17.99, -$17.99 or $18", figures) == "2,698円, -2,698円 or 2,700円"
    assert RETAIL.adapted("$2.5", figures) == "376円"


def test_further_words_are_found_whole_and_in_any_case():
    adapted = RETAIL.adapted("Black, blackish or steel", values={"black": "黒", "steel": "鋼"})
    assert adapted == "黒, blackish or 鋼"


def test_a_given_name_that_two_people_have_means_nobody_without_a_row():
    other = Entity("person", "Mia Kim", "林 恵", "恵", "林", "メグミ ハヤシ", "Megumi Hayashi")
    assert words(MIA, other).mentions.adapted("Mia") == "Mia"
    assert words(MIA).mentions.adapted("Mia") == "千代"


def test_nothing_is_named_where_nothing_is_known():
    nothing = words(zone=("", ""), country="")
    assert nothing.mentions.find("Mia Li, USA, 3pm EST, Apt 5") == []


# -- messages ----------------------------------------------------------------------------------

SOURCE = Messages(entities.source_pack("airline"))
TARGET = Messages(entities.pack("airline", "ja"))


def said(name, **values):
    packs = entities.source_pack("airline"), entities.pack("airline", "ja")
    return [pack.message(name, **values) for pack in packs]


def test_a_message_is_recognized_with_whatever_fills_it():
    ours, theirs = said("flight_not_found_on_date", flight_number="HAT1", date="2024-05-01")
    assert "flight_not_found_on_date" in SOURCE.names(ours) & TARGET.names(theirs)
    assert same_message(SOURCE, TARGET, ours, theirs)
    assert SOURCE.names("something else") == frozenset()


def test_two_other_messages_are_not_the_same():
    ours, _ = said("gift_card_not_enough")
    _, theirs = said("too_many_certificates")
    assert not same_message(SOURCE, TARGET, ours, theirs)


def test_messages_are_compared_line_by_line():
    one, two = said("gift_card_not_enough"), said("too_many_certificates")
    assert same_message(SOURCE, TARGET, f"{one[0]}\n42\n{two[0]}", f"{one[1]}\n42\n{two[1]}")
    assert not same_message(SOURCE, TARGET, f"{one[0]}\n42\n{two[0]}", f"{one[1]}\n43\n{two[1]}")
    assert not same_message(SOURCE, TARGET, f"{one[0]}\n{two[0]}", f"{two[1]}\n{one[1]}")


def test_two_capitals_are_a_state_only_where_an_address_has_one():
    rows = Entity("state", "IL", "愛知県"), Entity("state", "OR", "新潟県")
    mentions = words(*rows).mentions
    assert mentions.adapted("in Chicago, IL 60621") == "in Chicago, 愛知県 60621"
    assert mentions.adapted("Houston OR, 97202") == "Houston 新潟県, 97202"
    assert mentions.adapted("ONE OR THE OTHER") == "ONE OR THE OTHER"
