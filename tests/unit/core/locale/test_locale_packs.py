"""The locales that come with the project: each pack is whole and says what its glossary says."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from faker.config import AVAILABLE_LOCALES

from review_app.core.envs import DOMAINS, open_environment
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.money import money_rule
from review_app.core.locale.pack import Pack, parse_pack
from review_app.core.locale.tokens import renamed_endings
from review_app.models import Term

ROOT = Path(__file__).resolve().parents[4]
LOCALES = ROOT / "data" / "locales"
SAMPLE = ROOT / "data" / "sample" / "tau2" / "domains"
OTHERS = sorted(folder.name for folder in LOCALES.iterdir() if folder.name != "en")
EACH = [(locale, domain) for locale in OTHERS for domain in DOMAINS]

FIELDS = {
    ("airline", "Cabin Class"): ("cabin",),
    ("airline", "Flight Type"): ("flight_type",),
    ("airline", "Membership Tier"): ("membership",),
    ("airline", "Payment Method"): ("payment_source",),
    ("airline", "Flight Status"): ("flight_status", "reservation_status"),
    ("retail", "Order Status"): ("order_status",),
    ("retail", "Cancellation Reason"): ("cancel_reason",),
    ("retail", "Payment Method"): ("payment_source",),
    ("telecom", "Account Status"): ("account_status",),
    ("telecom", "Line Status"): ("line_status",),
    ("telecom", "Invoice Status"): ("bill_status",),
    ("telecom", "Device Type"): ("device_type",),
    ("telecom", "Payment Method"): ("payment_method_type",),
    ("telecom", "Signal Strength"): ("signal",),
    ("telecom", "Speed Test Result"): ("speed", "performance"),
    ("telecom", "SIM Status"): ("sim_status",),
    ("telecom", "APN Settings"): ("apn",),
    ("telecom", "Network Connection Status"): ("connection",),
}
"""Domain and category of a glossary -> fields of the pack whose words it decides."""

LABELS = {
    ("Status Bar Display", "Airplane Mode"): "bar_airplane_mode",
    ("Status Bar Display", "No Signal"): "bar_signal_none",
    ("Status Bar Display", "Poor"): "bar_signal_poor",
    ("Status Bar Display", "Fair"): "bar_signal_fair",
    ("Status Bar Display", "Good"): "bar_signal_good",
    ("Status Bar Display", "Excellent"): "bar_signal_excellent",
    ("Status Bar Display", "Data Enabled"): "bar_data_enabled",
    ("Status Bar Display", "Data Disabled"): "bar_data_disabled",
    ("Status Bar Display", "Data Saver"): "bar_data_saver",
    ("Status Bar Display", "VPN Connected"): "bar_vpn",
    ("APN Settings", "Not Set"): "apn_not_set",
    ("Output Label", "Network Mode Preference"): "network_mode",
    ("Output Label", "Failed to set network mode"): "network_mode_invalid",
    ("Output Label", "Network mode set to"): "network_mode_set",
    ("Output Label", "Restarting network services"): "network_restarting",
}
"""Terms that a message shows: after its icon, or as its beginning."""

# No tool says it: a screen text of the manual for an APN that is broken.
SAID_BY_NO_TOOL = {("APN Settings", "Incorrect")}
ELSEWHERE = {"Airport Code", "Time Zone"}


def files(locale: str, domain: str) -> dict[str, str]:
    paths = sorted((LOCALES / locale).glob(f"{domain}*.toml"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def pack_of(locale: str, domain: str) -> Pack:
    english = parse_pack(files("en", domain))
    return english if locale == "en" else parse_pack(files(locale, domain), english)


def stated(locale: str, domain: str, section: str) -> dict:
    tables = [tomllib.loads(text).get(section, {}) for text in files(locale, domain).values()]
    return {name: value for table in tables for name, value in table.items()}


def rows(locale: str, file: str) -> list[dict[str, str]]:
    with (LOCALES / locale / file).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def terms(locale: str, file: str, domain: str) -> list[Term]:
    text = (LOCALES / locale / file).read_text(encoding="utf-8")
    return [term for term in terms_from_csv(text, file) if term.domain == domain]


def plain(word: str) -> str:
    return word.replace("_", " ").casefold()


def decided(term: Term, pack: Pack) -> Iterator[str]:
    """The words of the pack that a term of the glossary decides."""
    names = {plain(name) for name in (term.source, *term.variants)}
    for field in FIELDS.get((term.domain or "", term.category or ""), ()):
        yield from (word for source, word in pack.words[field].items() if plain(source) in names)


@pytest.mark.parametrize(("locale", "domain"), EACH)
def test_a_pack_states_every_word_message_amount_and_key(locale, domain):
    pack = pack_of(locale, domain)
    assert (pack.locale, pack.domain, pack.escape) == (locale, domain, False)
    for section in ("words", "amounts", "keys"):
        assert stated(locale, domain, section).keys() == stated("en", domain, section).keys()
    texts = [
        stated(place, domain, "messages") | stated(place, domain, "errors")
        for place in (locale, "en")
    ]
    assert texts[0].keys() == texts[1].keys()
    for field, values in stated("en", domain, "words").items():
        assert list(stated(locale, domain, "words")[field]) == list(values), field


@pytest.mark.parametrize(("locale", "domain"), EACH)
def test_no_two_words_of_a_field_are_the_same(locale, domain):
    for field, values in pack_of(locale, domain).words.items():
        assert len({word.casefold() for word in values.values()}) == len(values), field


@pytest.mark.parametrize(("locale", "domain"), EACH)
def test_a_message_has_the_placeholders_of_the_source(locale, domain):
    pack, english = pack_of(locale, domain), pack_of("en", domain)
    for name, text in english.messages.items():
        ours, theirs = (
            set(re.findall(r"\{\w+\}", template)) for template in (pack.messages[name], text)
        )
        assert ours == theirs, name


@pytest.mark.parametrize(("locale", "domain"), EACH)
def test_a_message_is_in_no_source_currency(locale, domain):
    for name, text in pack_of(locale, domain).messages.items():
        assert "$" not in text and "USD" not in text, name


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_japanese_message_holds_japanese_or_no_word_at_all(domain):
    kept = {"now", "next_day", "next_day_mark"}
    kept |= {"mms_apn", "mmsc_url", "vpn_server", "vpn_protocol"}
    for name, text in pack_of("ja", domain).messages.items():
        words = re.sub(r"\{\w+\}|Wi-Fi", "", text)
        assert name in kept or re.search("[ぁ-ん一-龠ァ-ヶ]", words) or not re.search(r"\w", words)


@pytest.mark.parametrize(("locale", "domain"), EACH)
def test_an_exact_term_is_what_the_tools_say(locale, domain):
    pack, seen = pack_of(locale, domain), 0
    for term in terms(locale, "glossary.csv", domain):
        if term.mode != "exact" or term.category in ELSEWHERE:
            continue
        where = (term.category or "", term.source)
        words = list(decided(term, pack))
        if where in LABELS:
            shown = pack.messages[LABELS[where]]
            if where[0] == "Status Bar Display":
                _, _, shown = shown.partition(" ")
            assert shown.startswith(term.target), term
        assert words or where in {*LABELS, *SAID_BY_NO_TOOL}, f"no tool knows {term}"
        assert all(word == term.target for word in words), term
        seen += 1
    assert seen >= 8


@pytest.mark.parametrize(("locale", "domain"), [("ja", domain) for domain in DOMAINS])
def test_every_japanese_word_of_a_published_table_is_decided_by_a_term(locale, domain):
    pack = pack_of(locale, domain)
    exact = [t for t in terms(locale, "glossary.csv", domain) if t.mode == "exact"]
    free = {"PayPal"}
    for (of, _), fields in FIELDS.items():
        for field in fields if of == domain else ():
            known = {word for term in exact for word in decided(term, pack)} | free
            assert set(pack.values(field)) <= known, field


@pytest.mark.parametrize("locale", OTHERS)
def test_airports_are_those_of_the_list_in_the_order_of_the_source(locale):
    pack, english = pack_of(locale, "airline"), pack_of("en", "airline")
    airports = terms(locale, "airports.csv", "airline")
    codes = {term.source: term.target for term in airports if term.category == "Airport Code"}
    names = {term.source: term.target for term in airports if term.category == "Airport Name"}
    wanted = [(codes[code], names[name]) for code, name in english.places.items()]
    assert list(pack.places.items()) == wanted
    assert len(set(pack.places.values())) == len(english.places)
    assert not pack.places.keys() & english.places.keys()


@pytest.mark.parametrize("locale", OTHERS)
def test_keys_and_fees_follow_the_rules_of_the_locale(locale):
    text = (LOCALES / locale / "locale.toml").read_text(encoding="utf-8")
    ((ending, renamed),) = renamed_endings(text)
    for key, ours in pack_of(locale, "airline").keys.items():
        assert key.endswith(ending) and ours == key.removesuffix(ending) + renamed
    fees = [("airline", "bag_fee"), ("airline", "insurance_fee"), ("telecom", "holding_fee")]
    for domain, fee in fees:
        source = pack_of("en", domain).amount(fee)
        assert pack_of(locale, domain).amount(fee) == money_rule(text).expected(source)


@pytest.mark.parametrize("locale", OTHERS)
def test_a_locale_says_how_people_addresses_and_times_are_written(locale):
    rules = tomllib.loads((LOCALES / locale / "locale.toml").read_text(encoding="utf-8"))
    assert rules["names"]["faker"] in AVAILABLE_LOCALES
    assert rules["names"]["order"] in {"family_given", "given_family"}
    assert rules["address"].keys() == {"line", "unit", "zip", "country"}
    assert "#" in rules["phone"]["form"]
    zone, ours = rules["time"]["zone"]
    zones = {t.source: t.target for t in terms(locale, "glossary.csv", "telecom") if t.target}
    assert zones[zone] == ours


@pytest.mark.parametrize(("locale", "shown"), [("en", "6000.0"), ("ja", "6000"), ("de", "6000.00")])
def test_a_price_has_the_digits_of_its_currency(locale, shown):
    assert pack_of(locale, "telecom").price(6000.0) == shown


# -- the second locale covers the sample ---------------------------------------------------------


def sample_addresses() -> list[dict[str, str]]:
    addresses = []
    for domain in ("airline", "retail"):
        database = json.loads((SAMPLE / domain / "db.json").read_text(encoding="utf-8"))
        people = [*database["users"].values(), *database.get("orders", {}).values()]
        addresses += [person["address"] for person in people]
    telecom = tomllib.loads((SAMPLE / "telecom" / "db.toml").read_text(encoding="utf-8"))
    return addresses + [customer["address"] for customer in telecom["customers"]]


def test_german_cities_and_streets_cover_the_sample():
    cities = {(row["source_city"], row["source_state"]) for row in rows("de", "cities.csv")}
    streets = {row["source"] for row in rows("de", "streets.csv")}
    for address in sample_addresses():
        assert (address["city"], address["state"]) in cities
        street = address.get("address1") or address["street"]
        assert street.partition(" ")[2] in streets


def test_german_cities_are_told_apart_and_states_go_by_their_name_alone():
    cities = rows("de", "cities.csv")
    for column in ("city", "zip_prefix"):
        assert len({row[column] for row in cities}) == len(cities)
    known = {(row["source_state"], row["state"]) for row in cities if row["source_state"]}
    assert len({source for source, _ in known}) == len({state for _, state in known}) == len(known)
    streets = [row["target"] for row in rows("de", "streets.csv")]
    assert len(set(streets)) == len(streets)
    assert sum(not row["source_city"] for row in cities) == 10


def test_german_products_cover_the_sample_one_to_one():
    database = json.loads((SAMPLE / "retail" / "db.json").read_text(encoding="utf-8"))
    products = list(database["products"].values())
    variants = [variant for product in products for variant in product["variants"].values()]
    wanted = {"product": {product["name"] for product in products}}
    wanted["option"] = {value for variant in variants for value in variant["options"].values()}
    table = rows("de", "products.csv")
    for kind, names in wanted.items():
        ours = {row["source"]: row["target"] for row in table if row["kind"] == kind}
        assert ours.keys() == names
        assert len(set(ours.values())) == len(ours)


# -- the tools run -------------------------------------------------------------------------------


def flight(number: str, origin: str, destination: str, price: int) -> dict:
    day = {
        "status": "予約可能",
        "available_seats": {"ビジネス": 1, "エコノミー": 4, "ベーシックエコノミー": 9},
        "prices": {"ビジネス": 60000, "エコノミー": price, "ベーシックエコノミー": 9000},
    }
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_jst": "08:00:00",
        "scheduled_arrival_time_jst": "09:30:00",
        "dates": {"2024-05-20": day, "2024-05-21": {"status": "キャンセル済"}},
    }


def japanese_airline() -> dict:
    user = {
        "user_id": "yui_mori_1234",
        "name": {"first_name": "結衣", "last_name": "森"},
        "address": {
            "address1": "栄町1-2-3",
            "address2": "101号室",
            "city": "札幌市",
            "country": "日本",
            "state": "北海道",
            "zip": "060-1234",
        },
        "email": "yui.mori1234@example.com",
        "dob": "1990-01-01",
        "payment_methods": {
            "gift_card_1": {"source": "ギフトカード", "id": "gift_card_1", "amount": 50000},
            "certificate_1": {"source": "旅行クーポン", "id": "certificate_1", "amount": 15000},
        },
        "saved_passengers": [],
        "membership": "ゴールド会員",
        "reservations": [],
    }
    flights = [flight("HAT001", "HND", "KIX", 12000), flight("HAT002", "HND", "OKA", 20000)]
    return {
        "flights": {offered["flight_number"]: offered for offered in flights},
        "users": {user["user_id"]: user},
        "reservations": {},
    }


def test_a_trip_is_found_booked_and_cancelled_in_japanese():
    airline = open_environment("airline", japanese_airline(), pack_of("ja", "airline"))
    day = {"origin": "HND", "destination": "KIX", "date": "2024-05-20"}
    step = airline.call("search_direct_flight", day)
    assert [offer["flight_number"] for offer in step.value] == ["HAT001"]
    assert '"status": "予約可能", "scheduled_departure_time_jst": "08:00:00"' in step.output
    booking = {
        "user_id": "yui_mori_1234",
        "origin": "HND",
        "destination": "KIX",
        "flight_type": "片道",
        "cabin": "エコノミー",
        "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}],
        "passengers": [{"first_name": "結衣", "last_name": "森", "dob": "1990-01-01"}],
        "payment_methods": [{"payment_id": "gift_card_1", "amount": 24000}],
        "total_baggages": 1,
        "nonfree_baggages": 1,
        "insurance": "yes",
    }
    short = {**booking, "payment_methods": [{"payment_id": "gift_card_1", "amount": 160}]}
    problem = "支払い金額が合計と一致しません。合計金額は 24000円ですが、支払い金額は 160円です"
    assert airline.call("book_reservation", short).output == f"エラー: {problem}"
    booked = airline.call("book_reservation", booking)
    assert booked.ok, booked.error
    cancelled = airline.call("cancel_reservation", {"reservation_id": "HATHAT"})
    assert cancelled.value["status"] == "キャンセル済"
    status = airline.call("get_flight_status", {"flight_number": "HAT001", "date": "2024-05-21"})
    assert status.output == "キャンセル済"
    assert '{"iata": "ITM", "city": "伊丹"}' in airline.call("list_all_airports", {}).output
