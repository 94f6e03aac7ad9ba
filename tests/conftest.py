"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import spoken_notices
from tiny_benchmark import Crew, Tiny, add_crew, unchecked, write_tiny

from review_app.store import Store
from review_app.workflows.review import import_domain

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def spoken() -> Iterator[None]:
    """Whatever the app tells a person while tests run has its Japanese."""
    with spoken_notices.watched():
        yield


@pytest.fixture(scope="session")
def sample() -> Path:
    """The project's own small benchmark, in tau2 layout."""
    return ROOT / "data" / "sample"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real benchmark files beside the checkout; tests that need them skip where they are absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "tau2" / "domains").is_dir():
        pytest.skip(
            "no ../shared beside this checkout: tests on the real benchmark files are skipped"
        )
    return folder


# -- a database and a small benchmark ----------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    """A domain `airline` with 8 blocks of policy, 3 tasks, 1 tool, messages; and a draft of it."""
    return write_tiny(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty review database in a file."""
    opened = Store(tmp_path / "review.db")
    yield opened
    opened.close()


@pytest.fixture
def crew(store: Store) -> Crew:
    """Three annotators and a maintainer, in the database of `store`."""
    return add_crew(store)


@pytest.fixture
def imported(store: Store, tiny: Tiny, crew: Crew) -> Store:
    """The database with the small domain and its draft imported, and people to review it.

    Its texts wait for their first check.
    """
    with unchecked():
        import_domain.import_domain(store, tiny.request())
    return store
