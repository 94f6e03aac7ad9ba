"""What the amounts that one task states are to each other: sums and differences must stay such.

An amount that no record explains may be the difference of two that the task states beside it; and
what adds up in the source has to add up in the target, or two derivations contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from review_app.core.localize.expected_amounts import Figure, Origin


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An amount of a task that is another one if it is computed from others that stand there."""

    source: Decimal
    target: Decimal
    derived: Decimal
    how: str
    """`25181 - 9117`."""


def related(figures: Sequence[Figure]) -> list[Figure]:
    """The figures; what is only converted is computed from others, where it is in the source.

    Example:
        167.87 -> 25181, 60.78 -> 9117, 107.09 converted -> 16064, the difference of the two
    """
    known = [figure for figure in figures if figure.origin != "converted"]
    completed = []
    for figure in figures:
        if figure.origin == "converted":
            for derived, _, origin in _derivations(figure, known):
                figure = replace(figure, target=derived, origin=origin)
                break
        completed.append(figure)
    return completed


def contradictions(figures: Sequence[Figure]) -> Iterator[Contradiction]:
    """Yield amounts that do not add up as they do in the source, each once."""
    for figure in figures:
        for derived, how, _ in _derivations(figure, figures):
            if derived != figure.target:
                yield Contradiction(
                    source=figure.source, target=figure.target, derived=derived, how=how
                )
                break


def _derivations(
    figure: Figure, figures: Iterable[Figure]
) -> Iterator[tuple[Decimal, str, Origin]]:
    """Yield what a figure comes to as a sum or difference of two others, and how."""
    others = [other for other in figures if other.source not in (figure.source, 0)]
    for a, b in combinations(others, 2):
        if a.source + b.source == figure.source:
            yield a.target + b.target, f"{a.target:f} + {b.target:f}", "sum"
        larger, smaller = (a, b) if a.source > b.source else (b, a)
        if larger.source - smaller.source == figure.source:
            difference = larger.target - smaller.target
            yield difference, f"{larger.target:f} - {smaller.target:f}", "difference"
