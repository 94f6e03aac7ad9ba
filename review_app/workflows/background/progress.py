"""How a workflow tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

from review_app.notices import Notice

Progress = Callable[[int, int, str | Notice], None]
"""Called with (done, total, what): a name as it is (a file, a task), or something said in words."""


def silent(done: int, total: int, what: str | Notice) -> None:
    """Show no progress."""
