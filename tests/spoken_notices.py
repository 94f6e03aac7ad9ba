"""While tests run: whatever the app tells a person has its Japanese, and a value for every slot.

`test_notices` reads the same off the source; this holds it where codes and values are made.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from string import Formatter

from notices_in_code import PACKAGE

from review_app.notices import TEXT, Notice, Template, Value

MAKERS = ("review_app.notices", "review_app.errors")
CARRIERS = ("_notice", "_rebuilt", "as_it_is", "in_one_line")
"""Functions that make a notice of another one, or of somebody's words."""


@functools.cache
def codes() -> frozenset[str]:
    """The codes that have Japanese."""
    folder = PACKAGE / "ui" / "shared" / "words" / "ja" / "notices"
    return frozenset(
        f"{file.stem}.{name}"
        for file in folder.glob("*.json")
        for name in json.loads(file.read_text(encoding="utf-8"))
    )


@functools.cache
def slots(template: str) -> frozenset[str]:
    """The values that a template needs."""
    return frozenset(slot for _, slot, _, _ in Formatter().parse(template) if slot)


@contextmanager
def watched() -> Iterator[None]:
    """Raise an AssertionError where the app makes a notice that cannot be said."""
    make = Notice.__init__

    @functools.wraps(make)
    def checked(self: Notice, code: str, english: Template, /, **values: Value) -> None:
        make(self, code, english, **values)
        if _is_made_by_the_app():
            assert code == TEXT or code in codes(), f"{code!r} has no Japanese"
            forms = (english,) if isinstance(english, str) else english
            lacking = frozenset().union(*map(slots, forms)) - values.keys()
            assert not lacking, f"{code!r} has no value for {sorted(lacking)}"

    Notice.__init__ = checked
    try:
        yield
    finally:
        Notice.__init__ = make


def _is_made_by_the_app() -> bool:
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in MAKERS:
        if frame.f_code.co_name in CARRIERS:
            return False
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).startswith("review_app.")
