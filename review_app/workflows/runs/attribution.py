"""Whose fault a trial was: what the framework recorded, what judges and what people said.

Three layers that never overwrite one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from review_app.core.scoring.accounting import (
    PROFILES,
    Cause,
    Facts,
    ScoringProfile,
    TrialFault,
    attempts_allowed,
    classify,
    counts,
)
from review_app.core.scoring.empty_passes import EarlyStop
from review_app.core.scoring.intervals import Agreement, agreement
from review_app.core.scoring.run_scores import TrialEntry
from review_app.errors import BadInput, ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.runs import NewTrialVerdict, TrialUnit, TrialVerdict
from review_app.store import Store

CAUSES: tuple[Cause, ...] = get_args(Cause)
"""What a person may say: `agent`, `user` (simulator), `framework`, `task` (gold, scoring),
`unclear`."""
EARLY_STOP = "early_stop"
"""What the record of a trial says that the user ended before the agent's first turn."""
_AS_JUDGES: Mapping[str, str] = {"task": "eval", "framework": "eval", "unclear": "unknown"}
"""Judges know three causes, and that they do not know."""


def scoring_profile(name: str) -> ScoringProfile:
    """The scoring profile of this name.

    Raises:
        BadInput: there is none.
    """
    if name not in PROFILES:
        raise BadInput(
            Notice(
                "scores.profile_unknown",
                "no profile {profile!r}: use one of {known}",
                profile=name,
                known=tuple(PROFILES),
            )
        )
    return PROFILES[name]


def fault(unit: TrialUnit) -> TrialFault | None:
    """The output that broke a trial off; None if there was none."""
    return None if unit.fault is None else TrialFault(**unit.fault)


def facts(unit: TrialUnit, cause: Cause | None = None) -> Facts:
    """What error accounting needs of a finished trial.

    Args:
        unit: The trial.
        cause: Whom a person blamed.
    """
    stated = (unit.extras.get("record") or {}).get("trial")
    return Facts(
        termination_reason=unit.termination_reason or "",
        reward=unit.reward,
        fault=fault(unit),
        human_cause=cause,
        shares_number=stated not in (None, unit.trial),
    )


def recorded_cause(known: Facts, early: EarlyStop | None) -> str:
    """Whose fault a failed trial was by its own record: `agent`, `user`, `early_stop`, `unknown`.

    Args:
        known: Of the trial.
        early: How the user ended it before the agent's first turn, if it did.
    """
    return EARLY_STOP if early else classify(known).speaker or "unknown"


def human_causes(store: Store, run_id: int) -> dict[int, Cause]:
    """Trial -> whom a person blamed last."""
    return {
        verdict.unit_id: verdict.cause
        for verdict in store.units.verdicts(run=run_id)
        if verdict.layer == "human" and verdict.cause in CAUSES
    }


def latest(verdicts: Iterable[TrialVerdict], layer: str, kind: str) -> TrialVerdict | None:
    """The verdict of a layer and kind that holds."""
    listed = [verdict for verdict in verdicts if (verdict.layer, verdict.kind) == (layer, kind)]
    return listed[-1] if listed else None


def judge(
    store: Store,
    person: Person,
    unit_id: int,
    *,
    cause: Cause,
    turn: int | None = None,
    note: str = "",
) -> int:
    """Say whose fault a trial was, over what a judge said; returns the verdict's id.

    Args:
        store: The review database.
        person: Who says it.
        unit_id: A finished trial.
        cause: One of `CAUSES`.
        turn: Number of the message (`turn_idx`) that shows it.
        note: Why.

    Raises:
        BadInput: no such cause or message.
        ReviewError: the trial is not finished.
        NotFound: no such trial.
    """
    unit = store.units.get(unit_id)
    if unit.state != "done":
        raise ReviewError("trial.unfinished", "trial {trial} is not finished", trial=unit_id)
    if cause not in CAUSES:
        raise BadInput(
            Notice(
                "trial.cause_unknown",
                "no cause {cause!r}: use one of {known}",
                cause=cause,
                known=CAUSES,
            )
        )
    if turn is not None and not 0 <= turn < len(store.units.messages(unit_id)):
        problem = Notice("trial.message_unknown", "the trial has no message {turn}", turn=turn)
        raise BadInput(problem, "", "turn")
    new = NewTrialVerdict(
        layer="human", kind="cause", cause=cause, turn=turn, note=note.strip(), person_id=person.id
    )
    with store.write(person.name):
        return store.units.add_verdict(unit_id, new)


def judge_agreement(store: Store, run_id: int) -> Agreement:
    """How often judge and people name the same cause, over the trials that both have judged."""
    by_unit: dict[int, list[TrialVerdict]] = {}
    for verdict in store.units.verdicts(run=run_id):
        by_unit.setdefault(verdict.unit_id, []).append(verdict)
    pairs = []
    for verdicts in by_unit.values():
        machine, person = (latest(verdicts, layer, "cause") for layer in ("judge", "human"))
        if machine is not None and person is not None:
            pairs.append((machine.cause, as_judges(person.cause)))
    return agreement(pairs)


def as_judges(cause: str) -> str:
    """A cause in the three words that judges use."""
    return _AS_JUDGES.get(cause, cause)


def recorded(units: Iterable[TrialUnit]) -> dict[tuple[str, int], TrialUnit]:
    """Of the attempts at each trial the one that a results file records: the last that ended."""
    return {(unit.task_id, unit.trial): unit for unit in units if unit.state == "done"}


def entries(
    units: Sequence[TrialUnit], profile: ScoringProfile, causes: Mapping[int, Cause] | None = None
) -> list[TrialEntry]:
    """The finished trials as a profile looks at them.

    Of the attempts at one trial those before the first that counts are there as not counted, but
    for those that the profile tries again without a trace; what was played later is not there.

    Args:
        units: Of one run, in the order of `Units.of_run`.
        profile: One of `accounting.PROFILES`.
        causes: Trial -> whom a person blamed.
    """
    grouped: dict[tuple[str, int], list[TrialUnit]] = {}
    for unit in units:
        if unit.state == "done":
            grouped.setdefault((unit.task_id, unit.trial), []).append(unit)
    listed = []
    for (task_id, trial), attempts in grouped.items():
        for number, unit in enumerate(attempts, 1):
            known = facts(unit, (causes or {}).get(unit.id))
            if number < min(attempts_allowed(known, profile), len(attempts)):
                continue
            listed.append(TrialEntry(task_id, trial, known))
            if counts(known, profile) in ("pass", "fail"):
                break
    return listed
