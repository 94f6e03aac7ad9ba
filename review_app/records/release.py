"""Releases, their signatures, and files of a domain that carry no text, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

SideRole = Literal["side", "licence"]

SIGNATURES_NEEDED = 2
"""How many different people sign a release."""


@dataclass(frozen=True, slots=True)
class SideFile:
    """A file that lies beside a domain's texts and is carried along: a picture, a licence."""

    domain: str
    place: str
    """Below the domain's folder, with `/`; of a licence its name."""
    role: SideRole
    hash: str
    """SHA-256."""


@dataclass(frozen=True, slots=True)
class ProjectRevision:
    """A state of everything that a release is made of."""

    number: int
    """Number of the last change; 0 before there is any."""
    at: str
    """When that was, ISO-8601 UTC; empty before there is any."""


@dataclass(frozen=True, slots=True)
class NewRelease:
    """A release to be added."""

    name: str
    note: str
    revision: int
    recipe: Mapping[str, Any]
    """How it was made: variant, locale, seed, ..."""
    domains: tuple[str, ...]
    manifest_hash: str
    """SHA-256 of its MANIFEST.json, which has those of all files."""
    complete: bool
    """Whether nothing blocked it."""
    folder: str
    """Where it was written."""
    built_by: int


@dataclass(frozen=True, slots=True)
class Signature:
    """Who signed a release, and when."""

    person_id: int
    signed_at: str


@dataclass(frozen=True, slots=True)
class Release:
    """A release that was built."""

    id: int
    name: str
    note: str
    revision: int
    recipe: Mapping[str, Any]
    domains: tuple[str, ...]
    manifest_hash: str
    complete: bool
    folder: str
    built_by: int
    built_at: str
    signatures: tuple[Signature, ...]

    @property
    def signed(self) -> bool:
        """Whether as many people signed it as have to."""
        return len(self.signatures) >= SIGNATURES_NEEDED
