"""Localizing keeps what it does not map, and what it has mapped it leaves alone."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from localized_sample import database, sample, words

from review_app.core.localize.expected_amounts import Amounts, expression, number
from review_app.core.localize.restoration import Restorer, entity_forms
from review_app.core.localize.tasks import TaskLocalizer
from review_app.core.localize.values import parse_values
from review_app.core.proof.square import Square
from review_app.core.tasks.replay import replay
from review_app.errors import BadInput
from review_app.models import Entity
from review_app.workflows.review import glossary

few = settings(max_examples=60, deadline=None)
ROWS = (
    Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura"),
    Entity("person", "Noah Kim", "森 葵", "葵", "森", "アオイ モリ", "Aoi Mori"),
    Entity("given_name", "Mia", "千代"),
    Entity("family_name", "Li", "木村"),
    Entity("city", "Chicago", "名古屋市中区"),
    Entity("state", "IL", "愛知県"),
    Entity("zip", "60621", "460-0621"),
    Entity("street", "Maple Drive", "紅葉町"),
    Entity("product", "Travel Mug", "トラベルマグ"),
    Entity("option", "color=black", "黒"),
)
HERE = words(*ROWS, domain="airline", terms=tuple(glossary.terms_of("ja")))
RETAIL = words(*ROWS)
KEPT = RETAIL.localizer
PIECES = st.sampled_from(
    [
        "Mia Li",
        "Li, Mia",
        "noahkim",
        "mia_li_1",
        "mia.li1@a.com ",
        "Mia",
        "Ms. Li",
        "Chicago",
        "60621",
        "975 Maple Drive",
        "Suite 217",
        "two travel mugs",
        "$50",
        "$153.23",
        "50 dollars",
        "JFK",
        "EST",
        "time_est",
        "USA",
        "basic_economy",
        "'business'",
        "economy class",
        "on time",
        "木村 千代",
        "7,500円",
        "HND",
        "黒",
        "の",
        "。",
        ",",
        ".",
        "-",
        "5",
        "_",
        "(",
        '"',
        "hello",
    ]
)
TEXTS = st.lists(PIECES, max_size=8).flatmap(
    lambda parts: st.sampled_from([" ", "", "、", "\n"]).map(lambda mark: mark.join(parts))
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@few
@given(TEXTS)
def test_an_adapted_text_names_nothing_of_the_source(text):
    adapted = HERE.mentions.adapted(text)
    assert HERE.mentions.find(adapted) == []
    assert HERE.mentions.adapted(adapted) == adapted


@few
@given(TEXTS)
def test_mentions_are_in_order_apart_and_as_the_text_has_them(text):
    at = 0
    for each in HERE.mentions.find(text):
        assert at <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.source != each.target
        at = each.end


@few
@given(st.text(max_size=40))
def test_any_text_can_be_adapted(text):
    assert HERE.mentions.adapted(text) == HERE.mentions.adapted(HERE.mentions.adapted(text))


@few
@given(JSON)
def test_data_that_nothing_is_said_of_stays_equal_in_order_and_types(value):
    made = KEPT.database({"unknown": value})["unknown"]
    assert repr(made) == repr(value)


@few
@given(JSON, JSON)
def test_broken_records_are_walked_without_a_fault(one, two):
    tree = {
        "users": {"mia_li_1": {"name": one, "address": two, "email": one}},
        "orders": {"#W1": {"items": [one, {"price": two, "options": one}], "status": two}},
    }
    made = KEPT.database(tree)
    assert list(made["users"]) == ["chiyo_kimura_1"]
    assert list(made["orders"]["#W1"]) == ["items", "status"]


@few
@given(JSON)
def test_a_calls_arguments_keep_their_names_and_order(value):
    arguments = {"zz": value, "user_id": "mia_li_1", "aa": value}
    made = KEPT.arguments("get_user_details", arguments)
    assert repr(made) == repr({**arguments, "user_id": "chiyo_kimura_1"})


CENTS = st.integers(-10_000_000, 10_000_000).map(lambda cents: cents / 100)


@few
@given(CENTS)
def test_a_refund_mirrors_its_charge_and_floats_stay_floats(amount):
    made = KEPT.amount(amount)
    assert type(made) is float and made == int(made)
    assert KEPT.amount(-amount) == -made
    assert abs(Decimal(str(made)) - Decimal(str(amount)) * 150) <= Decimal("0.5")


@few
@given(st.integers(-(10**12), 10**12))
def test_whole_amounts_stay_whole(amount):
    assert KEPT.amount(amount) == amount * 150
    assert type(KEPT.amount(amount)) is int
    assert KEPT.price(str(amount)) == str(amount * 150)


VALUES = st.sampled_from(
    [(row.kind, row.source) for row in ROWS]
    + [
        ("user_id", "mia_li_1"),
        ("email", "mia.li1@a.com"),
        ("street", "975 Maple Drive"),
        ("country", "USA"),
        ("unit", "Suite 217"),
        ("full_name", "Mia Li"),
        ("airport", "JFK"),
        ("word order_status", "pending"),
        ("city", "Elsewhere"),
        ("zip", "1"),
    ]
)


@few
@given(VALUES)
def test_mapping_a_value_twice_changes_nothing_more(pair):
    once = HERE.localizer.value(*pair)
    assert HERE.localizer.value(pair[0], once) == once


RETURNING = st.sampled_from(
    ["Mia Li", "mia_li_1", "mia.li1@a.com", "Chicago", "60621", "$50", "$153.23", "hello", "5"]
)


@few
@given(st.lists(RETURNING, min_size=1, max_size=6))
def test_what_was_adapted_comes_back(parts):
    text = " / ".join(parts)
    ids = [("mia_li_1", "chiyo_kimura_1"), ("mia.li1@a.com", "chiyo.kimura1@a.com")]
    entities = RETAIL.entities
    back = Restorer(entity_forms(entities, ids), entities.locale.money)
    assert back.restored(RETAIL.mentions.adapted(text)) == text


@few
@given(st.lists(st.integers(1, 50_000), min_size=2, max_size=6, unique=True))
def test_a_sum_of_a_record_is_the_sum_of_its_localized_prices(cents):
    prices = [Decimal(each) / 100 for each in cents]
    shown = Amounts()
    shown.add((price, KEPT.converted(price)) for price in prices)
    total = sum(prices)
    made = shown.figure(total, KEPT.converted(total))
    if made.origin == "sum":
        assert made.target == sum(KEPT.converted(price) for price in prices)
    assert abs(made.target - KEPT.converted(total)) <= len(prices)


@few
@given(st.integers(0, 10**9), st.integers(0, 99))
def test_a_number_is_read_with_and_without_separators(whole, cents):
    value = Decimal(f"{whole}.{cents:02}")
    assert number(f"{whole:,}.{cents:02}") == number(f"{whole}.{cents:02}") == value
    assert number(f"-{whole:,}") == -whole


@few
@given(st.lists(st.sampled_from(["2", "350", "122.50", "+", "*", "(", ")", "/", " "]), max_size=12))
def test_a_calculation_changes_in_its_amounts_only(parts):
    shown = Amounts([[(Decimal(350), Decimal(52500)), (Decimal("122.50"), Decimal(18375))]])
    spaced = " ".join(parts)
    wanted = spaced.replace("350", "52500").replace("122.50", "18375")
    assert expression(spaced, shown, KEPT) == wanted


@few
@given(JSON, TEXTS, st.lists(TEXTS | st.none() | st.integers(), max_size=3))
def test_a_task_keeps_what_it_is_made_of(odd, said, info):
    source = {
        "odd": odd,
        "id": "1",
        "user_scenario": {"persona": None, "instructions": {"known_info": said}},
        "evaluation_criteria": {"communicate_info": info, "actions": [], "more": odd},
    }
    made = TaskLocalizer(KEPT, RETAIL.mentions).task(source, Amounts()).task
    assert list(made) == list(source)
    assert repr(made["odd"]) == repr(made["evaluation_criteria"]["more"]) == repr(odd)
    assert len(made["evaluation_criteria"]["communicate_info"]) == len(info)
    assert made["user_scenario"]["persona"] is None


ORDERS = list(database("retail")["orders"])
CALLS = st.one_of(
    st.sampled_from(ORDERS).map(lambda o: ("get_order_details", {"order_id": o})),
    st.sampled_from(ORDERS).map(
        lambda o: ("cancel_pending_order", {"order_id": o, "reason": "no longer needed"})
    ),
    st.sampled_from(list(database("retail")["users"])).map(
        lambda u: ("get_user_details", {"user_id": u})
    ),
    st.sampled_from(ORDERS).flatmap(
        lambda o: st.sampled_from(database("retail")["orders"][o]["items"]).map(
            lambda item: (
                "return_delivered_order_items",
                {
                    "order_id": o,
                    "item_ids": [item["item_id"]],
                    "payment_method_id": database("retail")["orders"][o]["payment_history"][0][
                        "payment_method_id"
                    ],
                },
            )
        )
    ),
    st.tuples(
        st.sampled_from(["get_order_details", "nothing"]), st.fixed_dictionaries({"x": LEAVES})
    ),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(CALLS, max_size=5))
def test_any_calls_commute_with_localizing(calls):
    here = sample("retail")
    source = [{"name": name, "arguments": arguments} for name, arguments in calls]
    target = [
        {**each, "arguments": here.localizer.arguments(each["name"], each["arguments"])}
        for each in source
    ]
    found = Square(here.localizer).differences(
        replay(here.source_environment(), source), replay(here.environment(), target)
    )
    assert [each for each in found if each.kind != "rounding"] == []


@few
@given(st.text(max_size=60))
def test_any_rules_are_read_or_refused(text):
    try:
        parse_values(f"[retail.database]\n{text}", "retail")
    except BadInput as error:
        assert error.file == "values.toml"
