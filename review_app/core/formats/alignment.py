"""What belongs together in a source file and its draft translation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from review_app.models import Unaligned


@dataclass(frozen=True, slots=True)
class Alignment:
    """The draft's text of every source unit that has one, and what has no counterpart."""

    pairs: Mapping[str, str]
    """Source address -> the draft's text."""
    unaligned: tuple[Unaligned, ...] = ()
    """Texts of both sides, each with a reason; in file order, source side first within a place."""
