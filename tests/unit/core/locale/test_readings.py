"""Every Japanese name that can be drawn is written, read and romanized alike, and has a gender."""

from __future__ import annotations

import pytest

from review_app.core.locale.names import (
    NamePool,
    NameTable,
    PoolName,
    assign,
    listed_gender,
    name_pool,
    name_table,
    usual_genders,
)
from review_app.errors import BadInput
from review_app.workflows.localization import entities

ROWS = {
    "": "ア a イ i ウ u エ e オ o",
    "k": "カ a キ i ク u ケ e コ o",
    "g": "ガ a ギ i グ u ゲ e ゴ o",
    "s": "サ a ス u セ e ソ o",
    "sh": "シ i",
    "z": "ザ a ズ u ゼ e ゾ o",
    "j": "ジ i ヂ i",
    "t": "タ a テ e ト o",
    "ch": "チ i",
    "ts": "ツ u",
    "d": "ダ a デ e ド o",
    "n": "ナ a ニ i ヌ u ネ e ノ o",
    "h": "ハ a ヒ i ヘ e ホ o",
    "f": "フ u",
    "b": "バ a ビ i ブ u ベ e ボ o",
    "p": "パ a ピ i プ u ペ e ポ o",
    "m": "マ a ミ i ム u メ e モ o",
    "y": "ヤ a ユ u ヨ o",
    "r": "ラ a リ i ル u レ e ロ o",
    "w": "ワ a",
}
SOUNDS = {
    kana: consonant + vowel
    for consonant, row in ROWS.items()
    for kana, vowel in zip(row.split()[::2], row.split()[1::2], strict=True)
}
GLIDES = {"ャ": "ya", "ュ": "yu", "ョ": "yo"}


TWO_WORDS = {"イノウエ": "イノ ウエ"}
"""Readings in which a vowel of one word meets the same of the next: that is none long."""


def hepburn(reading: str) -> str:
    """Modified Hepburn without macrons: long o and long u are one letter, other vowels stay."""
    letters = ""
    for at, kana in enumerate(reading):
        if kana in GLIDES:
            stem = letters.removesuffix("i")
            letters = stem + (
                GLIDES[kana][1:] if stem.endswith(("sh", "ch", "j")) else GLIDES[kana]
            )
        elif kana == " ":
            letters += kana
        elif kana == "ッ":
            letters += "t" if reading[at + 1] == "チ" else SOUNDS[reading[at + 1]][0]
        else:
            letters += "n" if kana == "ン" else SOUNDS[kana]
    for long, short in (("ou", "o"), ("oo", "o"), ("uu", "u")):
        letters = letters.replace(long, short)
    return letters.replace(" ", "").capitalize()


def romanized(name: PoolName) -> str:
    return hepburn(TWO_WORDS.get(name.reading, name.reading))


@pytest.fixture(scope="module")
def pool() -> NamePool:
    return entities.locale("ja").name_pool()


def test_every_name_that_can_be_drawn_is_romanized_as_it_is_read(pool):
    names = pool.given + pool.family
    assert len(names) > 180
    assert [name for name in names if romanized(name) != name.romanized] == []


def test_every_name_that_can_be_drawn_stands_in_a_table(pool):
    here = entities.locale("ja")
    for kind, added in zip(("given", "family"), here.extra_names, strict=True):
        assert set(getattr(pool, kind)) <= {*getattr(here.readings, kind), *added}


def test_every_given_name_but_those_of_everybody_has_a_gender(pool):
    nobody_s = {name.written for name in pool.given} - pool.genders.keys()
    assert nobody_s == {"葵", "千尋"}
    assert pool.suits("葵", "male") and pool.suits("葵", "female")
    assert pool.suits("美穂", "female") and not pool.suits("美穂", "male")
    assert {name.written for name in pool.suiting("male").given} >= {"修平", "葵"}
    assert "美穂" not in {name.written for name in pool.suiting("male").given}
    assert pool.suiting(None) is pool


@pytest.mark.parametrize(
    ("written", "reading", "romanized"),
    [("修平", "シュウヘイ", "Shuhei"), ("充", "ミツル", "Mitsuru"), ("幹", "ミキ", "Miki")],
)
def test_mistakes_of_faker_are_mended_and_the_rest_stays(pool, written, reading, romanized):
    assert PoolName(written, reading, romanized) in pool.given


def test_a_reading_keeps_the_place_of_the_name_it_mends():
    mended = NameTable(given=(PoolName("充", "ミツル", "Mitsuru"),))
    before, after = name_pool("ja_JP").given, name_pool("ja_JP", readings=mended).given
    assert [name.written for name in before] == [name.written for name in after]


def test_a_name_that_suits_is_drawn_as_long_as_there_is_one(pool):
    few = NamePool(pool.given[:3] + pool.given[35:36], (), pool.genders)
    drawn = assign(
        ["Ann", "Bea", "Cleo"],
        few.given,
        seed=1,
        salt="given",
        suits=lambda source, name: few.suits(name.written, "female"),
    )
    assert [few.genders[name.written] for name in drawn.values()] == ["female", "male", "male"]


def test_the_genders_of_source_names_come_from_a_table_and_from_faker():
    grammar = entities.grammar()
    assert grammar.gender("Yara") == "female" and grammar.gender("Raj") == "male"
    assert grammar.gender("Noah") == "male" and grammar.gender("Olivia") == "female"
    assert grammar.gender("Taylor") is None and grammar.gender("Chen") is None
    assert listed_gender("Noah", "en_US") == "male"


@pytest.mark.parametrize("read", [name_table, usual_genders])
def test_an_unknown_gender_names_its_line(read):
    table = {
        name_table: "kind,written,reading,romanized,gender\ngiven,晃,アキラ,Akira,man\n",
        usual_genders: "name,gender\nMia,man\n",
    }
    with pytest.raises(BadInput, match="line 2: 'man' is not one of"):
        read(table[read], "names.csv")
