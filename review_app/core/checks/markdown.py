"""Structure of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.models import Segment

_FENCE = re.compile(r"^\s*(```|~~~)")
_BLOCKS = (
    ("heading", re.compile(r"^ {0,3}(#{1,6})\s")),
    ("list item", re.compile(r"^\s*(?:[*+-]|\d{1,3}[.)])\s+\S")),
    ("table row", re.compile(r"^\s*\|.*\|\s*$")),
)
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)")
_INLINE = (("bold", re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")), ("code", re.compile(r"`[^`\n]+`")))


@check("MKD001", "warning", "{element}: {source_count} in the source, {target_count} here")
def markdown_structure_changed(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    r"""Headings, list items and their depths, table columns, fences or links do not match.

    Flags: "# Refund\n- one\n- two" -> "# 払い戻し\n- 1つ目"
    Passes: "# Refund\n- one\n- two" -> "# 払い戻し\n* 1つ目\n* 2つ目"
    Source: the policies and manuals of tau2-bench.
    """
    yield from _differences(_structure(segment.source), _structure(segment.target or ""))


@check("MKD002", "info", "{element}: {source_count} in the source, {target_count} here")
def inline_markup_changed(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    """Bold or code spans do not match.

    Flags: "**Only** one" -> "1つだけ"
    Passes: "**Only** one" -> "1つ**だけ**"
    Source: the policies and manuals of tau2-bench.
    """
    yield from _differences(_inline(segment.source), _inline(segment.target or ""))


def _differences(source: Counter[str], target: Counter[str]) -> Iterator[CheckFault]:
    for element in sorted(source.keys() | target.keys()):
        if source[element] != target[element]:
            yield CheckFault(
                element=element, source_count=source[element], target_count=target[element]
            )


def _structure(text: str) -> Counter[str]:
    """How often each structural element occurs: `heading 2`, `list item depth 1`, `fence`."""
    found: Counter[str] = Counter()
    indents: list[int] = []
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            found["fence"] += 1
            fenced = not fenced
        elif not fenced:
            found.update(_elements(line, indents))
            found["link"] += len(_LINK.findall(line))
    return +found


def _elements(line: str, indents: list[int]) -> Iterator[str]:
    for element, pattern in _BLOCKS:
        match = pattern.match(line)
        if match and element == "heading":
            yield f"heading {len(match[1])}"
        elif match and element == "list item":
            yield f"list item depth {_depth(line, indents)}"
        elif match:
            yield f"table row of {line.count('|') - 1} columns"


def _depth(line: str, indents: list[int]) -> int:
    """1 for the outermost item; two and four blanks of indentation mean the same."""
    indent = len(line) - len(line.lstrip())
    while indents and indents[-1] > indent:
        indents.pop()
    if not indents or indents[-1] < indent:
        indents.append(indent)
    return len(indents)


def _inline(text: str) -> Counter[str]:
    return Counter({name: len(pattern.findall(text)) for name, pattern in _INLINE})
