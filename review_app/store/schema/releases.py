"""The tables of releases: what was built, by whom, who signed it; and files that carry no text.

A release is never changed: one of the same name and other content is another row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from review_app.store.schema.triggers import Audited, add_triggers

if TYPE_CHECKING:
    from sqlite_utils import Database

RELEASES = """
CREATE TABLE side_files(
    id INTEGER PRIMARY KEY, domain TEXT NOT NULL, place TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('side', 'licence')), content BLOB NOT NULL,
    hash TEXT NOT NULL, UNIQUE (domain, role, place)) STRICT;
CREATE TABLE releases(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT NOT NULL, revision INTEGER NOT NULL,
    recipe TEXT NOT NULL, domains TEXT NOT NULL, manifest_hash TEXT NOT NULL,
    complete INTEGER NOT NULL, folder TEXT NOT NULL,
    built_by INTEGER NOT NULL REFERENCES people(id), built_at TEXT NOT NULL) STRICT;
CREATE INDEX releases_by_name ON releases(name, id);
CREATE TABLE release_signatures(
    id INTEGER PRIMARY KEY, release_id INTEGER NOT NULL REFERENCES releases(id),
    person_id INTEGER NOT NULL REFERENCES people(id), signed_at TEXT NOT NULL,
    UNIQUE (release_id, person_id)) STRICT
"""


def releases(db: Database) -> None:
    """Create the tables of releases, signatures and side files."""
    for statement in RELEASES.split(";\n"):
        db.execute(statement)
    audited: Audited = {
        "side_files": ("domain", ("place", "role", "hash")),
        "releases": ("name", ("revision", "manifest_hash", "complete", "built_by")),
        "release_signatures": ("release_id", ("person_id",)),
    }
    add_triggers(db, audited, ("releases", "release_signatures"))
