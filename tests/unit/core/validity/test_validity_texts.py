"""Words are found in folded texts as the rules need them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_app.core.validity.texts import WordSearch, look_for, tokens_of

WORDS = ("pay", "pay for", "don't", "a", "支払", "支払い", "%", "x-ray")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("i pay for it", "pay for"),
        ("repay or pay", "pay"),
        ("payment", None),
        ("お支払いは", "支払い"),
        ("% off", "%"),
        ("5%", None),
        ("they don't", "don't"),
        ("", None),
    ],
)
def test_the_first_and_longest_word_is_found_as_a_whole_word(text, first):
    span = look_for(WORDS).first(text)
    assert (text[slice(*span)] if span else None) == first


@given(st.lists(st.sampled_from([*WORDS, " ", "b", "7", "い", "-"]), max_size=12).map("".join))
def test_words_are_found_as_a_pattern_finds_them(text):
    """Also where only those are looked for that the text holds."""
    choices = [
        rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word)
        for word in sorted(WORDS, key=len, reverse=True)
    ]
    expected = [match.span() for match in re.finditer("|".join(choices), text)]
    words = WordSearch(WORDS)
    assert list(words.spans(text)) == expected
    assert list(words.held_by(text, tokens_of(text)).spans(text)) == expected
