"""Structure of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from markdown_it.token import Token

from review_app.core.checks.registry import CheckFault, Context, check
from review_app.core.formats.markdown import plain_newlines, syntax
from review_app.models import Segment

# A row may be all there is of a table: then no parser takes it for one.
_ROW = re.compile(r"\s*\|.*\|\s*")
# The parser leaves **「強調」** with a letter beside it as it is; who writes Japanese means bold.
_LEFT_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")


@check(
    "MKD001", "warning", "{element}: {source_count} in the source, {target_count} here", version=2
)
def markdown_structure_changed(segment: Segment, ctx: Context) -> Iterator[CheckFault]:
    r"""Headings, list items and their depths, table columns, fences or links do not match.

    Flags: "# Refund\n- one\n- two" -> "# 払い戻し\n- 1つ目"
    Passes: "# Refund\n- one\n- two" -> "# 払い戻し\n* 1つ目\n* 2つ目"
    Source: the policies and manuals of tau2-bench.
    """
    yield from _differences(_structure(segment.source), _structure(segment.target or ""))


@check("MKD002", "info", "{element}: {source_count} in the source, {target_count} here", version=2)
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
    elements: Counter[str] = Counter()
    lines = plain_newlines(text).split("\n")
    depth = 0
    for token in syntax(text):
        depth += token.nesting if token.tag in ("ul", "ol") else 0
        elements.update(_elements(token, depth, lines))
    return elements


def _elements(token: Token, depth: int, lines: list[str]) -> Iterator[str]:
    if token.type == "heading_open":
        yield f"heading {token.tag[1]}"
    elif token.type == "list_item_open":
        yield f"list item depth {depth}"
    elif token.type == "fence":
        yield "fence"
    elif token.type in ("table_open", "paragraph_open") and token.map:
        rows = filter(_ROW.fullmatch, lines[slice(*token.map)])
        yield from (f"table row of {row.count('|') - 1} columns" for row in rows)
    elif token.type == "inline":
        yield from ("link" for part in token.children or () if part.type in ("link_open", "image"))


def _inline(text: str) -> Counter[str]:
    elements: Counter[str] = Counter()
    for part in (part for token in syntax(text) for part in token.children or ()):
        elements["bold"] += part.type == "strong_open"
        elements["code"] += part.type == "code_inline"
        if part.type == "text":
            elements["bold"] += len(_LEFT_BOLD.findall(part.content))
    return elements
