"""A Markdown file and its translation, block against block: by structure, never by guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from review_app.core.formats.alignment import Alignment
from review_app.core.formats.markdown import Block, blocks, plain_newlines, with_newlines_of
from review_app.errors import BadInput
from review_app.models import Unaligned

_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring blocks of both files that belong together; paired one to one if no reason."""

    source: Sequence[Block]
    draft: Sequence[Block]
    reason: str = ""


def align_markdown(file: str, source: str, draft: str) -> Alignment:
    """The draft's text for each source block, found by the order of headings and blocks.

    Sections are paired by order while both files have equally many, level by level; within a pair
    blocks are paired if their number is equal, else the headings and the runs of blocks of one kind
    that are equally long. Anything else is unaligned.
    """
    pairs: dict[str, str] = {}
    unaligned: list[Unaligned] = []
    for group in _groups(blocks(source), blocks(draft), 1):
        if group.reason:
            unaligned.extend(_unaligned(file, draft, group))
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
        raise BadInput("the source has no such block; import it again", file, min(unknown))
    if draft is None:
        return _splice(source, _replacements(source, of_source, of_source, given))
    edits: list[tuple[int, int, str]] = []
    last = 0
    for group in _groups(of_source, blocks(draft), 1):
        if not group.reason:
            edits.extend(_replacements(draft, group.source, group.draft, given))
        elif any(block.address in given for block in group.source):
            edits.append(_run_from_source(source, draft, group, given, last))
        last = group.draft[-1].end if group.draft else last
    return _splice(draft, edits)


def _replacements(
    raw: str, named: Sequence[Block], placed: Sequence[Block], given: Mapping[str, str]
) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text for each block of `raw` whose namesake has another target."""
    for name, place in zip(named, placed, strict=True):
        target = given.get(name.address)
        old = raw[place.start : place.end]
        # A browser hands CRLF text back with line feeds: that alone is no change.
        if target is not None and plain_newlines(target) != plain_newlines(old):
            yield place.start, place.end, with_newlines_of(raw, place, target)


def _run_from_source(
    source: str, draft: str, group: _Group, given: Mapping[str, str], last: int
) -> tuple[int, int, str]:
    """The edit of the draft that puts the source's run, with its targets, in the run's place."""
    start, end = group.source[0].start, group.source[-1].end
    edits = _replacements(source, group.source, group.source, given)
    text = _splice(source[:end], edits)[start:]
    if group.draft:
        return group.draft[0].start, group.draft[-1].end, text
    newline = "\r\n" if "\r\n" in draft else "\n"
    if last:
        return last, last, newline * 2 + text
    start = int(draft.startswith("\ufeff"))
    return start, start, text + newline * 2


def _splice(raw: str, edits: Iterator[tuple[int, int, str]] | list[tuple[int, int, str]]) -> str:
    parts, last = [], 0
    for start, end, text in edits:
        parts += [raw[last:start], text]
        last = end
    return "".join([*parts, raw[last:]])


def _groups(source: Sequence[Block], draft: Sequence[Block], level: int) -> Iterator[_Group]:
    ours, theirs = _sections(source, level), _sections(draft, level)
    if level <= _DEEPEST and len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from _groups(one, other, level + 1)
    elif len(source) == len(draft):
        yield _Group(source, draft)
    else:
        yield from _run_groups(source, draft)


def _sections(found: Sequence[Block], level: int) -> list[list[Block]]:
    """The blocks before the first heading of at most this level, then one list for each heading."""
    sections: list[list[Block]] = [[]]
    for block in found:
        if 0 < block.level <= level:
            sections.append([])
        sections[-1].append(block)
    return sections


def _run_groups(source: Sequence[Block], draft: Sequence[Block]) -> Iterator[_Group]:
    if source and draft and source[0].level and draft[0].level:
        yield _Group(source[:1], draft[:1])
        source, draft = source[1:], draft[1:]
    ours, theirs = _runs(source), _runs(draft)
    name = _place((source or draft)[0])
    if [run[0].kind for run in ours] != [run[0].kind for run in theirs]:
        counts = f"{_plural(len(source), 'block')} in the source, {len(draft)} in the draft"
        yield _Group(source, draft, f"{name}: {counts}, not of the same kinds in the same order")
        return
    for one, other in zip(ours, theirs, strict=True):
        if len(one) == len(other):
            yield _Group(one, other)
        else:
            counts = f"{_plural(len(one), one[0].kind)} in the source, {len(other)} in the draft"
            yield _Group(one, other, f"{name}: {counts}")


def _runs(found: Sequence[Block]) -> list[list[Block]]:
    return [list(run) for _, run in groupby(found, lambda block: block.kind)]


def _place(block: Block) -> str:
    return f"section {block.heading!r}" if block.heading else "before the first heading"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _unaligned(file: str, draft: str, group: _Group) -> Iterator[Unaligned]:
    for block in group.source:
        yield Unaligned(
            side="source", file=file, address=f"{file}#{block.address}", reason=group.reason
        )
    for block in group.draft:
        text = draft[block.start : block.end]
        yield Unaligned(
            side="draft", file=file, address=block.section, reason=group.reason, text=text
        )
