"""What a person may set for an entity, and drawing many anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from review_app.core.locale.locale import Locale
from review_app.core.localize import entity_changes
from review_app.core.localize.counterparts import assigned
from review_app.core.localize.gathered import Gathered
from review_app.errors import ReviewError
from review_app.models import Entity
from review_app.workflows.localization import entities

FOUND = Gathered(
    people={("Mia", "Li"): None, ("Mia", "Kim"): None, ("Noah", "Kim"): None},
    cities={("Quartz Bay", "ZQ"): None, ("Opal Bay", "ZQ"): None, ("Rubyton", "ZR"): None},
    zips={"10234": ("Quartz Bay", "ZQ")},
    streets={"975 Nowhere Street": None},
)


@pytest.fixture(scope="module")
def ja() -> Locale:
    return replace(entities.locale("ja"), entities_text="")


@pytest.fixture(scope="module")
def rows(ja: Locale) -> list[Entity]:
    made = assigned(FOUND, (), ja, domain="airline", seed=1)
    return [replace(row, id=number, version=1) for number, row in enumerate(made, 1)]


def row(rows: list[Entity], kind: str, source: str) -> Entity:
    return next(each for each in rows if (each.kind, each.source) == (kind, source))


def regenerated(rows, ja, group="people"):
    made = entity_changes.regenerated(FOUND, rows, ja, domain="airline", seed=1, group=group)
    return {new.source: new for _, new in made}


def test_people_are_drawn_anew_component_by_component(rows, ja):
    new = regenerated(rows, ja)
    assert set(new) == {"Mia", "Noah", "Li", "Kim", "Mia Li", "Mia Kim", "Noah Kim"}
    assert new["Mia Li"].given == new["Mia Kim"].given == new["Mia"].target
    assert new["Mia Li"].target != row(rows, "person", "Mia Li").target
    assert {each.draw for each in new.values()} == {1}


def test_a_locked_person_keeps_the_name_and_its_parts(rows, ja):
    locked = [replace(each, locked=each.source == "Mia Li") for each in rows]
    new = regenerated(locked, ja)
    assert set(new) == {"Noah", "Kim", "Mia Kim", "Noah Kim"}
    assert new["Mia Kim"].given == row(rows, "person", "Mia Li").given


@pytest.mark.parametrize("origin", ["override", "file", "inferred"])
def test_what_is_not_drawn_is_not_drawn_anew(rows, ja, origin):
    stated = [replace(each, origin=origin) for each in rows]
    assert regenerated(stated, ja) == {}


def test_a_kept_city_keeps_its_state(rows, ja):
    locked = [replace(each, locked=each.source == "Quartz Bay") for each in rows]
    new = regenerated(locked, ja, "addresses")
    assert "ZQ" not in new
    assert "Opal Bay" in new and "ZR" in new


def test_another_seed_draws_other_names_and_the_same_seed_the_same(rows, ja):
    def of(seed):
        made = entity_changes.of_seed(FOUND, rows, ja, domain="airline", seed=seed)
        return [each.target for each in made]

    assert of(1) == [each.target for each in rows]
    assert of(2) == of(2) != of(1)


def test_one_person_is_drawn_anew_with_a_name_that_nobody_has(rows, ja):
    mia = row(rows, "person", "Mia Li")
    new = entity_changes.drawn_anew(mia, rows, ja, seed=1)
    assert new.draw == 1
    assert new.target not in {each.target for each in rows}
    assert (new.id, new.version) == (mia.id, mia.version)


# -- one ---------------------------------------------------------------------------------------


def test_a_new_name_is_written_out_in_the_order_of_the_locale(rows, ja):
    mia = row(rows, "person", "Mia Li")
    typed = entity_changes.corrected(replace(mia, given=" 花 ", family="佐藤"), mia, ja)
    assert (typed.given, typed.target) == ("花", "佐藤 花")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"given": ""}, "needs a given name and a family name"),
        ({"romanized": "Hana"}, "has to be given and family name"),
        ({"romanized": "花 Sato"}, "letters A to Z"),
    ],
)
def test_an_incomplete_person_is_refused(rows, change, said):
    with pytest.raises(ReviewError, match=said):
        entity_changes.require_sound([replace(row(rows, "person", "Mia Li"), **change)], rows)


def test_an_empty_replacement_is_refused(rows):
    with pytest.raises(ReviewError, match="needs a replacement"):
        entity_changes.require_sound([replace(row(rows, "city", "Rubyton"), target="")], rows)


def test_two_people_of_one_name_are_refused_and_the_other_one_is_named(rows):
    mia, noah = row(rows, "person", "Mia Li"), row(rows, "person", "Noah Kim")
    same = replace(mia, given=noah.given, family=noah.family)
    with pytest.raises(ReviewError, match="stands for 'Noah Kim' already"):
        entity_changes.require_sound([same], rows)


def test_two_people_romanized_alike_are_refused(rows):
    mia, noah = row(rows, "person", "Mia Li"), row(rows, "person", "Noah Kim")
    with pytest.raises(ReviewError, match="stands for 'Noah Kim' already"):
        entity_changes.require_sound([replace(mia, romanized=noah.romanized.upper())], rows)


def test_two_may_change_places_at_once(rows):
    mia, noah = row(rows, "person", "Mia Li"), row(rows, "person", "Noah Kim")
    names = ("target", "given", "family", "romanized")
    swapped = [
        replace(a, **{name: getattr(b, name) for name in names})
        for a, b in ((mia, noah), (noah, mia))
    ]
    entity_changes.require_sound(swapped, rows)


def test_one_word_may_stand_for_values_of_two_options():
    rows = [Entity("option", "filter=none", "なし"), Entity("option", "color=black", "黒")]
    entity_changes.require_sound([Entity("option", "strap=no", "なし")], rows)
    with pytest.raises(ReviewError, match="'filter=none' already"):
        entity_changes.require_sound([Entity("option", "filter=no", "なし")], rows)


def test_people_built_of_a_name_follow_it_unless_they_were_named_apart(rows, ja):
    old = row(rows, "given_name", "Mia")
    new = replace(old, target="花", reading="ハナ", romanized="Hana")
    named = [replace(each, locked=each.source == "Mia Kim") for each in rows]
    [mia] = entity_changes.followers(old, new, named, ja)
    family = row(rows, "family_name", "Li")
    assert mia.source == "Mia Li"
    assert mia.target == f"{family.target} 花"
    assert mia.romanized == f"Hana {family.romanized}"
