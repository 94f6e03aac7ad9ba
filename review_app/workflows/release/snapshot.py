"""What a release is made of: one state of the project, from which every part writes its files.

A part is a function from a `Snapshot` to places and contents; `build` has the list of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from review_app.models import Person
from review_app.notices import Notice
from review_app.records.release import ProjectRevision
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.localization.derived_domain import Derived
from review_app.workflows.release.gates import ReleaseCheck

TAU2 = PurePosixPath("data", "tau2")

NOT_THERE = Notice("release.not_there", "holds no release: build it, or name its folder")

UNREADABLE = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What comes of a file of a release that somebody made or changed by hand."""


def unreadable(error: Exception) -> Notice:
    """That a file is not as a release has it."""
    detail = f"{type(error).__name__}: {error}"
    return Notice("release.unreadable", "is not as a release has it ({detail})", detail=detail)


File = tuple[str, str | bytes]
"""Place relative to the release, with `/`, and what is written there."""


@dataclass(frozen=True)
class Snapshot:
    """One state of the project in one variant, while a release is written from it."""

    store: Store
    """Inside a read transaction: everybody's later changes are invisible."""
    name: str
    note: str
    revision: ProjectRevision
    check: ReleaseCheck
    derived: tuple[Derived, ...]
    with_names: bool = False
    """Whether people go by their names; else by `annotator-1`, `maintainer-2`."""
    progress: Progress = silent
    files: dict[str, str] = field(default_factory=dict)
    """SHA-256 of every file so far, by its place."""
    origins: dict[str, str] = field(default_factory=dict)
    """Place -> `localized`, `copied` or `generated`."""

    @property
    def first(self) -> Derived:
        """One of the domains: variant, locale and seed are those of all."""
        return self.derived[0]

    @cached_property
    def locale(self) -> str:
        """The language of the texts: the end of the domains' names."""
        variant = self.first.variant
        project = self.store.people.project()
        is_localized = "target" in (variant.texts, variant.entities)
        return self.first.ground.locale.name if is_localized else project.source_locale

    def domain_name(self, domain: str) -> str:
        """What a domain is called in the release: `airline_ja`."""
        return f"{domain}_{self.locale}"

    def folder(self, domain: str) -> PurePosixPath:
        """Where the files of a domain lie in the release."""
        return TAU2 / "domains" / self.domain_name(domain)

    def noted(self, files: Iterator[File], origin: str = "generated") -> Iterator[File]:
        """Yield the files of a part, and note hash and origin of each."""
        for place, content in files:
            blob = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
            self.files[place] = hashlib.sha256(blob).hexdigest()
            self.origins.setdefault(place, origin)
            yield place, blob

    # -- people --------------------------------------------------------------------------------

    @cached_property
    def _people(self) -> dict[int, Person]:
        return {person.id: person for person in self.store.people.all()}

    def person(self, number: int | None) -> str:
        """What a person is called in the release; empty for nobody."""
        if number is None:
            return ""
        person = self._people[number]
        return person.name if self.with_names else f"{person.role}-{number}"

    def without_names(self, text: str) -> str:
        """What somebody wrote, with pseudonyms in place of people's names."""
        if self.with_names:
            return text
        names = sorted(self._people.values(), key=lambda person: -len(person.name))
        for person in names:
            text = re.sub(rf"(?<!\w){re.escape(person.name)}(?!\w)", self.person(person.id), text)
        return text
