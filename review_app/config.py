"""Settings from the environment, and where the project's own data lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from review_app.errors import BadInput
from review_app.notices import Notice

DB_VARIABLE = "JTAU_REVIEW_DB"
DEFAULT_DB = Path(".local") / "review.db"

SECRETS = Path(".streamlit") / "secrets.toml"
"""Where Streamlit keeps secrets, below the working directory; git ignores it."""

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


def model_secrets() -> Mapping[str, object]:
    """The section `[llm]` of `.streamlit/secrets.toml`; empty if there is none.

    Raises:
        BadInput: the file is not TOML; its text is not repeated.
    """
    import tomllib  # not at the top: every command imports this module, few need a secret

    if not SECRETS.is_file():
        return {}
    try:
        section = tomllib.loads(SECRETS.read_text(encoding="utf-8")).get("llm", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        problem = Notice("config.not_toml", "is not TOML: correct or remove it")
        raise BadInput(problem, str(SECRETS)) from None
    return section if isinstance(section, dict) else {}


def recorded_folder() -> Path | None:
    """Where recorded answers of the reference lie beside the checkout, if they do."""
    folder = data_folder().parent.parent / "shared" / "conformance"
    return folder if folder.is_dir() else None
