"""What texts of the source locale call its places."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_app.core.locale.gazetteer import HABITS, PLACES, distance, read_gazetteer
from review_app.errors import BadInput

SOURCE = Path(__file__).resolve().parents[4] / "data" / "locales" / "en"
HEAD = "kind,source,state,spelling,manner\n"
SHIPPED = read_gazetteer((SOURCE / PLACES).read_text("utf-8"), (SOURCE / HABITS).read_text("utf-8"))


def named(text: str) -> list[tuple[str, str, str]]:
    return [(s.kind, s.source, text[a:b]) for (a, b), s in SHIPPED.find(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("sent to Texas", [("state", "TX", "Texas")], id="a state in full"),
        pytest.param("in texas", [("state", "TX", "texas")], id="in lower case"),
        pytest.param("the Lone Star State", [("state", "TX", "Lone Star State")], id="colloquial"),
        pytest.param("my NYC order", [("city", "New York", "NYC")], id="a short form"),
        pytest.param("the big apple", [("city", "New York", "big apple")], id="a nickname"),
        pytest.param("my LA order", [("city", "Los Angeles", "LA")], id="two capitals"),
        pytest.param("la casa", [], id="the same letters are a word"),
        pytest.param("Mobile data is off", [], id="a city that is a word"),
        pytest.param("in Mobile, AL", [("city", "Mobile", "Mobile")], id="beside its state"),
        pytest.param("before 11am est.", [("zone", "EST", "est")], id="a zone behind a time"),
        pytest.param("the est. cost", [], id="no time before it"),
        pytest.param("Texasville and TexMex", [], id="in longer words"),
        pytest.param("横浜市中区のTexas州", [("state", "TX", "Texas")], id="without spaces"),
    ],
)
def test_a_text_names_places_in_the_ways_that_people_write(text, names):
    assert named(text) == names


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("98187", "98187", 0),
        ("98178", "98187", 1),
        ("98186", "98187", 1),
        ("9818", "98187", 1),
        ("12345", "98187", 5),
        ("", "ab", 2),
    ],
)
def test_distance_counts_changes_and_swaps_of_neighbours(first, second, apart):
    assert distance(first, second) == distance(second, first) == apart


def test_only_numbers_that_stand_alone_have_the_form_of_a_postal_code():
    text = "98187, 98187-1234 and #98187 $98187 123456 98187.50 980-8187"
    assert [match[0] for match in SHIPPED.zips(text)] == ["98187", "98187-1234"]


@pytest.mark.parametrize("text", ["zip code 12345", "Zip: 12345", "zipcode is 12345"])
def test_words_announce_a_postal_code(text):
    assert SHIPPED.says_zip(text, text.index("12345"))
    assert not SHIPPED.says_zip("it costs 12345", 9)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("planet,TX,,Texas,any", "locale.place_word_unknown"),
        ("state,TX,,Texas,sometimes", "locale.place_word_unknown"),
        ("state,TX,,,any", "locale.place_twice"),
        ("state,TX,,Texas,any\nstate,TX,,Texas,any", "locale.place_twice"),
    ],
)
def test_a_broken_row_is_named(row, code):
    with pytest.raises(BadInput) as refused:
        read_gazetteer(HEAD + row + "\n", "")
    assert str(refused.value).startswith("places.csv") and code in refused.value.notice.to_json()


@pytest.mark.parametrize("habits", ["zip = 1", "[street]\nendings = 1", '[names]\ntitles = "Mr"'])
def test_habits_of_a_wrong_type_are_refused(habits):
    with pytest.raises(BadInput):
        read_gazetteer(HEAD, habits)
