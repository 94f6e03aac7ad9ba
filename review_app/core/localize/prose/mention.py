"""A stretch of a text that names something of the source locale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a text that names something of the source locale."""

    kind: str
    """Entity kind, or `amount`, `zone`, `word`, `county`, `landmark`, `identifier`."""
    source: str
    """As the text has it."""
    target: str
    """What stands for it; empty where nothing is known to."""
    start: int
    end: int
    entity: str = ""
    """The source of its row where the text writes it another way: `New York` for `NYC`."""

    @property
    def row(self) -> str:
        """The source of the row that it is about."""
        return self.entity or self.source
