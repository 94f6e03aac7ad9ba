"""The words of a release's documents: data, one file a language, the English one laid below."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from review_app.config import data_folder

DocumentWords = Mapping[str, str]


def words(language: str) -> DocumentWords:
    """The words in a language; those that it does not have are the English ones."""
    return _read("en") | (_read(language) if language != "en" else {})


def _read(language: str) -> dict[str, str]:
    path = data_folder() / "release" / f"{language}.toml"
    if not path.is_file():
        return {}
    stated = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: str(text).strip() for name, text in stated.items()}


def cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
