"""Tasks that solvability trials make suspect, with the evidence; each is flagged or dismissed.

A dismissal is a flag that is closed at once, so the task keeps it and it can be opened again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from review_app.core.scoring.accounting import PROFILES, Cause, ScoringProfile, classify, counts
from review_app.core.scoring.empty_passes import EmptyPass, Shown
from review_app.core.scoring.run_scores import TaskStanding, standing
from review_app.errors import ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.curation import Evidence, Flag, NewFlag
from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.curation import flags, validity
from review_app.workflows.localization import derived_domain
from review_app.workflows.runs import attribution, passes
from review_app.workflows.runs.passes import RunPasses

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
    note: Notice
    """What speaks against the task; of `rules` with the values `rule` and `message`."""
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
    early_stops: int = 0
    """Failed trials that the user ended before the agent's first turn."""
    empty: Mapping[EmptyPass, int] = field(default_factory=dict)
    """Passes that prove nothing, by why."""
    shown: Shown = "unsolved"
    """Whether a pass shows the task solvable."""

    @property
    def rank(self) -> int:
        """The sum of the weights of the kinds of things that speak against the task."""
        return sum(WEIGHTS[kind] for kind in {signal.kind for signal in self.signals})

    @property
    def is_model_or_settings(self) -> bool:
        """Whether the failures say "model or settings", not "task"."""
        return any(count >= MODEL_ERRORS for count in self.agent_errors.values())

    @property
    def is_early_stop(self) -> bool:
        """Whether the user ended every failed trial before the agent's first turn."""
        return self.failed > 0 and self.early_stops == self.failed

    @property
    def verdict(self) -> Literal["model or settings", "user stops early", "task", ""]:
        """What a candidate's failures point at; empty where it is no candidate."""
        if self.standing != "candidate":
            return ""
        if self.is_early_stop:
            return "user stops early"
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
    rules, proved = _rules(store, run), passes.of_run(store, run, chosen)
    listed = [
        _candidate(store, run, chosen, causes, name, played, rules.get(name, []), proved)
        for name, played in units.items()
    ]
    listed.sort(key=_order)
    return [candidate for candidate in listed if every or candidate.standing == "candidate"]


def _order(candidate: Candidate) -> tuple[int, bool, int, int]:
    """The most suspect first."""
    standings = ("candidate", "incomplete", "clean")
    return (
        standings.index(candidate.standing),
        candidate.is_model_or_settings or candidate.is_early_stop,
        -candidate.rank,
        -candidate.failed,
    )


# -- what people answer ------------------------------------------------------------------------


def open_flag(store: Store, person: Person, run_id: int, candidate: Candidate) -> Flag:
    """Flag a candidate with everything that speaks against it.

    Raises:
        ReviewError: the trials say something of the model, not of the task.
        NotFound: the task is no longer there.
    """
    if candidate.is_model_or_settings:
        raise ReviewError(
            "candidate.model_or_settings",
            "task {task!r} failed by the agent's own errors: look at the model or "
            "its settings, not at the task",
            task=candidate.task_id,
        )
    run = store.runs.get(run_id)
    description = Notice(
        "candidate.found",
        "run {run} ({name}): {title}\n{signals:\n}",
        run=run_id,
        name=run.name,
        title=_title(candidate),
        signals=tuple(signal.note for signal in candidate.signals),
    )
    evidence = [_trials_of(run_id, candidate)]
    evidence += [
        Evidence("rule", str(signal.note.values["rule"]), signal.note)
        for signal in candidate.signals
        if signal.kind == "rules"
    ]
    new = NewFlag(
        domain=run.domain,
        task_id=candidate.task_id,
        title=_title(candidate),
        description=description,
        severity=2,
        evidence=tuple(evidence),
    )
    return flags.raise_flag(store, person, new)


def dismiss(
    store: Store, person: Person, run_id: int, candidate: Candidate, *, reason: str
) -> Flag:
    """Say why a candidate is nothing; returns the closed flag.

    Raises:
        NotAllowed: no maintainer.
        ReviewError: no reason.
        NotFound: the task is no longer there.
    """
    if not reason.strip():
        raise ReviewError(
            "candidate.dismissal_unexplained", "say why: dismissing a candidate needs a reason"
        )
    new = NewFlag(
        domain=store.runs.get(run_id).domain,
        task_id=candidate.task_id,
        title=_title(candidate),
        evidence=(_trials_of(run_id, candidate),),
    )
    flag = flags.raise_flag(store, person, new)
    return flags.close(store, person, flag, "not_a_defect", reason=reason)


def answered(store: Store, run_id: int) -> dict[str, Flag]:
    """Task -> the newest flag whose evidence is this run."""
    listed = sorted(store.flags.all(store.runs.get(run_id).domain), key=lambda flag: flag.id)
    return {
        flag.task_id: flag
        for flag in listed
        if any((shown.kind, shown.ref) == ("run", str(run_id)) for shown in flag.evidence)
    }


def _title(candidate: Candidate) -> Notice:
    return Notice(
        "candidate.title",
        "{failed} of {valid} trials failed",
        failed=candidate.failed,
        valid=candidate.valid,
    )


def _trials_of(run_id: int, candidate: Candidate) -> Evidence:
    note = Notice("candidate.trials", "trials {trials}", trials=candidate.units)
    return Evidence("run", str(run_id), note)


# -- what the trials say -----------------------------------------------------------------------


def _candidate(
    store: Store,
    run: Run,
    profile: ScoringProfile,
    causes: Mapping[int, Cause],
    name: str,
    units: Sequence[TrialUnit],
    rules: Sequence[Notice],
    proved: RunPasses,
) -> Candidate:
    entries = attribution.entries(units, profile, causes)
    outcomes = [counts(entry.facts, profile) for entry in entries]
    valid = outcomes.count("pass") + outcomes.count("fail")
    known = [(unit, attribution.facts(unit, causes.get(unit.id))) for unit in units]
    first_failures: dict[int, TrialUnit] = {}
    for unit, facts in known:
        if counts(facts, profile) == "fail":
            first_failures.setdefault(unit.trial, unit)
    failed = list(first_failures.values())
    errors = Counter[str](
        ending.kind
        for unit, facts in known
        if (ending := classify(facts)).speaker == "agent" and unit in failed
    )
    signals = [CandidateSignal("rules", note) for note in rules]
    signals += _signals(store, run, failed)
    return Candidate(
        task_id=name,
        standing=standing(outcomes),
        valid=valid,
        failed=outcomes.count("fail"),
        uncounted=len(outcomes) - valid,
        units=tuple(unit.id for unit in failed),
        signals=tuple(signals),
        agent_errors=errors,
        early_stops=sum(unit.id in proved.early for unit in failed),
        empty=proved.solvability.by_task.get(name, {}),
        shown=proved.solvability.of(name),
    )


def _rules(store: Store, run: Run) -> dict[str, list[Notice]]:
    """Open findings of the validity rules by task."""
    if run.domain not in environments.domains(store):
        return {}
    known = derived_domain.variants()
    repaired = known[run.variant].fixes if run.variant in known else True
    inspected = validity.inspect(store, run.domain, repaired=repaired)
    return {
        name: [validity.code_and_message(checked.violation) for checked in listed if checked.open]
        for name, listed in inspected.items()
    }


def _signals(store: Store, run: Run, failed: Sequence[TrialUnit]) -> Iterator[CandidateSignal]:
    """Yield what the failed trials of a task have in common."""
    if oracle := _oracle_failures(store, run, failed):
        note = Notice("candidate.oracle_failed", "an oracle agent fails, too")
        yield CandidateSignal("oracle_failed", note, tuple(oracle))
    if same := _in_one_wrong_state(failed):
        note = Notice(
            "candidate.same_wrong_state", "{count} trials end in one wrong state", count=len(same)
        )
        yield CandidateSignal("same_wrong_state", note, same)
    if outside := [unit.id for unit in failed if unit.stop_token == "###OUT-OF-SCOPE###"]:
        note = Notice(
            "candidate.out_of_scope",
            ("1 trial ends out of scope", "{count} trials end out of scope"),
            count=len(outside),
        )
        yield CandidateSignal("out_of_scope", note, tuple(outside))
    if stopped := [unit.id for unit in failed if _stopped_at_question(store, unit)]:
        note = Notice(
            "candidate.stopped_at_confirmation",
            (
                "1 trial is ended by the user right after the agent asks",
                "{count} trials are ended by the user right after the agent asks",
            ),
            count=len(stopped),
        )
        yield CandidateSignal("stopped_at_confirmation", note, tuple(stopped))


def _in_one_wrong_state(failed: Sequence[TrialUnit]) -> tuple[int, ...]:
    """The trials that end in the most frequent wrong state; empty if no two end in one."""
    wrong = [unit for unit in failed if unit.final_state and _state_is_wrong(unit)]
    for state, count in Counter(unit.final_state for unit in wrong).most_common(1):
        if count > 1:
            return tuple(unit.id for unit in failed if unit.final_state == state)
    return ()


def _state_is_wrong(unit: TrialUnit) -> bool:
    check = (unit.reward_info or {}).get("db_check") or {}
    return check.get("db_match") is False


def _oracle_failures(store: Store, run: Run, failed: Sequence[TrialUnit]) -> list[int]:
    """Failed trials of an oracle (or of the script) on the same task, in whatever run."""
    if not failed:
        return []
    failures = []
    for unit in store.units.of_task(failed[0].task_hash):
        other = store.runs.get(unit.run_id)
        knows_gold = other.agent_kind in ("oracle", "scripted")
        if other.id != run.id and knows_gold and unit.reward == 0.0:
            failures.append(unit.id)
    return failures


def _stopped_at_question(store: Store, unit: TrialUnit) -> bool:
    """Whether the user stopped right after a question of the agent."""
    if not unit.stop_token:
        return False
    messages = store.units.messages(unit.id)
    before = [message for message in messages[:-1] if message.get("role") == "assistant"]
    text = str((before[-1].get("content") if before else "") or "").rstrip()
    return text.endswith(_QUESTIONS) or text.endswith(_ASKED)
