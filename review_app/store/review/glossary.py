"""Glossary terms as rows; their history is in the audit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from sqlite3 import Row

from review_app.errors import NotFound, ReviewError
from review_app.models import Term
from review_app.store.connection import Table


def _values(term: Term) -> tuple[object, ...]:
    lists = (term.variants, term.accepted, term.exceptions)
    packed = (json.dumps(spellings, ensure_ascii=False) for spellings in lists)
    return (term.domain, term.category, term.source, term.target, term.mode, *packed, term.note)


def _term(row: Row) -> Term:
    return Term(
        source=row["source"],
        target=row["target"],
        mode=row["mode"],
        domain=row["domain"],
        category=row["category"],
        variants=tuple(json.loads(row["variants"])),
        accepted=tuple(json.loads(row["accepted"])),
        exceptions=tuple(json.loads(row["exceptions"])),
        note=row["note"],
        id=row["id"],
        version=row["version"],
    )


class Terms(Table):
    """Reads and writes of the glossary."""

    def all(self) -> list[Term]:
        """Every term in force, in the order they were added."""
        return [_term(row) for row in self._rows("SELECT * FROM terms WHERE active ORDER BY id")]

    def get(self, term: int) -> Term:
        """The term with this id."""
        row = self._row("SELECT * FROM terms WHERE id = ? AND active", (term,))
        if row is None:
            raise NotFound(
                "review.term_unknown",
                "no term {term!r}: it was removed, reload the glossary",
                term=term,
            )
        return _term(row)

    def add(self, terms: Iterable[Term]) -> None:
        """Append terms; their ids and versions are given by the database."""
        self._db.executemany(
            """INSERT INTO terms(domain, category, source, target, mode, variants, accepted,
            exceptions, note) VALUES (?,?,?,?,?,?,?,?,?)""",
            [_values(term) for term in terms],
        )

    def put(self, term: Term) -> None:
        """Write a term that was read as `term.version`.

        Raises:
            ReviewError: somebody changed or removed it in between.
        """
        changed = self._db.execute(
            """UPDATE terms SET domain = ?, category = ?, source = ?, target = ?, mode = ?,
            variants = ?, accepted = ?, exceptions = ?, note = ?, version = version + 1
            WHERE id = ? AND version = ? AND active""",
            (*_values(term), term.id, term.version),
        ).rowcount
        if not changed:
            raise ReviewError(
                "review.term_changed",
                "the term {term!r} was changed by somebody else meanwhile: reload and redo",
                term=term.source,
            )

    def retire(self, term: int) -> None:
        """Take a term out of force; its history stays."""
        self._db.execute("UPDATE terms SET active = 0, version = version + 1 WHERE id = ?", (term,))

    def edition(self) -> str:
        """Changes whenever any term does: newest audit row about the glossary."""
        row = self._row("""SELECT coalesce(max(id), 0) FROM audit WHERE "table" = 'terms'""")
        assert row is not None
        return str(row[0])
