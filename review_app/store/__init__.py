"""The review database: one SQLite file, all SQL of the app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from review_app.store import connection
from review_app.store.curation.flags import Flags
from review_app.store.curation.patch_drafts import PatchDrafts
from review_app.store.curation.patches import Patches
from review_app.store.curation.validations import Validations
from review_app.store.localization.entities import Entities
from review_app.store.localization.prompts import Prompts
from review_app.store.localization.translations import Translations
from review_app.store.localization.violations import Violations
from review_app.store.project.jobs import Jobs
from review_app.store.project.people import People
from review_app.store.project.settings import Settings
from review_app.store.review.documents import Documents
from review_app.store.review.findings import Findings
from review_app.store.review.glossary import Terms
from review_app.store.review.queue import Queue
from review_app.store.review.reviews import Reviews
from review_app.store.review.segments import Segments
from review_app.store.runs.runs import Runs
from review_app.store.runs.units import Units

__all__ = ["Store"]


class Store:
    """The review database. One per script run or command; not shared between threads.

    Reads need no transaction. A workflow opens `write()` once and changes rows through the table
    families inside it; they never open one themselves.

    Args:
        path: The SQLite file; made, with its folder, unless `create` is false.
        create: False refuses a file that is not there.

    Raises:
        NotFound: no such file.
        BadInput: not a review database, or one of a newer app.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._db = connection.connect(path, create=create)
        self.people = People(self._db)
        self.documents = Documents(self._db)
        self.segments = Segments(self._db)
        self.queue = Queue(self._db)
        self.reviews = Reviews(self._db)
        self.terms = Terms(self._db)
        self.findings = Findings(self._db)
        self.jobs = Jobs(self._db)
        self.translations = Translations(self._db)
        self.prompts = Prompts(self._db)
        self.entities = Entities(self._db)
        self.settings = Settings(self._db)
        self.violations = Violations(self._db)
        self.patches = Patches(self._db)
        self.patch_drafts = PatchDrafts(self._db)
        self.flags = Flags(self._db)
        self.validations = Validations(self._db)
        self.runs = Runs(self._db)
        self.units = Units(self._db)

    @contextmanager
    def write(self, actor: str) -> Iterator[None]:
        """Hold the write lock until the end of the block; the audit names `actor`."""
        with connection.write_lock(self._db, actor):
            yield

    @contextmanager
    def read(self) -> Iterator[None]:
        """See one unchanging state of the database for the whole block, while others write."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    def back_up(self, target: Path) -> None:
        """Write a consistent copy to a new file."""
        connection.back_up(self._db, target)

    def problems(self) -> list[str]:
        """What is wrong with the database, one line each."""
        return connection.examine(self._db)

    @staticmethod
    def copy(source: Path, target: Path) -> None:
        """Replace the content of a database by another one's, as one transaction."""
        connection.copy(source, target)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()
