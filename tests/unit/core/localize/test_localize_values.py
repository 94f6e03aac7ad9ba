"""Localizing plain data: databases, arguments and results, value by value."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from localized_sample import database, sample, words

from review_app.core.localize.values import parse_values
from review_app.errors import BadInput
from review_app.models import Entity
from review_app.workflows.localization import entities

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
NAMES = (Entity("given_name", "Mia", "千代"), Entity("family_name", "Li", "木村"))
LOCALIZER = words(MIA, *NAMES, Entity("option", "color=black", "黒")).localizer


@pytest.mark.parametrize(
    ("dollars", "yen"),
    [
        (153.23, 22984.0),
        (164.28, 24642.0),
        (135.24, 20286.0),
        (258.97, 38845.0),
        (158.89, 23833.0),
        (-153.23, -22984.0),
        (-258.97, -38845.0),
        (-158.89, -23833.0),
        (50, 7500),
        (0, 0),
        (0.0, 0.0),
        (True, 150),
        (None, None),
        ("n/a", "n/a"),
    ],
)
def test_amounts_are_converted_exactly_and_keep_their_type(dollars, yen):
    made = LOCALIZER.amount(dollars)
    assert made == yen and type(made) is type(yen)


@pytest.mark.parametrize("value", [float("inf"), 1e30, 10**40, "1e5", "fifty", ""])
def test_what_is_no_amount_of_money_stays(value):
    assert LOCALIZER.price(value) == value and type(LOCALIZER.price(value)) is type(value)


def test_an_amount_written_as_text_stays_text():
    assert LOCALIZER.price("50") == "7500"
    assert LOCALIZER.price("153.23") == "22984.0"
    assert LOCALIZER.price("-4.0") == "-600.0"


def test_without_money_amounts_stay():
    kept = replace(LOCALIZER, money=None)
    assert kept.amount(153.23) == 153.23 and kept.price("50") == "50"


def test_a_person_is_mapped_where_names_stand_and_the_rest_of_the_record_stays():
    record = {"last_name": "Li", "dob": None, "first_name": "Mia"}
    rules = entities.rules("airline")
    made = replace(LOCALIZER, rules=rules).record(
        "database", ("reservations", "R1", "passengers", 0), record
    )
    assert list(made.items()) == [("last_name", "木村"), ("dob", None), ("first_name", "千代")]


@pytest.mark.parametrize(
    ("given", "mapped"),
    [("Mia", "千代"), ("MIA", "千代"), ("mia", "千代"), ("Mías", "Mías"), (7, 7), (None, None)],
)
def test_a_given_name_is_mapped_in_any_case_as_tools_compare_it(given, mapped):
    arguments = {"first_name": given, "last_name": "Li", "zip": "00000"}
    made = LOCALIZER.arguments("find_user_id_by_name_zip", arguments)
    assert made == {"first_name": mapped, "last_name": "木村", "zip": "00000"}


@pytest.mark.parametrize(
    ("user_id", "mapped"),
    [
        ("mia_li_3668", "chiyo_kimura_3668"),
        ("Mia_Li_3668", "Mia_Li_3668"),
        ("MIA_LI_3668", "MIA_LI_3668"),
        ("mia_li", "mia_li"),
        ("mia_lima_3668", "mia_lima_3668"),
    ],
)
def test_a_user_id_is_mapped_only_as_it_is_written(user_id, mapped):
    assert LOCALIZER.arguments("get_user_details", {"user_id": user_id}) == {"user_id": mapped}


def test_a_person_without_romanized_name_leaves_ids_and_mails():
    bare = words(Entity("person", "Mia Li", "木村 千代", "千代", "木村")).entities
    assert bare.value("user_id", "mia_li_3668") == "mia_li_3668"
    assert bare.value("email", "mia.li2@a.com") == "mia.li2@a.com"


def test_an_option_without_entry_stays():
    options = {"color": "black", "size": "L", "pieces": 3}
    record = LOCALIZER.record("database", ("orders", "#W1", "items", 0, "options"), options)
    assert record == {"color": "黒", "size": "L", "pieces": 3}


def test_words_are_mapped_by_field_and_unknown_ones_stay():
    airline = sample("airline").localizer
    assert airline.word("cabin", "business") == "ビジネス"
    assert airline.word("cabin", "first") == "first"
    assert airline.word("cabin", "Business") == "Business"
    assert airline.word("cabin", "Business", folded=True) == "ビジネス"
    assert airline.word("no such field", "business") == "business"


def test_a_result_that_refers_to_a_table_is_localized_like_its_records():
    localizer = sample("airline").localizer
    key, record = next(iter(database("airline")["reservations"].items()))
    assert localizer.result("get_reservation_details", record) == localizer.record(
        "database", ("reservations", key), record
    )


def test_a_record_of_any_table_is_told_by_its_first_member():
    localizer = sample("telecom").localizer
    for table in ("customers", "lines", "bills"):
        record = database("telecom")[table][0]
        there = localizer.record("database", (table, 0), record)
        assert localizer.result("get_details_by_id", record) == there
    assert localizer.result("get_details_by_id", {}) == {}


def shape(value):
    """Member names in order and JSON types, all values left out."""
    if isinstance(value, dict):
        return [shape(each) for each in value.values()]
    return [shape(each) for each in value] if isinstance(value, list) else type(value)


@pytest.mark.parametrize("locale", ["ja", "de"])
@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_a_database_keeps_its_shape_and_is_not_changed_in_place(domain, locale):
    tree = database(domain)
    before = copy.deepcopy(tree)
    made = sample(domain, locale).localizer.database(tree)
    assert shape(made) == shape(tree)
    assert tree == before
    assert made != tree


def test_what_has_no_kind_stays_with_its_keys_in_order():
    tree = {"zebra": [1, None, {"x": []}], "orders": {"#W1": {"odd": 1.0, "status": "pending"}}}
    made = LOCALIZER.database(tree)
    assert list(made) == ["zebra", "orders"]
    assert made["zebra"] == tree["zebra"]
    assert made["orders"] == {
        "#W1": {"odd": 1.0, "status": LOCALIZER.word("order_status", "pending")}
    }
    assert made["orders"]["#W1"]["status"] != "pending"


def test_the_path_of_a_record_leads_to_its_localization():
    localizer = sample("airline").localizer
    tree = database("airline")
    made = localizer.database(tree)
    for user in tree["users"]:
        place = made
        for key in localizer.path("database", ("users", user)):
            place = place[key]
        assert place == localizer.record("database", ("users", user), tree["users"][user])


# -- the rules' file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "address", "problem"),
    [
        ("[retail", "", "not TOML"),
        ("retail = 3", "retail", "table"),
        ("[retail]\ndatabase = 3", "retail.database", "table"),
        ("[retail.databse]", "retail", "unknown section 'databse'"),
        ('[retail.database]\n"a/*/b" = "monney"', "retail.a/*/b", "unknown kind 'monney'"),
        ('[retail.database]\n"a" = "keys usr"', "retail.a", "unknown kind 'usr'"),
        ('[retail.database]\n"a" = 3', "retail.a", "3 is no kind"),
        ('[retail.results]\n"a" = "as users/*"', "retail.a", "nothing is said of"),
    ],
)
def test_rules_that_mean_nothing_are_refused_with_their_address(text, address, problem):
    with pytest.raises(BadInput, match=problem) as caught:
        parse_values(text, "retail")
    assert (caught.value.file, caught.value.address) == ("values.toml", address)


def test_a_domain_without_rules_is_localized_to_itself():
    rules = parse_values('[retail.database]\n"a" = "money"', "library")
    kept = replace(LOCALIZER, rules=rules)
    assert kept.database({"a": 1, "first_name": "Mia"}) == {"a": 1, "first_name": "Mia"}


def test_a_named_member_has_what_is_said_of_any():
    rules = parse_values('[retail.arguments]\n"*/user_id" = "user_id"\n"x/a" = "money"', "retail")
    node = rules.node("arguments", "x")
    found = list(rules.leaves(node, {"user_id": "mia_li_1", "a": 5}))
    assert found == [(("user_id",), "user_id", "mia_li_1"), (("a",), "money", 5)]
