"""Nothing that the product ships with is under a licence that binds its users."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "uv.lock"
REFUSED = re.compile(r"\b(A|L)?GPL|GNU (Affero|Lesser|General)|Server Side Public", re.IGNORECASE)


def shipped():
    """Names of the locked packages that a user gets: the product's, and what those need."""
    packages = {p["name"]: p for p in tomllib.loads(LOCK.read_text(encoding="utf-8"))["package"]}
    waiting, found = ["jtau-review"], set()
    while waiting:
        name = waiting.pop()
        if name not in found and name in packages:
            found.add(name)
            waiting += [need["name"] for need in packages[name].get("dependencies", [])]
    return sorted(found - {"jtau-review"})


def licence(name):
    try:
        meta = distribution(name).metadata
    except PackageNotFoundError:  # for another system or another Python
        return ""
    stated = [meta.get("License-Expression"), (meta.get("License") or "")[:200]]
    return " ".join(filter(None, [*stated, *meta.get_all("Classifier", [])]))


def test_no_dependency_binds_the_users():
    assert {name: text for name in shipped() if REFUSED.search(text := licence(name))} == {}


def test_every_direct_dependency_states_a_licence():
    project = tomllib.loads((LOCK.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[=<>\[ ]", need)[0] for need in project["dependencies"]]
    assert [name for name in names if not licence(name)] == []
