"""Character differences and the merge of two texts."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from review_app.core.review.textdiff import Piece, merged, pieces

TEXTS = st.text(alphabet="abcdあい円,. \n𠮷", max_size=40)


def test_only_what_differs_is_a_change():
    assert pieces("15000円です", "15,000円です") == (
        Piece("15", "15"),
        Piece("", ","),
        Piece("000円です", "000円です"),
    )


def test_equal_texts_have_no_change():
    assert not any(piece.changed for piece in pieces("同じ", "同じ"))
    assert pieces("", "") == ()


def test_changes_that_a_letter_or_two_separates_are_one():
    changed = [piece for piece in pieces("あいうえお0123", "かいくえこ0123") if piece.changed]
    assert changed == [Piece("あいうえお", "かいくえこ")]


def test_hunks_are_taken_one_by_one():
    theirs, mine = (
        "返金は24時間以内です。手数料は無料です。",
        "返金は48時間以内です。手数料は有料です。",
    )
    assert merged(theirs, mine, []) == theirs
    assert merged(theirs, mine, [0]) == "返金は48時間以内です。手数料は無料です。"
    assert merged(theirs, mine, [1]) == "返金は24時間以内です。手数料は有料です。"
    assert merged(theirs, mine, [0, 1]) == mine


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_pieces_give_both_texts_back_and_alternate(old, new):
    cut = pieces(old, new)
    assert "".join(piece.old for piece in cut) == old
    assert "".join(piece.new for piece in cut) == new
    changed = [piece.changed for piece in cut]
    assert all(here != next_one for here, next_one in zip(changed, changed[1:], strict=False))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_taking_every_hunk_gives_mine_and_none_theirs(theirs, mine):
    every = range(sum(piece.changed for piece in pieces(theirs, mine)))
    assert merged(theirs, mine, every) == mine
    assert merged(theirs, mine, ()) == theirs


def test_two_long_pages_are_compared_in_less_than_a_second():
    old = "予約の変更は出発の24時間前まで受け付けます。" * 250
    new = old.replace("24", "48").replace("変更", "取消", 40)
    start = time.perf_counter()
    assert merged(old, new, range(10_000)) == new
    assert time.perf_counter() - start < 1
