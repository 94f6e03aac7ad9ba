"""Tasks that solvability trials make suspect, with the evidence; one call makes a flag of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from review_app.core.scoring.accounting import PROFILES, ScoringProfile, classify, counts
from review_app.core.scoring.run_scores import TaskStanding, standing
from review_app.errors import ReviewError
from review_app.models import Person
from review_app.records.curation import Evidence, Flag, NewFlag
from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.curation import flags, validity
from review_app.workflows.localization import derived_domain
from review_app.workflows.runs import attribution

SignalKind = Literal[
    "rules", "oracle_failed", "same_wrong_state", "out_of_scope", "stopped_at_confirmation"
]
WEIGHTS: Mapping[SignalKind, int] = {
    "rules": 5,
    "oracle_failed": 4,
    "same_wrong_state": 3,
    "out_of_scope": 2,
    "stopped_at_confirmation": 1,
}
"""What ranks a candidate: what speaks against the task most clearly weighs most."""
MODEL_ERRORS = 3
"""So many errors of the agent of one kind say something of the model, not of the task."""
_QUESTIONS = ("?", "\uff1f")
_ASKED = (
    "\u3067\u3057\u3087\u3046\u304b\u3002",
    "\u307e\u3059\u304b\u3002",
    "\u3067\u3059\u304b\u3002",
)
"""How a Japanese question ends that has no question mark."""


@dataclass(frozen=True, slots=True)
class CandidateSignal:
    """One thing that speaks against a task."""

    kind: SignalKind
    note: str
    """What was found, one line."""
    units: tuple[int, ...] = ()
    """Trials that show it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the trials of a task say of it."""

    task_id: str
    standing: TaskStanding
    valid: int
    failed: int
    uncounted: int
    units: tuple[int, ...]
    """The trials that failed."""
    signals: tuple[CandidateSignal, ...]
    agent_errors: Mapping[str, int]
    """Errors of the agent by kind: `empty_output`, `malformed_tool_call`, ..."""

    @property
    def rank(self) -> int:
        """The sum of the weights of the kinds of things that speak against the task."""
        return sum(WEIGHTS[kind] for kind in {signal.kind for signal in self.signals})

    @property
    def is_model_or_settings(self) -> bool:
        """Whether the failures say "model or settings", not "task"."""
        return any(count >= MODEL_ERRORS for count in self.agent_errors.values())

    @property
    def verdict(self) -> Literal["model or settings", "task", ""]:
        """What a candidate's failures point at; empty where it is no candidate."""
        if self.standing != "candidate":
            return ""
        return "model or settings" if self.is_model_or_settings else "task"


def find(
    store: Store, run_id: int, *, profile: str | None = None, every: bool = False
) -> list[Candidate]:
    """The candidates of a run, the most suspect first.

    Args:
        store: The review database.
        run_id: The run.
        profile: Scoring profile; None: the run's own.
        every: Also tasks that are no candidates, behind them.

    Raises:
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    chosen = PROFILES[profile or run.profile]
    causes = attribution.human_causes(store, run_id)
    units: dict[str, list[TrialUnit]] = {name: [] for name in store.runs.tasks(run_id)}
    for unit in store.units.of_run(run_id):
        if unit.state == "done":
            units[unit.task_id].append(unit)
    rules = _rules(store, run)
    found = [
        _candidate(store, run, chosen, causes, name, listed, rules.get(name, []))
        for name, listed in units.items()
    ]
    order = {"candidate": 0, "incomplete": 1, "clean": 2}
    found.sort(
        key=lambda one: (order[one.standing], one.is_model_or_settings, -one.rank, -one.failed)
    )
    return found if every else [one for one in found if one.standing == "candidate"]


def open_flag(store: Store, person: Person, run_id: int, candidate: Candidate) -> Flag:
    """Flag a candidate with everything that speaks against it.

    Raises:
        ReviewError: the trials say something of the model, not of the task.
        NotFound: the task is no longer there.
    """
    if candidate.is_model_or_settings:
        raise ReviewError(
            f"task {candidate.task_id!r} failed by the agent's own errors: look at the model or "
            "its settings, not at the task"
        )
    run = store.runs.get(run_id)
    lines = [f"run {run_id} ({run.name}): {candidate.failed} of {candidate.valid} trials failed"]
    lines += [signal.note for signal in candidate.signals]
    evidence = [Evidence("run", str(run_id), f"trials {', '.join(map(str, candidate.units))}")]
    evidence += [
        Evidence("rule", signal.note.partition(" ")[0], signal.note)
        for signal in candidate.signals
        if signal.kind == "rules"
    ]
    new = NewFlag(
        domain=run.domain,
        task_id=candidate.task_id,
        title=f"{candidate.failed} of {candidate.valid} trials failed",
        description="\n".join(lines),
        severity=2,
        evidence=tuple(evidence),
    )
    return flags.raise_flag(store, person, new)


def _candidate(
    store: Store,
    run: Run,
    profile: ScoringProfile,
    causes: Mapping[int, Any],
    name: str,
    units: Sequence[TrialUnit],
    rules: Sequence[str],
) -> Candidate:
    known = [(each, attribution.facts(each, causes.get(each.id))) for each in units]
    counted: dict[int, TrialUnit] = {}
    judged = []
    for entry in attribution.entries(units, profile, causes):
        judged.append(counts(entry.facts, profile))
    for unit, facts in known:
        if counts(facts, profile) == "fail" and unit.trial not in counted:
            counted[unit.trial] = unit
    failed = list(counted.values())
    errors = Counter[str](
        found.kind
        for unit, facts in known
        if (found := classify(facts)).speaker == "agent" and unit in failed
    )
    signals = [CandidateSignal("rules", line) for line in rules]
    signals += _signals(store, run, failed)
    return Candidate(
        task_id=name,
        standing=standing(judged),
        valid=sum(each in ("pass", "fail") for each in judged),
        failed=judged.count("fail"),
        uncounted=sum(each not in ("pass", "fail") for each in judged),
        units=tuple(each.id for each in failed),
        signals=tuple(signals),
        agent_errors=errors,
    )


def _rules(store: Store, run: Run) -> dict[str, list[str]]:
    """Open findings of the validity rules by task: code and message."""
    if run.domain not in environments.domains(store):
        return {}
    known = derived_domain.variants()
    fixed = known[run.variant].fixes if run.variant in known else True
    found = validity.inspect(store, run.domain, repaired=fixed)
    return {
        name: [f"{one.violation.code} {one.violation.message}" for one in listed if one.open]
        for name, listed in found.items()
    }


def _signals(store: Store, run: Run, failed: Sequence[TrialUnit]) -> list[CandidateSignal]:
    found = []
    if oracle := _oracle_failures(store, run, failed):
        found.append(CandidateSignal("oracle_failed", "an oracle agent fails, too", tuple(oracle)))
    states = Counter(
        each.final_state for each in failed if each.final_state and _state_is_wrong(each)
    )
    for state, count in states.most_common(1):
        if count > 1:
            same = tuple(each.id for each in failed if each.final_state == state)
            found.append(
                CandidateSignal("same_wrong_state", f"{count} trials end in one wrong state", same)
            )
    if outside := [each.id for each in failed if each.stop_token == "###OUT-OF-SCOPE###"]:
        note = f"{len(outside)} trials end out of scope"
        found.append(CandidateSignal("out_of_scope", note, tuple(outside)))
    if stopped := [each.id for each in failed if _stopped_at_question(store, each)]:
        note = f"{len(stopped)} trials are ended by the user right after the agent asks"
        found.append(CandidateSignal("stopped_at_confirmation", note, tuple(stopped)))
    return found


def _state_is_wrong(unit: TrialUnit) -> bool:
    check = (unit.reward_info or {}).get("db_check") or {}
    return check.get("db_match") is False


def _oracle_failures(store: Store, run: Run, failed: Sequence[TrialUnit]) -> list[int]:
    """Failed trials of an oracle (or of the script) on the same task, in whatever run."""
    if not failed:
        return []
    found = []
    for unit in store.units.of_task(failed[0].task_hash):
        other = store.runs.get(unit.run_id)
        knows_gold = other.agent_kind in ("oracle", "scripted")
        if other.id != run.id and knows_gold and unit.reward == 0.0:
            found.append(unit.id)
    return found


def _stopped_at_question(store: Store, unit: TrialUnit) -> bool:
    """Whether the user stopped right after a question of the agent."""
    if not unit.stop_token:
        return False
    messages = store.units.messages(unit.id)
    before = [message for message in messages[:-1] if message.get("role") == "assistant"]
    text = str((before[-1].get("content") if before else "") or "").rstrip()
    return text.endswith(_QUESTIONS) or text.endswith(_ASKED)
