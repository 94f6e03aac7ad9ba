"""Snapshots that the benchmark plays; skipped where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from peer_cases import ABSENT, peer_python
from peer_snapshots import lay_domains, real_project, sample_project_with_draft

from review_app.store import Store


@pytest.fixture(scope="session", autouse=True)
def _peer() -> None:
    if peer_python() is None:
        pytest.skip(ABSENT)


@pytest.fixture(scope="session")
def sample_snapshot(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's sample as the benchmark reads a release."""
    folder = tmp_path_factory.mktemp("sample")
    store = sample_project_with_draft(sample, folder)
    lay_domains(store, folder)
    store.close()
    return folder


@pytest.fixture(scope="session")
def real_store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The real domains in a database."""
    store = real_project(shared, tmp_path_factory.mktemp("real"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def real_snapshot(real_store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real domains as the benchmark reads a release."""
    folder = tmp_path_factory.mktemp("snapshot")
    lay_domains(real_store, folder)
    return folder
