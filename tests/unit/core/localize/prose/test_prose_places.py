"""Places, zones, postal codes and parts of ids in prose."""

from __future__ import annotations

import pytest
from localized_sample import words

from review_app.core.localize.gathered import gather
from review_app.core.localize.values import ValueRules
from review_app.core.localize.wrong_zips import wrong_zips
from review_app.models import Entity

TEXAS = Entity("state", "TX", "福岡県")
DC = Entity("state", "DC", "神奈川県")
NEW_YORK = Entity("city", "New York", "大田区")
WASHINGTON = Entity("city", "Washington", "横浜市中区")
ELM = Entity("street", "Elm Avenue", "楡木町")
SILVA = Entity(kind="family_name", source="Silva", target="伊藤", romanized="Ito")
AMELIA = Entity(
    kind="person",
    source="Amelia Silva",
    target="伊藤 明美",
    given="明美",
    family="伊藤",
    romanized="Akemi Ito",
)


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("sent to Texas by accident", "sent to 福岡県 by accident"),
        ("living in the Big Apple", "living in the 大田区"),
        ("my NYC order", "my 大田区 order"),
        ("an address in Washington DC, please", "an address in 横浜市中区 神奈川県, please"),
        ("my DC address", "my 横浜市中区 address"),
        ("You live on Elm Avenue.", "You live on 楡木町."),
        ("on Elm Ave. in town", "on 楡木町 in town"),
        ("at 123 Elm Ave", "at 楡木町2-3-4"),
        ("silva7872@example.com", "ito7872@example.com"),
        ("my login silva7872", "my login ito7872"),
        ("amelia.silva@example.com", "akemi.ito@example.com"),
        ("before 11am est", "before 11am jst"),
        ("my last name is Silva", "my last name is 伊藤"),
        ("Ms. Silva", "Ms. 伊藤"),
    ],
)
def test_what_has_a_counterpart_is_adapted(text, adapted):
    mentions = words(TEXAS, DC, NEW_YORK, WASHINGTON, ELM, SILVA, AMELIA).mentions
    assert mentions.adapted(text) == adapted
    assert not mentions.undecided(text)
    assert not mentions.left(adapted)


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("born in Ohio", "state", "Ohio"),
        ("a trip to Beantown", "city", "Beantown"),
        ("near the Golden Gate Bridge", "landmark", "Golden Gate Bridge"),
        ("all of Cook County", "county", "Cook County"),
        ("at 5 pm PST", "zone", "PST"),
        ("zip code 12345", "zip", "12345"),
        ("on Maple Road", "street", "Maple Road"),
        ("bob.smith@example.com", "email", "bob.smith@example.com"),
        ("user amelia_jones_1234", "user_id", "amelia_jones_1234"),
    ],
)
def test_what_has_none_is_undecided_until_a_person_gives_it(text, kind, source):
    mentions = words(AMELIA).mentions
    assert mentions.adapted(text) == text
    (mention,) = mentions.undecided(text)
    assert (mention.kind, mention.source, mention.target) == (kind, source, "")
    assert text[mention.start : mention.end] == source
    given = words(AMELIA, Entity("value", source, "あれ")).mentions
    assert not given.undecided(text)
    assert given.adapted(text) == text.replace(source, "あれ")


def test_what_stands_for_something_is_no_leftover():
    """The target's Ito is no leftover though the source has one, too; nor is any target's word."""
    ito = Entity(kind="family_name", source="Ito", target="菊地", romanized="Kikuchi")
    mentions = words(SILVA, AMELIA, ito, Entity("city", "Boston", "Cook County")).mentions
    assert not mentions.left("ito7872@example.com")
    assert not mentions.left("in Cook County")
    assert [mention.source for mention in mentions.left("silva7872@example.com")] == [
        "silva7872@example.com"
    ]


def test_a_credit_card_is_nobody():
    assert not words(AMELIA).mentions.undecided("credit_card_7721280")


# -- wrong postal codes ------------------------------------------------------------------------


def test_a_wrong_code_is_near_one_of_its_text():
    gazetteer = words().entities.locale.gazetteer
    known = ["98187", "11111"]
    texts = ["say 98178 first, then 98186, then 98187", "it costs 98188", "zip 11112", "zip 55555"]
    assert wrong_zips(texts, known, gazetteer) == {
        "98178": "98187",
        "98186": "98187",
        "11112": "11111",
    }


def test_a_wrong_code_belongs_to_the_city_of_the_right_one():
    gazetteer = words().entities.locale.gazetteer
    gathered = gather(ValueRules({}), (), (), ("in Texas: NYC",), gazetteer)
    assert list(gathered.named) == [("state", "TX"), ("city", "New York")]
