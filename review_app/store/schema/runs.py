"""The tables of runs: what was played, with what, and who says why it failed.

Everything that a run is made of (tasks, databases, prompts, tools) is kept by content, so that it
can be resumed, judged and shown as it was whatever is edited meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from review_app.store.schema.triggers import Audited, add_triggers

if TYPE_CHECKING:
    from sqlite_utils import Database

RUNS = """
CREATE TABLE run_contents(hash TEXT NOT NULL UNIQUE, content BLOB NOT NULL) STRICT;
CREATE TABLE runs(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, domain TEXT NOT NULL, variant TEXT NOT NULL,
    locale TEXT NOT NULL, origin TEXT NOT NULL CHECK (origin IN ('played', 'imported')),
    agent_kind TEXT NOT NULL, models TEXT NOT NULL, profile TEXT NOT NULL, trials INTEGER NOT NULL,
    plan TEXT NOT NULL, material TEXT NOT NULL, seed INTEGER, config_hash TEXT NOT NULL,
    litellm TEXT NOT NULL, job_id INTEGER REFERENCES jobs(id), stopped TEXT NOT NULL DEFAULT '',
    created_by INTEGER REFERENCES people(id), created_at TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE INDEX runs_by_domain ON runs(domain, id);
CREATE INDEX runs_by_job ON runs(job_id);
CREATE TABLE run_tasks(
    run_id INTEGER NOT NULL REFERENCES runs(id), task_id TEXT NOT NULL, position INTEGER NOT NULL,
    task_hash TEXT NOT NULL REFERENCES run_contents(hash), state_hash TEXT NOT NULL,
    repaired INTEGER, notes TEXT NOT NULL, PRIMARY KEY (run_id, task_id)) STRICT, WITHOUT ROWID;
CREATE TABLE units(
    id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs(id), task_id TEXT NOT NULL,
    task_hash TEXT NOT NULL, state_hash TEXT NOT NULL, trial INTEGER NOT NULL,
    attempt INTEGER NOT NULL, seed INTEGER,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done')),
    termination_reason TEXT, reward REAL, reward_info TEXT, fault TEXT, rule_id TEXT,
    stop_token TEXT NOT NULL DEFAULT '', final_state TEXT NOT NULL DEFAULT '',
    usage TEXT NOT NULL DEFAULT '{}', cost_usd REAL, unpriced INTEGER NOT NULL DEFAULT 0,
    steps INTEGER NOT NULL DEFAULT 0, tool_errors INTEGER NOT NULL DEFAULT 0,
    duration_s REAL, started_at TEXT, finished_at TEXT, extras TEXT NOT NULL DEFAULT '{}',
    version INTEGER NOT NULL DEFAULT 1,
    UNIQUE (run_id, task_id, trial, attempt),
    UNIQUE (run_id, task_hash, state_hash, trial, seed),
    FOREIGN KEY (run_id, task_id) REFERENCES run_tasks(run_id, task_id)) STRICT;
CREATE INDEX units_by_run ON units(run_id, state);
CREATE INDEX units_by_task ON units(task_hash, state);
CREATE TABLE trajectories(
    unit_id INTEGER PRIMARY KEY REFERENCES units(id), messages BLOB NOT NULL) STRICT;
CREATE TABLE unit_replies(
    unit_id INTEGER NOT NULL REFERENCES units(id), number INTEGER NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (unit_id, number)) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts(
    id INTEGER PRIMARY KEY, unit_id INTEGER NOT NULL REFERENCES units(id),
    layer TEXT NOT NULL CHECK (layer IN ('judge', 'human')),
    kind TEXT NOT NULL CHECK (kind IN ('assertions', 'cause', 'user_review')),
    cause TEXT NOT NULL DEFAULT '', turn INTEGER, note TEXT NOT NULL DEFAULT '',
    content TEXT NOT NULL DEFAULT '{}', raw TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    prompt_hash TEXT NOT NULL DEFAULT '', cost_usd REAL, tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0, person_id INTEGER REFERENCES people(id),
    created_at TEXT NOT NULL) STRICT;
CREATE INDEX verdicts_by_unit ON verdicts(unit_id, id)
"""


def runs(db: Database) -> None:
    """Create the tables of runs; paid replies of unfinished trials are not audited."""
    for statement in RUNS.split(";\n"):
        db.execute(statement)
    audited: Audited = {
        "runs": ("id", ("name", "domain", "variant", "job_id", "stopped", "version")),
        "verdicts": ("unit_id", ("layer", "kind", "cause", "turn", "note", "person_id")),
    }
    add_triggers(db, audited, ("verdicts",))
