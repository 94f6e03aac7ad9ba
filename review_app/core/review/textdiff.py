"""Character differences between two texts, and a merge hunk by hunk.

RapidFuzz compares two pages in 0.02 s where difflib takes 24 s.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rapidfuzz.distance import Indel

JOIN = 2
"""Equal stretches up to this long between two changes are read as part of one change."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch that both texts share, or that one has in place of the other's."""

    old: str
    new: str

    @property
    def changed(self) -> bool:
        """Whether the texts differ here."""
        return self.old != self.new


def pieces(old: str, new: str) -> tuple[Piece, ...]:
    """Both texts cut into alternating equal and changed pieces; joined they give the texts back.

    Example:
        "15000円", "15,000円" -> Piece("15", "15"), Piece("", ","), Piece("000円", "000円")
    """
    listed: list[Piece] = []
    for code in Indel.opcodes(old, new):
        piece = Piece(old[code.src_start : code.src_end], new[code.dest_start : code.dest_end])
        if listed and listed[-1].changed and piece.changed:
            listed[-1] = _joined(listed[-1], piece)
        else:
            listed.append(piece)
    return tuple(_without_crumbs(listed))


def _joined(*parts: Piece) -> Piece:
    return Piece("".join(part.old for part in parts), "".join(part.new for part in parts))


def _without_crumbs(listed: list[Piece]) -> list[Piece]:
    """Join changes that only a letter or two separates: a reader takes them as one."""
    kept: list[Piece] = []
    for piece in listed:
        crumb = len(kept) > 1 and not kept[-1].changed and len(kept[-1].old) <= JOIN
        if piece.changed and crumb and kept[-2].changed:
            kept[-2:] = [_joined(kept[-2], kept[-1], piece)]
        else:
            kept.append(piece)
    return kept


def merged(theirs: str, mine: str, take: Collection[int]) -> str:
    """Their text with some of my changes in it.

    Args:
        theirs: The stored text.
        mine: My text.
        take: Numbers of the changed pieces (from 0) to take from mine; all gives mine, none theirs.
    """
    parts, number = [], 0
    for piece in pieces(theirs, mine):
        parts.append(piece.new if piece.changed and number in take else piece.old)
        number += piece.changed
    return "".join(parts)
