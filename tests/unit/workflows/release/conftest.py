"""Two projects ready for a release, each made once."""

from __future__ import annotations

import shutil

import pytest
from release_project import make_ready

from review_app.store import Store


@pytest.fixture(scope="session")
def made_ready(tmp_path_factory):
    """The sample's retail domain, ready."""
    return make_ready(tmp_path_factory.mktemp("ready"), "retail")


@pytest.fixture
def ready(made_ready, tmp_path):
    """A copy of it for one test."""
    shutil.copy(made_ready, tmp_path / "ready.db")
    store = Store(tmp_path / "ready.db")
    yield store
    store.close()
