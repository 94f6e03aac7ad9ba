"""Small HTML for reviewed text: highlights, differences, badges. Everything is escaped here.

Reviewed text is hostile: whatever it holds, only the spans made in this module become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from review_app.core.review.textdiff import pieces
from review_app.models import SegmentState
from review_app.ui.shared.i18n import text


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch to mark: half-open code-point span, look, and what hovering says."""

    start: int
    end: int
    look: str
    title: str = ""


def marked(content: str, highlights: Iterable[Highlight]) -> str:
    """The text with its highlights, escaped. Where two overlap, the later one wins."""
    owner: list[Highlight | None] = [None] * len(content)
    for highlight in highlights:
        for position in range(max(highlight.start, 0), min(highlight.end, len(content))):
            owner[position] = highlight
    parts, start = [], 0
    for position in range(1, len(content) + 1):
        if position == len(content) or owner[position] is not owner[start]:
            parts.append(_span(content[start:position], owner[start]))
            start = position
    return "".join(parts)


def _span(content: str, highlight: Highlight | None) -> str:
    shown = escape(content)
    if highlight is None:
        return shown
    return f'<span class="jt-{highlight.look}" title="{escape(highlight.title)}">{shown}</span>'


def block(content: str, highlights: Sequence[Highlight] = (), label: str = "") -> str:
    """A text as a block that keeps its line breaks, with a small label above."""
    head = f'<div class="jt-label">{escape(label)}</div>' if label else ""
    return f'<div>{head}<div class="jt-text">{marked(content, highlights)}</div></div>'


def difference(old: str, new: str) -> str:
    """What was deleted from `old` and inserted for `new`, character by character."""
    parts = []
    for piece in pieces(old, new):
        if not piece.changed:
            parts.append(escape(piece.old))
            continue
        if piece.old:
            parts.append(f'<del class="jt-del">{escape(piece.old)}</del>')
        if piece.new:
            parts.append(f'<ins class="jt-ins">{escape(piece.new)}</ins>')
    return f'<div class="jt-text">{"".join(parts)}</div>'


def badge(state: SegmentState) -> str:
    """A state, as colour and word."""
    return f'<span class="jt-state jt-{state}">{escape(text(f"common.state.{state}"))}</span>'


def severity(level: str) -> str:
    """A severity, as colour and word."""
    return f'<span class="jt-state jt-{level}">{escape(text(f"common.severity.{level}"))}</span>'


def items(rows: Iterable[str]) -> str:
    """Ready-made HTML rows as a list."""
    return f'<ul class="jt-list">{"".join(f"<li>{row}</li>" for row in rows)}</ul>'


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "link"])


def markdown(content: str) -> str:
    """A preview of Markdown: no raw HTML, no images, links as their text."""
    return f'<div class="jt-preview">{_markdown().render(_without_autolinks(content))}</div>'


def _without_autolinks(content: str) -> str:
    return re.sub(r"<(?=[A-Za-z][A-Za-z0-9+.-]*:)", r"\\<", content)
