"""The Japanese dictionaries hold everything that the real databases and tasks name."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path

import pytest
from database_values import cities_in, customers_in, options_in, products_in, streets_in, uncovered

from review_app.core.locale import dictionary

JAPANESE = Path(__file__).resolve().parents[2] / "data" / "locales" / "ja"


def shipped(name):
    return (JAPANESE / name).read_text(encoding="utf-8"), name


@pytest.fixture(scope="module")
def airline(shared):
    packed = (shared / "tau2/domains/airline/db.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed))


@pytest.fixture(scope="module")
def retail(shared):
    return json.loads((shared / "tau2/domains/retail/db.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def documents(shared, airline, retail):
    """Databases and tasks of airline and retail."""
    texts = [
        (shared / f"tau2/domains/{domain}/tasks.json").read_text(encoding="utf-8")
        for domain in ("airline", "retail")
    ]
    return [airline, retail, *map(json.loads, texts)]


def test_retail_has_50_products_and_328_pairs_of_option_and_value(retail):
    options = options_in(retail)
    assert len(products_in(retail)) == 50
    assert (len(options), sum(map(len, options.values()))) == (68, 328)
    assert len(set().union(*options.values())) == 279


def test_every_product_and_option_has_a_translation_of_its_own(retail):
    products = dictionary.products(*shipped("products.csv"))
    assert products_in(retail) - {one.source for one in products if one.kind == "product"} == set()
    assert uncovered(options_in(retail), products) == []


def test_every_city_and_street_is_listed(documents):
    cities = dictionary.cities(*shipped("cities.csv"))
    streets = dictionary.streets(*shipped("streets.csv"))
    assert len(cities_in(documents)) == 21
    assert cities_in(documents) - {(one.source_city, one.source_state) for one in cities} == set()
    assert len(streets_in(documents)) == 22
    assert streets_in(documents) - {source for source, _ in streets} == set()


def telecom(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_everybody_of_the_real_telecom_is_written_by_hand(shared):
    written = dictionary.written_entities(*shipped("entities.csv"), "telecom")
    found = customers_in(telecom(shared / "tau2/domains/telecom/db.toml"))
    assert len(found) == 36
    assert found - {(one.kind, one.source) for one in written} == set()


def test_telecom_customers_are_the_published_ones(shared):
    english = telecom(shared / "tau2/domains/telecom/db.toml")
    japanese = telecom(shared / "jtau/telecom_ja/db.toml")
    written = dictionary.written_entities(*shipped("entities.csv"), "telecom")
    target = {(one.kind, one.source): one.target for one in written}
    for here, there in zip(english["lines"], japanese["lines"], strict=True):
        assert target["phone", here["phone_number"]] == there["phone_number"]
    for here, there in zip(english["customers"], japanese["customers"], strict=True):
        assert target["person", here["full_name"]] == there["full_name"]
        assert target["email", here["email"]] == there["email"]
        assert target["phone", here["phone_number"]] == there["phone_number"]
        for kind, field in (
            ("address", "street"),
            ("city", "city"),
            ("state", "state"),
            ("zip", "zip_code"),
        ):
            assert target[kind, here["address"][field]] == there["address"][field]
