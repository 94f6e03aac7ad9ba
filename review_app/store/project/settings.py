"""Settings of the project: names and values, small and few."""

from __future__ import annotations

from review_app.store.connection import Table


class Settings(Table):
    """Reads and writes of the settings."""

    def get(self, name: str, default: str = "") -> str:
        """The value of a setting; the default where nobody set it."""
        row = self._row("SELECT value FROM settings WHERE name = ?", (name,))
        return str(row["value"]) if row else default

    def put(self, name: str, value: str) -> None:
        """Set a value."""
        self._db.execute(
            """INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name)
            DO UPDATE SET value = excluded.value, version = version + 1
            WHERE value <> excluded.value""",
            (name, value),
        )
