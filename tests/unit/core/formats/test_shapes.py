"""Shapes of benchmark files: types, and where a value has another one."""

from __future__ import annotations

import pytest

from review_app.core.formats.shapes import ID, faults, optional

SHAPE = {"a!": str, "b": int, "c": [float], "d": bool, "e": ID, "f": {"g!": ("x", "y")}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"b": None, "c": [1, 2.5], "d": False, "e": 7, "odd": b"odd"}, []),
        ({"a": None}, ["a: must not be null"]),
        ({"b": True}, ["b: must be a whole number of at most 64 bits, is True"]),
        ({"b": 1.0}, ["b: must be a whole number of at most 64 bits, is 1.0"]),
        ({"b": 2**63}, ["b: must be a whole number of at most 64 bits, is 9223372036854775808"]),
        ({"b": 2**63 - 1}, []),
        (
            {"c": [1, "2", True]},
            ["c/1: must be a number, is '2'", "c/2: must be a number, is True"],
        ),
        ({"c": [10**20]}, ["c/0: must be a number, is 100000000000000000000"]),
        ({"d": 0}, ["d: must be true or false, is 0"]),
        ({"e": True}, ["e: must be text or a whole number, is True"]),
        ({"f": {}}, ["f/g: is missing"]),
        ({"f": {"g": []}}, ["f/g: must be 'x' or 'y', is a list"]),
    ],
    ids=str,
)
def test_every_value_of_another_type_is_told_with_its_place(change, said):
    told = [f"{place}: {problem}" for place, problem in faults({"a": "x", **change}, SHAPE)]
    assert told == said


def test_what_is_wrong_is_quoted_shortly():
    [(_, problem)] = faults("x" * 500, int)
    assert len(str(problem)) < 120
    [(_, problem)] = faults(10**5000, str)
    assert str(problem).endswith("is a number of thousands of digits")


def test_an_optional_shape_asks_for_nothing_and_checks_what_is_there():
    assert list(faults({}, optional(SHAPE))) == []
    assert [place for place, _ in faults({"f": {"g": 1}, "a": 2}, optional(SHAPE))] == ["a", "f/g"]
