"""Projects and snapshots of the sample and of the real domains, with what drafts there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from peer_cases import lay_snapshot
from sample_project import DOMAINS

from review_app.store import Store
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

WITH_DRAFTS = DerivationChoice(use="current")


def sample_project_with_draft(sample: Path, folder: Path) -> Store:
    """The project's sample with its draft in a new database."""
    store = Store(folder / "review.db")
    for domain in (*DOMAINS, "user_simulator"):
        draft = sample / "draft_ja" / domain
        import_domain.import_domain(store, ImportRequest(sample / "tau2", domain, draft))
    return store


def real_project(shared: Path, folder: Path) -> Store:
    """The real domains with what is published of their translation in a new database."""
    store = Store(folder / "review.db")
    for domain in (*DOMAINS, "user_simulator"):
        draft = shared / "jtau" / (domain if domain == "user_simulator" else f"{domain}_ja")
        request = ImportRequest(
            shared / "tau2",
            domain,
            _existing(draft),
            _existing(shared / "tools_schema" / f"{domain}.json"),
            _existing(shared / "tools_schema" / f"{domain}_user.json"),
        )
        import_domain.import_domain(store, request)
    return store


def lay_domains(store: Store, folder: Path, domains: Sequence[str] = DOMAINS) -> None:
    """Write domains of a project as the benchmark reads a release."""
    lay_snapshot(store, folder, domains, WITH_DRAFTS)


def _existing(path: Path) -> Path | None:
    return path if path.exists() else None
