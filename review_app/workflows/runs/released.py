"""Which localized domain a results file is of: by the benchmark's name for it, and by hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from review_app.core.localize.variants import DEFAULT
from review_app.core.results.files import Results
from review_app.json_types import Json
from review_app.workflows.localization import entities

RELEASE_KEY = "jtau_release"
"""Member of a file's `info` in which the plugin says what it played."""
_POLICIES = ("-workflow",)
"""Endings by which the benchmark tells policies of one domain apart."""


@dataclass(frozen=True, slots=True)
class PlayedRelease:
    """A localized domain as a results file names it."""

    domain: str
    """Of the source."""
    locale: str
    variant: str
    snapshot: str
    """Hash of the snapshot that was played; empty where the file does not say."""


def recognized(file: Results) -> PlayedRelease | None:
    """The localized domain that a file is of; None where it is of a domain of the source."""
    environment = file.info.get("environment_info") or {}
    name = str(environment.get("domain_name") or "")
    for ending in _POLICIES:
        name = name.removesuffix(ending)
    domain, _, locale = name.rpartition("_")
    if not domain or locale not in entities.locales():
        return None
    release = file.info.get(RELEASE_KEY)
    release = release if isinstance(release, Mapping) else {}
    return PlayedRelease(
        domain=domain,
        locale=locale,
        variant=str(release.get("variant") or DEFAULT),
        snapshot=str(release.get("sha256") or ""),
    )


def is_same(task: Json, other: Json) -> bool:
    """Whether two tasks say the same: the benchmark writes null for what a task does not have."""
    return bool(_said(task) == _said(other))


def _said(value: Any) -> Any:
    if isinstance(value, Mapping):
        said = {key: _said(member) for key, member in value.items()}
        return {key: member for key, member in said.items() if member is not None}
    return [_said(member) for member in value] if isinstance(value, list) else value
