"""The way back from a translated text to what the source has."""

from __future__ import annotations

import pytest
from localized_sample import words

from review_app.core.localize.restoration import Restorer, entity_forms
from review_app.models import Entity

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
ROWS = (
    MIA,
    Entity("given_name", "Mia", "千代"),
    Entity("family_name", "Li", "木村"),
    Entity("city", "Chicago", "名古屋市"),
    Entity("city", "Nagoya", "名古屋市中区"),
    Entity("state", "IL", "愛知県"),
    Entity("zip", "60621", "460-0621"),
    Entity("product", "Travel Mug", "トラベルマグ"),
    Entity("option", "color=black", "黒"),
    Entity("airport", "JFK", "HND"),
    Entity("city", "Same", "Same"),
)
HERE = words(*ROWS)
DERIVED = [("mia_li_1", "chiyo_kimura_1"), ("mia.li2@a.com", "chiyo.kimura2@a.com")]
FORMS = entity_forms(HERE.entities, DERIVED)
BACK = Restorer(FORMS, HERE.entities.locale.money)


@pytest.mark.parametrize(
    ("text", "restored"),
    [
        ("木村 千代です", "Mia Liです"),
        ("木村千代、木村　千代、木村・千代", "Mia Li、Mia Li、Mia Li"),
        ("chiyo_kimura_1", "mia_li_1"),
        ("chiyo_kimura_12", "chiyo_kimura_12"),
        ("chiyo.kimura2@a.com へ", "mia.li2@a.com へ"),
        ("名古屋市中区", "Nagoya"),
        ("名古屋市", "Chicago"),
        ("460-0621", "60621"),
        ("1460-0621", "1460-0621"),
        ("HNDから", "JFKから"),
        ("XHND", "XHND"),
        ("7,500円", "$50"),
        ("22984円と¥150", "$153.23と$1"),
        ("24万4200円", "$1,628"),
        ("黒、木村さん", "黒、木村さん"),
        ("", ""),
    ],
)
def test_adapted_forms_go_back(text, restored):
    assert BACK.restored(text) == restored


@pytest.mark.parametrize(
    "text",
    [
        "Mia Li (mia_li_1, mia.li2@a.com) lives in Chicago 60621",
        "Travel Mug for $50, $153.23 or $1,628 from JFK",
    ],
)
def test_what_was_adapted_comes_back(text):
    adapted = HERE.mentions.adapted(text)
    assert adapted != text
    assert BACK.restored(adapted) == text


def test_amounts_stay_without_a_rule_and_forms_without_entities():
    assert Restorer(FORMS).restored("木村千代 7,500円") == "Mia Li 7,500円"
    assert Restorer({}).restored("木村千代 7,500円") == "木村千代 7,500円"
    assert Restorer({"": "x"}).restored("a") == "a"


def test_forms_leave_out_what_stands_for_itself_or_for_many_things():
    assert "Same" not in FORMS and "黒" not in FORMS and "愛知県" not in FORMS
    assert "千代" not in FORMS and "木村" not in FORMS
    assert FORMS["木村 千代"] == "Mia Li"


def test_a_form_that_is_also_a_source_is_not_restored_twice():
    swapped = Restorer({"甲": "乙", "乙": "甲"})
    assert swapped.restored("甲乙甲") == "乙甲乙"
