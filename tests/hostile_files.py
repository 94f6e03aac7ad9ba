"""Files as nobody should write them: values swapped at any place, texts damaged anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from review_app.errors import ReviewError
from review_app.json_paths import put


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


SWAPPED: tuple[Any, ...] = (
    None,
    True,
    -1,
    5,
    1.5,
    2**63,
    2**70,
    10**400,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\x00",
    "a\nb",
    "../x",
    [],
    {},
    [None],
    {"": {}},
    nested(150),
    nested(900),
)
"""What a value may be swapped for; each is wrong somewhere, few are wrong everywhere."""
DAMAGE = ('"', ",", "\n", "\r", "\x00", "\ufeff", "<", "&#0;", "é", "|", "\\", "'", "[", "1" * 5000)
"""What a text may be damaged with."""


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value inside a value, its own first."""
    yield path
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(member, (*path, key))


@st.composite
def swapped(draw: st.DrawFn, document: Any) -> Any:
    """A JSON document with another value somewhere, near the top as often as far below."""
    path = draw(st.sampled_from(list(places(document))))
    path = path[: draw(st.integers(0, len(path)))]
    return put(document, path, draw(st.sampled_from(SWAPPED)))


@st.composite
def with_a_member_twice(draw: st.DrawFn, document: Any) -> str:
    """The text of a JSON document in which an object has a member twice, with another value."""
    holders = [path for path in places(document) if path and isinstance(path[-1], str)]
    key = draw(st.sampled_from(sorted({str(path[-1]) for path in holders})))
    text, member = json.dumps(document), f"{json.dumps(key)}: "
    value = json.dumps(draw(st.sampled_from(SWAPPED)))
    return text.replace(member, f"{member}{value}, {member}", 1)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text with something put in, taken out or repeated at one to three places."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 20, 300])))
        put_in = draw(st.sampled_from([*DAMAGE, text[start:end] * 2]))
        text = text[:start] + put_in + text[end:]
    return text


def held(read: Callable[[], Any], file: Path | str) -> Any:
    """What reading gives; None if it is refused in one line that names the file."""
    try:
        return read()
    except ReviewError as error:
        assert str(file) in str(error)
        assert len(str(error).splitlines()) == 1
        return None
