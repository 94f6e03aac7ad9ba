"""Snapshots that the benchmark plays; skipped where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from peer_cases import ABSENT, lay_snapshot, peer_python
from sample_project import DOMAINS

from review_app.store import Store
from review_app.workflows.localization.derived_domain import DerivationChoice
from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

WITH_DRAFTS = DerivationChoice(use="current")


@pytest.fixture(scope="session", autouse=True)
def _peer() -> None:
    if peer_python() is None:
        pytest.skip(ABSENT)


@pytest.fixture(scope="session")
def sample_snapshot(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's sample with its draft, as the benchmark reads a release."""
    folder = tmp_path_factory.mktemp("sample")
    store = Store(folder / "review.db")
    for domain in (*DOMAINS, "user_simulator"):
        draft = sample / "draft_ja" / domain
        import_domain.import_domain(store, ImportRequest(sample / "tau2", domain, draft))
    lay_snapshot(store, folder, DOMAINS, WITH_DRAFTS)
    store.close()
    return folder


@pytest.fixture(scope="session")
def real_store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The real domains with what is published of their translation."""
    store = Store(tmp_path_factory.mktemp("real") / "review.db")
    for domain in (*DOMAINS, "user_simulator"):
        draft = shared / "jtau" / (domain if domain == "user_simulator" else f"{domain}_ja")
        request = ImportRequest(
            shared / "tau2",
            domain,
            draft if draft.is_dir() else None,
            _existing(shared / "tools_schema" / f"{domain}.json"),
            _existing(shared / "tools_schema" / f"{domain}_user.json"),
        )
        import_domain.import_domain(store, request)
    yield store
    store.close()


@pytest.fixture(scope="session")
def real_snapshot(real_store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real domains as the benchmark reads a release."""
    folder = tmp_path_factory.mktemp("snapshot")
    lay_snapshot(real_store, folder, DOMAINS, WITH_DRAFTS)
    return folder


def _existing(path: Path) -> Path | None:
    return path if path.is_file() else None
