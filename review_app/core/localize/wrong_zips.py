"""Postal codes that a text gets wrong on purpose: near one that a record has, and of no record.

They stay wrong in the target's terms: each becomes a code of the city of the one it is near to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from review_app.core.locale.gazetteer import Gazetteer, distance

NEAR_IN_TEXT = 2
"""So many digits differ at most where the right code stands in the same text."""
NEAR = 1
"""Where it does not, but the text says that the number is a postal code."""


def wrong_zips(
    texts: Iterable[str], known: Collection[str], gazetteer: Gazetteer
) -> dict[str, str]:
    """Wrong code -> the right one that is meant, in order of appearance.

    Args:
        texts: Each with all that belongs together.
        known: The codes that records have.
        gazetteer: Says what a code looks like, and which words announce one.

    Example:
        "say 98178 first, then correct yourself: 98187" and 98187 of a record -> {"98178": "98187"}
    """
    meant: dict[str, str] = {}
    for text in texts:
        matches = list(gazetteer.zips(text))
        here = [match[0] for match in matches if match[0] in known]
        for match in matches:
            code = match[0]
            if code in known or code in meant:
                continue
            right = _nearest(code, here, NEAR_IN_TEXT)
            if not right and gazetteer.says_zip(text, match.start()):
                right = _nearest(code, known, NEAR)
            if right:
                meant[code] = right
    return meant


def _nearest(code: str, known: Iterable[str], most: int) -> str:
    near = [(distance(code, other), other) for other in known]
    apart, right = min(near, default=(most + 1, ""))
    return right if apart <= most else ""
