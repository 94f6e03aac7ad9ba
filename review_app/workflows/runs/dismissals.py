"""Candidates that a person has answered: flagged, or dismissed with a reason.

A dismissal is a flag that is closed at once, so the task keeps it and it can be opened again.
"""

from __future__ import annotations

from review_app.errors import ReviewError
from review_app.models import Person
from review_app.records.curation import Evidence, Flag, NewFlag
from review_app.store import Store
from review_app.workflows.curation import flags
from review_app.workflows.runs.candidates import Candidate


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
        raise ReviewError("say why: dismissing a candidate needs a reason")
    run = store.runs.get(run_id)
    new = NewFlag(
        domain=run.domain,
        task_id=candidate.task_id,
        title=f"{candidate.failed} of {candidate.valid} trials failed",
        evidence=(Evidence("run", str(run_id), f"trials {_listed(candidate)}"),),
    )
    made = flags.raise_flag(store, person, new)
    return flags.close(store, person, made, "not_a_defect", reason=reason)


def answered(store: Store, run_id: int) -> dict[str, Flag]:
    """Task -> the newest flag whose evidence is this run."""
    run = store.runs.get(run_id)
    found = sorted(store.flags.all(run.domain), key=lambda flag: flag.id)
    return {
        flag.task_id: flag
        for flag in found
        if any((one.kind, one.ref) == ("run", str(run_id)) for one in flag.evidence)
    }


def _listed(candidate: Candidate) -> str:
    return ", ".join(map(str, candidate.units))
