"""Runs, their tasks and trials, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from review_app.json_types import Json
from review_app.notices import Notice

RunOrigin = Literal["played", "imported"]


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be added."""

    name: str
    domain: str
    variant: str
    locale: str
    agent_kind: str
    """`model`, `oracle` or `scripted`; of an imported run what the file says."""
    models: Mapping[str, Json]
    """Role (`agent`, `user`, `judge`) -> model and parameters; never a key."""
    profile: str
    """Scoring profile that decides what is played again."""
    trials: int
    plan: Json
    """All that the run was started with."""
    material: Mapping[str, str]
    """Name of a part (`agent_prompt`, `policy`, `database`, ...) -> hash of its content."""
    seed: int | None = None
    config_hash: str = ""
    """Names models, parameters, prompts and tools."""
    litellm: str = ""
    origin: RunOrigin = "played"
    created_by: int | None = None


@dataclass(frozen=True, slots=True)
class Run(NewRun):
    """A run."""

    id: int = 0
    job_id: int | None = None
    stopped: Notice | None = None
    """Why it stopped before its end; None if it did not."""
    created_at: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class RunTask:
    """A task as it was run."""

    task_id: str
    task_hash: str
    """Of its content, embedded in the database."""
    state_hash: str
    """Of the databases that it starts from."""
    position: int = 0
    repaired: bool | None = None
    """Whether a patch was in force; None: not known."""
    notes: Json = field(default_factory=dict)
    """`open_choices`: indexes of gold actions that the scenario leaves open."""


UnitState = Literal["waiting", "running", "done"]


VerdictLayer = Literal["judge", "human"]


VerdictKind = Literal["assertions", "cause", "user_review"]


@dataclass(frozen=True, slots=True)
class TrialUnit:
    """One trial of one task: waiting, under way, or done. Facts only; profiles say what counts."""

    id: int
    run_id: int
    task_id: str
    task_hash: str
    state_hash: str
    trial: int
    """From 0."""
    attempt: int
    """From 0; higher ones replace an attempt that does not count."""
    seed: int | None
    state: UnitState
    termination_reason: str | None = None
    reward: float | None = None
    """None: undecided, as long as a judge's verdict is missing."""
    reward_info: Json | None = None
    """As the benchmark's results files have it."""
    fault: Json | None = None
    """Fields of `accounting.TrialFault`."""
    rule_id: str | None = None
    """The rule of `accounting.classify` when the trial ended."""
    stop_token: str = ""
    final_state: str = ""
    """Hash of the databases at the end; empty where they could not be rebuilt."""
    usage: Json = field(default_factory=dict)
    """Side -> fields of `simulation.records.Usage`."""
    cost_usd: float | None = None
    """Of the priced answers of both sides; None where nothing has a price."""
    unpriced: int = 0
    steps: int = 0
    tool_errors: int = 0
    duration_s: float | None = None
    started_at: str | None = None
    finished_at: str | None = None
    extras: Json = field(default_factory=dict)
    """Of an imported trial: its record without the messages."""
    version: int = 1


@dataclass(frozen=True, slots=True)
class NewTrialUnit:
    """A trial to be played."""

    task_id: str
    task_hash: str
    state_hash: str
    trial: int
    attempt: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What a trial came to. The names are those of `TrialUnit`."""

    termination_reason: str
    reward: float | None
    reward_info: Json | None
    fault: Json | None
    rule_id: str
    stop_token: str = ""
    final_state: str = ""
    usage: Json = field(default_factory=dict)
    cost_usd: float | None = None
    unpriced: int = 0
    steps: int = 0
    tool_errors: int = 0
    duration_s: float | None = None
    started_at: str | None = None
    finished_at: str | None = None
    extras: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewTrialVerdict:
    """What a judge or a person says of a trial."""

    layer: VerdictLayer
    kind: VerdictKind
    cause: str = ""
    """`agent`, `user`, `eval`, `framework`, `unknown`; empty where it is not about causes."""
    turn: int | None = None
    """Of the message that shows it."""
    note: str = ""
    content: Json = field(default_factory=dict)
    """What was understood of the answer."""
    raw: str = ""
    """The judge's answer as it came."""
    model: str = ""
    prompt_hash: str = ""
    cost_usd: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    person_id: int | None = None


@dataclass(frozen=True, slots=True)
class TrialVerdict(NewTrialVerdict):
    """A verdict. Never changed; of one layer and kind the last one holds."""

    id: int = 0
    unit_id: int = 0
    created_at: str = ""
