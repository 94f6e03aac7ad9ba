"""Markdown files as blocks that tile the file: every byte is in a block or in the glue between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from review_app.core.formats.kinds import file_kind
from review_app.core.formats.parse_cache import once
from review_app.models import Unit

_PARSER = MarkdownIt("commonmark").enable("table")
# To cut a file, what stands inside a block (emphasis, links) is not looked at: a third of the time.
_BLOCK_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCKS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "fence",
    "code_block": "code block",
    "table_open": "table",
    "html_block": "html block",
    "blockquote_open": "quotation",
    "list_item_open": "list item",
}
_LISTS = ("bullet_list_open", "ordered_list_open")


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block; `raw[start:end]` is its text."""

    start: int
    end: int
    kind: str
    """heading, paragraph, fence, code block, table, html block, quotation or list item."""
    level: int
    """Heading level 1-6; 0 for all other kinds."""
    slug: str
    """Slug of the nearest heading, `_` before the first."""
    number: int
    """Position in that heading's section; the heading itself is 0."""
    heading: str
    """Plain text of the nearest heading, for messages."""
    section: str
    """Heading path for people, without the title of the whole file."""

    @property
    def address(self) -> str:
        """The part of the address after `#`."""
        return f"{self.slug}/{self.number}"


@once
def blocks(raw: str) -> tuple[Block, ...]:
    """All reviewable blocks of a Markdown text, in order, not overlapping.

    Headings, paragraphs, fences, code blocks, tables, html blocks, quotations and top-level list
    items. Rules, blank lines and whatever the parser gives no token for lie between them.
    """
    bom = raw.startswith("\ufeff")
    bounds = _line_bounds(raw, int(bom))
    tokens = _BLOCK_PARSER.parse(raw[bom:])
    places = _Places(tokens)
    tiles: list[Block] = []
    floor = 0
    for index, kind, first, last in _spans(tokens):
        first, last = max(first, floor), min(last, len(bounds))
        while last > first and not raw[slice(*bounds[last - 1])].strip(" \t"):
            last -= 1
        if last > first:
            floor = last
            start, end = bounds[first][0], bounds[last - 1][1]
            tiles.append(places.block(start, end, kind, tokens[index : index + 2]))
    return tuple(tiles)


def markdown_units(file: str, raw: str) -> list[Unit]:
    """The blocks of a Markdown file as units, in file order."""
    kind = file_kind(file)
    return [
        Unit(
            address=f"{file}#{block.address}",
            kind=kind,
            text=raw[block.start : block.end],
            section=block.section,
        )
        for block in blocks(raw)
    ]


@lru_cache(maxsize=64)
def syntax(text: str) -> tuple[Token, ...]:
    """All that the parser sees in a text, with what stands inside its blocks; not to be changed."""
    return tuple(_PARSER.parse(text))


def plain_newlines(text: str) -> str:
    """The text with every line end written as a line feed."""
    return _LINE_END.sub("\n", text)


def with_newlines_of(raw: str, block: Block, text: str) -> str:
    r"""`text` with the line ends that the block's own lines have (its first one, else the next)."""
    match = _LINE_END.search(raw, block.start) or _LINE_END.search(raw)
    return _LINE_END.sub(match.group() if match else "\n", text)


def slug_of(heading: str) -> str:
    """Lower-case letters and digits of a heading joined by hyphens; `section` if there are none."""
    letters = "".join(char if char.isalnum() else "-" for char in heading.lower())
    return re.sub("-+", "-", letters).strip("-") or "section"


def _line_bounds(raw: str, start: int) -> list[tuple[int, int]]:
    """Start and end (without the line end) of every line as CommonMark counts them."""
    bounds = []
    for match in _LINE_END.finditer(raw, start):
        bounds.append((start, match.start()))
        start = match.end()
    if start < len(raw):
        bounds.append((start, len(raw)))
    return bounds


def _spans(tokens: Sequence[Token]) -> Iterator[tuple[int, str, int, int]]:
    """Token index, block kind, first line and line after the last."""
    in_list = False
    for index, token in enumerate(tokens):
        if token.level == 0:
            in_list = token.type in _LISTS
        top = token.level == 0 or (in_list and token.level == 1)
        kind = _BLOCKS.get(token.type) if top else None
        if kind and token.map and (token.type == "list_item_open") == (token.level == 1):
            yield index, kind, token.map[0], token.map[1]


class _Places:
    """Numbers blocks within the sections of one file while they are read."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        levels = [int(t.tag[1]) for t in tokens if t.type == "heading_open" and t.level == 0]
        self._titled = levels[:1] == [1] and levels.count(1) == 1
        self._path: list[tuple[int, str]] = []
        self._used: set[str] = set()
        self._slug, self._number, self._heading = "_", -1, ""

    def block(self, start: int, end: int, kind: str, tokens: Sequence[Token]) -> Block:
        level = 0
        self._number += 1
        if kind == "heading":
            level = int(tokens[0].tag[1])
            self._enter(level, tokens[1].content)
        return Block(
            start=start,
            end=end,
            kind=kind,
            level=level,
            slug=self._slug,
            number=self._number,
            heading=self._heading,
            section=self._section(),
        )

    def _enter(self, level: int, heading: str) -> None:
        self._heading = " ".join(heading.split())
        self._path = [entry for entry in self._path if entry[0] < level]
        self._path.append((level, self._heading))
        slug = base = slug_of(heading)
        count = 1
        while slug in self._used:
            count += 1
            slug = f"{base}-{count}"
        self._used.add(slug)
        self._slug, self._number = slug, 0

    def _section(self) -> str:
        path = self._path
        if self._titled and len(path) > 1:
            path = path[1:]
        return " > ".join(heading for _, heading in path)
