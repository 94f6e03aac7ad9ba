"""What JSON text and a database can hold."""

from __future__ import annotations

import pytest

from review_app.core.formats.keepable import DEEPEST, unkeepable


def nested(depth):
    value = []
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "value",
    [None, 1.5, "é", "\x00", {}, {"名前": ["😀", 2**70, -0.0]}, nested(DEEPEST)],
    ids=lambda value: repr(value)[:20],
)
def test_what_can_be_kept_is_fine(value):
    assert unkeepable(value) is None


@pytest.mark.parametrize(
    ("value", "place", "says"),
    [
        ([0, {"a": float("nan")}], "1/a", "nan is no number of JSON"),
        ({"a": [float("-inf")]}, "a/0", "-inf is no number of JSON"),
        ({"a": "x\ud800"}, "a", "half a character, '\\ud800'"),
        ({"a\n": {"\udfff": 1}}, "a\\n/\\udfff", "half a character"),
        (nested(DEEPEST + 1), "a/a/a", "nested too deep"),
    ],
    ids=["nan", "infinity", "text", "key", "deep"],
)
def test_what_cannot_is_told_with_its_place(value, place, says):
    found_place, problem = unkeepable(value)
    assert found_place == place and says in str(problem)
