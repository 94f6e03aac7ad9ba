"""Policy profiles as data."""

from __future__ import annotations

from decimal import Decimal

import pytest

from review_app.core.validity import parse_profile
from review_app.errors import BadInput

BASE = """
same_item_exchange = "allowed"
max_gift_cards = 3
[words]
pay = ["Pay", "charge"]
not = ["not"]
[compensation.en]
cancelled = 100
"""


def test_a_profile_is_laid_over_another_one_word_list_by_word_list():
    base = parse_profile(BASE)
    laid = parse_profile('max_gift_cards = 1\n[words]\nnot = ["NO"]', base=base)
    assert (laid.max_gift_cards, laid.same_item_exchange) == (1, "allowed")
    assert laid.words == {"pay": ("pay", "charge"), "not": ("no",)}
    assert laid.compensation_for("cancelled", "en") == Decimal(100)


def test_a_locale_without_figures_of_its_own_takes_those_of_the_source():
    base = parse_profile(BASE)
    assert base.compensation_for("cancelled", "ja") == Decimal(100)
    assert base.compensation_for("delayed", "en") is None


def test_the_version_names_the_content_and_what_it_is_laid_over():
    base = parse_profile(BASE)
    versions = {
        parse_profile("").version,
        base.version,
        parse_profile("", base=base).version,
        parse_profile("max_gift_cards = 1", base=base).version,
    }
    assert len(versions) == 4
    assert parse_profile(BASE).version == base.version


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("x = ", ""),
        ("colour = 1", "colour"),
        ('max_gift_cards = "3"', "max_gift_cards"),
        ("max_gift_cards = true", "max_gift_cards"),
        ('same_item_exchange = "maybe"', "same_item_exchange"),
        ("now = 5", "now"),
        ('[words]\npay = "pay"', "words.pay"),
        ("[places]\nen = [1]", "places.en"),
    ],
)
def test_what_is_wrong_with_a_profile_is_named(text, address):
    with pytest.raises(BadInput) as caught:
        parse_profile(text, "airline.toml")
    assert (caught.value.file, caught.value.address) == ("airline.toml", address)
