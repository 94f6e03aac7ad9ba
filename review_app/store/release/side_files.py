"""Files of a domain that carry no text: kept as they are, byte for byte."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from review_app.records.release import SideFile
from review_app.store.connection import Table


class SideFiles(Table):
    """Reads and writes of side files."""

    def of(self, domain: str) -> list[SideFile]:
        """The side files of a domain, its source's licence included, by place."""
        rows = self._rows(
            """SELECT domain, place, role, hash FROM side_files WHERE domain = ?
            ORDER BY role, place""",
            (domain,),
        )
        return [SideFile(*row) for row in rows]

    def content(self, file: SideFile) -> bytes:
        """What a side file holds."""
        row = self._row(
            "SELECT content FROM side_files WHERE domain = ? AND role = ? AND place = ?",
            (file.domain, file.role, file.place),
        )
        assert row is not None
        return zlib.decompress(row["content"])

    def put(self, domain: str, files: Iterable[tuple[SideFile, bytes]]) -> None:
        """Make these the side files of a domain; what stays the same is not written."""
        known = {(file.role, file.place): file.hash for file in self.of(domain)}
        for file, content in files:
            if known.pop((file.role, file.place), None) != file.hash:
                self._db.execute(
                    """INSERT INTO side_files(domain, place, role, content, hash)
                    VALUES (?,?,?,?,?) ON CONFLICT(domain, role, place) DO UPDATE SET
                    content = excluded.content, hash = excluded.hash""",
                    (domain, file.place, file.role, zlib.compress(content, 1), file.hash),
                )
        self._db.executemany(
            "DELETE FROM side_files WHERE domain = ? AND role = ? AND place = ?",
            [(domain, role, place) for role, place in known],
        )
