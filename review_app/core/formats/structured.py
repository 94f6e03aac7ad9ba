"""JSON and TOML files: their texts, their alignment with a draft, and writing texts back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from review_app.core.formats.alignment import Alignment
from review_app.core.formats.counterparts import Counterpart, KeyedDocument, counterpart
from review_app.core.formats.edits import splice
from review_app.core.formats.fields import (
    MESSAGE_FIELDS,
    TASK_FIELDS,
    TOOL_FIELDS,
    Fields,
    TextField,
)
from review_app.core.formats.json_text import (
    entry_spans,
    escapes_non_ascii,
    literal,
    parse_json,
    spans,
    with_members,
)
from review_app.core.formats.kinds import file_kind
from review_app.core.formats.parse_cache import once
from review_app.core.formats.slots import Slot, SlotPath, member_of, pointer, slots
from review_app.core.formats.toml_text import splice_toml
from review_app.core.toml import parse_toml
from review_app.errors import BadInput
from review_app.models import Unaligned, Unit
from review_app.notices import Notice

_LIST_IDS = {"task": "id", "tool": "function.name"}


def fields_of(file: str, fields: Fields) -> tuple[TextField, ...]:
    """The patterns of the texts in a structured file."""
    kind = file_kind(file)
    fixed = {"task": TASK_FIELDS, "tool": TOOL_FIELDS, "message": MESSAGE_FIELDS}
    return fields.of(file) if kind == "database" else fixed.get(kind, ())


@once
def parse_structured(file: str, raw: str) -> Any:
    """The value of a JSON or TOML file, told apart by name; BadInput if it is neither."""
    return parse_toml(raw, file) if file.endswith(".toml") else parse_json(raw, file)


def structured_units(file: str, raw: str, fields: Fields) -> list[Unit]:
    """The texts of a JSON or TOML file as units, in file order."""
    patterns = fields_of(file, fields)
    if not patterns:
        return []
    kind, prefix = file_kind(file), address_prefix(file)
    return [
        Unit(address=prefix + slot.address, kind=kind, text=slot.text, section=slot.section)
        for slot in _slots(file, raw, patterns)
    ]


@once
def _slots(file: str, raw: str, patterns: tuple[TextField, ...]) -> list[Slot]:
    return slots(parse_structured(file, raw), patterns)


def address_prefix(file: str) -> str:
    """What stands before the path in an address: `tasks.json#`, and `messages#` for messages."""
    return f"{file.removesuffix('.json') if file_kind(file) == 'message' else file}#"


def align_structured(file: str, source: str, draft: str, fields: Fields) -> Alignment:
    """The draft's text for each text of the source, found by id and path."""
    patterns = fields_of(file, fields)
    if not patterns:
        return Alignment({})
    pair = _Pair.of(file, source, draft, patterns)
    prefix = address_prefix(file)
    pairs: dict[str, str] = {}
    unaligned: list[Unaligned] = []
    taken: set[SlotPath] = set()
    for slot in pair.slots:
        text, reason = pair.draft_text(slot)
        if reason:
            unaligned.append(
                Unaligned(side="source", file=file, address=prefix + slot.address, reason=reason)
            )
        else:
            pairs[prefix + slot.address] = text
            taken.update(slot.paths)
    unaligned.extend(pair.only_in_draft(file, _slots(file, draft, patterns), taken))
    return Alignment(pairs, tuple(unaligned))


def render_structured(
    file: str, source: str, draft: str | None, targets: Mapping[str, str], fields: Fields
) -> str:
    """The file with the target texts, written into the draft where there is one.

    A draft that lacks tasks or tools of the source is completed from it, in the source's order. A
    text without counterpart is put where it belongs; a list of another length is replaced by the
    source's list with its targets.

    Raises:
        BadInput: a target's address is not in the source, or a TOML draft has no place for it.
    """
    patterns = fields_of(file, fields)
    skeleton = source if draft is None else _completed(file, source, draft)
    if not targets:
        return skeleton
    pair = _Pair.of(file, source, skeleton, patterns)
    prefix = address_prefix(file)
    given = {slot.address: targets.get(prefix + slot.address) for slot in pair.slots}
    unknown = targets.keys() - {prefix + address for address in given}
    if unknown:
        problem = Notice("file.text_gone", "the source has no such text; import it again")
        raise BadInput(problem, file, min(unknown))
    edits = _Edits()
    for slot in pair.slots:
        target = given[slot.address]
        if target is not None and pair.draft_text(slot) != (target, None):
            edits.add(pair, slot, target)
    if file.endswith(".toml"):
        return splice_toml(skeleton, edits.for_toml(file), file)
    every = {path: given[slot.address] for slot in pair.slots for path in slot.paths}
    return edits.apply(skeleton, source, {p: text for p, text in every.items() if text is not None})


@dataclass(slots=True)
class _Pair:
    """A source file and its draft, read."""

    source: KeyedDocument
    draft: KeyedDocument
    slots: list[Slot]
    """The source's texts."""

    @classmethod
    def of(cls, file: str, source: str, draft: str, patterns: tuple[TextField, ...]) -> _Pair:
        ours = parse_structured(file, source)
        theirs = ours if draft == source else parse_structured(file, draft)
        return cls(KeyedDocument(ours), KeyedDocument(theirs), _slots(file, source, patterns))

    def places(self, slot: Slot) -> list[Counterpart]:
        return [counterpart(self.source, self.draft, path, "draft") for path in slot.paths]

    def draft_text(self, slot: Slot) -> tuple[str, Notice | None]:
        """The draft's text for a text of the source, or why there is none."""
        places = self.places(slot)
        present = [place.value for place in places if place.problem is None]
        texts = Counter(value for value in present if isinstance(value, str) and value.strip())
        if len(texts) == 1:
            return next(iter(texts)), None
        if texts:
            return "", _several(texts)
        return "", _without_text(present[0]) if present else places[0].problem

    def only_in_draft(
        self, file: str, drafted: Iterable[Slot], taken: set[SlotPath]
    ) -> Iterator[Unaligned]:
        prefix = address_prefix(file)
        for slot in drafted:
            if taken.isdisjoint(slot.paths):
                place = counterpart(self.draft, self.source, slot.paths[0], "source")
                reason = place.problem or Notice(
                    "draft.extra_text", "text in the draft where the source has none"
                )
                if isinstance(place.value, str) and place.value.strip():
                    reason = Notice(
                        "draft.not_the_only_text",
                        "not the only text in the draft for its source text",
                    )
                where = prefix + pointer(slot.paths[0])
                yield Unaligned(
                    side="draft", file=file, address=where, reason=reason, text=slot.text
                )


def _several(texts: Counter[str]) -> Notice:
    """Why a draft with different texts for one text of the source is not used."""
    listed = tuple(
        Notice("draft.text_and_times", "{text!r} ({times}x)", text=text, times=times)
        for text, times in texts.most_common()
    )
    return Notice(
        "draft.different_texts",
        "the draft has {number} different texts for it: {texts}",
        number=len(texts),
        texts=listed,
    )


def _without_text(value: Any) -> Notice:
    """Why a draft's value is not used where the source has text."""
    if value is None:
        return Notice("draft.null", "null in the draft where the source has text")
    if value:
        return Notice("draft.not_text", "not text in the draft where the source has text")
    return Notice("draft.empty", "empty in the draft where the source has text")


@dataclass(slots=True)
class _Edits:
    """What has to change in a skeleton, by place."""

    texts: dict[SlotPath, str]
    """Strings (or nulls) that get a new text."""
    grafts: dict[SlotPath, bool]
    """Values taken from the source; True for members that the skeleton's object does not have."""

    def __init__(self) -> None:
        self.texts, self.grafts = {}, {}

    def add(self, pair: _Pair, slot: Slot, target: str) -> None:
        places = pair.places(slot)
        present = [place for place in places if place.problem is None]
        for place in present:
            if place.value != target:
                self.texts[place.place] = target
        if not present:
            self.grafts[places[0].place] = places[0].absent
            if places[0].place == slot.paths[0]:
                self.texts[places[0].place] = target

    def for_toml(self, file: str) -> dict[SlotPath, str]:
        for place in self.grafts:
            if place not in self.texts:
                problem = Notice("draft.no_place", "the draft has no place for it; add the entry")
                raise BadInput(problem, file, pointer(place))
        return self.texts

    def apply(self, skeleton: str, source: str, every: Mapping[SlotPath, str]) -> str:
        """The JSON skeleton with all changes; `every` are the targets for grafted parts."""
        ascii_only = escapes_non_ascii(skeleton)
        replaced = {
            path: literal(text, ascii_only=ascii_only)
            for path, text in self.texts.items()
            if path not in self.grafts
        }
        added: dict[SlotPath, list[tuple[str, str]]] = {}
        for path, value in self._grafted(source, every, ascii_only).items():
            if self.grafts[path]:
                name = literal(str(path[-1]), ascii_only=ascii_only)
                added.setdefault(path[:-1], []).append((name, value))
            else:
                replaced[path] = value
        at = spans(skeleton, [*replaced, *added])
        edits = [(at[path], text) for path, text in replaced.items()]
        edits += [with_members(skeleton, at[path], members) for path, members in added.items()]
        return splice(skeleton, edits)

    def _grafted(
        self, source: str, every: Mapping[SlotPath, str], ascii_only: bool
    ) -> dict[SlotPath, str]:
        """The source's JSON text of each grafted value, with the targets in it."""
        if not self.grafts:
            return {}
        at = spans(source, every)
        texts = ((at[path], literal(text, ascii_only=ascii_only)) for path, text in every.items())
        written = splice(source, texts)
        grafted = spans(written, self.grafts)
        return {path: written[slice(*grafted[path])] for path in self.grafts}


def _completed(file: str, source: str, draft: str) -> str:
    """The draft, or the source with the draft's entries if the draft lacks some of them."""
    member = _LIST_IDS.get(file_kind(file))
    if member is None:
        return draft
    ours, theirs = parse_json(source, file), parse_json(draft, file)
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return draft
    drafted = dict(zip(_ids(theirs, member), entry_spans(draft), strict=True))
    if all(name in drafted for name in _ids(ours, member)):
        return draft
    places = zip(_ids(ours, member), entry_spans(source), strict=True)
    return splice(
        source, [(span, draft[slice(*drafted[name])]) for name, span in places if name in drafted]
    )


def _ids(entries: Iterable[Any], member: str) -> list[str | None]:
    return [member_of(entry, member) for entry in entries]
