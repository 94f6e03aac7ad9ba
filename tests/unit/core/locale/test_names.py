"""Names of a target locale: where they come from, how they are drawn, what cannot be drawn."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from faker.providers.person.de_DE import Provider as German
from faker.providers.person.ja_JP import Provider as Japanese

from review_app.core.locale.names import NamePool, PoolName, assign, extra_names, name_pool, redraw
from review_app.errors import BadInput

NAMES_CSV = Path(__file__).parents[4] / "data" / "locales" / "ja" / "names.csv"
HEADER = "kind,written,reading,romanized\n"
SOURCES = ["Mia", "Noah", "Yara", "Ivan", "Olivia", "Liam", "Chen", "Sofia", "Mei", "Raj"]
FORMS = ("written", "reading", "romanized")


def japanese() -> NamePool:
    return name_pool("ja_JP", *extra_names(NAMES_CSV.read_text(encoding="utf-8"), "names.csv"))


def triple(name: PoolName) -> tuple[str, str, str]:
    return name.written, name.reading, name.romanized


def python(code: str, hash_seed: str = "0") -> str:
    env = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(NAMES_CSV.parents[3])}
    run = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(run, env=env, check=True, capture_output=True, text=True).stdout


def test_the_three_forms_of_a_japanese_name_come_from_one_pair() -> None:
    pool = name_pool("ja_JP")
    assert set(map(triple, pool.given)) <= {
        *Japanese.first_name_male_pairs,
        *Japanese.first_name_female_pairs,
    }
    assert set(map(triple, pool.family)) <= set(Japanese.last_name_pairs)
    assert len(pool.given) == 51


def test_of_two_family_names_that_are_read_alike_the_first_stays() -> None:
    saito = [name.written for name in name_pool("ja_JP").family if name.romanized == "Saito"]
    assert saito == ["斎藤"]
    assert len(name_pool("ja_JP").family) == len(Japanese.last_name_pairs) - 1


def test_the_names_added_for_japanese_are_all_new_to_faker_and_make_ninety_of_each() -> None:
    given, family = extra_names(NAMES_CSV.read_text(encoding="utf-8"), "names.csv")
    own, pool = name_pool("ja_JP"), japanese()
    assert pool.given == own.given + given and pool.family == own.family + family
    assert len(pool.given) >= 90 and len(pool.family) >= 90
    for name in given + family:
        assert all("ァ" <= letter <= "ヴ" for letter in name.reading)


@pytest.mark.parametrize("locale", ["ja_JP", "de_DE", "fr_FR", "tr_TR", "es_CL", "vi_VN", "de_LI"])
def test_names_of_a_pool_differ_in_every_form_and_are_romanized_in_ascii(locale: str) -> None:
    pool = name_pool(locale)
    for names in (pool.given, pool.family):
        for form in FORMS:
            forms = [getattr(name, form).lower() for name in names]
            assert len(forms) == len(set(forms)) >= 10
        assert all(name.romanized.isascii() and name.romanized.isalpha() for name in names)
        assert all(name.romanized[0].isupper() for name in names)


def test_german_names_are_read_as_written_and_umlauts_are_spelt_out() -> None:
    pool = name_pool("de_DE")
    names = {name.written: name for name in pool.given + pool.family}
    assert {name.written for name in pool.family} <= set(German.last_names)
    assert names["Björn"] == PoolName("Björn", "Björn", "Bjoern")
    assert names["Hans-Georg"].romanized == "HansGeorg"
    assert "H.-Dieter" in German.first_names and "H.-Dieter" not in names
    assert names["Weiß"].romanized == "Weiss"


def test_lists_that_a_provider_inherits_from_the_english_default_are_not_its_own() -> None:
    assert "Jane" not in {name.written for name in name_pool("vi_VN").given}


@pytest.mark.parametrize("locale", ["xx_XX", "de", "ja-JP", "../ja_JP", ""])
def test_a_locale_without_names_in_faker_is_refused(locale: str) -> None:
    with pytest.raises(BadInput, match="no names of locale"):
        name_pool(locale)


@pytest.mark.parametrize("locale", ["zh_CN", "ru_RU", "is_IS"])
def test_names_that_cannot_be_romanized_are_refused_with_their_locale(locale: str) -> None:
    with pytest.raises(BadInput, match=f"{locale}.*names.csv"):
        name_pool(locale)


def test_a_locale_that_cannot_be_romanized_lives_on_its_own_names() -> None:
    li, wang = PoolName("丽", "丽", "Li"), PoolName("王", "王", "Wang")
    assert name_pool("zh_CN", [li], [wang]) == NamePool((li,), (wang,))


def test_an_extra_name_like_one_of_faker_in_any_form_is_left_out() -> None:
    again = [
        PoolName("晃", "コウ", "Ko"),
        PoolName("昭", "アキラ", "Akiraa"),
        PoolName("明", "メイ", "AKIRA"),
    ]
    assert name_pool("ja_JP", again).given == name_pool("ja_JP").given


def test_a_pool_is_made_once() -> None:
    assert japanese() is japanese()


def test_a_draw_is_the_same_in_every_process_and_for_every_hash_seed() -> None:
    code = (
        "from review_app.core.locale.names import *\n"
        "pool = name_pool('ja_JP')\n"
        "mia = assign(['Mia', 'Noah'], pool.given, seed=7, salt='given')\n"
        "mei = redraw('Mei Li', pool, seed=7, draw=1, written=(), romanized=())\n"
        "print([name.romanized for name in (*mia.values(), *mei)])"
    )
    assert python(code, "1") == python(code, "2") == "['Yumiko', 'Mituru', 'Yuki', 'Watanabe']\n"


def test_drawing_leaves_the_global_random_state_alone() -> None:
    before = random.getstate()
    pool = japanese()
    assign(SOURCES, pool.given, seed=1, salt="given")
    redraw("Mia Li", pool, seed=1, draw=1, written=(), romanized=())
    assert random.getstate() == before


def test_importing_the_module_does_not_import_faker() -> None:
    code = "import sys, review_app.core.locale.names; print('faker' in sys.modules)"
    assert python(code) == "False\n"


def test_other_seeds_and_other_salts_draw_other_names() -> None:
    pool = japanese().given
    draws = [
        assign(SOURCES, pool, seed=seed, salt=salt) for seed in (1, 2) for salt in ("given", "x")
    ]
    assert all(a != b for i, a in enumerate(draws) for b in draws[:i])


def test_a_source_name_that_occurs_again_counts_once() -> None:
    pool = japanese().given[:2]
    assert list(assign(["Mia", "Noah", "Mia"], pool, seed=1, salt="given")) == ["Mia", "Noah"]


def test_what_is_new_is_like_no_known_name_in_any_form() -> None:
    first, second, third = (
        PoolName("一", "イチ", "Ichi"),
        PoolName("二", "ニ", "Ni"),
        PoolName("三", "サン", "San"),
    )
    known = {"Mia": PoolName("弐", "ニ", ""), "Gone": PoolName("壱", "", "ICHI")}
    result = assign(["Noah", "Mia"], [first, second, third], seed=1, salt="given", known=known)
    assert result == {"Noah": third, "Mia": known["Mia"]}


def test_two_names_of_a_pool_that_are_read_alike_are_not_both_given() -> None:
    alike = [PoolName("斎藤", "サイトウ", "Saito"), PoolName("西頭", "サイトウ", "Saitou")]
    with pytest.raises(BadInput, match="2 are needed"):
        assign(["Li", "Kim"], alike, seed=1, salt="family")


def test_an_exhausted_pool_says_how_many_names_there_are_and_are_needed() -> None:
    pool = japanese().given[:9]
    with pytest.raises(BadInput, match=r"9 names for 'given', but 10 are needed; .*names\.csv"):
        assign(SOURCES, pool, seed=1, salt="given")
    assert len(assign(SOURCES[:9], pool, seed=1, salt="given")) == 9


def test_a_person_drawn_anew_gets_another_name_each_time() -> None:
    pool = japanese()
    draws = [redraw("Mia Li", pool, seed=1, draw=n, written=(), romanized=()) for n in range(1, 6)]
    assert len(set(draws)) == 5
    assert draws[2] == redraw("Mia Li", pool, seed=1, draw=3, written=(), romanized=())


def test_a_person_drawn_anew_takes_no_pair_that_is_written_or_romanized_like_another() -> None:
    pool = NamePool(
        (PoolName("一", "イチ", "Ichi"),),
        (PoolName("木", "キ", "Ki"), PoolName("森", "モリ", "Mori")),
    )
    drawn = redraw("A B", pool, seed=1, draw=1, written={("一", "木")}, romanized=())
    assert drawn == (pool.given[0], pool.family[1])
    assert drawn == redraw("A B", pool, seed=1, draw=1, written=(), romanized=[("ichi", "KI")])


@pytest.mark.parametrize(("given", "family"), [(3, 2), (2, 3), (1, 1)])
def test_every_pair_is_drawn_before_a_person_is_refused(given: int, family: int) -> None:
    pool = NamePool(japanese().given[:given], japanese().family[:family])
    pairs: set[tuple[str, str]] = set()
    for draw in range(given * family):
        first, last = redraw("A B", pool, seed=1, draw=draw, written=pairs, romanized=())
        pairs.add((first.written, last.written))
    assert len(pairs) == given * family
    with pytest.raises(BadInput, match=f"'A B': all {given * family} pairs"):
        redraw("A B", pool, seed=1, draw=9, written=pairs, romanized=())


def test_names_of_a_table_are_given_and_family_names() -> None:
    text = HEADER + "family,Weiß,,Weiss\ngiven,大輔,ダイスケ,Daisuke\n"
    daisuke, weiss = PoolName("大輔", "ダイスケ", "Daisuke"), PoolName("Weiß", "Weiß", "Weiss")
    assert extra_names(text, "names.csv") == ((daisuke,), (weiss,))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(HEADER + "first,大輔,ダイスケ,Daisuke\n", "line 2: unknown kind", id="kind"),
        pytest.param(HEADER + "\ngiven,,ア,A\n", "line 3: the written form", id="nothing written"),
        pytest.param(
            HEADER + "given,大輔,ダイスケ,Dai-suke\n",
            "line 2: romanized .* is not ASCII letters",
            id="hyphen",
        ),
        pytest.param(
            HEADER + "given,優子,ユウコ,Yūko\n",
            "line 2: romanized .* is not ASCII letters",
            id="macron",
        ),
        pytest.param(
            HEADER + "given,優子,ユウコ\n", "line 2: 3 cells, but 4 columns", id="short row"
        ),
        pytest.param("kind,written,reading\n", "line 1: missing columns romanized", id="column"),
    ],
)
def test_a_table_that_cannot_be_used_names_the_line(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=f"names.csv#{problem}"):
        extra_names(text, "names.csv")
