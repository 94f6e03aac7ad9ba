"""The cases that validity rules must get right, and their reading of texts and states."""

from __future__ import annotations

import copy
import json
from decimal import Decimal

import pytest
from rule_cases import (
    DATA,
    SAMPLE,
    act,
    codes,
    database,
    facts,
    in_currency,
    money,
    pack,
    profile,
    task,
    task_of,
    tasks,
    violations,
    with_profile,
)

from review_app.core.envs import environment_class
from review_app.core.locale.pack import parse_pack
from review_app.core.validity import RULESET, DomainFacts, TaskContext, inspect, rule_version
from review_app.core.validity.amounts import subset_sums
from review_app.core.validity.texts import days_in, is_date_said

KINDS = {
    "payment_not_singled_out": {"PAY-01", "PAY-02", "PAY-05"},
    "amount_never_matches": {"CRIT-01"},
    "gold_write_refused": {"GOLD-01"},
    "assertion_not_reached": {"CRIT-10"},
}
MARISOL = "You are Marisol Vega, user id marisol_vega_7715. "
IVO = "You are Ivo Brandt, user id ivo_brandt_7730. "
OWEN = "You are Owen Pritchard (user id owen_pritchard_3920). "


def found_in(document, known, code):
    return [violation for violation in violations(document, known) if violation.code == code]


def edited(domain, task_id, *, said=None, **criteria):
    document = task(domain, task_id)
    document["evaluation_criteria"].update(criteria)
    if said is not None:
        document["user_scenario"]["instructions"]["task_instructions"] = said
    return document


def bag(paid_with):
    return act(
        "update_reservation_baggages",
        reservation_id="N4EK5X",
        total_baggages=2,
        nonfree_baggages=1,
        payment_id=paid_with,
    )


# -- the sample ----------------------------------------------------------------------------------


def test_the_invalid_tasks_of_the_sample_are_found_and_no_others():
    known = json.loads((DATA / "sample" / "invalid_tasks.json").read_text("utf-8"))
    invalid = {
        (invalid_task["domain"], invalid_task["task_id"]): invalid_task["kind"]
        for invalid_task in known
    }
    for domain in ("airline", "retail", "telecom"):
        for document in tasks(domain):
            kind = invalid.get((domain, document["id"]))
            faults = set(codes(document, facts(domain), "error"))
            assert bool(faults & KINDS[kind]) if kind else not faults, (
                domain,
                document["id"],
                faults,
            )


# -- money that is not there ---------------------------------------------------------------------


def test_an_exchange_that_costs_more_than_the_gift_card_holds_says_how_much():
    faults = {fault.code: fault for fault in violations(task("retail", "9"), facts("retail"))}
    assert faults["GOLD-01"].level == faults["RET-03"].level == "error"
    assert faults["RET-03"].message == "gift_card_8064519 holds 20.0; the difference is 36.25"
    assert faults["RET-03"].address == "/evaluation_criteria/actions/3/arguments/payment_method_id"


def test_an_exchange_of_a_pending_order_is_found_although_a_valid_modification_follows():
    document = task("retail", "3")
    actions = document["evaluation_criteria"]["actions"]
    wrong = {**actions[3], "name": "exchange_delivered_order_items", "action_id": "3_9"}
    actions.insert(3, wrong)
    faults = violations(document, facts("retail"), ["GOLD-01", "RET-01"])
    assert [fault.code for fault in faults] == ["GOLD-01", "RET-01"]
    assert "needs an order that is delivered; #W6482015 is pending" in faults[1].message
    assert codes(task("retail", "3"), facts("retail"), "error") == []


# -- look-ups, tools, arguments ------------------------------------------------------------------


def with_wrong_address_first():
    document = task("retail", "3")
    actions = document["evaluation_criteria"]["actions"]
    wrong = copy.deepcopy(actions[0])
    wrong["arguments"]["email"] = "jamal@example.com"
    actions.insert(0, {**wrong, "action_id": "3_9"})
    return document


def test_a_failed_look_up_of_what_nobody_says_is_found_with_what_repairs_it():
    [refused] = violations(with_wrong_address_first(), facts("retail"), ["GOLD-04"])
    assert refused.level == "warning"
    assert refused.message.endswith("action 1 repairs it")


def test_a_failed_look_up_of_what_the_user_is_told_to_say_is_no_fault():
    document = with_wrong_address_first()
    document["user_scenario"]["instructions"]["known_info"] += " Or it is jamal@example.com."
    assert codes(document, facts("retail")) == []


def test_a_user_whom_no_look_up_finds_is_a_fault_though_the_user_says_so():
    document = with_wrong_address_first()
    document["user_scenario"]["instructions"]["known_info"] += " Or it is jamal@example.com."
    del document["evaluation_criteria"]["actions"][1]
    [refused] = violations(document, facts("retail"), ["GOLD-04"])
    assert refused.message.endswith("nothing repairs it")


def test_an_order_number_given_without_its_sign_is_a_mistake_on_purpose():
    said = "You are Anneke Visser, anneke.visser7025@example.com. Say 5273099 first."
    look_up = act("get_order_details", order_id="#5273099")
    assert codes(task_of("retail", said, look_up), facts("retail")) == []
    unsaid = said.replace("5273099", "the number")
    assert codes(task_of("retail", unsaid, look_up), facts("retail")) == ["GOLD-04", "ID-01"]


def test_a_card_without_a_balance_is_neither_the_larger_nor_the_smaller_one():
    exchanged = act(
        "exchange_delivered_order_items",
        order_id="#W7204965",
        item_ids=["8651037924"],
        new_item_ids=["4298360517"],
        payment_method_id="credit_card_6938451",
    )
    said = "You are Tobias Kern, zip code 37206. Exchange the fan for a larger grey one"
    for words, expected in (
        (".", ["PAY-01"]),
        (" and pay by credit card.", ["PAY-01"]),
        (f" and pay with {exchanged['arguments']['payment_method_id']}.", []),
    ):
        faults = violations(
            task_of("retail", said + words, exchanged), facts("retail"), ["PAY-01", "PAY-05"]
        )
        assert [fault.code for fault in faults] == expected, words


def test_a_stated_motive_that_is_no_mistake_implies_that_the_order_is_not_needed():
    cancelled = act("cancel_pending_order", order_id="#W5273091", reason="no longer needed")
    for motive, expected in (
        ("You found a better deal elsewhere; cancel it.", []),
        ("Cancel it because your brother gave you his.", []),
        ("Cancel it because of a mistake in the form.", ["PAY-07"]),
        ("Cancel it so that you can order again.", ["PAY-03"]),
    ):
        said = f"You are Anneke Visser, anneke.visser7025@example.com. {motive}"
        faults = violations(
            task_of("retail", said, cancelled), facts("retail"), ["PAY-03", "PAY-07"]
        )
        assert [fault.code for fault in faults] == expected, motive


def test_a_renamed_tool_that_keeps_its_old_argument_is_found():
    document = task("airline", "1")
    document["evaluation_criteria"]["actions"][1]["name"] = "get_user_details"
    faults = violations(document, facts("airline"), ["GOLD-03"])
    assert [str(fault.values["problem"]) for fault in faults] == [
        "takes no argument 'reservation_id'",
        "needs the argument 'user_id'",
    ]
    assert faults[0].address == "/evaluation_criteria/actions/1/arguments/reservation_id"


def test_an_item_that_is_sold_out_or_of_another_product_is_named():
    document = task("retail", "3")
    arguments = document["evaluation_criteria"]["actions"][3]["arguments"]
    for item, problem in (
        ("6013572849", "is not available"),
        ("6291538074", "is no Desk Fan"),
        ("1", "is no item"),
    ):
        arguments["new_item_ids"] = [item]
        [fault] = violations(document, facts("retail"), ["RET-04"])
        assert fault.message == f"{item} {problem}"
        assert "GOLD-01" in codes(document, facts("retail"), "error")


# -- people --------------------------------------------------------------------------------------


def with_birth_date(date):
    document = task("airline", "5")
    document["evaluation_criteria"]["actions"][2]["arguments"]["passengers"][0]["dob"] = date
    return document


def test_a_birth_date_that_differs_from_the_profile_is_found_until_it_is_right():
    wrong, wrong_again, right = map(with_birth_date, ("1990-08-24", "1991-08-23", "1990-08-23"))
    [fault] = found_in(wrong, facts("airline"), "AIR-09")
    assert fault.message == "Felix Moreau is not born on 1990-08-24; stored is 1990-08-23"
    assert fault.address == "/evaluation_criteria/actions/2/arguments/passengers/0/dob"
    assert found_in(wrong_again, facts("airline"), "AIR-09")
    assert not found_in(right, facts("airline"), "AIR-09")


def test_what_stands_literally_in_the_instructions_is_no_contradiction():
    document = with_birth_date("1990-08-24")
    document["user_scenario"]["instructions"]["task_instructions"] += " Say August 24, 1990."
    assert not found_in(document, facts("airline"), "AIR-09")


def test_passengers_renamed_in_the_gold_action_only_are_found():
    document = task("airline", "6")
    people = document["evaluation_criteria"]["actions"][1]["arguments"]["passengers"]
    people[1]["first_name"] = "Alex"
    [fault] = found_in(document, facts("airline"), "AIR-08")
    assert fault.message == "nobody is called Alex Lindqvist"
    document["user_scenario"]["instructions"]["reason_for_call"] = "It should be Alex Lindqvist."
    assert not found_in(document, facts("airline"), "AIR-08")


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("born on august 23, 1990", True),
        ("born on 23 august 1990", True),
        ("1990年8月23日生まれ", True),
        ("dob 1990-08-23", True),
        ("born on august 23, 1991", False),
        ("born on august 2, 1990", False),
    ],
)
def test_a_birth_date_is_read_in_the_usual_spellings(said, holds):
    assert is_date_said(said, "1990-08-23") is holds


def test_days_are_read_with_and_without_a_year():
    said = "On May 20, the 22nd of May and 2024-05-24, 5月25日; born in 1990"
    assert days_in(said) == {(5, 20), (5, 22), (5, 24), (5, 25)}


# -- airline policy ------------------------------------------------------------------------------


def upgrade_then_cancel(*, upgraded):
    flights = [
        {"flight_number": "HAT307", "date": "2024-05-18"},
        {"flight_number": "HAT308", "date": "2024-05-21"},
    ]
    upgrade = act(
        "update_reservation_flights",
        reservation_id="K7QD2M",
        cabin="business",
        flights=flights,
        payment_id="credit_card_3071562",
    )
    cancel = act("cancel_reservation", reservation_id="K7QD2M")
    said = "You are Nora Castell, nora_castell_4821."
    return task_of("airline", said, *([upgrade] if upgraded else []), cancel)


def test_an_upgrade_makes_a_cancellation_right_and_without_it_it_is_wrong():
    assert codes(upgrade_then_cancel(upgraded=True), facts("airline")) == []
    assert codes(upgrade_then_cancel(upgraded=False), facts("airline")) == ["AIR-01"]


def delay(*, changed):
    flights = [{"flight_number": "HAT312", "date": "2024-05-16"}]
    change = act(
        "update_reservation_flights",
        reservation_id="T2KM6J",
        cabin="economy",
        flights=flights,
        payment_id="gift_card_2814406",
    )
    certificate = act("send_certificate", user_id="ivo_brandt_7730", amount=60)
    document = task_of(
        "airline", IVO + "Use the gift card.", *([change] if changed else []), certificate
    )
    insured = {"T2KM6J": {"insurance": "yes"}}
    document["initial_state"] = {"initialization_data": {"agent_data": {"reservations": insured}}}
    return document


def test_a_delay_certificate_needs_a_change_before_it():
    assert codes(delay(changed=True), facts("airline")) == []
    [fault] = found_in(delay(changed=False), facts("airline"), "AIR-03")
    assert "T2KM6J is delayed, but neither changed nor cancelled before" in fault.message


def test_a_regular_member_without_insurance_gets_no_certificate():
    document = delay(changed=True)
    del document["initial_state"]
    [fault] = found_in(document, facts("airline"), "AIR-03")
    assert "a regular member, uninsured and not in business" in fault.message


def test_insurance_covers_health_and_weather_and_nothing_that_is_denied():
    cancel = act("cancel_reservation", reservation_id="V7NE2Q")
    greta = "You are Greta Lindqvist, greta_lindqvist_2286. "
    for said, right in (
        ("You have the flu.", True),
        ("You are sick and do not want to fly.", True),
        ("台風で行けません。", True),
        ("病気ではありません。", False),
        ("You want to give your seat to someone else.", False),
        ("You do not have a health issue.", False),
        ("Under no circumstances will you fake a health issue.", False),
    ):
        faults = codes(task_of("airline", greta + said, cancel), facts("airline"), "error")
        assert (faults == []) is right, said


@pytest.mark.parametrize(
    ("said", "flights"),
    [
        ("You do not want to leave before noon.", {"HAT301"}),
        ("You only want flights departing after 8am.", {"HAT301"}),
        ("You only want flights that arrive before 11am.", {"HAT321"}),
        ("You want to arrive before 6:30 pm.", {"HAT321"}),
        ("You want to arrive before 6:45 pm.", set()),
        ("You only want flights departing after 3 pm.", {"HAT301"}),
        ("You want to leave at noon.", set()),
    ],
)
def test_hours_that_the_user_states_bind_the_gold_flights(said, flights):
    hana = "You are Hana Oduya, user id hana_oduya_5512. Use the original payment method. "
    faults = set()
    for flight, day in (("HAT301", "19"), ("HAT321", "18")):
        change = act(
            "update_reservation_flights",
            reservation_id="Z3PL6Y",
            cabin="economy",
            flights=[{"flight_number": flight, "date": f"2024-05-{day}"}],
            payment_id="gift_card_5028861",
        )
        document = task_of("airline", hana + said, change)
        faults |= {
            fault.values["flight"] for fault in found_in(document, facts("airline"), "AIR-12")
        }
    assert faults == flights


def test_stated_hours_do_not_bind_flights_that_the_reservation_had_before():
    hana = "You are Hana Oduya, user id hana_oduya_5512. You do not want to leave before noon."
    for day, flagged in (("18", False), ("20", True)):  # booked on the 18th
        change = act(
            "update_reservation_flights",
            reservation_id="Z3PL6Y",
            cabin="business",
            flights=[{"flight_number": "HAT301", "date": f"2024-05-{day}"}],
            payment_id="credit_card_9417730",
        )
        document = task_of("airline", hana, change)
        assert codes(document, facts("airline"), "error").count("GOLD-01") == 0
        assert bool(found_in(document, facts("airline"), "AIR-12")) is flagged


FELIX_BOOKS = {
    "user_id": "felix_moreau_9047",
    "origin": "LAS",
    "destination": "DEN",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [{"flight_number": "HAT314", "date": "2024-05-20"}],
    "passengers": [{"first_name": "Felix", "last_name": "Moreau", "dob": "1990-08-23"}],
    "payment_methods": [{"payment_id": "credit_card_2508316", "amount": 133}],
    "total_baggages": 0,
    "nonfree_baggages": 0,
    "insurance": "no",
}
TOMAS_CHANGES = {
    "reservation_id": "M9FJ3V",
    "cabin": "business",
    "flights": [{"flight_number": "HAT321", "date": "2024-05-19"}],
    "payment_id": "credit_card_1195847",
}
"""In place of a flight that takes five minutes less."""


def too_long(action, limit):
    """What is said of the trip that a task's only action leaves behind, and of refused actions."""
    who = "Felix Moreau, user id felix_moreau_9047"
    if action["name"] == "update_reservation_flights":
        who = "Tomas Leclerc, user id tomas_leclerc_3308"
    said = f"You are {who}. Book flights of {limit} hours or less."
    faults = violations(task_of("airline", said, action), facts("airline"))
    return [str(fault.message) for fault in faults if fault.code == "AIR-11"], [
        fault.address for fault in faults if fault.code == "GOLD-01"
    ]


def test_the_trip_that_gold_books_or_changes_is_measured():
    booking = act("book_reservation", **FELIX_BOOKS)
    change = act("update_reservation_flights", **TOMAS_CHANGES)
    for action, limit, message in (
        (booking, "2.5", "HATHAT takes 2.8 hours; the instructions allow 2.5"),
        (change, "3.3", "M9FJ3V takes 3.3 hours; the instructions allow 3.3"),
    ):
        assert too_long(action, limit) == ([message], [])
        assert too_long(action, "3.4") == ([], [])


def test_a_booking_or_change_that_is_refused_leaves_no_trip_to_measure():
    dear = [{"payment_id": "credit_card_2508316", "amount": 999}]
    unknown = [{"flight_number": "HAT000", "date": "2024-05-19"}]
    for action in (
        act("book_reservation", **FELIX_BOOKS | {"payment_methods": dear}),
        act("update_reservation_flights", **TOMAS_CHANGES | {"flights": unknown}),
    ):
        messages, refused = too_long(action, "1")
        assert messages == [] and len(refused) == 1


def test_too_many_passengers_are_counted():
    people = [{"first_name": "Felix", "last_name": "Moreau", "dob": "1990-08-23"}] * 6
    document = task("airline", "5")
    document["evaluation_criteria"]["actions"][2]["arguments"]["passengers"] = people
    messages = [fault.message for fault in found_in(document, facts("airline"), "AIR-10")]
    assert messages == ["6 passengers in one booking; 5 at most"]


# -- which payment method ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "paid_with", "right"),
    [
        ("", "credit_card_7714208", False),
        ("Pay with the card ending in 0472.", "credit_card_7714208", True),
        ("Pay with the card ending in 6617.", "credit_card_7714208", False),
        ("Use your Mastercard.", "credit_card_7714208", True),
        ("Use your visa.", "credit_card_7714208", False),
        ("Use credit_card_7714208.", "credit_card_7714208", True),
        ("Use your credit card.", "credit_card_7714208", False),
        ("Use the other credit card.", "credit_card_7714208", True),
        ("Pay with the card that you used before.", "credit_card_3380946", True),
        ("Pay with the card that you used before.", "credit_card_7714208", False),
        ("0472で終わるクレジットカードで払う。", "credit_card_7714208", True),
    ],
)
def test_a_payment_method_is_singled_out_by_what_the_user_says(said, paid_with, right):
    document = task_of("airline", MARISOL + said, bag(paid_with))
    payment_faults = [code for code in codes(document, facts("airline")) if code.startswith("PAY")]
    assert (payment_faults == []) is right


def test_the_smaller_and_the_larger_gift_card_are_told_apart():
    cards = {
        "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "amount": 60},
        "gift_card_2": {"source": "gift_card", "id": "gift_card_2", "amount": 10},
    }
    held = {"marisol_vega_7715": {"payment_methods": cards}}
    state = {"initialization_data": {"agent_data": {"users": held}}}
    for said, paid_with, right in (
        ("Use the gift card with the smaller balance.", "gift_card_1", True),  # 10 do not cover 50
        ("Use a gift card.", "gift_card_1", True),
        ("Pay by card.", "gift_card_1", False),
    ):
        document = task_of("airline", MARISOL + said, bag(paid_with))
        document["initial_state"] = state
        payment_faults = [
            code for code in codes(document, facts("airline")) if code.startswith("PAY")
        ]
        assert (payment_faults == []) is right, said


def test_the_only_other_method_for_an_order_need_not_be_named():
    jamal = "You are Jamal Reyes, jamal_reyes_5938. Pay order #W6482015 in another way."
    repay = act(
        "modify_pending_order_payment", order_id="#W6482015", payment_method_id="gift_card_9203364"
    )
    assert codes(task_of("retail", jamal, repay), facts("retail"), "error") == []


def test_a_method_that_is_never_charged_need_not_be_named():
    free = act(
        "update_reservation_baggages",
        reservation_id="N4EK5X",
        total_baggages=1,
        nonfree_baggages=0,
        payment_id="credit_card_7714208",
    )
    assert codes(task_of("airline", MARISOL, free), facts("airline")) == ["GOLD-05"]


def test_paying_with_the_original_method_says_nothing_about_a_refund():
    tote = {
        "order_id": "#W1580473",
        "item_ids": ["3657042918"],
        "new_item_ids": ["8930614572"],
        "payment_method_id": "gift_card_8064519",
    }
    leila = "You are Leila Haddad, leila.haddad1273@example.com. You want the natural tote. "
    change = act("modify_pending_order_items", **tote)
    document = task_of("retail", leila + "You pay with the original payment method.", change)
    assert codes(document, facts("retail"), "error") == ["PAY-02"]


# -- expected words and amounts ------------------------------------------------------------------


def test_an_amount_with_a_separator_can_never_match():
    [fault] = found_in(task("airline", "11"), facts("airline"), "CRIT-01")
    assert fault.level == "error"
    assert fault.values["info"] == "'1,284'"
    fixed = edited("airline", "11", communicate_info=["1284"])
    assert codes(fixed, facts("airline"), "error") == []


def test_a_total_that_counts_what_is_cancelled_is_told_with_the_right_one():
    """As airline 7 of the benchmark: 1628 where 708 are left."""
    greta = "You are Greta Lindqvist, greta_lindqvist_2286. You are sick. What do the others cost?"
    cancel = act("cancel_reservation", reservation_id="V7NE2Q")
    for amount, expected in (("603", ["AMT-01"]), ("317", []), ("286", []), ("604", ["AMT-02"])):
        document = task_of("airline", greta, cancel, communicate_info=[amount])
        faults = [
            fault for fault in violations(document, facts("airline")) if fault.code[:3] == "AMT"
        ]
        assert [fault.code for fault in faults] == expected
        if expected == ["AMT-01"]:
            said = "603 counts V7NE2Q, which the gold actions cancel; what is left comes to 286"
            assert faults[0].message == said


def test_amounts_are_sums_of_one_sort_only():
    assert subset_sums([Decimal("0.01"), Decimal("0.02"), Decimal(4)]) == {
        0,
        1,
        2,
        3,
        400,
        401,
        402,
        403,
    }
    many = [Decimal(n) for n in range(1, 30)]
    assert subset_sums(many) == {0, *(100 * n for n in range(1, 30)), 100 * sum(range(1, 30))}


@pytest.mark.parametrize("amount", ["390", "260", "100", "30", "420", "121"])
def test_fees_prices_balances_and_totals_are_reachable(amount):
    document = edited("airline", "9", communicate_info=[amount])
    assert found_in(document, facts("airline"), "AMT-02") == []


def test_the_refund_of_a_cheaper_flight_is_reachable():
    hana = "You are Hana Oduya, user id hana_oduya_5512. Use the original payment method."
    change = act(
        "update_reservation_flights",
        reservation_id="Z3PL6Y",
        cabin="economy",
        flights=[{"flight_number": "HAT301", "date": "2024-05-20"}],
        payment_id="gift_card_5028861",
    )
    for amount, reachable in (("73", True), ("74", False)):  # 198 paid, 125 on the 20th
        document = task_of("airline", hana, change, communicate_info=[amount])
        assert (found_in(document, facts("airline"), "AMT-03") == []) is reachable


def test_amounts_in_assertions_are_compared_too():
    document = edited("retail", "2", nl_assertions=["The agent names a refund of $43.10."])
    [fault] = found_in(document, facts("retail"), "AMT-02")
    assert (fault.address, fault.values["amount"]) == (
        "/evaluation_criteria/nl_assertions/0",
        "$43.10",
    )


@pytest.mark.parametrize(
    ("written", "locale", "reads"),
    [
        ("a refund of $4.31k", "en", "$4.31k"),
        ("a refund of 4310 bucks", "en", "4310 bucks"),
        ("4千310円の返金", "ja", "4千310円"),
        ("４，３１０円の返金", "ja", "4,310円"),
        ("4.310 €", "ja", ""),
    ],
)
def test_amounts_are_read_in_the_currency_of_the_texts_language(written, locale, reads):
    known = facts("retail") if locale == "en" else in_currency("retail", money(locale).target)
    document = edited("retail", "2", nl_assertions=[written])
    faults = found_in(document, known, "AMT-02")
    assert [fault.values["amount"] for fault in faults] == ([reads] if reads else [])


def test_an_instruction_states_amounts_in_any_spelling():
    """46,500 is neither in the database nor a sum; the user speaks of it in words and digits."""
    known = in_currency("retail", money().target)
    document = edited("retail", "2", communicate_info=["46500"])
    assert len(found_in(document, known, "AMT-02")) == 1
    told = document["user_scenario"]["instructions"]
    told["known_info"] = "4万6千500円を払いました。"
    assert found_in(document, known, "AMT-02") == []


@pytest.mark.parametrize(
    ("info", "plain"),
    [
        ("1628", None),
        ("1628.50", None),
        ("-20", None),
        ("¥106200", "106200"),
        ("10万6200円", "106200"),
        ("10万6200", "106200"),
        ("合計10万6200円です", "合計106200です"),
        ("１６２８", "1628"),
        ("10万6,200円", None),  # the separator is CRIT-01's
        ("ABC 12", None),
    ],
)
def test_expected_information_has_one_plain_spelling(info, plain):
    known = in_currency("airline", money().target)
    faults = found_in(edited("airline", "9", communicate_info=[info]), known, "CRIT-02")
    assert [fault.values["plain"] for fault in faults] == ([repr(plain)] if plain else [])


# -- labels --------------------------------------------------------------------------------------


def labels(document):
    faults = violations(document, facts("airline"))
    return [fault.name for fault in faults if fault.code.startswith("TASK")]


def test_actions_null_absent_and_empty_are_three_labels_that_survive_another_edit():
    absent = task_of("airline", "")
    del absent["evaluation_criteria"]["actions"]
    for document, label in (
        (task_of("airline", "", actions=None), "actions_null"),
        (absent, "actions_absent"),
        (task_of("airline", "", actions=[]), "actions_empty"),
    ):
        assert labels(document) == [label]
        again = json.loads(json.dumps(document))
        again["user_scenario"]["instructions"]["reason_for_call"] = "Something else."
        assert labels(again) == [label]


def test_doing_nothing_passes_is_computed_and_says_what_a_judge_decides():
    judged = task_of("retail", "", nl_assertions=["The agent refuses."])
    [fault] = found_in(judged, facts("retail"), "GOLD-07")
    assert fault.message == "an agent that does nothing passes, but for what a judge decides"
    assert (
        found_in(task_of("airline", "", communicate_info=["4"]), facts("airline"), "GOLD-07") == []
    )


def test_what_is_not_in_the_basis_does_not_keep_an_empty_run_from_passing():
    told = task_of("airline", "", communicate_info=["4"], reward_basis=["DB"])
    assert len(found_in(told, facts("airline"), "GOLD-07")) == 1


# -- readings of the policy ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("forbidden", ["RET-05"]), ("unspecified", ["RET-06"]), ("allowed", [])],
)
def test_the_same_item_is_judged_by_the_profile(reading, expected):
    swap = {
        "order_id": "#W4081726",
        "item_ids": ["8036152974"],
        "new_item_ids": ["8036152974"],
        "payment_method_id": "credit_card_5820174",
    }
    document = task_of(
        "retail", "You are Clara Wexford, 80211.", act("exchange_delivered_order_items", **swap)
    )
    assert codes(document, with_profile("retail", same_item_exchange=reading)) == expected


# -- other domains and locales -------------------------------------------------------------------


def test_a_domain_without_an_environment_is_judged_by_its_texts():
    known = DomainFacts("banking", profile("banking"))
    document = task_of("banking", "You want to go.", act("open_account", name="x"), actions=None)
    faults = codes(document, known, "error", "warning", "label")
    assert faults == ["CRIT-07", "TASK-01"] or faults == ["CRIT-06", "CRIT-07", "TASK-01"]
    again = task_of("banking", "", act("pay", to="x"), act("pay", to="x"), reward_basis=None)
    assert "GOLD-08" in codes(again, known, "info") and "CRIT-08" in codes(again, known)


WORDS = {
    "economy": "エコノミー",
    "business": "ビジネス",
    "basic_economy": "ベーシック",
    "yes": "あり",
    "no": "なし",
    "available": "空席あり",
    "landed": "着陸済",
    "flying": "飛行中",
    "regular": "一般会員",
    "gold": "ゴールド",
    "silver": "シルバー",
    "credit_card": "クレジットカード",
    "round_trip": "往復",
    "one_way": "片道",
}
FIELDS = {
    "cabin": ("economy", "business", "basic_economy"),
    "insurance": ("yes", "no"),
    "flight_status": ("available", "landed", "flying"),
    "membership": ("regular", "gold", "silver"),
    "payment_source": ("credit_card",),
    "flight_type": ("round_trip", "one_way"),
}


def translated(value):
    if isinstance(value, dict):
        return {WORDS.get(k, k): translated(v) for k, v in value.items()}
    if isinstance(value, list):
        return [translated(member) for member in value]
    return WORDS.get(value, value) if isinstance(value, str) else value


def localized():
    tables = "".join(
        f"[words.{field}]\n" + "".join(f'{word} = "{WORDS[word]}"\n' for word in words)
        for field, words in FIELDS.items()
    )
    words = parse_pack({"ja.toml": '[pack]\nlocale = "ja"\n' + tables}, pack("airline"))
    tree = translated(database(SAMPLE / "airline"))
    state = environment_class("airline").load(tree, words)
    more = DATA / "sample" / "rules" / "airline.toml"
    return DomainFacts("airline", profile("airline", more), pack=words, state=state)


def test_rules_read_a_localized_database_by_its_pack():
    known = localized()
    checked = {"AIR", "GOLD", "PAY", "RULE"}
    for document in tasks("airline"):
        here = copy.deepcopy(document)
        for action in here["evaluation_criteria"]["actions"]:
            action["arguments"] = translated(action["arguments"])
        faults = {
            fault.code for fault in violations(here, known) if fault.code.split("-")[0] in checked
        }
        there = violations(document, facts("airline"))
        expected = {fault.code for fault in there if fault.code.split("-")[0] in checked}
        if document["id"] == "7":  # the amount is one of the English locale
            expected.add("AIR-03")
        assert faults == expected, document["id"]


def test_a_user_is_found_by_a_name_in_the_local_script_and_order():
    tree = database(SAMPLE / "retail")
    tree["users"]["peter_novak_4351"]["name"] = {"first_name": "香織", "last_name": "加藤"}
    words = pack("retail")
    state = environment_class("retail").load(tree, words)
    known = DomainFacts("retail", profile("retail"), pack=words, state=state)
    for said in ("あなたの名前は加藤 香織です。", "あなたは加藤香織です。", "香織 加藤"):
        assert TaskContext(task_of("retail", said), known).named_user_id == "peter_novak_4351"
    assert TaskContext(task_of("retail", "加藤 香"), known).named_user_id is None


# -- the interface -------------------------------------------------------------------------------


def test_a_context_serves_its_own_task_only():
    ctx = TaskContext(task("airline", "1"), facts("airline"))
    with pytest.raises(ValueError, match="the context is of task '1'"):
        inspect(task("airline", "2"), ctx)


def test_the_rule_version_names_rules_and_profile():
    plain, other = facts("retail"), DomainFacts("retail", profile("airline"))
    assert rule_version(plain) == rule_version(facts("retail")) != rule_version(other)
    assert rule_version(plain).startswith(RULESET)


def test_only_the_named_rules_run():
    document = task("airline", "11")
    ctx = TaskContext(document, facts("airline"))
    assert [fault.code for fault in inspect(document, ctx, only=["CRIT-01"])] == ["CRIT-01"]
    with pytest.raises(KeyError):
        inspect(document, ctx, only=["NONE-01"])
