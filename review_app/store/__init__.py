"""The review database: one SQLite file, all SQL of the app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from review_app.store import connection

if TYPE_CHECKING:
    from review_app.notices import Notice
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
    from review_app.store.release.releases import Releases
    from review_app.store.release.side_files import SideFiles
    from review_app.store.review.documents import Documents
    from review_app.store.review.findings import Findings
    from review_app.store.review.glossary import Terms
    from review_app.store.review.queue import Queue
    from review_app.store.review.reviews import Reviews
    from review_app.store.review.segments import Segments
    from review_app.store.runs.runs import Runs
    from review_app.store.runs.units import Units

__all__ = ["Store"]

Tables = TypeVar("Tables", bound=connection.Table)


class Family(Generic[Tables]):
    """A table family of a store, imported when it is first used.

    A command needs two or three of them; importing all takes as long as `status` does.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __set_name__(self, owner: type[Store], attribute: str) -> None:
        self._attribute = attribute

    def __get__(self, store: Store, owner: type[Store]) -> Tables:
        module = import_module(f"{__name__}.{self._module}")
        tables: Tables = getattr(module, self._name)(store._db)
        vars(store)[self._attribute] = tables  # where it is found from now on
        return tables


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

    people: Family[People] = Family("project.people", "People")
    documents: Family[Documents] = Family("review.documents", "Documents")
    segments: Family[Segments] = Family("review.segments", "Segments")
    queue: Family[Queue] = Family("review.queue", "Queue")
    reviews: Family[Reviews] = Family("review.reviews", "Reviews")
    terms: Family[Terms] = Family("review.glossary", "Terms")
    findings: Family[Findings] = Family("review.findings", "Findings")
    jobs: Family[Jobs] = Family("project.jobs", "Jobs")
    translations: Family[Translations] = Family("localization.translations", "Translations")
    prompts: Family[Prompts] = Family("localization.prompts", "Prompts")
    entities: Family[Entities] = Family("localization.entities", "Entities")
    settings: Family[Settings] = Family("project.settings", "Settings")
    violations: Family[Violations] = Family("localization.violations", "Violations")
    patches: Family[Patches] = Family("curation.patches", "Patches")
    patch_drafts: Family[PatchDrafts] = Family("curation.patch_drafts", "PatchDrafts")
    flags: Family[Flags] = Family("curation.flags", "Flags")
    validations: Family[Validations] = Family("curation.validations", "Validations")
    runs: Family[Runs] = Family("runs.runs", "Runs")
    units: Family[Units] = Family("runs.units", "Units")
    releases: Family[Releases] = Family("release.releases", "Releases")
    side_files: Family[SideFiles] = Family("release.side_files", "SideFiles")

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._db = connection.connect(path, create=create)

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

    def problems(self) -> list[Notice]:
        """What is wrong with the database; empty if it is sound."""
        return connection.examine(self._db)

    @staticmethod
    def copy(source: Path, target: Path) -> None:
        """Replace the content of a database by another one's, as one transaction."""
        connection.copy(source, target)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()
