"""Entities of the domains and what stands for them; their history is in the audit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from sqlite3 import Row

from review_app.errors import NotFound, StaleEdit
from review_app.models import Entity
from review_app.records.localization import EntityChange
from review_app.store import bulk
from review_app.store.connection import Table

FIELDS = (
    "kind",
    "source",
    "target",
    "given",
    "family",
    "reading",
    "romanized",
    "origin",
    "draw",
    "locked",
)
"""What a row says, beside its id and version."""


class Entities(Table):
    """Reads and writes of the entities."""

    def of(self, domain: str, locale: str) -> list[Entity]:
        """The entities of a domain in a locale, in the order in which they were added."""
        rows = self._rows(
            "SELECT * FROM entities WHERE domain = ? AND locale = ? ORDER BY id", (domain, locale)
        )
        return [_entity(row) for row in rows]

    def get(self, entity: int) -> Entity:
        """The entity with this id."""
        return _entity(self._stored(entity))

    def home(self, entity: int) -> tuple[str, str]:
        """Domain and locale of an entity."""
        row = self._stored(entity)
        return row["domain"], row["locale"]

    def _stored(self, entity: int) -> Row:
        row = self._row("SELECT * FROM entities WHERE id = ?", (entity,))
        if row is None:
            raise NotFound(
                "database.entity_unknown",
                "no entity {entity!r} in this project: the link is from another one",
                entity=entity,
            )
        return row

    def add(self, domain: str, locale: str, rows: Iterable[Entity]) -> None:
        """Append entities; their ids and versions are given by the database."""
        values = ((domain, locale, *_values(row)) for row in rows)
        bulk.insert(self._db, "entities", ("domain", "locale", *FIELDS), values)

    def put(self, entity: Entity) -> Entity:
        """Write an entity that was read as `entity.version`; returns it as it is now.

        Raises:
            StaleEdit: somebody changed it in between.
        """
        names = ", ".join(f"{name} = ?" for name in FIELDS)
        changed = self._db.execute(
            f"UPDATE entities SET {names}, version = version + 1 WHERE id = ? AND version = ?",
            (*_values(entity), entity.id, entity.version),
        ).rowcount
        now = self.get(entity.id)
        if not changed:
            raise StaleEdit(entity.target, now.target, now.version)
        return now

    def edition(self) -> str:
        """Changes whenever any entity does: newest audit row about them."""
        row = self._row("""SELECT coalesce(max(id), 0) FROM audit WHERE "table" = 'entities'""")
        assert row is not None
        return str(row[0])

    def history(self, entity: int) -> list[EntityChange]:
        """Who changed an entity when, newest first."""
        rows = self._rows(
            """SELECT at, actor, old, new FROM audit WHERE "table" = 'entities' AND row = ?
            ORDER BY id DESC""",
            (str(entity),),
        )
        return [
            EntityChange(
                at=row["at"],
                actor=row["actor"],
                old=_audited(entity, row["old"]) if row["old"] else None,
                new=_audited(entity, row["new"]),
            )
            for row in rows
        ]


def _values(entity: Entity) -> tuple[object, ...]:
    return (*(getattr(entity, name) for name in FIELDS[:-1]), int(entity.locked))


def _entity(row: Row) -> Entity:
    values = {name: row[name] for name in FIELDS}
    return Entity(**values | {"locked": bool(row["locked"])}, id=row["id"], version=row["version"])


def _audited(entity: int, text: str) -> Entity:
    """An entity as the audit keeps it."""
    values = json.loads(text)
    return Entity(**values | {"locked": bool(values["locked"])}, id=entity)
