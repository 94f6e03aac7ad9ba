"""What differs between two releases, place by place, down to the word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from rapidfuzz.distance import Indel

from review_app.core import formats
from review_app.core.formats.glossary import terms_from_csv
from review_app.core.formats.structured import parse_structured
from review_app.errors import BadInput
from review_app.models import SegmentKind
from review_app.notices import Notice
from review_app.workflows.benchmark import folder_swap
from review_app.workflows.benchmark.files import read_bytes
from review_app.workflows.release.domains import OUTCOMES
from review_app.workflows.release.record import GLOSSARY
from review_app.workflows.release.snapshot import NOT_THERE, TAU2, UNREADABLE, unreadable
from review_app.workflows.release.task_changes import CHANGES, by_id
from review_app.workflows.release.words import cell

Area = Literal["tasks", "texts", "database", "glossary", "patches", "files"]
AREAS: tuple[Area, ...] = ("tasks", "texts", "database", "glossary", "patches", "files")

_AREAS: Mapping[SegmentKind, Area] = {"task": "tasks", "database": "database", "data": "files"}
"""Of a benchmark file by its kind; all others hold texts."""
_KEYS = ("id", "action_id", "name")
"""Members by which the entries of a list are told apart."""
_WORD = re.compile(r"[゠-ヿ]+|[一-鿿々]+|[぀-ゟ]|[^\W゠-ヿ一-鿿々぀-ゟ]+|\s+|.", re.DOTALL)
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """One place in which two releases differ."""

    area: Area
    place: str
    """File, then what is inside it: `data/tau2/domains/airline_ja/policy.md#refunds/1`."""
    old: str | None
    """None where only the new release has it."""
    new: str | None
    words: tuple[tuple[str, str], ...] = ()
    """What of a text changed: old and new words."""


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """What differs between two releases."""

    old: str
    new: str
    differences: tuple[ReleaseDifference, ...]

    def counts(self) -> dict[Area, int]:
        """How many differences there are in each area."""
        areas = [difference.area for difference in self.differences]
        return {area: areas.count(area) for area in AREAS}

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes."""
        return {**asdict(self), "counts": self.counts()}

    def lines(self) -> Iterator[str]:
        """Yield a line for each difference."""
        for difference in self.differences:
            yield f"{difference.area} {difference.place}: {said(difference)}"

    def markdown(self) -> str:
        """The differences as tables, area by area."""
        lines = [f"# {cell(self.old)} → {cell(self.new)}", ""]
        for area, count in self.counts().items():
            lines += [f"## {area} ({count})", ""]
            if count:
                lines += ["| place | old | new |", "| --- | --- | --- |"]
            for difference in self.differences:
                if difference.area == area:
                    old, new = cell(difference.old or ""), cell(difference.new or "")
                    lines.append(f"| {cell(difference.place)} | {old} | {new} |")
            if count:
                lines.append("")
        return "\n".join(lines).rstrip("\n") + "\n"


def said(difference: ReleaseDifference) -> str:
    """A difference in a few words: those that changed, or that something came or went."""
    if difference.old is None:
        return f"new: {_short(difference.new or '')}"
    if difference.new is None:
        return f"gone: {_short(difference.old)}"
    words = difference.words or ((difference.old, difference.new),)
    return "; ".join(f"{_short(old)} -> {_short(new)}" for old, new in words)


def compare(old: Path, new: Path) -> ReleaseDiff:
    """What differs between two releases in tasks, texts, database, glossary and patches.

    Documents that follow from these (dataset card, statistics, manifest) are left out.

    Raises:
        BadInput: a folder holds no release, or a file of it cannot be read.
    """
    stated = [folder_swap.manifest(folder) for folder in (old, new)]
    for folder, manifest in zip((old, new), stated, strict=True):
        if not manifest:
            raise BadInput(NOT_THERE, str(folder))
    before, after = (manifest["files"] for manifest in stated)
    differences: list[ReleaseDifference] = []
    for place in dict.fromkeys((*before, *after)):
        if before.get(place) != after.get(place):
            try:
                blobs = _read(old, place, before), _read(new, place, after)
                differences += _of_file(place, *blobs)
            except UNREADABLE as error:
                raise BadInput(unreadable(error), place) from error
    order = {area: at for at, area in enumerate(AREAS)}
    differences.sort(key=lambda difference: order[difference.area])
    return ReleaseDiff(str(old), str(new), tuple(differences))


def write_markdown(diff: ReleaseDiff, path: Path) -> None:
    """Write the differences as Markdown.

    Raises:
        BadInput: the file cannot be written.
    """
    try:
        path.write_text(diff.markdown(), encoding="utf-8", newline="")
    except OSError as error:
        problem = Notice(
            "export.unwritable", "cannot be written ({problem})", problem=error.strerror
        )
        raise BadInput(problem, str(path)) from error


def word_changes(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """The words of a text that are other ones, in order.

    Example:
        "a red car", "a blue car" -> (("red", "blue"),)
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    return tuple(
        ("".join(before[a:b]), "".join(after[c:d])) for a, b, c, d in _blocks(before, after)
    )


def _blocks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the stretches that differ; those that touch are one."""
    current: tuple[int, int, int, int] | None = None
    for code in Indel.opcodes(before, after):
        if code.tag == "equal":
            if current:
                yield current
            current = None
        elif current:
            current = (current[0], code.src_end, current[2], code.dest_end)
        else:
            current = (code.src_start, code.src_end, code.dest_start, code.dest_end)
    if current:
        yield current


# -- files -------------------------------------------------------------------------------------


def _read(folder: Path, place: str, files: Mapping[str, str]) -> bytes | None:
    return read_bytes(folder / place, folder) if place in files else None


def _of_file(place: str, old: bytes | None, new: bytes | None) -> Iterator[ReleaseDifference]:
    path = PurePosixPath(place)
    if place == GLOSSARY:
        yield from _leaves("glossary", place, _terms(old), _terms(new))
    elif place == CHANGES:
        yield from _leaves("patches", place, _patches(old), _patches(new))
    elif path.is_relative_to(TAU2) or place == OUTCOMES:
        area = "files" if place == OUTCOMES else _AREAS.get(formats.file_kind(place), "texts")
        yield from _of_benchmark_file(area, path, old, new)


def _of_benchmark_file(
    area: Area, path: PurePosixPath, old: bytes | None, new: bytes | None
) -> Iterator[ReleaseDifference]:
    place = path.as_posix()
    if old is None or new is None or path.suffix not in (".json", ".toml", ".md"):
        yield _difference(area, place, _named(old), _named(new))
        return
    before, after = old.decode("utf-8"), new.decode("utf-8")
    if path.suffix == ".md":
        differences = list(_leaves(area, place, _units(path, before), _units(path, after)))
    else:
        trees = [parse_structured(path.name, text) for text in (before, after)]
        differences = list(_leaves(area, place, *trees))
    # Same content in another form: the layout is what differs.
    yield from differences or [_difference(area, place, before, after)]


def _named(blob: bytes | None) -> str | None:
    return None if blob is None else f"{len(blob)} bytes"


def _units(path: PurePosixPath, text: str) -> dict[str, str]:
    return {unit.address.partition("#")[2]: unit.text for unit in formats.units(path.name, text)}


def _terms(blob: bytes | None) -> dict[str, Any]:
    terms = [] if blob is None else terms_from_csv(blob.decode("utf-8-sig"), GLOSSARY)
    named: dict[str, Any] = {}
    for term in terms:
        parts = (term.domain, term.category, term.source, term.mode)
        banned = term.target if term.mode == "forbidden" else ""
        key = "/".join(part for part in (*parts, banned) if part)
        named[key] = {k: v for k, v in asdict(term).items() if k not in ("id", "version")}
    return named


def _patches(blob: bytes | None) -> dict[str, Any]:
    return {} if blob is None else by_id(json.loads(blob))


# -- leaves ------------------------------------------------------------------------------------


def _leaves(
    area: Area, place: str, old: Any, new: Any, path: tuple[str, ...] = ()
) -> Iterator[ReleaseDifference]:
    """Yield the places in which two trees differ, entries of lists told apart by their ids."""
    if old == new and type(old) is type(new):
        return
    before, after = _members(old, new), _members(new, old)
    if before is None or after is None:
        where = f"{place}#{'/'.join(path)}" if path else place
        yield _difference(area, where, _text(old), _text(new))
        return
    for name in dict.fromkeys((*before, *after)):
        yield from _leaves(
            area, place, before.get(name, _ABSENT), after.get(name, _ABSENT), (*path, name)
        )


def _members(value: Any, other: Any) -> dict[str, Any] | None:
    """The members of an object or a list by name, if the other side is one of the same sort."""
    if isinstance(value, dict) and isinstance(other, dict):
        return {str(name): member for name, member in value.items()}
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        for key in _KEYS:
            if _has_ids(value, key) and _has_ids(other, key):
                return {str(member[key]): member for member in value}
        return {str(at): member for at, member in enumerate(value)}
    return None


def _has_ids(entries: Sequence[Any], key: str) -> bool:
    ids = [str(entry[key]) for entry in entries if isinstance(entry, dict) and key in entry]
    return len(set(ids)) == len(entries)


def _text(value: Any) -> str | None:
    if value is _ABSENT:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _difference(area: Area, place: str, old: str | None, new: str | None) -> ReleaseDifference:
    words = word_changes(old, new) if old is not None and new is not None else ()
    return ReleaseDifference(area=area, place=place, old=old, new=new, words=words)


def _short(text: str, limit: int = 80) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else f"{line[:limit]}...")
