"""People, the project and its background jobs, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from review_app.notices import Notice

JobState = Literal["waiting", "running", "cancelling", "done", "failed", "cancelled"]


JobEnding = Literal["done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls of a model cost so far."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    """None where no call had a price: not the same as 0."""
    unpriced: int = 0
    """Calls without a price."""


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work done by a process of its own."""

    id: int
    kind: str
    domain: str
    params: Mapping[str, object]
    """What the job was started with, as JSON; never a key."""
    state: JobState
    pid: int | None
    """Its process, once there is one."""
    started_by: int | None
    created_at: str
    started_at: str | None
    heartbeat_at: str
    """When its process last said that it is alive; before it starts, when it was asked for."""
    finished_at: str | None
    done: int
    total: int
    note: Notice | None
    """What happens now."""
    spent: Spent
    error: Notice | None
    """Why it failed and what to do."""
    version: int

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits, runs, or is about to stop."""
        return self.state in ("waiting", "running", "cancelling")


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a running job tells about itself."""

    done: int = 0
    total: int = 0
    note: Notice | None = None
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """What a model answered to one request, kept before anything is done with it."""

    request_hash: str
    """Names everything that the answer depends on: model, prompt, texts, attempt."""
    job_id: int | None
    model: str
    prompt_version: str
    response: str
    finish_reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    created_at: str = ""
    """Given by the store."""


@dataclass(frozen=True, slots=True)
class Project:
    """What is being localized."""

    name: str
    source_locale: str
    target_locale: str


@dataclass(frozen=True, slots=True)
class AuditChange:
    """One row of the audit."""

    at: str
    actor: str
    table: str
    row: str
    op: str
    old: str | None
    new: str | None
