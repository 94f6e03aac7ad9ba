"""Terms are found where they are meant, in English sources and Japanese targets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from review_app.core.formats.glossary import terms_from_csv
from review_app.core.locale.glossary import Glossary
from review_app.core.locale.japanese import find_literal, find_word
from review_app.models import Term

JA = Path(__file__).parents[4] / "data" / "locales" / "ja"


@pytest.fixture(scope="module")
def glossary() -> Glossary:
    terms = []
    for name in ("glossary.csv", "airports.csv"):
        terms += terms_from_csv((JA / name).read_text(encoding="utf-8"), name)
    return Glossary(terms, "ja")


def used(glossary: Glossary, text: str, domain: str) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.term.target) for m in glossary.in_source(text, domain)]


def prose(source: str, target: str, **more: tuple[str, ...]) -> Glossary:
    return Glossary([Term(source, target, **more)], "ja")


def test_longest_term_wins_without_overlaps(glossary: Glossary) -> None:
    assert used(glossary, "basic economy or economy", "airline") == [
        ("basic economy", "ベーシックエコノミー"),
        ("economy", "エコノミー"),
    ]


@pytest.mark.parametrize("text", ["one way", "One-Way", "one  way", "one\nway"])
def test_case_hyphens_and_line_breaks_do_not_hide_a_term(glossary: Glossary, text: str) -> None:
    assert [target for _, target in used(glossary, f"a {text} trip", "airline")] == ["片道"]


def test_plurals_are_found(glossary: Glossary) -> None:
    assert used(glossary, "two gift cards", "airline") == [("gift cards", "ギフトカード")]
    assert [m.term.target for m in prose("box", "箱").in_source("two boxes", "any")] == ["箱"]


def test_words_inside_other_words_and_identifiers_are_not_terms(glossary: Glossary) -> None:
    assert used(glossary, "credit_card_4421486 economyclass", "airline") == []


def test_exceptions_are_not_the_term(glossary: Glossary) -> None:
    text = "A business flight is refunded in 7 business days"
    assert used(glossary, text, "airline") == [("business", "ビジネス")]


@pytest.mark.parametrize(
    "text", ['shows "Good"', "'good'", "`good`", "**good**", "good", '"📶³ Good"']
)
def test_everyday_words_count_as_values_where_they_are_set_apart(
    glossary: Glossary, text: str
) -> None:
    assert [match.term.mode for match in glossary.in_source(text, "telecom")] == ["exact"]


@pytest.mark.parametrize("text", ["a good phone", "the other line", "(good", 'Good "news"'])
def test_everyday_words_in_running_text_are_not_values(glossary: Glossary, text: str) -> None:
    assert glossary.in_source(text, "telecom") == []


def test_codes_and_snake_case_are_values_anywhere_but_only_in_their_case(
    glossary: Glossary,
) -> None:
    assert used(glossary, "from JFK, jfk or Jfk by one_way", "airline") == [
        ("JFK", "HND"),
        ("one_way", "片道"),
    ]


def test_terms_of_other_domains_are_not_used(glossary: Glossary) -> None:
    assert used(glossary, "New York", "retail") == []
    assert used(glossary, "New York", "airline") == [("New York", "羽田")]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("便利な郵便", "便"),
        ("予約を取り消す", "キャンセル"),
        ("片道", "片"),
        ("XHND", "HND"),
        ("HND2", "HND"),
        ("非常に良好", "有効"),
    ],
)
def test_parts_of_words_and_synonyms_are_not_the_word(text: str, word: str) -> None:
    assert find_word(text, word) == []


@pytest.mark.parametrize(
    ("text", "word", "span"),
    [
        ("HAT045便について", "便", (6, 7)),
        ("電波が弱くなる", "弱い", (3, 5)),
        ("支払方法", "支払い方法", (0, 4)),
        ("不要になりました", "不要になる", (0, 5)),
        ("データセーバーモード", "データセーバー", (0, 7)),
        ("「🔒 VPN接続済み」", "VPN接続済み", (3, 10)),
        ("NGO発NGS行き", "NGS", (4, 7)),
    ],
)
def test_inflected_and_compound_forms_are_found(
    text: str, word: str, span: tuple[int, int]
) -> None:
    assert find_word(text, word) == [span]


def test_values_are_compared_byte_for_byte_and_whole() -> None:
    assert find_literal("状態はキャンセル済です", "キャンセル済") == [(3, 9)]
    assert find_literal("状態はキャンセル済みです", "キャンセル済") == []
    assert find_literal("状態はキャンセル済です", "キャンセル済み") == []
    assert find_literal("保留中(アイテム変更済み)", "保留中（アイテム変更済み）") == []


def test_texts_longer_than_the_tokenizer_takes_are_searched() -> None:
    text = "予約の変更。" * 9000 + "片道"
    assert find_word(text, "片道") == [(54000, 54002)]


def test_pages_may_search_at_the_same_time() -> None:
    def search(number: int) -> int:
        return len(find_word("予約の変更後に支払方法を確認する。" * 60 + str(number), "支払い方法"))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(search, range(24))) == {60}


def test_a_term_inside_a_longer_one_does_not_stand_for_itself(glossary: Glossary) -> None:
    source = "economy, not basic economy"
    missing = glossary.missing(source, "ベーシックエコノミー", "airline")
    assert [term.source for term in missing] == ["economy"]
    assert glossary.missing(source, "ベーシックエコノミーではなくエコノミー", "airline") == []


def test_terms_with_one_spelling_accept_either_target(glossary: Glossary) -> None:
    for target in ("「弱い」", "「遅い」"):
        assert glossary.missing('shows "poor"', target, "telecom") == []
    assert glossary.missing('shows "poor"', "「悪い」", "telecom") != []


def test_accepted_forms_pass(glossary: Glossary) -> None:
    assert glossary.missing("cancelled flights", "キャンセルされたフライト", "airline") == []
    assert glossary.missing("cancelled flights", "取り消されたフライト", "airline") != []


def test_forbidden_targets_are_located_only_for_their_source(glossary: Glossary) -> None:
    text = "旅行の証明書"
    hits = glossary.forbidden("a travel certificate", text, "airline")
    assert [(term.target, start, end) for term, start, end in hits] == [("証明書", 3, 6)]
    assert glossary.forbidden("a medical certificate", text, "airline") == []
    assert glossary.forbidden("a ticket", text, "airline") == []


def test_an_edit_affects_texts_with_the_old_or_the_new_term() -> None:
    old, new = Term("bag", "かばん"), Term("baggage", "手荷物")
    sources = ["two bags", "no luggage", "extra baggage", "a rebag"]
    assert Glossary([], "ja").affected_by(old, new, sources) == [0, 2]
    assert Glossary([], "ja").affected_by(None, new, sources) == [2]
    assert Glossary([], "ja").affected_by(Term("bag", "袋", "forbidden"), None, sources) == [0]


def test_languages_with_spaces_are_matched_by_whole_words_in_any_case() -> None:
    term = Term("gift card", "thẻ quà tặng")
    glossary = Glossary([term], "vi")
    assert glossary.in_target("Thẻ quà tặng của bạn", term) == [(0, 12)]
    assert glossary.in_target("thẻ quà tặngs", term) == []


def test_every_table_row_has_a_term(glossary: Glossary) -> None:
    codes = [t for t in glossary.terms if t.category == "Airport Code"]
    names = [t for t in glossary.terms if t.category == "Airport Name"]
    assert len(codes) == len(names) == len({t.target for t in codes}) == 20
    pairs = {(t.domain, t.source, t.target) for t in glossary.terms}
    assert {
        ("airline", "certificate", "旅行クーポン"),
        ("airline", "MSP", "KOJ"),
        ("airline", "DTW", "FSZ"),
        ("airline", "cancelled", "キャンセル済"),
        ("retail", "cancelled", "キャンセル済み"),
        ("telecom", "locked with a PUK", "PUKロック中"),
    } <= pairs


def test_no_term_is_stated_twice(glossary: Glossary) -> None:
    keys = [(t.domain, t.category, t.source, t.target, t.mode) for t in glossary.terms]
    assert len(keys) == len(set(keys))
