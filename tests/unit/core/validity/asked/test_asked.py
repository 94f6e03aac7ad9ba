"""What is asked for and not done: cases that the rules must tell apart."""

from __future__ import annotations

import copy

import pytest
from rule_cases import act, facts, task_of, violations

from review_app.core.validity import DomainFacts

CLARA = "You are Clara Wexford, zip code 80211. "
HENRIK = "You are Henrik Dahl, zip code 97202. "
ANNEKE = "You are Anneke Visser, anneke.visser7025@example.com. "
AMARA = "You are Amara Bello, zip code 92103. "
IVO = "You are Ivo Brandt, user id ivo_brandt_7730. "
SAMUEL = "You are Samuel Okafor, user id samuel_okafor_6179. "
HAND_OVER = act("transfer_to_human_agents", summary="The agent cannot help.")
FIND_CLARA = act("find_user_id_by_name_zip", first_name="Clara", last_name="Wexford", zip="80211")


def messages(code, document, known=None):
    domain = document["user_scenario"]["instructions"]["domain"]
    return [fault.message for fault in violations(document, known or facts(domain), [code])]


def retail(said, *actions):
    return task_of("retail", said, *actions)


def moved(order, house):
    return act(
        "modify_pending_order_address",
        order_id=order,
        address1="48 Granite Hill",
        address2=house,
        city="Portland",
        state="OR",
        country="USA",
        zip="97202",
    )


def given_back(order, item, payment):
    return act(
        "return_delivered_order_items", order_id=order, item_ids=[item], payment_method_id=payment
    )


RETURN_MUG = given_back("#W4081726", "8036152974", "credit_card_5820174")


# -- a change that nobody makes ------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "Return the mug and the clock.",
        "You want to return the travel mug, and you want to return the alarm clock.",
        "マグとAlarm Clockを返品してください。",
    ],
)
def test_an_item_that_is_asked_for_and_left_out_is_found(said):
    assert messages("ASK-01", retail(CLARA + said, RETURN_MUG)) == [
        "the instructions ask to change Alarm Clock; no gold action does"
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Return the mug and the jacket.",  # the jacket has not arrived
        "Return everything but the clock, which you love.",
        "Return the mug. If it works, you also want to return the clock.",
        "Return the mug and the clock. When asked for confirmation, you drop the clock.",
        "Return the mug. Never return the clock.",
        "Return the mug that came with the clock.",
        "Alarm Clockは返品しないでください。",
        "Alarm Clock以外を返品してください。",
        "Return the clock for an umbrella.",  # an item cannot become another product
    ],
)
def test_what_is_not_asked_for_or_not_for_sure_is_no_finding(said):
    assert messages("ASK-01", retail(CLARA + said, RETURN_MUG)) == []


def test_a_hand_over_answers_every_request():
    said = CLARA + "Return the mug and the clock."
    assert messages("ASK-01", retail(said, RETURN_MUG, HAND_OVER)) == []


def test_an_order_named_by_number_must_be_touched_if_its_status_allows_it():
    cancelled = act("cancel_pending_order", order_id="#W5273091", reason="no longer needed")
    said = ANNEKE + "Cancel order #W5273091. Return order #W3149857."
    assert messages("ASK-01", retail(said, cancelled)) == [
        "the instructions ask to change #W3149857; no gold action does"
    ]
    for harmless in (
        "Cancel order #W3149857.",  # it has been delivered
        "You guess that it is #W3149857 that you want to return.",
        "Do not return #W3149857.",
    ):
        assert messages("ASK-01", retail(f"{ANNEKE}{harmless}", cancelled)) == [], harmless


def test_all_orders_means_every_open_one():
    said = HENRIK + "Cancel all pending orders, you no longer need them."
    gold = act("cancel_pending_order", order_id="#W8459037", reason="no longer needed")
    assert messages("ASK-01", retail(said)) == [
        "the instructions ask to change #W8459037; no gold action does"
    ]
    assert messages("ASK-01", retail(said, gold)) == []


def test_a_condition_about_something_else_leaves_a_request_as_it_is():
    said = CLARA + "Return the mug and the clock. If asked for your name, spell it."
    assert len(messages("ASK-01", retail(said, RETURN_MUG))) == 1
    said = CLARA + "Return the mug and the clock. If that cannot be done, leave it."
    assert messages("ASK-01", retail(said, RETURN_MUG)) == []


def test_every_open_order_and_the_profile_get_the_new_address():
    said = HENRIK + "Correct all order addresses and your user address to House 12."
    assert messages("ASK-01", retail(said)) == [
        "the instructions ask to change the user's own address; no gold action does",
        "the instructions ask to change the address of #W8459037; no gold action does",
    ]
    there_already = HENRIK + "Change all order addresses and your user address to House 11."
    assert messages("ASK-01", retail(there_already, moved("#W8459037", "House 11"))) == []
    as_goal = HENRIK + "Change the order to your default address."
    assert messages("ASK-01", retail(as_goal, moved("#W8459037", "House 12"))) == []
    in_japanese = HENRIK + "デフォルトの住所をHouse 12に変更してください。"
    assert len(messages("ASK-01", retail(in_japanese, moved("#W8459037", "House 12")))) == 1
    goal_in_japanese = HENRIK + "届け先をデフォルトの住所に変更してください。"
    assert messages("ASK-01", retail(goal_in_japanese, moved("#W8459037", "House 12"))) == []


# -- a person ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Return the mug; otherwise you ask for a human agent.", 1),
        ("Return the mug. If not possible, ask for a human.", 1),
        ("マグを返品し、できなければ有人オペレーターに代わるよう求めます。", 1),
        ("Return the mug. Under no circumstances do you want to be transferred.", 0),
        ("マグを返品します。オペレーターには転送されたくないです。", 0),
        ("How much was the mug? If the agent is rude, ask for a supervisor.", 0),
        ("Return the mug.", 0),
    ],
)
def test_a_user_who_asks_for_a_person_gets_one_or_the_change(said, expected):
    assert len(messages("ASK-02", retail(CLARA + said, FIND_CLARA))) == expected
    assert messages("ASK-02", retail(CLARA + said, RETURN_MUG)) == []
    assert messages("ASK-02", retail(CLARA + said, FIND_CLARA, HAND_OVER)) == []


def test_a_hand_over_after_what_was_asked_for_needs_a_ground():
    assert messages("ASK-03", retail(CLARA + "Return the mug.", RETURN_MUG, HAND_OVER)) == [
        "the gold hands over after return_delivered_order_items; "
        "nothing in the instructions leads there"
    ]
    assert messages("ASK-03", retail(CLARA + "Return the mug.", HAND_OVER)) == []
    assert (
        messages("ASK-03", retail(CLARA + "Undo it, or a human must.", RETURN_MUG, HAND_OVER)) == []
    )


# -- records -------------------------------------------------------------------------------------


def with_twin(**changes):
    """A task in which Amara has received a second teapot."""
    document = retail(
        AMARA + "Return the teapot.", given_back("#W9240516", "7319480265", "paypal_2930586")
    )
    orders = facts("retail").table("orders")
    twin = next(i for i in orders["#W9240516"]["items"] if i["name"] == "Ceramic Teapot")
    second = {"status": "delivered", "items": [{**copy.deepcopy(twin), **changes}]}
    document["initial_state"] = {
        "initialization_data": {"agent_data": {"orders": {"#W2673801": second}}}
    }
    return document


def test_two_orders_that_fit_are_found_unless_something_tells_them_apart():
    assert messages("ASK-04", with_twin()) == [
        "#W2673801 would fit the instructions as well as #W9240516, which the gold action takes"
    ]
    for telling in (
        "It is in your last order.",
        "It came with the blanket.",
        "It is in #W9240516.",
        "Return both.",
    ):
        document = with_twin()
        document["user_scenario"]["instructions"]["known_info"] = telling
        assert messages("ASK-04", document) == [], telling
    blue = with_twin(options={"capacity": "600ml", "color": "cream", "strainer": "no"})
    assert len(messages("ASK-04", blue)) == 1
    blue["user_scenario"]["instructions"]["known_info"] = "It is the blue one."
    assert messages("ASK-04", blue) == []


def test_two_trips_between_the_same_places_are_told_apart_by_date():
    said = "You are Greta Lindqvist, user id greta_lindqvist_2286. Cancel your trip from ORD to SEA"
    gold = act("cancel_reservation", reservation_id="D5TG7B")
    trips = task_of("airline", said + ".", gold)
    assert messages("ASK-04", trips) == [
        "V7NE2Q would fit the instructions as well as D5TG7B, which the gold action takes"
    ]
    for telling in (" on May 18.", ", reservation D5TG7B.", ", the latest one."):
        assert messages("ASK-04", task_of("airline", said + telling, gold)) == [], telling


def test_a_record_of_another_user_is_no_fault_if_the_user_names_it():
    foreign = act("get_reservation_details", reservation_id="J1UA9Q")
    assert messages("ASK-05", task_of("airline", IVO, foreign)) == [
        "J1UA9Q is looked up; it belongs to dexter_hale_1038, not to ivo_brandt_7730"
    ]
    assert messages("ASK-05", task_of("airline", IVO + "Say J1UA9Q first.", foreign)) == []


# -- conditions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("If a tote is available for less than 20 dollars, exchange yours.", "the price is 21.4"),
        ("If your tote cost more than $40, exchange it.", "the price is 31.9"),
        ("If the tote is available in red and the natural one is not, modify yours.", None),
        ("If a teapot is available in cream with 900ml, exchange yours.", "no Ceramic Teapot"),
        ("If a teapot is available in cream with 600ml, exchange yours.", None),
        ("If a tote is available for less than 20 dollars, exchange it. Otherwise, keep it.", None),
        (
            "Exchange the tote. If one tote is available below 20 dollars, exchange it for that.",
            None,
        ),
        ("If a tote or an umbrella is available below 10 dollars, exchange it.", None),
        ("If a tote is available for less than 20 dollars, you are happy.", None),
        ("もしCanvas Toteが20ドル未満で在庫にあれば、交換してください。", "the price is 21.4"),
        ("もしCanvas Toteが30ドル未満で在庫にあれば、交換してください。", None),
    ],
)
def test_a_false_condition_needs_another_case(said, expected):
    listed = messages("ASK-06", retail(AMARA + said))
    assert len(listed) == (1 if expected else 0), listed
    assert not expected or expected in listed[0]


# -- companions ----------------------------------------------------------------------------------


def booked(*people):
    return act(
        "book_reservation",
        user_id="samuel_okafor_6179",
        origin="LAS",
        destination="DEN",
        flight_type="one_way",
        cabin="economy",
        flights=[{"flight_number": "HAT314", "date": "2024-05-20"}],
        passengers=[{"first_name": f, "last_name": n, "dob": d} for f, n, d in people],
        payment_methods=[],
        total_baggages=0,
        nonfree_baggages=0,
        insurance="no",
    )


ADA = ("Ada", "Okafor", "1983-03-16")


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("You book for your wife Hana.", 1),
        ("You book for your wife Ada.", 0),
        ("You book for your wife Ada; Hana stays at home.", 0),
        ("You book for your wife, as Chidi is ill.", 0),
        ("You book for your wife in Maybury.", 0),
        ("You book for your wife Zelda.", 1),  # a name that the database does not have
        ("You book for Ada Bello.", 1),
        ("You book for Zelda, on the certificate.", 1),
        ("You book for May 20, for Denver, for your wife.", 0),
        ("You book for Ada Okafor.", 0),
        ("You book for Chidi Okafor, whom you pay for.", 0),
    ],
)
def test_a_companion_whom_only_the_instructions_know_is_found(said, count):
    assert len(messages("AIR-13", task_of("airline", SAMUEL + said, booked(ADA)))) == count


def test_a_japanese_companion_counts_with_the_family_name_only():
    known = facts("airline")
    tree = copy.deepcopy(dict(known.table("users")))
    tree["hana_oduya_5512"] = {
        **tree["hana_oduya_5512"],
        "name": {"first_name": "春香", "last_name": "松田"},
    }
    assert known.pack is not None
    assert known.state is not None
    state = type(known.state)({**known.state.tree, "users": tree})
    renamed = DomainFacts("airline", known.profile, pack=known.pack, state=state)
    whole = task_of("airline", SAMUEL + "松田 春香の分を予約します。", booked(ADA))
    assert messages("AIR-13", whole, renamed) == [
        "the instructions speak of 松田 春香, whom nothing else knows; "
        "the gold passengers are Ada Okafor"
    ]
    passenger = ("春香", "松田", "1983-03-16")
    assert (
        messages(
            "AIR-13", task_of("airline", SAMUEL + "松田春香の分です。", booked(passenger)), renamed
        )
        == []
    )
    part = task_of("airline", SAMUEL + "春香る季節に予約します。", booked(ADA))
    assert messages("AIR-13", part, renamed) == []
