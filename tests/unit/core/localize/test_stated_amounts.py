"""Amounts that a task states stay to each other what they are in the source."""

from __future__ import annotations

from decimal import Decimal

from review_app.core.localize.expected_amounts import Figure, Origin
from review_app.core.localize.stated_amounts import contradictions, related


def figure(source: str, target: int, origin: Origin = "database") -> Figure:
    return Figure(Decimal(source), Decimal(target), origin)


def test_a_converted_amount_becomes_the_difference_that_it_is():
    stated = [figure("60.78", 9117), figure("107.09", 16063, "converted"), figure("167.87", 25181)]
    assert related(stated)[1] == figure("107.09", 16064, "difference")
    assert list(contradictions(related(stated))) == []


def test_a_converted_amount_becomes_the_sum_that_it_is():
    stated = [figure("0.01", 1), figure("0.05", 7), figure("0.06", 9, "converted")]
    assert related(stated)[2] == figure("0.06", 8, "sum")


def test_two_derivations_that_differ_are_told_with_their_way():
    stated = [figure("60.78", 9117), figure("107.09", 16063), figure("167.87", 25181)]
    ways = [(told.source, told.target, told.derived, told.how) for told in contradictions(stated)]
    assert (Decimal("107.09"), Decimal(16063), Decimal(16064), "25181 - 9117") in ways


def test_amounts_that_have_nothing_to_do_with_each_other_stay():
    stated = [figure("1", 150), figure("5", 750, "converted"), figure("0", 0)]
    assert related(stated) == stated and list(contradictions(stated)) == []
