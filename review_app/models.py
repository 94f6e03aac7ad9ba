"""Frozen records shared by all layers. Field names are the column and JSON names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from review_app.notices import Notice

SegmentKind = Literal[
    "policy", "manual", "workflow", "guideline", "task", "tool", "database", "message", "data"
]
"""What sort of text a segment is. `data` marks files that carry no text of their own."""

SegmentState = Literal["untranslated", "draft", "in_review", "contested", "approved", "stale"]
Verdict = Literal["approve", "edit", "request_change", "adjudicate", "undo"]
PersonRole = Literal["annotator", "maintainer"]
Severity = Literal["error", "warning", "info"]
Span = tuple[int, int]
"""Half-open, in code points: `text[start:end]`."""

TermMode = Literal["exact", "prose", "keep", "forbidden"]

KINDS: tuple[SegmentKind, ...] = (
    "policy",
    "manual",
    "workflow",
    "guideline",
    "task",
    "tool",
    "database",
    "message",
)
STATES: tuple[SegmentState, ...] = get_args(SegmentState)


@dataclass(frozen=True, slots=True)
class Unit:
    """One reviewable text inside a file, before it is stored."""

    address: str
    """Where it lives: `policy.md#refunds/3`, `tasks.json#7/user_scenario/persona`."""
    kind: SegmentKind
    text: str
    section: str = ""
    """For people: the heading path, the task id or the tool name it belongs to."""


@dataclass(frozen=True, slots=True)
class Unaligned:
    """A text of source or draft that has no counterpart in the other."""

    side: Literal["source", "draft"]
    file: str
    address: str
    """Address on the source side; for a draft text the section or path it was found in."""
    reason: Notice
    """One line to act on: `section 'Fees': 9 list items in the source, 8 in the draft`."""
    text: str = ""
    """The draft's text, so that nothing is lost; empty on the source side."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The smallest reviewable text with its current translation."""

    id: str
    """16 hex digits: hash of domain, file and address."""
    domain: str
    file: str
    address: str
    kind: SegmentKind
    section: str
    position: int
    """Order in the file, from 0."""
    source: str
    source_hash: str
    target: str | None
    """Current text; None where nothing has been translated yet."""
    version: int
    """Version of `target`; 0 before there is one."""
    state: SegmentState
    needed: int
    """How many people must approve."""
    answered: int
    """How many people's answers count for this version."""


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary entry or a mapped value."""

    source: str
    target: str
    mode: TermMode = "prose"
    """`exact`: a value a tool compares, byte for byte. `prose`: matched by lemma. `keep`: stays as
    in the source. `forbidden`: `target` must not be used for `source`."""
    domain: str | None = None
    """None holds in every domain."""
    category: str = ""
    variants: tuple[str, ...] = ()
    """Other source spellings."""
    accepted: tuple[str, ...] = ()
    """Other target spellings that are right too (Table 8 gives some terms two)."""
    exceptions: tuple[str, ...] = ()
    """Source phrases in which the word is not this term: `business day` for `business`."""
    note: str = ""
    id: int = 0
    version: int = 0


_STORED_NOTICE = '{"code": "'


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check says about one segment."""

    code: str
    name: str
    """The fault as a noun phrase: `protected_token_lost`."""
    severity: Severity
    message: str
    """English; the interface renders `values` through its own catalogue."""
    values: dict[str, str]
    """What fills the message; a reason is a notice as JSON, see `spoken`."""
    span: tuple[int, int] | None = None
    """Half-open code-point span in the target, where there is one."""
    in_source: bool = False
    """True if `span` counts in the source instead."""

    def spoken(self, say: Callable[[Notice], str] = str) -> dict[str, str]:
        """The values as texts: reasons among them as `say` has them, in English if not given."""
        return {
            name: say(Notice.from_json(value)) if value.startswith(_STORED_NOTICE) else value
            for name, value in self.values.items()
        }


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works on the project."""

    id: int
    name: str
    role: PersonRole
    active: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """An MQM error mark on a stretch of the target."""

    category: str
    """MQM top level: terminology, accuracy, linguistic conventions, style, locale conventions."""
    severity: Literal["neutral", "minor", "major", "critical"]
    span: tuple[int, int] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer of one person about one version. Never changed, never deleted."""

    id: int
    segment_id: str
    person_id: int
    verdict: Verdict
    version: int
    source_hash: str
    note: str
    marks: tuple[Mark, ...]
    created_at: str
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a target text."""

    version: int
    target: str
    author_id: int | None
    """None for machine drafts."""
    origin: Literal["draft", "edit", "adjudication"]
    source_hash: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on a segment."""

    id: int
    segment_id: str
    person_id: int
    body: str
    created_at: str
    resolved: bool


EntityKind = Literal[
    "person",
    "given_name",
    "family_name",
    "user_id",
    "email",
    "phone",
    "city",
    "state",
    "zip",
    "country",
    "street",
    "address",
    "product",
    "option",
    "airport",
    "place",
    "value",
]
"""What sort of thing an entity is. A `person` is a full name; `street` a street's name without its
number, `address` a whole first line; `place` an airport's city in prose, `airport` its code;
`option` a variant's value; `value` anything else that is written out by hand."""

EntityOrigin = Literal["invented", "file", "inferred", "override"]
"""Drawn from the locale's pool, stated in a locale's file, read off published tasks, or set by a
person."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something of the source locale and what stands for it in the target locale."""

    kind: EntityKind
    source: str
    """As it stands in the source, a person as `Mia Li`."""
    target: str
    """As it stands in the localized database; a person as `family given` or `given family`, in the
    order of the locale."""
    given: str = ""
    """A person's given name as the database holds it: `篤司`."""
    family: str = ""
    """A person's family name as the database holds it: `木村`."""
    reading: str = ""
    """How it is read, in the locale's own letters, given before family: `アツシ キムラ`."""
    romanized: str = ""
    """In ASCII letters, given before family: `Atsushi Kimura`; ids and e-mails are built of it."""
    origin: EntityOrigin = "invented"
    draw: int = 0
    """How often it was drawn anew; 0 is the first draw."""
    locked: bool = False
    """Not changed by drawing anew."""
    id: int = 0
    version: int = 0
