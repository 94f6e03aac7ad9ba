"""Every validity rule has a task that it flags and one that it lets pass."""

from __future__ import annotations

from typing import Any

import pytest
from rule_cases import act, facts, task, task_of, violations, with_profile

from review_app.core.validity import ALL

NORA = "You are Nora Castell, user id nora_castell_4821. "
IVO = "You are Ivo Brandt, user id ivo_brandt_7730. "
TOMAS = "You are Tomas Leclerc, user id tomas_leclerc_3308. "
GRETA = "You are Greta Lindqvist, user id greta_lindqvist_2286. "
MARISOL = "You are Marisol Vega, user id marisol_vega_7715. "
HANA = "You are Hana Oduya, user id hana_oduya_5512. "
FELIX = "You are Felix Moreau, user id felix_moreau_9047. "
SAMUEL = "You are Samuel Okafor, user id samuel_okafor_6179. "
PETER = "You are Peter Novak, zip code 60622. "
CLARA = "You are Clara Wexford, zip code 80211. "
AMARA = "You are Amara Bello, zip code 92103. "
ANNEKE = "You are Anneke Visser, anneke.visser7025@example.com. "
LEILA = "You are Leila Haddad, leila.haddad1273@example.com. "
HENRIK = "You are Henrik Dahl, zip code 97202. "


def airline(said: str, *actions: Any, **criteria: Any) -> dict[str, Any]:
    return task_of("airline", said, *actions, **criteria)


def retail(said: str, *actions: Any, **criteria: Any) -> dict[str, Any]:
    return task_of("retail", said, *actions, **criteria)


def cancel(reservation: str) -> dict[str, Any]:
    return act("cancel_reservation", reservation_id=reservation)


def fly(reservation: str, cabin: str, payment: str, *flights: tuple[str, str]) -> dict[str, Any]:
    listed = [{"flight_number": number, "date": f"2024-05-{day}"} for number, day in flights]
    return act(
        "update_reservation_flights",
        reservation_id=reservation,
        cabin=cabin,
        flights=listed,
        payment_id=payment,
    )


def book(payments: dict[str, int], **changes: Any) -> dict[str, Any]:
    """Felix from Las Vegas to Denver in economy, for 133."""
    felix = {"first_name": "Felix", "last_name": "Moreau", "dob": "1990-08-23"}
    plan = {
        "user_id": "felix_moreau_9047",
        "origin": "LAS",
        "destination": "DEN",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "HAT314", "date": "2024-05-20"}],
        "passengers": [felix],
        "payment_methods": [{"payment_id": i, "amount": a} for i, a in payments.items()],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    }
    return act("book_reservation", **plan | changes)


def person(first: str, last: str, dob: str) -> dict[str, str]:
    return {"first_name": first, "last_name": last, "dob": dob}


def bags(reservation: str, total: int, paid: int, payment: str) -> dict[str, Any]:
    return act(
        "update_reservation_baggages",
        reservation_id=reservation,
        total_baggages=total,
        nonfree_baggages=paid,
        payment_id=payment,
    )


def swap(tool: str, order: str, old: list[str], new: list[str], payment: str) -> dict[str, Any]:
    return act(tool, order_id=order, item_ids=old, new_item_ids=new, payment_method_id=payment)


def exchange(order: str, old: str, new: str, payment: str) -> dict[str, Any]:
    return swap("exchange_delivered_order_items", order, [old], [new], payment)


def modify(order: str, old: str, new: str, payment: str) -> dict[str, Any]:
    return swap("modify_pending_order_items", order, [old], [new], payment)


def give_back(order: str, item: str, payment: str) -> dict[str, Any]:
    return act(
        "return_delivered_order_items", order_id=order, item_ids=[item], payment_method_id=payment
    )


def drop(order: str, reason: str) -> dict[str, Any]:
    return act("cancel_pending_order", order_id=order, reason=reason)


def move(order: str, house: str, street: str = "48 Granite Hill") -> dict[str, Any]:
    return act(
        "modify_pending_order_address",
        order_id=order,
        address1=street,
        address2=house,
        city="Portland",
        state="OR",
        country="USA",
        zip="97202",
    )


def look(**arguments: str) -> dict[str, Any]:
    return act("get_reservation_details", **arguments)


def find(first: str, last: str, code: str) -> dict[str, Any]:
    return act("find_user_id_by_name_zip", first_name=first, last_name=last, zip=code)


def sum_of(expression: str) -> dict[str, Any]:
    return act("calculate", expression=expression)


MMS = "[mms_issue]break_app_both_permissions[PERSONA:None]"


def permissions(*granted: str) -> dict[str, Any]:
    document = task("telecom", MMS)
    document["evaluation_criteria"]["actions"] = [
        {
            "action_id": f"grant_app_permission_{at}",
            "requestor": "user",
            "name": "grant_app_permission",
            "arguments": {"app_name": "messaging", "permission": permission},
        }
        for at, permission in enumerate(granted)
    ]
    return document


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        del document["evaluation_criteria"][name]
    return document


def with_action_id(document: dict[str, Any], action_id: str) -> dict[str, Any]:
    document["evaluation_criteria"]["actions"][-1]["action_id"] = action_id
    return document


def starting(document: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """A task that brings data of its own."""
    return {**document, "initial_state": {"initialization_data": {"agent_data": tables}}}


FIND = find("Clara", "Wexford", "80211")
HAND_OVER = act("transfer_to_human_agents", summary="The agent cannot help.")
TEAPOT = ("#W9240516", "7319480265", "paypal_2930586")
TWIN = {
    "name": "Ceramic Teapot",
    "product_id": "1529684730",
    "item_id": "7319480265",
    "price": 57.3,
    "options": {"capacity": "900ml", "color": "blue", "strainer": "yes"},
}
FLOWN = {
    "flight_number": "HAT311",
    "origin": "DFW",
    "destination": "LAX",
    "date": "2024-05-13",
    "price": 171,
}
SECOND = {"certificate_2": {"source": "certificate", "id": "certificate_2", "amount": 50}}
RICHER = {"felix_moreau_9047": {"payment_methods": SECOND}}


def broken_start(name: str) -> dict[str, Any]:
    start = [{"env_type": "user", "func_name": name, "arguments": {}}]
    return {**task("telecom", MMS), "initial_state": {"initialization_actions": start}}


DELAYED = "Your trip is delayed and you want money for it. Pay with the visa card. "
CARD = "Use your credit card. "
LOOK_UP = find("香織", "加藤", "150-0001")

# code -> (flagged, passing); a third entry where the facts are not the sample's own.
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "GOLD-01": (
        retail("", drop("#W9376041", "no longer needed")),
        retail("", drop("#W5273091", "no longer needed")),
    ),
    "GOLD-02": (airline("", act("cancel_order", order_id="1")), airline("", cancel("R4XW9T"))),
    "GOLD-03": (
        airline("", act("get_user_details", reservation_id="R4XW9T")),
        airline("", act("get_user_details", user_id="ivo_brandt_7730")),
    ),
    "GOLD-04": (
        retail("", act("find_user_id_by_email", email="nobody@example.com")),
        retail("", act("find_user_id_by_email", email="peter.novak2617@example.com")),
    ),
    "GOLD-05": (
        retail(HENRIK, move("#W8459037", "House 1")),
        retail(HENRIK, move("#W8459037", "House 11")),
    ),
    "GOLD-06": (airline("", look(reservation_id="R4XW9T")), airline("", cancel("R4XW9T"))),
    "GOLD-07": (airline(""), airline("", cancel("R4XW9T"))),
    "GOLD-08": (
        airline("", look(reservation_id="R4XW9T"), look(reservation_id="R4XW9T")),
        airline("", look(reservation_id="R4XW9T"), look(reservation_id="K7QD2M")),
    ),
    "GOLD-09": (airline("", sum_of("1 + 2")), airline("", look(reservation_id="R4XW9T"))),
    "GOLD-10": (
        with_action_id(airline("", cancel("R4XW9T")), "1_0"),
        airline("", cancel("R4XW9T")),
    ),
    "GOLD-11": (
        with_action_id(airline("", cancel("R4XW9T"), cancel("J1UA9Q")), "0_0"),
        airline("", cancel("R4XW9T"), cancel("J1UA9Q")),
    ),
    "GOLD-12": (broken_start("no_such_function"), broken_start("turn_airplane_mode_on")),
    "GOLD-13": (
        airline(IVO, look(reservation_id="R4XW9T"), sum_of("2 * 117")),
        airline(IVO, look(reservation_id="R4XW9T"), sum_of("2 * 171")),
    ),
    "CRIT-01": (airline("", communicate_info=["1,628"]), airline("", communicate_info=["1628"])),
    "CRIT-02": (airline("", communicate_info=["１６２８"]), airline("", communicate_info=["1628"])),
    "CRIT-03": (airline("", communicate_info=["4"]), airline("", communicate_info=["1786"])),
    "CRIT-04": (retail("", communicate_info=["4"]), airline("", communicate_info=["4"])),
    "CRIT-05": (permissions("sms"), airline("", cancel("R4XW9T"))),
    "CRIT-06": (retail(""), retail("", nl_assertions=["The agent is polite."])),
    "CRIT-07": (airline("", actions=None), airline("", actions=[])),
    "CRIT-08": (airline("", reward_basis=None), airline("")),
    "CRIT-09": (airline("", reward_basis=["DB", "COMMUNICATION"]), airline("")),
    "CRIT-10": (permissions("sms"), permissions("sms", "storage")),
    "TASK-01": (airline("", actions=None), airline("")),
    "TASK-02": (without(airline(""), "actions"), airline("")),
    "TASK-03": (airline(""), airline("", actions=None)),
    "AMT-01": (
        airline(GRETA + "You are sick.", cancel("V7NE2Q"), communicate_info=["603"]),
        airline(GRETA + "You are sick.", cancel("V7NE2Q"), communicate_info=["286"]),
    ),
    "AMT-02": (
        airline(IVO, cancel("R4XW9T"), communicate_info=["343"]),
        airline(IVO, cancel("R4XW9T"), communicate_info=["342"]),
    ),
    "AMT-03": (
        retail(PETER, act("get_product_details", product_id="2740615883"), communicate_info=["17"]),
        retail(PETER, act("get_product_details", product_id="2740615883"), communicate_info=["4"]),
    ),
    "AMT-04": (
        retail(PETER, communicate_info=["ceramic knife"]),
        retail(PETER, communicate_info=["mastercard"]),
    ),
    "PAY-01": (
        airline(MARISOL, bags("N4EK5X", 2, 1, "credit_card_7714208")),
        airline(
            MARISOL + "Pay with the card ending in 0472.",
            bags("N4EK5X", 2, 1, "credit_card_7714208"),
        ),
    ),
    "PAY-02": (
        retail(AMARA, give_back("#W9240516", "9237816450", "gift_card_5716023")),
        retail(
            AMARA + "The money should go to your gift card.",
            give_back("#W9240516", "9237816450", "gift_card_5716023"),
        ),
    ),
    "PAY-03": (
        retail(
            ANNEKE + "Cancel it so that you can order again.", drop("#W5273091", "no longer needed")
        ),
        retail(ANNEKE + "You no longer need it.", drop("#W5273091", "no longer needed")),
    ),
    "PAY-04": (
        airline(IVO, bags("R4XW9T", 3, 1, "credit_card_3071562")),
        airline(IVO, bags("R4XW9T", 3, 1, "credit_card_6620418")),
    ),
    "PAY-05": (
        airline(MARISOL, bags("N4EK5X", 2, 1, "credit_card_3380946")),
        airline(
            MARISOL + "Use the original payment method.",
            bags("N4EK5X", 2, 1, "credit_card_3380946"),
        ),
    ),
    "PAY-06": (
        airline(
            MARISOL + "Pay with the card ending in 0472.",
            bags("N4EK5X", 2, 1, "credit_card_3380946"),
        ),
        airline(
            MARISOL + "Pay with the card ending in 6617.",
            bags("N4EK5X", 2, 1, "credit_card_3380946"),
        ),
    ),
    "PAY-07": (
        retail(ANNEKE + "You ordered it by mistake.", drop("#W5273091", "no longer needed")),
        retail(ANNEKE + "You ordered it by mistake.", drop("#W5273091", "ordered by mistake")),
    ),
    "PAY-08": (
        retail(
            ANNEKE + "Cancel the order: it was a mistake. You no longer need it.",
            drop("#W5273091", "no longer needed"),
        ),
        retail(
            ANNEKE + "Cancel the order, you no longer need it. If it was a mistake, say so.",
            drop("#W5273091", "no longer needed"),
        ),
    ),
    "AIR-01": (airline(NORA, cancel("K7QD2M")), airline(IVO, cancel("R4XW9T"))),
    "AIR-02": (
        starting(airline("", cancel("R4XW9T")), reservations={"R4XW9T": {"flights": [FLOWN]}}),
        airline("", cancel("R4XW9T")),
    ),
    "AIR-03": (
        airline(SAMUEL, act("send_certificate", user_id="samuel_okafor_6179", amount=300)),
        airline(SAMUEL, act("send_certificate", user_id="samuel_okafor_6179", amount=360)),
    ),
    "AIR-04": (
        airline(NORA, fly("P5YX8G", "economy", "credit_card_3071562", ("HAT317", "21"))),
        airline(
            NORA,
            fly("P5YX8G", "economy", "credit_card_3071562", ("HAT317", "22")),
            fly("P5YX8G", "economy", "credit_card_3071562", ("HAT317", "21")),
        ),
    ),
    "AIR-05": (
        airline(HANA, fly("Z3PL6Y", "economy", "gift_card_5028861", ("HAT303", "18"))),
        airline(HANA, fly("Z3PL6Y", "economy", "gift_card_5028861", ("HAT321", "18"))),
    ),
    "AIR-06": (
        airline(
            FELIX,
            book(
                {"credit_card_2508316": 133},
                flights=[{"flight_number": "HAT314", "date": "2024-05-20", "cabin": "business"}],
            ),
        ),
        airline(FELIX, book({"credit_card_2508316": 133})),
    ),
    "AIR-07": (
        airline("", bags("W2HN8C", 3, 0, "credit_card_8840275")),
        airline("", bags("W2HN8C", 3, 1, "credit_card_8840275")),
    ),
    "AIR-08": (
        airline(
            FELIX,
            book(
                {"credit_card_2508316": 133}, passengers=[person("Felicia", "Moreau", "1990-08-23")]
            ),
        ),
        airline(
            FELIX + "Book for Felicia Moreau, born 1990-08-23.",
            book(
                {"credit_card_2508316": 133}, passengers=[person("Felicia", "Moreau", "1990-08-23")]
            ),
        ),
    ),
    "AIR-09": (
        airline(
            FELIX,
            book(
                {"credit_card_2508316": 133}, passengers=[person("Felix", "Moreau", "1990-08-24")]
            ),
        ),
        airline(FELIX, book({"credit_card_2508316": 133})),
    ),
    "AIR-10": (
        starting(
            airline(FELIX, book({"certificate_6193047": 83, "certificate_2": 50})), users=RICHER
        ),
        starting(
            airline(FELIX, book({"credit_card_2508316": 83, "certificate_2": 50})), users=RICHER
        ),
    ),
    "AIR-11": (
        airline(
            TOMAS + "Upgrade flights of 3 hours or less, including layovers.",
            fly("M9FJ3V", "business", "credit_card_1195847", ("HAT301", "19")),
        ),
        airline(
            TOMAS + "Upgrade flights of 4 hours or less, including layovers.",
            fly("M9FJ3V", "business", "credit_card_1195847", ("HAT301", "19")),
        ),
    ),
    "AIR-12": (
        airline(
            HANA + "You do not want to leave before noon.",
            fly("Z3PL6Y", "economy", "gift_card_5028861", ("HAT301", "19")),
        ),
        airline(
            HANA + "You do not want to leave before noon.",
            fly("Z3PL6Y", "economy", "gift_card_5028861", ("HAT321", "18")),
        ),
    ),
    "AIR-13": (
        airline(
            SAMUEL + "You book for your friend Hana.",
            book(
                {"credit_card_2508316": 133},
                user_id="samuel_okafor_6179",
                passengers=[person("Ada", "Okafor", "1983-03-16")],
            ),
        ),
        airline(
            SAMUEL + "You book for your wife Ada.",
            book(
                {"credit_card_2508316": 133},
                user_id="samuel_okafor_6179",
                passengers=[person("Ada", "Okafor", "1983-03-16")],
            ),
        ),
    ),
    "ASK-01": (
        retail(
            HENRIK + "Correct all order addresses and your user address to House 12.",
            move("#W8459037", "House 12"),
        ),
        retail(HENRIK + "Correct all order addresses to House 12.", move("#W8459037", "House 12")),
    ),
    "ASK-02": (
        retail(CLARA + "Return the mug, and if the agent cannot help, transfer to a human.", FIND),
        retail(
            CLARA + "Return the mug, and if the agent cannot help, transfer to a human.", HAND_OVER
        ),
    ),
    "ASK-03": (
        retail(
            CLARA + "Return the mug.",
            give_back("#W4081726", "8036152974", "credit_card_5820174"),
            HAND_OVER,
        ),
        retail(
            CLARA + "Return the mug, then ask for a human.",
            give_back("#W4081726", "8036152974", "credit_card_5820174"),
            HAND_OVER,
        ),
    ),
    "ASK-04": (
        starting(
            retail(AMARA + "Return the teapot.", give_back(*TEAPOT)),
            orders={"#W2673801": {"status": "delivered", "items": [TWIN]}},
        ),
        retail(AMARA + "Return the teapot.", give_back(*TEAPOT)),
    ),
    "ASK-05": (
        retail(CLARA, act("get_order_details", order_id="#W5091738")),
        retail(CLARA, act("get_order_details", order_id="#W4081726")),
    ),
    "ASK-06": (
        retail(AMARA + "If a tote is available for less than 20 dollars, exchange yours for it."),
        retail(AMARA + "If a tote is available for less than 22 dollars, exchange yours for it."),
    ),
    "RET-01": (
        retail(PETER, exchange("#W5091738", "8329601745", "4765092183", "credit_card_8591362")),
        retail(PETER, modify("#W5091738", "8329601745", "4765092183", "credit_card_8591362")),
    ),
    "RET-02": (
        retail(
            CLARA, *[exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174")] * 2
        ),
        retail(CLARA, exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174")),
    ),
    "RET-03": (
        retail(LEILA, exchange("#W4738620", "3502684917", "6978350124", "gift_card_8064519")),
        retail(LEILA, exchange("#W4738620", "3502684917", "8146927503", "gift_card_8064519")),
    ),
    "RET-04": (
        retail(CLARA, exchange("#W4081726", "8036152974", "7725043619", "credit_card_5820174")),
        retail(CLARA, exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174")),
    ),
    "RET-05": (
        retail(CLARA, exchange("#W4081726", "8036152974", "8036152974", "credit_card_5820174")),
        retail(CLARA, exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174")),
        "forbidden",
    ),
    "RET-06": (
        retail(CLARA, exchange("#W4081726", "8036152974", "8036152974", "credit_card_5820174")),
        retail(CLARA, exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174")),
        "unspecified",
    ),
    "RET-07": (
        retail(
            CLARA + "The mug leaks; you want the same item again.",
            exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174"),
        ),
        retail(
            CLARA + "The mug: you want the same item but with another colour.",
            exchange("#W4081726", "8036152974", "5190738426", "credit_card_5820174"),
        ),
    ),
    "RET-08": (
        retail(CLARA, drop("#W5273091", "no longer needed")),
        retail(ANNEKE, drop("#W5273091", "no longer needed")),
    ),
    "RET-09": (
        retail(CLARA, give_back("#W4081726", "3361984075", "credit_card_5820174")),
        retail(CLARA, give_back("#W4081726", "8036152974", "credit_card_5820174")),
    ),
    "RET-10": (
        retail(
            HENRIK + "You want the blanket of double size instead.",
            exchange("#W4738620", "3502684917", "1460529738", "paypal_7158230"),
        ),
        retail(
            HENRIK + "You want a blue blanket of double size instead.",
            exchange("#W4738620", "3502684917", "1460529738", "paypal_7158230"),
        ),
    ),
    "ID-01": (
        airline(IVO, nl_assertions=["Charges credit_card_662041."]),
        airline(IVO, nl_assertions=["Charges credit_card_6620418."]),
    ),
    "ID-02": (
        airline(IVO + "Your reservation is R4XW9Q."),
        airline(IVO + "Your reservation is R4XW9T."),
    ),
    "ID-03": (
        airline(IVO, act("get_user_details", user_id="nora_castell_4821")),
        airline(IVO, act("get_user_details", user_id="ivo_brandt_7730")),
    ),
    "ID-04": (
        retail(PETER, find("Peter", "Novak", "60623")),
        retail(PETER, find("Peter", "Novak", "60622")),
    ),
    "ID-05": (airline(IVO, cancel("J1UA9Q")), airline(IVO, cancel("R4XW9T"))),
    "ID-06": (
        airline(FELIX, nl_assertions=["The agent books for Felix Moreaux."]),
        airline(FELIX, nl_assertions=["The agent books for Felix Moreau."]),
    ),
    "ID-07": (
        airline(IVO, nl_assertions=["The agent leaves J1UA9Q alone."]),
        airline(IVO, nl_assertions=["The agent leaves R4XW9T alone."]),
    ),
    "ID-08": (
        airline("You are Felix Moreau (felix_moreau_9047), born on August 24, 1990."),
        airline("You are Felix Moreau (felix_moreau_9047), born on August 23, 1990."),
    ),
    "ID-09": (
        retail(HENRIK + "It should go to House 11.", move("#W8459037", "House 12")),
        retail(HENRIK + "It should go to House 11.", move("#W8459037", "House 11")),
    ),
    "ID-10": (
        airline(IVO, nl_assertions=["Books for Felix Brandt."]),
        airline(IVO, nl_assertions=["Books for Edda Brandt."]),
    ),
    "DATE-01": (
        airline(
            FELIX, book({"credit_card_2508316": 133}), nl_assertions=["Books HAT314 on 2024-05-21."]
        ),
        airline(
            FELIX, book({"credit_card_2508316": 133}), nl_assertions=["Books HAT314 on 2024-05-20."]
        ),
    ),
    "DATE-02": (
        airline(FELIX + "You fly on May 21.", book({"credit_card_2508316": 133})),
        airline(FELIX + "You fly on the 20th of May.", book({"credit_card_2508316": 133})),
    ),
    "LOC-01": (
        retail("あなたは kaori_kato_8020 です。", LOOK_UP),
        retail("あなたは加藤 香織です。", LOOK_UP),
    ),
    "LOC-02": (
        airline("ユーザーIDは sho_takagi_9065 です。"),
        airline("あなたは高木 翔です。ユーザーIDは sho_takagi_9065 です。"),
    ),
    "LOC-03": (airline("西海岸に行きたいです。"), airline("東北地方に行きたいです。")),
    "LOC-04": (airline("You want to go to the West Coast."), airline("You want to go to Chicago.")),
}
"""The tasks are small on purpose: other rules may have something to say about them, too."""


def test_every_rule_has_examples():
    assert set(EXAMPLES) == set(ALL)


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_flagged_example_is_flagged_and_the_other_passes(code):
    flagged, passing, *reading = EXAMPLES[code]
    domain = flagged["user_scenario"]["instructions"]["domain"]
    known = with_profile(domain, same_item_exchange=reading[0]) if reading else facts(domain)
    faults = violations(flagged, known, [code])
    assert [fault.code for fault in faults][:1] == [code]
    assert violations(passing, known, [code]) == []
    first = faults[0]
    assert first.level == ALL[code].level
    assert first.message == ALL[code].message.format(**first.values)
