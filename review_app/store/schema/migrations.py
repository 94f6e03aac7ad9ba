"""The tables, as migrations: functions that run once each, in order, never edited afterwards.

`PRAGMA user_version` holds how many have run. Decisions, revisions, dismissals and the audit are
append-only, enforced by triggers. Every change leaves an audit row by trigger, but for what is
derived (answers, findings) and what is typed and not yet saved (drafts).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from review_app.store.schema.releases import releases
from review_app.store.schema.runs import runs
from review_app.store.schema.triggers import Audited, add_triggers

if TYPE_CHECKING:
    from sqlite_utils import Database

TABLES = """
CREATE TABLE actor(id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL) STRICT;
INSERT INTO actor VALUES (1, 'system');
CREATE TABLE projects(
    id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL,
    source_locale TEXT NOT NULL, target_locale TEXT NOT NULL,
    created_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE people(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('annotator', 'maintainer')),
    active INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE domains(
    id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES projects(id),
    name TEXT NOT NULL UNIQUE, report TEXT NOT NULL DEFAULT '{}',
    imported_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE documents(
    id INTEGER PRIMARY KEY, domain_id INTEGER NOT NULL REFERENCES domains(id),
    file TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
    source BLOB NOT NULL, source_hash TEXT NOT NULL, draft BLOB, draft_hash TEXT,
    active INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (domain_id, file)) STRICT;
CREATE TABLE segments(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    document_id INTEGER NOT NULL REFERENCES documents(id),
    address TEXT NOT NULL, kind TEXT NOT NULL, section TEXT NOT NULL, position INTEGER NOT NULL,
    source TEXT NOT NULL, source_hash TEXT NOT NULL, target TEXT,
    version INTEGER NOT NULL DEFAULT 0, author_id INTEGER REFERENCES people(id),
    state TEXT NOT NULL, needed INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0,
    counts_from INTEGER NOT NULL DEFAULT 0, recheck TEXT,
    checked TEXT, worst TEXT, active INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX segments_by_document ON segments(document_id, active, position);
CREATE INDEX segments_by_source ON segments(source_hash);
CREATE INDEX segments_by_state ON segments(active, state, document_id);
CREATE TABLE unaligned(
    id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents(id),
    side TEXT NOT NULL, address TEXT NOT NULL, reason TEXT NOT NULL, text TEXT NOT NULL) STRICT;
CREATE INDEX unaligned_by_document ON unaligned(document_id);
CREATE TABLE revisions(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    version INTEGER NOT NULL, base INTEGER NOT NULL, target TEXT NOT NULL,
    author_id INTEGER REFERENCES people(id), origin TEXT NOT NULL,
    source_hash TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (segment_id, version)) STRICT;
CREATE TABLE decisions(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    person_id INTEGER NOT NULL REFERENCES people(id),
    verdict TEXT NOT NULL
        CHECK (verdict IN ('approve', 'edit', 'request_change', 'adjudicate', 'undo')),
    version INTEGER NOT NULL, source_hash TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
    marks TEXT NOT NULL DEFAULT '[]', created_at TEXT NOT NULL,
    undoes INTEGER REFERENCES decisions(id)) STRICT;
CREATE INDEX decisions_by_segment ON decisions(segment_id, id);
CREATE INDEX decisions_by_person ON decisions(person_id, created_at);
CREATE TABLE answers(
    segment_id TEXT NOT NULL REFERENCES segments(id),
    person_id INTEGER NOT NULL REFERENCES people(id),
    verdict TEXT NOT NULL, PRIMARY KEY (segment_id, person_id)) STRICT, WITHOUT ROWID;
CREATE TABLE drafts(
    segment_id TEXT NOT NULL REFERENCES segments(id),
    person_id INTEGER NOT NULL REFERENCES people(id),
    target TEXT NOT NULL, base_version INTEGER NOT NULL, saved_at TEXT NOT NULL,
    PRIMARY KEY (segment_id, person_id)) STRICT, WITHOUT ROWID;
CREATE TABLE comments(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    person_id INTEGER NOT NULL REFERENCES people(id), body TEXT NOT NULL,
    created_at TEXT NOT NULL, resolved INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX comments_by_segment ON comments(segment_id);
CREATE TABLE terms(
    id INTEGER PRIMARY KEY, domain TEXT, category TEXT NOT NULL, source TEXT NOT NULL,
    target TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('exact', 'prose', 'keep', 'forbidden')),
    variants TEXT NOT NULL, accepted TEXT NOT NULL, exceptions TEXT NOT NULL, note TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE findings(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    code TEXT NOT NULL, name TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL,
    "values" TEXT NOT NULL, span_start INTEGER, span_end INTEGER, in_source INTEGER NOT NULL,
    fingerprint TEXT NOT NULL) STRICT;
CREATE INDEX findings_by_segment ON findings(segment_id);
CREATE INDEX findings_by_code ON findings(code);
CREATE TABLE dismissals(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    code TEXT NOT NULL, fingerprint TEXT NOT NULL,
    person_id INTEGER NOT NULL REFERENCES people(id), reason TEXT NOT NULL,
    created_at TEXT NOT NULL, withdrawn INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX dismissals_by_segment ON dismissals(segment_id, fingerprint, id);
CREATE VIEW dismissed AS SELECT * FROM dismissals d WHERE NOT withdrawn AND NOT EXISTS (
    SELECT 1 FROM dismissals n WHERE n.segment_id = d.segment_id
    AND n.fingerprint = d.fingerprint AND n.id > d.id);
CREATE TABLE audit(
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, "table" TEXT NOT NULL,
    row TEXT NOT NULL, op TEXT NOT NULL, old TEXT, new TEXT) STRICT;
CREATE INDEX audit_by_row ON audit("table", row)
"""

# Indexing 50,000 segments takes 3.6 s, thirty times the insert: it is done after the import.
# Segments up to number `through` are indexed; the rest is searched by LIKE until then.
SEARCH = (
    """CREATE VIRTUAL TABLE segments_search USING fts5(
        source, target, content='segments', content_rowid='number', tokenize='trigram')""",
    """CREATE TABLE search_state(
        id INTEGER PRIMARY KEY CHECK (id = 1), through INTEGER NOT NULL) STRICT""",
    "INSERT INTO search_state VALUES (1, 0)",
    """CREATE TRIGGER search_update AFTER UPDATE OF source, target ON segments
        WHEN OLD.number <= (SELECT through FROM search_state) BEGIN
        INSERT INTO segments_search(segments_search, rowid, source, target)
            VALUES ('delete', OLD.number, OLD.source, OLD.target);
        INSERT INTO segments_search(rowid, source, target)
            VALUES (NEW.number, NEW.source, NEW.target); END""",
)

# What the audit keeps of a row. Texts of segments and documents are left out: they have
# revisions, and an import of 50,000 segments would be written twice.
AUDITED: Audited = {
    "projects": ("id", ("name", "source_locale", "target_locale")),
    "people": ("id", ("name", "role", "active")),
    "domains": ("name", ("imported_at",)),
    "documents": ("file", ("domain_id", "source_hash", "draft_hash", "active")),
    "segments": ("id", ("version", "state", "source_hash", "recheck", "active")),
    "comments": ("id", ("segment_id", "person_id", "body", "resolved")),
    "terms": (
        "id",
        (
            "domain",
            "category",
            "source",
            "target",
            "mode",
            "variants",
            "accepted",
            "exceptions",
            "note",
            "active",
        ),
    ),
    "revisions": ("segment_id", ("version", "author_id", "origin")),
    "decisions": ("segment_id", ("person_id", "verdict", "version", "note", "undoes")),
    "dismissals": ("segment_id", ("person_id", "code", "reason", "withdrawn")),
}
APPEND_ONLY = ("revisions", "decisions", "dismissals", "audit")


def foundation(db: Database) -> None:
    """Create the tables of import, review, glossary and audit."""
    for statement in (*TABLES.split(";\n"), *SEARCH):
        db.execute(statement)
    add_triggers(db, AUDITED, APPEND_ONLY)


JOBS = """
CREATE TABLE jobs(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, domain TEXT NOT NULL, params TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('waiting', 'running', 'cancelling', 'done', 'failed', 'cancelled')),
    pid INTEGER, started_by INTEGER REFERENCES people(id), created_at TEXT NOT NULL,
    started_at TEXT, heartbeat_at TEXT NOT NULL, finished_at TEXT,
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '', tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0, cost_usd REAL, unpriced INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '', version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE UNIQUE INDEX jobs_one_at_a_time ON jobs(kind, domain)
    WHERE state IN ('waiting', 'running', 'cancelling');
CREATE TABLE model_answers(
    request_hash TEXT PRIMARY KEY, job_id INTEGER REFERENCES jobs(id), model TEXT NOT NULL,
    prompt_version TEXT NOT NULL, response TEXT NOT NULL, finish_reason TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_usd REAL,
    latency_s REAL NOT NULL, created_at TEXT NOT NULL) STRICT, WITHOUT ROWID
"""


def jobs(db: Database) -> None:
    """Create the tables of background jobs and of what models answered."""
    for statement in JOBS.split(";\n"):
        db.execute(statement)
    # A heartbeat touches none of these columns: the audit keeps what became of a job.
    audited: Audited = {
        "jobs": ("id", ("kind", "domain", "params", "state", "started_by", "error")),
        "model_answers": ("request_hash", ("job_id", "model", "prompt_version")),
    }
    add_triggers(db, audited, ("model_answers",))


TRANSLATING = """
CREATE TABLE translations(
    id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL REFERENCES segments(id),
    made_from TEXT NOT NULL, model TEXT NOT NULL, prompt_version TEXT NOT NULL,
    source_hash TEXT NOT NULL, version INTEGER NOT NULL, faults TEXT NOT NULL,
    created_at TEXT NOT NULL) STRICT;
CREATE INDEX translations_by_segment ON translations(segment_id, id);
CREATE TABLE prompts(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, text TEXT,
    author_id INTEGER NOT NULL REFERENCES people(id), created_at TEXT NOT NULL,
    UNIQUE (name, version)) STRICT
"""


def translating(db: Database) -> None:
    """Create the tables of what machine translation made, and of prompts that people changed."""
    for statement in TRANSLATING.split(";\n"):
        db.execute(statement)
    audited: Audited = {
        "translations": ("segment_id", ("model", "version", "faults")),
        "prompts": ("name", ("version", "author_id")),
    }
    add_triggers(db, audited, ("translations", "prompts"))


ENTITIES = """
CREATE TABLE entities(
    id INTEGER PRIMARY KEY, domain TEXT NOT NULL, locale TEXT NOT NULL, kind TEXT NOT NULL,
    source TEXT NOT NULL, target TEXT NOT NULL, given TEXT NOT NULL, family TEXT NOT NULL,
    reading TEXT NOT NULL, romanized TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('invented', 'file', 'inferred', 'override')),
    draw INTEGER NOT NULL, locked INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (domain, locale, kind, source)) STRICT;
CREATE TABLE settings(
    name TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID
"""


def entities(db: Database) -> None:
    """Create the tables of the entities and of the project's settings."""
    for statement in ENTITIES.split(";\n"):
        db.execute(statement)
    audited: Audited = {
        "entities": (
            "id",
            (
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
                "version",
            ),
        ),
        "settings": ("name", ("value",)),
    }
    add_triggers(db, audited, ())


PROVING = """
CREATE TABLE violations(
    id INTEGER PRIMARY KEY, domain TEXT NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL,
    place TEXT NOT NULL, record TEXT NOT NULL, field TEXT NOT NULL, message TEXT NOT NULL,
    "values" TEXT NOT NULL, segment_id TEXT REFERENCES segments(id),
    version INTEGER NOT NULL) STRICT;
CREATE INDEX violations_by_domain ON violations(domain);
CREATE INDEX violations_by_segment ON violations(segment_id);
CREATE TABLE proofs(
    domain TEXT PRIMARY KEY, made_at TEXT NOT NULL, summary TEXT NOT NULL) STRICT, WITHOUT ROWID
"""


def proving(db: Database) -> None:
    """Create the tables of what the last proof of each domain found; derived, so not audited."""
    for statement in PROVING.split(";\n"):
        db.execute(statement)


CURATING = """
CREATE TABLE patches(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, domain TEXT NOT NULL, task_id TEXT NOT NULL,
    layer TEXT NOT NULL CHECK (layer IN ('repair', 'localization')), locale TEXT NOT NULL,
    kind TEXT NOT NULL, base_hash TEXT NOT NULL, operations TEXT NOT NULL, reason TEXT NOT NULL,
    source TEXT NOT NULL, upstream TEXT NOT NULL, evidence TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('proposed', 'approved', 'rejected', 'inverted')),
    proposer_id INTEGER NOT NULL REFERENCES people(id),
    approver_id INTEGER REFERENCES people(id) CHECK (approver_id <> proposer_id OR
        state = 'rejected'),
    origin TEXT NOT NULL, inverts INTEGER REFERENCES patches(id), note TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL, decided_at TEXT, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX patches_by_task ON patches(domain, task_id);
CREATE UNIQUE INDEX patches_one_inverse ON patches(inverts)
    WHERE state IN ('proposed', 'approved');
CREATE TABLE flags(
    id INTEGER PRIMARY KEY, domain TEXT NOT NULL, task_id TEXT NOT NULL, title TEXT NOT NULL,
    description TEXT NOT NULL, kind TEXT,
    severity INTEGER NOT NULL CHECK (severity BETWEEN 0 AND 3),
    evidence TEXT NOT NULL, owner_id INTEGER REFERENCES people(id),
    state TEXT NOT NULL CHECK (state IN
        ('open', 'triaged', 'patched', 'wont_fix', 'not_a_defect')),
    resolution TEXT NOT NULL, reporter_id INTEGER REFERENCES people(id),
    issue_id TEXT NOT NULL, extras TEXT NOT NULL, created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX flags_by_task ON flags(domain, task_id);
CREATE UNIQUE INDEX flags_by_issue ON flags(domain, task_id, issue_id) WHERE issue_id <> '';
CREATE TABLE flag_remarks(
    id INTEGER PRIMARY KEY, flag_id INTEGER NOT NULL REFERENCES flags(id),
    person_id INTEGER NOT NULL REFERENCES people(id),
    kind TEXT NOT NULL CHECK (kind IN ('comment', 'close', 'reopen')), outcome TEXT,
    body TEXT NOT NULL, created_at TEXT NOT NULL) STRICT;
CREATE INDEX flag_remarks_by_flag ON flag_remarks(flag_id, id);
CREATE TABLE acknowledgements(
    id INTEGER PRIMARY KEY, domain TEXT NOT NULL, task_id TEXT NOT NULL, code TEXT NOT NULL,
    fingerprint TEXT NOT NULL, person_id INTEGER NOT NULL REFERENCES people(id),
    reason TEXT NOT NULL, created_at TEXT NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX acknowledgements_by_task ON acknowledgements(domain, task_id, fingerprint, id);
CREATE VIEW acknowledged AS SELECT * FROM acknowledgements a WHERE NOT withdrawn AND NOT EXISTS (
    SELECT 1 FROM acknowledgements n WHERE n.domain = a.domain AND n.task_id = a.task_id
    AND n.fingerprint = a.fingerprint AND n.id > a.id);
CREATE TABLE validations(
    task_hash TEXT NOT NULL, state_hash TEXT NOT NULL, rules TEXT NOT NULL,
    violations TEXT NOT NULL, made_at TEXT NOT NULL,
    PRIMARY KEY (task_hash, state_hash, rules)) STRICT, WITHOUT ROWID
"""


def curation(db: Database) -> None:
    """Create the tables of patches, flags, acknowledged warnings and kept results of rules."""
    for statement in CURATING.split(";\n"):
        db.execute(statement)
    audited: Audited = {
        "patches": (
            "id",
            (
                "name",
                "state",
                "proposer_id",
                "approver_id",
                "origin",
                "inverts",
                "reason",
                "note",
                "operations",
                "version",
            ),
        ),
        "flags": (
            "id",
            (
                "title",
                "description",
                "kind",
                "severity",
                "evidence",
                "owner_id",
                "state",
                "resolution",
                "version",
            ),
        ),
        "flag_remarks": ("flag_id", ("person_id", "kind", "outcome", "body")),
        "acknowledgements": (
            "id",
            ("domain", "task_id", "code", "person_id", "reason", "withdrawn"),
        ),
    }
    add_triggers(db, audited, ("flag_remarks", "acknowledgements"))


DRAFTING = """CREATE TABLE patch_drafts(
    person_id INTEGER NOT NULL REFERENCES people(id), domain TEXT NOT NULL, task_id TEXT NOT NULL,
    layer TEXT NOT NULL, content TEXT NOT NULL, saved_at TEXT NOT NULL,
    PRIMARY KEY (person_id, domain, task_id, layer)) STRICT, WITHOUT ROWID"""


def drafting(db: Database) -> None:
    """Create the table of unfinished patches; like drafts of texts, not audited."""
    db.execute(DRAFTING)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    foundation,
    jobs,
    translating,
    entities,
    proving,
    curation,
    drafting,
    runs,
    releases,
)
