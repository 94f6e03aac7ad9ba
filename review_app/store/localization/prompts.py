"""Prompts that people changed, version by version; version 0 is the file that is shipped."""

from __future__ import annotations

import sqlite3

from review_app.errors import ReviewError
from review_app.records.localization import PromptVersion
from review_app.store.connection import Table, now


class Prompts(Table):
    """Append-only versions of prompts."""

    def current(self) -> dict[str, PromptVersion]:
        """The newest version of every prompt that was ever changed, by name."""
        rows = self._rows(
            """SELECT name, max(version) AS version, text, author_id, created_at FROM prompts
            GROUP BY name"""
        )
        return {row["name"]: PromptVersion(*row) for row in rows}

    def history(self, name: str) -> list[PromptVersion]:
        """The versions of a prompt, newest first; without the shipped one."""
        rows = self._rows(
            """SELECT name, version, text, author_id, created_at FROM prompts WHERE name = ?
            ORDER BY version DESC""",
            (name,),
        )
        return [PromptVersion(*row) for row in rows]

    def add(self, name: str, text: str | None, author: int, *, expected: int) -> int:
        """Append a version to the one that was read; returns its number.

        Raises:
            ReviewError: somebody saved another version meanwhile.
        """
        try:
            self._insert(
                """INSERT INTO prompts(name, version, text, author_id, created_at)
                VALUES (?, ?, ?, ?, ?)""",
                (name, expected + 1, text, author, now()),
            )
        except sqlite3.IntegrityError as error:
            raise ReviewError(
                "database.prompt_changed",
                "the prompt {name!r} was changed by somebody else meanwhile: reload and redo",
                name=name,
            ) from error
        return expected + 1
