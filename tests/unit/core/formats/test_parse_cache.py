"""Inside `read_once` a text is read once; outside nothing is kept."""

import pytest

from review_app.core.formats.parse_cache import once, read_once


@pytest.fixture
def counted():
    calls = []

    @once
    def upper(text):
        calls.append(text)
        return [text.upper()]

    return upper, calls


def test_inside_the_block_the_same_work_is_done_once(counted):
    upper, calls = counted
    with read_once():
        assert upper("a") is upper("a")
        assert upper("b") == ["B"]
    assert calls == ["a", "b"]


def test_an_inner_block_shares_what_the_outer_one_read(counted):
    upper, calls = counted
    with read_once():
        upper("a")
        with read_once():
            upper("a")
        upper("a")
    assert calls == ["a"]


def test_behind_the_block_everything_is_forgotten_even_after_an_error(counted):
    upper, calls = counted
    with pytest.raises(ValueError, match="broken"), read_once():
        upper("a")
        raise ValueError("broken")
    assert upper("a") is not upper("a")
    assert calls == ["a"] * 3
