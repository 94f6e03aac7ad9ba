"""A large JSON object read piece by piece: its members, and those of its long lists one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from review_app.core.formats.keepable import TOO_DEEP
from review_app.core.formats.shapes import must_be_a_list
from review_app.errors import BadInput
from review_app.notices import Notice

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"
_ENDS = frozenset(" \t\r\n,]}:")


def members(
    chunks: Iterable[str],
    lists: frozenset[str] = frozenset({"tasks", "simulations"}),
    *,
    strict: bool = False,
) -> Iterator[tuple[str, Any]]:
    """Yield key and value of each member of the JSON object that the chunks make up.

    A member named in `lists` that is a list comes as one pair for each element, in order, so that
    no more than one element is in memory; an empty list comes as nothing.

    Args:
        chunks: The text, cut anywhere.
        lists: Members to be taken apart.
        strict: Refuse one of them that is neither a list nor null.

    Raises:
        BadInput: it is no JSON object, ends too soon, or has a member twice.
    """
    text = _Text(chunks)
    if (first := text.peek()) != "{":
        raise BadInput(_no_object(first))
    text.take("{")
    seen: set[str] = set()
    while text.peek() != "}":
        key = text.value()
        if not isinstance(key, str):
            shown = format(repr(key), ".40")
            raise BadInput(Notice("results.no_key", "{key} is no key: not JSON", key=shown))
        if key in seen:
            raise BadInput(Notice("results.member_twice", "member {key!r} is there twice", key=key))
        seen.add(key)
        text.take(":")
        if key in lists and text.peek() == "[":
            yield from ((key, element) for element in _elements(text, key))
        else:
            with _at(key):
                value = text.value()
                if strict and key in lists and value is not None:
                    raise BadInput(must_be_a_list(value))
            yield key, value
        text.separator("}")
    text.take("}")
    if text.peek():
        raise BadInput(Notice("results.goes_on", "something follows the JSON object"))


def _no_object(first: str) -> Notice:
    if not first:
        return Notice("results.empty", "is empty")
    return Notice("results.no_results", "holds no JSON object")


def _elements(text: _Text, key: str) -> Iterator[Any]:
    text.take("[")
    at = 0
    while text.peek() != "]":
        with _at(f"{key}/{at}"):
            element = text.value()
        yield element
        with _at(f"{key}/{at}"):
            text.separator("]")
        at += 1
    text.take("]")


@contextmanager
def _at(address: str) -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        raise BadInput(error.problem, error.file, error.address or address) from error


class _Text:
    """The part of a text that is not yet read."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks, self._buffer, self._at = iter(chunks), "", 0

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more(1):
                return ""

    def take(self, wanted: str) -> None:
        if self.peek() != wanted:
            raise BadInput(
                Notice(
                    "results.ends_too_soon",
                    "not JSON, or it ends too soon: {wanted!r} is missing",
                    wanted=wanted,
                )
            )
        self._at += 1

    def separator(self, closing: str) -> None:
        """Pass a comma, which must not stand before the closing bracket."""
        if self.peek() == closing:
            return
        self.take(",")
        if self.peek() == closing:
            raise BadInput(
                Notice("results.comma", "not JSON: a comma before {closing!r}", closing=closing)
            )

    def value(self) -> Any:
        """The next JSON value, reading on as far as it takes."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except RecursionError as error:
                raise BadInput(TOO_DEEP) from error
            except ValueError as error:
                # Reading twice as much each time keeps a long value linear.
                if not self._more(len(self._buffer) - self._at):
                    problem = Notice(
                        "results.not_json",
                        "not JSON, or it ends too soon: {problem}",
                        problem=str(error),
                    )
                    raise BadInput(problem) from error
                continue
            # `1` may be the beginning of `1.5`: what follows must end a value.
            is_whole = self._buffer[end : end + 1] in _ENDS
            if is_whole or not self._more(1):
                self._at = end
                return value

    def _more(self, wanted: int) -> bool:
        """Read at least so many characters more, if there are any."""
        parts = [self._buffer[self._at :]]
        size = 0
        for chunk in self._chunks:
            parts.append(chunk)
            size += len(chunk)
            if size >= wanted:
                break
        self._buffer, self._at = "".join(parts), 0
        return size > 0
