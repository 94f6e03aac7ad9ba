"""Settings from the environment, and where the project's own data lies."""

from __future__ import annotations

import os
from pathlib import Path

DB_VARIABLE = "JTAU_REVIEW_DB"
DEFAULT_DB = Path(".local") / "review.db"

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are refused at import; the largest file of tau2-bench has 7 MB."""


def db_path(given: str | None = None) -> Path:
    """The review database: the one given, else `JTAU_REVIEW_DB`, else `.local/review.db`."""
    return Path(given or os.environ.get(DB_VARIABLE) or DEFAULT_DB)


def data_folder() -> Path:
    """The folder `data/`: beside the package in a checkout, inside it once installed."""
    package = Path(__file__).resolve().parent
    beside = package.parent / "data"
    return beside if beside.is_dir() else package / "_data"


def data_text(*parts: str) -> str:
    """A text file of `data/`, decoded."""
    return data_folder().joinpath(*parts).read_text(encoding="utf-8")
