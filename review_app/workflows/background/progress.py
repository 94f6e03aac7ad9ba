"""How a workflow tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what)."""


def silent(done: int, total: int, what: str) -> None:
    """Show no progress."""
