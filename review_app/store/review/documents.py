"""Domains and their files: source and draft as imported, and what could not be aligned."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from review_app.errors import NotFound
from review_app.models import SegmentKind, Unaligned
from review_app.notices import Notice
from review_app.records.review import Document, DomainInfo
from review_app.store.connection import Table, now


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _unpack(blob: bytes) -> str:
    return zlib.decompress(blob).decode("utf-8", "surrogatepass")


class Documents(Table):
    """Domains, documents and unaligned texts."""

    def domains(self) -> list[DomainInfo]:
        """Every imported domain, in the order of import."""
        rows = self._rows("SELECT name, imported_at, report FROM domains ORDER BY id")
        return [
            DomainInfo(row["name"], row["imported_at"], json.loads(row["report"])) for row in rows
        ]

    def require(self, domain: str) -> None:
        """Nothing, if this domain is imported.

        Raises:
            NotFound: it is not; names those that are.
        """
        names = [info.name for info in self.domains()]
        if domain not in names:
            raise NotFound(
                "project.domain_unknown",
                "no domain {domain!r} is imported; there are: {known!r}",
                domain=domain,
                known=tuple(names) or Notice("project.no_domains", "none yet"),
            )

    def put_domain(self, name: str, report: dict[str, Any]) -> int:
        """Add a domain or note its newest import; returns its row id."""
        self._db.execute(
            """INSERT INTO domains(project_id, name, report, imported_at) VALUES (1, ?, ?, ?)
            ON CONFLICT(name) DO UPDATE SET report = excluded.report,
            imported_at = excluded.imported_at, version = version + 1""",
            (name, json.dumps(report, ensure_ascii=False), now()),
        )
        row = self._row("SELECT id FROM domains WHERE name = ?", (name,))
        assert row is not None
        return int(row["id"])

    def of(self, domain: str) -> list[Document]:
        """The files of a domain that the last import found, in its order."""
        rows = self._rows(
            """SELECT d.id, d.file, d.kind, d.source_hash, d.draft_hash FROM documents d
            JOIN domains m ON m.id = d.domain_id
            WHERE m.name = ? AND d.active ORDER BY d.position""",
            (domain,),
        )
        return [
            Document(
                id=row["id"],
                domain=domain,
                file=row["file"],
                kind=row["kind"],
                source_hash=row["source_hash"],
                draft_hash=row["draft_hash"],
            )
            for row in rows
        ]

    def counts(self, domain: str) -> list[tuple[str, SegmentKind, int]]:
        """File, kind and number of segments of each file of a domain that has any, in order."""
        rows = self._rows(
            """SELECT d.file, d.kind, count(*) FROM documents d
            JOIN domains m ON m.id = d.domain_id JOIN segments s ON s.document_id = d.id
            WHERE m.name = ? AND s.active GROUP BY d.id ORDER BY d.position""",
            (domain,),
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def find(self, domain: str, file: str) -> int | None:
        """The row id of a file that a domain has or once had."""
        row = self._row(
            """SELECT d.id FROM documents d JOIN domains m ON m.id = d.domain_id
            WHERE m.name = ? AND d.file = ?""",
            (domain, file),
        )
        return row["id"] if row else None

    def files(self) -> list[tuple[str, str]]:
        """(domain, file) of every file with text, in order."""
        rows = self._rows(
            """SELECT m.name, d.file FROM documents d JOIN domains m ON m.id = d.domain_id
            WHERE d.active AND EXISTS (SELECT 1 FROM segments s WHERE s.document_id = d.id)
            ORDER BY d.domain_id, d.position"""
        )
        return [(row[0], row[1]) for row in rows]

    def texts(self, document: int) -> tuple[str, str | None]:
        """Source and draft of a file, as they were imported."""
        row = self._row("SELECT source, draft FROM documents WHERE id = ?", (document,))
        if row is None:
            raise NotFound("database.document_unknown", "no document {file!r}", file=document)
        return _unpack(row["source"]), _unpack(row["draft"]) if row["draft"] is not None else None

    def put(
        self,
        domain: int,
        file: str,
        kind: SegmentKind,
        *,
        position: int,
        source: tuple[str, str],
        draft: tuple[str, str] | None,
    ) -> int:
        """Add or replace a file; `source` and `draft` are (text, hash). Returns the row id."""
        self._db.execute(
            """INSERT INTO documents(domain_id, file, kind, position, source, source_hash, draft,
                draft_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(domain_id, file) DO UPDATE SET kind = excluded.kind,
                position = excluded.position, source = excluded.source,
                source_hash = excluded.source_hash, draft = excluded.draft,
                draft_hash = excluded.draft_hash, active = 1, version = version + 1""",
            (
                domain,
                file,
                kind,
                position,
                _pack(source[0]),
                source[1],
                _pack(draft[0]) if draft else None,
                draft[1] if draft else None,
            ),
        )
        row = self._row("SELECT id FROM documents WHERE domain_id = ? AND file = ?", (domain, file))
        assert row is not None
        return int(row["id"])

    def put_positions(self, domain: int, files: Sequence[str]) -> None:
        """Put a domain's files in this order."""
        self._db.executemany(
            "UPDATE documents SET position = ? WHERE domain_id = ? AND file = ?",
            [(position, domain, file) for position, file in enumerate(files)],
        )

    def retire(self, documents: Sequence[int]) -> None:
        """Take files out that the newest source no longer has."""
        self._db.executemany(
            "UPDATE documents SET active = 0 WHERE id = ?", [(number,) for number in documents]
        )

    def put_unaligned(self, document: int, items: Iterable[Unaligned]) -> None:
        """Replace what is known to have no counterpart in a file."""
        self._db.execute("DELETE FROM unaligned WHERE document_id = ?", (document,))
        self._db.executemany(
            "INSERT INTO unaligned(document_id, side, address, reason, text) VALUES (?,?,?,?,?)",
            [
                (document, item.side, item.address, item.reason.to_json(), item.text)
                for item in items
            ],
        )

    def unaligned(self, domain: str | None = None) -> list[Unaligned]:
        """What could not be aligned, in file order."""
        rows = self._rows(
            """SELECT u.side, d.file, u.address, u.reason, u.text FROM unaligned u
            JOIN documents d ON d.id = u.document_id JOIN domains m ON m.id = d.domain_id
            WHERE d.active AND (? IS NULL OR m.name = ?) ORDER BY d.domain_id, d.position, u.id""",
            (domain, domain),
        )
        return [
            Unaligned(
                side=row["side"],
                file=row["file"],
                address=row["address"],
                reason=Notice.from_json(row["reason"]),
                text=row["text"],
            )
            for row in rows
        ]
