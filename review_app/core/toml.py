"""TOML: the data files of the app, and files that are imported."""

from __future__ import annotations

import tomllib
from typing import Any

from review_app.errors import BadInput
from review_app.notices import Notice

NOT_A_TABLE = Notice("file.not_a_table", "must be a table")


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """The value of a TOML text; a byte order mark before it is fine.

    Raises:
        BadInput: not TOML, with line and column.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise BadInput(
            Notice("file.not_toml", "not TOML: {problem}", problem=str(error)), file
        ) from error
