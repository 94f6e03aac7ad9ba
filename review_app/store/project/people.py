"""Who works on the project, the project itself, and who changed what."""

from __future__ import annotations

from review_app.errors import NotFound
from review_app.models import Person, PersonRole
from review_app.notices import Notice
from review_app.records.project import AuditChange, Project
from review_app.store.connection import Table, now


class People(Table):
    """The project row, its people and the audit."""

    def project(self) -> Project:
        """The project; a new database has an unnamed one, English to Japanese."""
        row = self._row("SELECT name, source_locale, target_locale FROM projects")
        return Project(*row) if row else Project("", "en", "ja")

    def put_project(self, project: Project) -> None:
        """Create or rename the project."""
        self._db.execute(
            """INSERT INTO projects(id, name, source_locale, target_locale, created_at)
            VALUES (1, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET name = excluded.name,
            source_locale = excluded.source_locale, target_locale = excluded.target_locale,
            version = version + 1""",
            (project.name, project.source_locale, project.target_locale, now()),
        )

    def all(self) -> list[Person]:
        """Everybody, in the order they were added."""
        rows = self._rows("SELECT id, name, role, active FROM people ORDER BY id")
        return [
            Person(id=row["id"], name=row["name"], role=row["role"], active=bool(row["active"]))
            for row in rows
        ]

    def get(self, person: int) -> Person:
        """The person with this id."""
        for member in self.all():
            if member.id == person:
                return member
        raise NotFound(
            "people.id_unknown", "no person {person!r}: choose who you are", person=person
        )

    def named(self, name: str) -> Person:
        """The person with this name."""
        for member in self.all():
            if member.name == name:
                return member
        known = tuple(member.name for member in self.all())
        raise NotFound(
            "people.unknown",
            "no person {name!r}; there are: {known!r}",
            name=name,
            known=known or Notice("people.nobody", "nobody yet"),
        )

    def add(self, name: str, role: PersonRole) -> int:
        """Add a person and return the id."""
        return self._insert(
            "INSERT INTO people(name, role, created_at) VALUES (?, ?, ?)", (name, role, now())
        )

    def put(self, person: Person) -> None:
        """Write a person's name, role and whether they are active."""
        self._db.execute(
            "UPDATE people SET name = ?, role = ?, active = ?, version = version + 1 WHERE id = ?",
            (person.name, person.role, int(person.active), person.id),
        )

    def edition(self) -> str:
        """Changes with every change that the audit keeps."""
        row = self._row("SELECT coalesce(max(id), 0) FROM audit")
        assert row is not None
        return str(row[0])

    def history(self, table: str, row: str | None = None, limit: int = 200) -> list[AuditChange]:
        """The newest changes of a table, or of one of its rows."""
        rows = self._rows(
            """SELECT at, actor, "table", row, op, old, new FROM audit
            WHERE "table" = ? AND (? IS NULL OR row = ?) ORDER BY id DESC LIMIT ?""",
            (table, row, row, limit),
        )
        return [AuditChange(*row) for row in rows]
