"""A Markdown file and its translation, block against block: by structure, never by guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from review_app.core.formats.alignment import Alignment
from review_app.core.formats.edits import Edit, splice
from review_app.core.formats.markdown import Block, blocks, plain_newlines, with_newlines_of
from review_app.errors import BadInput
from review_app.models import Unaligned
from review_app.notices import Notice

_DEEPEST = 6
_KINDS = {
    "heading": Notice("draft.kind_heading", "heading"),
    "paragraph": Notice("draft.kind_paragraph", "paragraph"),
    "fence": Notice("draft.kind_fence", "fence"),
    "code block": Notice("draft.kind_code_block", "code block"),
    "table": Notice("draft.kind_table", "table"),
    "html block": Notice("draft.kind_html_block", "html block"),
    "quotation": Notice("draft.kind_quotation", "quotation"),
    "list item": Notice("draft.kind_list_item", "list item"),
}
"""What a block is, for people."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring blocks of both files that belong together; paired one to one if no reason."""

    source: Sequence[Block]
    draft: Sequence[Block]
    reason: Notice | None = None


def align_markdown(file: str, source: str, draft: str) -> Alignment:
    """The draft's text for each source block, found by the order of headings and blocks.

    Sections are paired by order while both files have equally many, level by level; within a pair
    blocks are paired if their number is equal, else the headings and the runs of blocks of one kind
    that are equally long. Anything else is unaligned.
    """
    pairs: dict[str, str] = {}
    unaligned: list[Unaligned] = []
    for group in _groups(blocks(source), blocks(draft), 1):
        if group.reason is not None:
            unaligned.extend(_unaligned(file, draft, group, group.reason))
        else:
            for ours, theirs in zip(group.source, group.draft, strict=True):
                pairs[f"{file}#{ours.address}"] = draft[theirs.start : theirs.end]
    return Alignment(pairs, tuple(unaligned))


def render_markdown(file: str, source: str, draft: str | None, targets: Mapping[str, str]) -> str:
    """The file with the target texts; what has no target stays as it is in the draft or source.

    A run of unaligned blocks with at least one target is written from the source's bytes.

    Raises:
        BadInput: a target's address is not in the source.
    """
    given = {address.removeprefix(f"{file}#"): text for address, text in targets.items()}
    of_source = blocks(source)
    unknown = given.keys() - {block.address for block in of_source}
    if unknown:
        problem = Notice("file.block_gone", "the source has no such block; import it again")
        raise BadInput(problem, file, min(unknown))
    if draft is None:
        return splice(source, _replacements(source, of_source, of_source, given))
    edits: list[Edit] = []
    last = 0
    for group in _groups(of_source, blocks(draft), 1):
        if group.reason is None:
            edits.extend(_replacements(draft, group.source, group.draft, given))
        elif any(block.address in given for block in group.source):
            edits.append(_run_from_source(source, draft, group, given, last))
        last = group.draft[-1].end if group.draft else last
    return splice(draft, edits)


def _replacements(
    raw: str, named: Sequence[Block], placed: Sequence[Block], given: Mapping[str, str]
) -> Iterator[Edit]:
    """The edit of each block of `raw` whose namesake has another target."""
    for name, place in zip(named, placed, strict=True):
        target = given.get(name.address)
        old = raw[place.start : place.end]
        # A browser hands CRLF text back with line feeds: that alone is no change.
        if target is not None and plain_newlines(target) != plain_newlines(old):
            yield (place.start, place.end), with_newlines_of(raw, place, target)


def _run_from_source(
    source: str, draft: str, group: _Group, given: Mapping[str, str], last: int
) -> Edit:
    """The edit of the draft that puts the source's run, with its targets, in the run's place."""
    start, end = group.source[0].start, group.source[-1].end
    edits = _replacements(source, group.source, group.source, given)
    text = splice(source[:end], edits)[start:]
    if group.draft:
        return (group.draft[0].start, group.draft[-1].end), text
    newline = "\r\n" if "\r\n" in draft else "\n"
    if last:
        return (last, last), newline * 2 + text
    start = int(draft.startswith("\ufeff"))
    return (start, start), text + newline * 2


def _groups(source: Sequence[Block], draft: Sequence[Block], level: int) -> Iterator[_Group]:
    ours, theirs = _sections(source, level), _sections(draft, level)
    if level <= _DEEPEST and len(ours) == len(theirs):
        for section, drafted in zip(ours, theirs, strict=True):
            yield from _groups(section, drafted, level + 1)
    elif len(source) == len(draft):
        yield _Group(source, draft)
    else:
        yield from _run_groups(source, draft)


def _sections(listed: Sequence[Block], level: int) -> list[list[Block]]:
    """The blocks before the first heading of at most this level, then one list for each heading."""
    sections: list[list[Block]] = [[]]
    for block in listed:
        if 0 < block.level <= level:
            sections.append([])
        sections[-1].append(block)
    return sections


def _run_groups(source: Sequence[Block], draft: Sequence[Block]) -> Iterator[_Group]:
    if source and draft and source[0].level and draft[0].level:
        yield _Group(source[:1], draft[:1])
        source, draft = source[1:], draft[1:]
    ours, theirs = _runs(source), _runs(draft)
    place = _place((source or draft)[0])
    if [run[0].kind for run in ours] != [run[0].kind for run in theirs]:
        yield _Group(source, draft, _of_other_kinds(place, len(source), len(draft)))
        return
    for run, drafted in zip(ours, theirs, strict=True):
        if len(run) == len(drafted):
            yield _Group(run, drafted)
        else:
            yield _Group(run, drafted, _of_other_length(place, run, drafted))


def _runs(listed: Sequence[Block]) -> list[list[Block]]:
    return [list(run) for _, run in groupby(listed, lambda block: block.kind)]


def _place(block: Block) -> Notice:
    if block.heading:
        return Notice("draft.in_section", "section {heading!r}", heading=block.heading)
    return Notice("draft.before_headings", "before the first heading")


def _of_other_kinds(place: Notice, count: int, drafted: int) -> Notice:
    return Notice(
        "draft.blocks_of_other_kinds",
        (
            "{place}: 1 block in the source, {drafted} in the draft, "
            "not of the same kinds in the same order",
            "{place}: {count} blocks in the source, {drafted} in the draft, "
            "not of the same kinds in the same order",
        ),
        place=place,
        count=count,
        drafted=drafted,
    )


def _of_other_length(place: Notice, run: Sequence[Block], drafted: Sequence[Block]) -> Notice:
    return Notice(
        "draft.blocks_of_one_kind",
        (
            "{place}: 1 {kind} in the source, {drafted} in the draft",
            "{place}: {count} {kind}s in the source, {drafted} in the draft",
        ),
        place=place,
        count=len(run),
        kind=_KINDS[run[0].kind],
        drafted=len(drafted),
    )


def _unaligned(file: str, draft: str, group: _Group, reason: Notice) -> Iterator[Unaligned]:
    for block in group.source:
        yield Unaligned(side="source", file=file, address=f"{file}#{block.address}", reason=reason)
    for block in group.draft:
        text = draft[block.start : block.end]
        yield Unaligned(side="draft", file=file, address=block.section, reason=reason, text=text)
