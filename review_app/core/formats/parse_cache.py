"""Work on the same file done once, for as long as somebody says so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_kept: ContextVar[dict[Hashable, Any] | None] = ContextVar("kept", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Inside the block every text is parsed once, however often it is checked, split and aligned.

    What was read is shared inside the block, so nobody may change it, and forgotten behind it: a
    parsed database is some ten times as large as its text.
    """
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def once(work: Callable[P, R]) -> Callable[P, R]:
    """The function, run once for the same (hashable, positional) arguments inside `read_once`."""

    @wraps(work)
    def kept_or_new(*args: P.args, **kwargs: P.kwargs) -> R:
        kept = _kept.get()
        if kept is None or kwargs:
            return work(*args, **kwargs)
        key = (work, args)
        if key not in kept:
            kept[key] = work(*args, **kwargs)
        result: R = kept[key]
        return result

    return kept_or_new
