"""Tell which message a tool's text is, in any language."""

from __future__ import annotations

import re
from functools import cached_property

from review_app.core.locale.pack import Pack

_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


class Messages:
    """The messages of a pack, read backwards: text -> names of the messages it can be."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def names(self, text: str) -> frozenset[str]:
        """The messages that a whole text can be; empty if it is none."""
        return frozenset(
            name
            for name, (start, form) in self._forms.items()
            if text.lstrip().startswith(start) and form.fullmatch(text)
        )

    @cached_property
    def _forms(self) -> dict[str, tuple[str, re.Pattern[str]]]:
        """How each message begins, which is quick to look at, and its pattern."""
        return {
            name: (
                message.strip().partition("{")[0],
                re.compile(
                    rf"\s*{_PLACEHOLDER.sub('.*?', re.escape(message.strip()))}\s*", re.DOTALL
                ),
            )
            for name, message in self._pack.messages.items()
            if _PLACEHOLDER.sub("", re.escape(message)).strip()
        }


def same_message(source: Messages, target: Messages, ours: str, theirs: str) -> bool:
    """Whether two texts are the same messages line by line, as far as they are messages at all."""
    if ours == theirs:
        return True
    if source.names(ours) & target.names(theirs):
        return True
    lines = ours.strip().splitlines(), theirs.strip().splitlines()
    return len(lines[0]) == len(lines[1]) > 1 and all(
        a == b or source.names(a) & target.names(b) for a, b in zip(*lines, strict=True)
    )
