"""The sample project, made once for all pages of curation."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from review_app.store import Store
from review_app.workflows import project
from review_app.workflows.curation import statistics


@pytest.fixture(scope="session")
def curated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project with what the rules say about its tasks."""
    path = tmp_path_factory.mktemp("curated") / "sample.db"
    store = Store(path)
    project.load_sample(store)
    statistics.statistics(store)
    store.close()
    return path


@pytest.fixture
def desk(curated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A copy of it that the app opens."""
    path = tmp_path / "review.db"
    shutil.copy(curated, path)
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    opened = Store(path)
    yield opened
    opened.close()


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with a maintainer and no domain; the app opens it."""
    path = tmp_path / "empty.db"
    monkeypatch.setenv("JTAU_REVIEW_DB", str(path))
    store = Store(path)
    project.add_person(store, "Mio", "maintainer")
    store.close()
