"""The calculator: the reference's results, and bounds where the reference has none."""

import time

import pytest

from review_app.core.envs.calculator import InvalidCharacters, NotComputable, calculate


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("2 + 2", "4.0"),
        ("10/4", "2.5"),
        ("7 // 2", "3.0"),
        ("-7 // 2", "-4.0"),
        ("2**3", "8.0"),
        ("2**-1", "0.5"),
        ("2**0.5", "1.41"),
        ("2.675", "2.67"),
        ("0.125", "0.12"),
        ("-0.001", "-0.0"),
        ("-0", "0.0"),
        ("--1", "1.0"),
        ("+1", "1.0"),
        ("  7 ", "7.0"),
        (".5 + 5.", "5.5"),
        ("100000000*100000000", "1e+16"),
        ("(2+3)*4 - 6/2", "17.0"),
        ("9**99", "2.9512665430652752e+94"),
        ("1" + "+1" * 400, "401.0"),
        ("1" + " " * 60 + "+ 1", "2.0"),
    ],
)
def test_results_are_those_of_the_reference(expression, result):
    assert calculate(expression) == result


@pytest.mark.parametrize(
    "expression", ["1e5", "2^3", "5 % 2", "1,000", "１+１", "abc", "1\n+1", {"a": 1}]
)
def test_other_characters_are_refused(expression):
    with pytest.raises(InvalidCharacters):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    ["", "()", "(1", "3 4", "5 -", ". .", "5(3)", "1/0", "1//0", "(-8)**0.5", "0**-1", "007"],
)
def test_what_is_no_number_is_refused(expression):
    with pytest.raises(NotComputable):
        calculate(expression)


@pytest.mark.parametrize("expression", [None, True, 2.5, ["1", "+"], 7])
def test_other_types_are_refused(expression):
    with pytest.raises((TypeError, InvalidCharacters)):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "9**9**9**9",
        "99**99**9",
        "2.0**9999",
        "10**400",
        "1+" * 4_999 + "10",
        "(" * 5_000 + "1" + ")" * 5_000,
        "(" * 400 + "1" + ")" * 400,
        "-" * 900 + "1",
        "2**" * 300 + "2",
        "*".join(["9**999"] * 100),
        "9" * 999 + "*" + "9",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_expressions_are_refused_at_once(expression):
    took = []
    for _ in range(3):
        started = time.perf_counter()
        with pytest.raises(NotComputable):
            calculate(expression)
        took.append(time.perf_counter() - started)
    assert min(took) < 0.01
