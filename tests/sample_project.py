"""The project's sample in a review database, and what is written of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from review_app.store import Store
from review_app.workflows.localization import domain_files
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

DOMAINS = ("airline", "retail", "telecom")
SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample" / "tau2"


def sample_store(folder: Path, *domains: str, source: Path = SAMPLE) -> Store:
    """A new review database with these domains of the sample, or all, and no draft."""
    store = Store(folder / "sample.db")
    for domain in domains or (*DOMAINS, "user_simulator"):
        import_domain.import_domain(store, ImportRequest(source, domain))
    return store


def copied_sample(folder: Path) -> Path:
    """The sample's files where a test may change them."""
    shutil.copytree(SAMPLE, folder / "tau2")
    return folder / "tau2"


def written(store: Store, domain: str, folder: Path, **choice: Any) -> dict[str, bytes]:
    """The files of a localized domain by their place below `data/tau2`, and the manifest."""
    domain_files.write(store, [domain], folder, DerivationChoice(**choice), allow_incomplete=True)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name; `data/tau2/domains/` is left out of it."""
    return {
        path.relative_to(folder)
        .as_posix()
        .removeprefix("data/tau2/")
        .removeprefix("domains/"): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def tasks_of(files: dict[str, bytes], domain: str) -> dict[str, Any]:
    """The tasks among written files by id."""
    return {task["id"]: task for task in json.loads(files[f"{domain}/tasks.json"])}
