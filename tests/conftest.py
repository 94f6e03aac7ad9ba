"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def sample() -> Path:
    """The project's own small benchmark, in tau2 layout."""
    return ROOT / "data" / "sample"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Real benchmark files beside the checkout; tests that need them skip where they are absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "tau2" / "domains").is_dir():
        pytest.skip("no ../shared beside this checkout: tests on the real benchmark files are skipped")
    return folder
