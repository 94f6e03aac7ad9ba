"""Entities, prompts, machine translations and proofs, as rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from review_app.models import Entity
from review_app.notices import Notice

if TYPE_CHECKING:
    from review_app.core.proof.leftovers import ProofViolation


@dataclass(frozen=True, slots=True)
class EntityChange:
    """One change of an entity."""

    at: str
    actor: str
    old: Entity | None
    """None where it was added."""
    new: Entity


@dataclass(frozen=True, slots=True)
class AcceptedMention:
    """Something of the source that a person accepted to stay, with the reason."""

    kind: str
    source: str
    """As texts have it."""
    record: str = ""
    """Where: as a violation's record; empty for everywhere in the domain."""
    reason: str = ""
    person_id: int = 0
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One version of a prompt."""

    name: str
    version: int
    text: str | None
    """None: the shipped file is in force again."""
    author_id: int
    created_at: str


@dataclass(frozen=True, slots=True)
class Translation:
    """The outcome of asking a model about one segment."""

    segment_id: str
    made_from: str
    """Names source, terms, model and prompt: the same again needs no call."""
    model: str
    prompt_version: str
    source_hash: str
    version: int
    """Version of the target that it wrote; 0 if no text could be used."""
    faults: tuple[Notice, ...]
    """What the checks still complained about in the end."""


@dataclass(frozen=True, slots=True)
class TranslationStanding:
    """What decides whether a segment may be translated by machine."""

    is_persons: bool
    """Whether somebody wrote, answered or is typing a text of it."""
    drafted_from: str | None
    """Hash of the source that the text in force was made for."""
    last: Translation | None
    attempts: int
    """How often a model was asked with what `last` was made from."""


@dataclass(frozen=True, slots=True)
class StoredViolation:
    """A violation as it is stored."""

    violation: ProofViolation
    segment_id: str | None
    """The text it is about, where it is about one."""


@dataclass(frozen=True, slots=True)
class ProofInfo:
    """The last proof of a domain."""

    made_at: str
    summary: dict[str, Any]
