"""What the airline's tools do, quirks included, in English and under a Japanese pack."""

import json
from pathlib import Path

import pytest

from review_app.core.envs import open_environment
from review_app.core.locale.pack import parse_pack

LOCALE = Path(__file__).resolve().parents[4] / "data" / "locales" / "en" / "airline.toml"
PACK = parse_pack({"airline.toml": LOCALE.read_text("utf-8")})

ANN = {"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}
BOB = {"first_name": "Bob", "last_name": "Lee", "dob": "1991-01-01"}


def day(seats=3, price=100):
    cabins = ("basic_economy", "economy", "business")
    return {
        "status": "available",
        "available_seats": dict.fromkeys(cabins, seats),
        "prices": {name: price * (at + 1) for at, name in enumerate(cabins)},
    }


def flight(number, origin, destination, leaves, lands, **dates):
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": leaves,
        "scheduled_arrival_time_est": lands,
        "dates": {f"2024-05-{key[1:]}": value for key, value in dates.items()},
    }


def database():
    return {
        "flights": {
            "F1": flight("F1", "JFK", "ORD", "08:00:00", "10:00:00", d20=day(), d21=day(seats=0)),
            "F2": flight("F2", "ORD", "SFO", "11:00:00", "13:00:00", d20=day(price=50)),
            "F3": flight("F3", "ORD", "SFO", "09:00:00", "12:00:00", d20=day(), d10=day()),
            "F4": flight(
                "F4", "JFK", "ORD", "22:00:00", "01:00:00+1", d09={"status": "cancelled"}, d20=day()
            ),
            "F5": flight("F5", "ORD", "SFO", "02:00:00", "04:00:00", d21=day()),
        },
        "users": {
            "ann_lee_1": {
                "user_id": "ann_lee_1",
                "name": {"first_name": "Ann", "last_name": "Lee"},
                "address": {
                    "address1": "1 A St",
                    "city": "B",
                    "country": "USA",
                    "state": "C",
                    "zip": "1",
                },
                "email": "ann@example.com",
                "dob": "1990-01-01",
                "payment_methods": {
                    "card": {
                        "source": "credit_card",
                        "id": "card",
                        "brand": "visa",
                        "last_four": "1",
                    },
                    "gift": {"source": "gift_card", "id": "gift", "amount": 300},
                    "cert": {"source": "certificate", "id": "cert", "amount": 500},
                },
                "saved_passengers": [],
                "membership": "gold",
                "reservations": ["R1"],
            }
        },
        "reservations": {
            "R1": {
                "reservation_id": "R1",
                "user_id": "ann_lee_1",
                "origin": "JFK",
                "destination": "ORD",
                "flight_type": "one_way",
                "cabin": "economy",
                "flights": [
                    {
                        "flight_number": "F1",
                        "origin": "JFK",
                        "destination": "ORD",
                        "date": "2024-05-20",
                        "price": 90,
                    }
                ],
                "passengers": [ANN],
                "payment_history": [{"payment_id": "gift", "amount": 90}],
                "created_at": "2024-05-01T00:00:00",
                "total_baggages": 1,
                "nonfree_baggages": 0,
                "insurance": "no",
            }
        },
    }


@pytest.fixture
def airline():
    return open_environment("airline", database(), PACK)


def booking(**changes):
    return {
        "user_id": "ann_lee_1",
        "origin": "JFK",
        "destination": "ORD",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "F1", "date": "2024-05-20"}],
        "passengers": [ANN],
        "payment_methods": [{"payment_id": "card", "amount": 200}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
    } | changes


def methods(airline):
    return airline.db.find("users", "ann_lee_1")["payment_methods"]


def test_loaded_records_have_every_field_in_order(airline):
    user = json.loads(airline.call("get_user_details", {"user_id": "ann_lee_1"}).output)
    assert list(user["address"]) == ["address1", "address2", "city", "country", "state", "zip"]
    assert user["address"]["address2"] is None
    assert airline.call("get_reservation_details", {"reservation_id": "R1"}).output.endswith(
        '"status": null}'
    )
    assert '"amount": 300.0' in json.dumps(user)


def test_booking_lowers_seats_charges_and_lists_the_reservation(airline):
    payments = [{"payment_id": "gift", "amount": 250}, {"payment_id": "cert", "amount": 310}]
    step = airline.call(
        "book_reservation",
        booking(
            passengers=[ANN, BOB], payment_methods=payments, nonfree_baggages=2, insurance="yes"
        ),
    )
    assert step.ok, step.error
    assert step.value["reservation_id"] == "HATHAT"
    assert (
        airline.db.find("flights", "F1")["dates"]["2024-05-20"]["available_seats"]["economy"] == 1
    )
    assert methods(airline)["gift"]["amount"] == 50.0
    assert "cert" not in methods(airline)
    assert airline.db.find("users", "ann_lee_1")["reservations"] == ["R1", "HATHAT"]


def test_booking_coerces_the_numbers_of_the_reservation(airline):
    step = airline.call("book_reservation", booking(total_baggages="2", nonfree_baggages=0.0))
    assert (step.value["total_baggages"], step.value["nonfree_baggages"]) == (2, 0)


def test_a_certificate_listed_twice_is_lost_and_nothing_booked(airline):
    payments = [{"payment_id": "cert", "amount": 100}, {"payment_id": "cert", "amount": 100}]
    step = airline.call("book_reservation", booking(payment_methods=payments))
    assert (step.ok, step.error_class) == (False, "KeyError")
    assert "cert" not in methods(airline)
    assert airline.db.find("reservations", "HATHAT") is None


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"user_id": "x"}, "User x not found"),
        ({"flights": [{"flight_number": "F9", "date": "2024-05-20"}]}, "Flight F9 not found"),
        (
            {"flights": [{"flight_number": "F1", "date": "2024-06-01"}]},
            "Flight F1 not found on date 2024-06-01",
        ),
        (
            {"flights": [{"flight_number": "F4", "date": "2024-05-09"}]},
            "Flight F4 not available on date 2024-05-09",
        ),
        (
            {"flights": [{"flight_number": "F1", "date": "2024-05-21"}]},
            "Not enough seats on flight F1",
        ),
        ({"payment_methods": [{"payment_id": "y", "amount": 200}]}, "Payment method y not found"),
        (
            {"payment_methods": [{"payment_id": "gift", "amount": 301}]},
            "Not enough balance in payment method gift",
        ),
        (
            {"payment_methods": [{"payment_id": "card", "amount": 199}]},
            "Payment amount does not add up, total price is 200, but paid 199",
        ),
    ],
)
def test_a_refused_booking_says_why_and_changes_nothing(airline, changes, error):
    step = airline.call("book_reservation", booking(**changes))
    assert step.output == f"Error: {error}"
    assert step.after == step.before


@pytest.mark.parametrize(
    "changes",
    [
        {"cabin": "first"},
        {"flight_type": "return"},
        {"insurance": "maybe"},
        {"passengers": [{"first_name": "Ann"}]},
        {"passengers": ["Ann"]},
        {"passengers": None},
        {"flights": ["F1"]},
        {"flights": 3},
        {"payment_methods": ["card"]},
        {"payment_methods": [{"payment_id": "card", "amount": "much"}]},
        {"total_baggages": 1.5},
        {"total_baggages": None},
        {"nonfree_baggages": "2"},
        {"origin": 5},
    ],
    ids=repr,
)
def test_a_booking_of_other_types_is_refused_and_changes_nothing(airline, changes):
    step = airline.call("book_reservation", booking(**changes))
    assert not step.ok
    assert step.after == step.before


def test_three_reservations_and_three_certificates_at_most(airline):
    ids = [airline.call("book_reservation", booking()) for _ in range(3)]
    assert [step.value["reservation_id"] for step in ids] == ["HATHAT", "HATHAU", "HATHAV"]
    again = booking(cabin="business", payment_methods=[{"payment_id": "card", "amount": 300}])
    assert airline.call("book_reservation", again).error == "Too many reservations"
    sent = [
        airline.call("send_certificate", {"user_id": "ann_lee_1", "amount": n})
        for n in (1, "2", 3.5, 4)
    ]
    assert [step.ok for step in sent] == [True, True, True, False]
    assert (
        sent[0].output == "Certificate certificate_3221322 added to user ann_lee_1 with amount 1."
    )
    assert methods(airline)["certificate_3221323"]["amount"] == 2.0


def test_cancelling_twice_negates_the_negations(airline):
    for _ in range(2):
        step = airline.call("cancel_reservation", {"reservation_id": "R1"})
    assert [payment["amount"] for payment in step.value["payment_history"]] == [90, -90, -90, 90]
    assert step.value["status"] == "cancelled"
    assert methods(airline)["gift"]["amount"] == 300.0


def test_a_kept_segment_keeps_its_price_only_in_the_same_cabin(airline):
    change = {"reservation_id": "R1", "flights": booking()["flights"], "payment_id": "gift"}
    same = airline.call("update_reservation_flights", change | {"cabin": "economy"})
    assert same.value["flights"][0]["price"] == 90
    assert len(same.value["payment_history"]) == 1
    other = airline.call("update_reservation_flights", change | {"cabin": "basic_economy"})
    assert other.value["flights"][0]["price"] == 100
    assert other.value["payment_history"][-1] == {"payment_id": "gift", "amount": 10}
    assert methods(airline)["gift"]["amount"] == 290.0
    assert (
        airline.db.find("flights", "F1")["dates"]["2024-05-20"]["available_seats"]["basic_economy"]
        == 3
    )


def test_a_cheaper_change_refunds_to_the_gift_card(airline):
    airline.call(
        "update_reservation_flights",
        {"reservation_id": "R1", "flights": [], "cabin": "economy", "payment_id": "gift"},
    )
    assert methods(airline)["gift"]["amount"] == 390.0


@pytest.mark.parametrize(
    ("payment_id", "nonfree", "error"),
    [
        ("x", 0, "Payment method not found"),
        ("cert", 0, "Certificate cannot be used to update reservation"),
        ("gift", 7, "Gift card balance is not enough"),
    ],
)
def test_a_change_checks_the_payment_method_even_for_nothing(airline, payment_id, nonfree, error):
    bags = {"reservation_id": "R1", "total_baggages": 9, "nonfree_baggages": nonfree}
    step = airline.call("update_reservation_baggages", bags | {"payment_id": payment_id})
    assert step.output == f"Error: {error}"
    assert step.after == step.before


def test_bags_are_stored_as_they_came(airline):
    step = airline.call(
        "update_reservation_baggages",
        {
            "reservation_id": "R1",
            "total_baggages": "3",
            "nonfree_baggages": 2.0,
            "payment_id": "card",
        },
    )
    assert (step.value["total_baggages"], step.value["nonfree_baggages"]) == ("3", 2.0)
    assert step.value["payment_history"][-1]["amount"] == 100


def test_passengers_are_replaced_by_as_many(airline):
    call = {"reservation_id": "R1", "passengers": [BOB | {"seat": "1A"}]}
    assert airline.call("update_reservation_passengers", call).value["passengers"] == [BOB]
    call["passengers"] = [ANN, BOB]
    assert (
        airline.call("update_reservation_passengers", call).error
        == "Number of passengers does not match"
    )


def test_searches_list_what_can_be_booked(airline):
    direct = airline.call(
        "search_direct_flight", {"origin": "JFK", "destination": "ORD", "date": "2024-05-20"}
    )
    assert [flight["flight_number"] for flight in direct.value] == ["F1", "F4"]
    assert direct.value[0]["date"] is None
    trip = {"origin": "JFK", "destination": "SFO", "date": "2024-05-20"}
    pairs = airline.call("search_onestop_flight", trip).value
    assert [(a["flight_number"], b["flight_number"], b["date"]) for a, b in pairs] == [
        ("F1", "F2", "2024-05-20"),
        ("F4", "F5", "2024-05-21"),
    ]


def test_status_and_airports(airline):
    assert (
        airline.call("get_flight_status", {"flight_number": "F4", "date": "2024-05-09"}).output
        == "cancelled"
    )
    assert airline.call("list_all_airports", {}).value[0] == {
        "iata": "SFO",
        "city": "San Francisco",
    }


JAPANESE = """
[pack]
locale = "ja"
escape = false

[words.cabin]
business = "ビジネス"
economy = "エコノミー"
basic_economy = "ベーシックエコノミー"

[words.flight_type]
one_way = "片道"
round_trip = "往復"

[words.reservation_status]
cancelled = "キャンセル済み"

[words.flight_status]
available = "予約可能"

[words.payment_source]
gift_card = "ギフトカード"

[messages]
error = "エラー: {error}"
reservation_not_found = "予約 {reservation_id} が見つかりません"
tool_not_found = "ツール「{name}」が見つかりません"

[amounts]
bag_fee = 7500

[keys]
scheduled_departure_time_est = "scheduled_departure_time_jst"
scheduled_arrival_time_est = "scheduled_arrival_time_jst"

[places]
SFO = "サンフランシスコ"
"""


def japanese_database():
    text = json.dumps(database())
    for source, target in [
        ("time_est", "time_jst"),
        ('"basic_economy"', '"ベーシックエコノミー"'),
        ('"economy"', '"エコノミー"'),
        ('"business"', '"ビジネス"'),
        ('"one_way"', '"片道"'),
        ('"available"', '"予約可能"'),
        ('"gift_card"', '"ギフトカード"'),
        ('"status": "cancelled"', '"status": "cancelled"'),
        ('"amount": 300', '"amount": 45000'),
    ]:
        text = text.replace(source, target)
    return json.loads(text)


def test_a_japanese_pack_runs_the_same_code_on_a_japanese_state():
    pack = parse_pack({"ja.toml": JAPANESE}, PACK)
    airline = open_environment("airline", japanese_database(), pack)
    assert (
        airline.call("get_reservation_details", {"reservation_id": "X"}).output
        == "エラー: 予約 X が見つかりません"
    )
    assert airline.call("nope", {}).output == "エラー: ツール「nope」が見つかりません"
    step = airline.call(
        "search_direct_flight", {"origin": "JFK", "destination": "ORD", "date": "2024-05-20"}
    )
    assert '"status": "予約可能", "scheduled_departure_time_jst": "08:00:00"' in step.output
    booked = airline.call("book_reservation", booking(flight_type="片道", cabin="エコノミー"))
    assert booked.ok, booked.error
    assert '"cabin": "エコノミー"' in booked.output
    assert not airline.call("book_reservation", booking(flight_type="片道")).ok
    bags = {
        "reservation_id": "R1",
        "total_baggages": 2,
        "nonfree_baggages": 1,
        "payment_id": "gift",
    }
    assert (
        airline.call("update_reservation_baggages", bags).value["payment_history"][-1]["amount"]
        == 7500
    )
    assert methods(airline)["gift"]["amount"] == 37500.0
    assert (
        airline.call("cancel_reservation", {"reservation_id": "R1"}).value["status"]
        == "キャンセル済み"
    )
    assert "サンフランシスコ" in airline.call("list_all_airports", {}).output
