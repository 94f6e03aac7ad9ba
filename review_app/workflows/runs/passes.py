"""What the passes of a run prove, and which tasks they show solvable.

Computed from what is stored, under any profile; the profiles' own numbers know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from review_app.core.envs import Environment
from review_app.core.results.files import Results
from review_app.core.scoring import empty_passes
from review_app.core.scoring.accounting import Cause, ScoringProfile, counts
from review_app.core.scoring.empty_passes import EarlyStop, EmptyPass, Solvability
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.records.runs import Run, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.runs import attribution, snapshot

Opening = Callable[[], Environment]
"""Opens a fresh environment."""

KEPT = 4096
"""Tasks of which it is kept in memory whether an idle agent passes."""
_IDLE: LRUCache[tuple[str, ...], bool] = LRUCache(KEPT)
_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class RunPasses:
    """The passes of a run, and the trials that its user ended early."""

    empty: Mapping[int, EmptyPass]
    """Trial -> why its pass proves nothing; other passes are not there. A trial is its id, of a
    file its number in it."""
    early: Mapping[int, EarlyStop]
    """Trial -> how the user ended it before the agent's first turn; failed ones too."""
    solvability: Solvability


@dataclass(frozen=True, slots=True)
class _End:
    """One finished trial."""

    key: int
    task_id: str
    is_pass: bool
    early: EarlyStop | None


def of_run(store: Store, run: Run, profile: ScoringProfile | None = None) -> RunPasses:
    """What the passes of a run prove.

    Whether an idle agent passes is asked on the run's own databases, else on today's.

    Args:
        store: The review database.
        run: The run.
        profile: That says what passed; None: the run's own.
    """
    chosen = profile or attribution.scoring_profile(run.profile)
    rows, causes = store.runs.tasks(run.id), attribution.human_causes(store, run.id)
    known: dict[str, Json] = {}

    def task(name: str) -> Json:
        if name not in known:
            known[name] = store.runs.content(rows[name].task_hash)
        return known[name]

    ends = [
        _End(
            key=unit.id,
            task_id=unit.task_id,
            is_pass=counts(attribution.facts(unit, causes.get(unit.id)), chosen) == "pass",
            early=early_stop(store, unit, task(unit.task_id)),
        )
        for unit in _counted(store.units.of_run(run.id), chosen, causes)
    ]
    ground = _ground(store, run)

    def idle(name: str) -> bool | None:
        if ground is None:
            return None
        key = (*ground, rows[name].task_hash)
        with _LOCK:
            passes = _IDLE.get(key)
        if passes is None:
            passes = _idle_passes(task(name), _opening(store, run, ground))
            with _LOCK:
                _IDLE[key] = passes
        return passes

    return _weighed(ends, idle)


def of_file(store: Store | None, file: Results, domain: str, profile: ScoringProfile) -> RunPasses:
    """What the passes in a results file prove, as far as its domain is imported.

    Args:
        store: The review database; None where the file is read without one.
        file: The file.
        domain: Its domain.
        profile: That says what passed.
    """
    tasks: dict[str, Json] = {str(task.get("id", "")): task for task in file.tasks}
    ends = []
    for at, trial in enumerate(file.simulations):
        task = tasks.get(trial.task_id, {})
        early = empty_passes.early_stop(task, trial.messages, trial.termination_reason)
        is_pass = counts(trial.facts(), profile) == "pass"
        ends.append(_End(key=at, task_id=trial.task_id, is_pass=is_pass, early=early))
    is_there = store is not None and domain in environments.domains(store)
    opened = environments.load(store, domain).open if store is not None and is_there else None

    def idle(name: str) -> bool | None:
        return None if opened is None or name not in tasks else _idle_passes(tasks[name], opened)

    return _weighed(ends, idle)


def of_domains(store: Store) -> dict[str, tuple[Run, Solvability]]:
    """What the latest run of each domain with a finished trial shows, in the order of domains."""
    latest: dict[str, Run] = {}
    for run in store.runs.list():
        if run.domain not in latest and store.units.counts(run.id).get("done"):
            latest[run.domain] = run
    return {
        name: (latest[name], of_run(store, latest[name]).solvability) for name in sorted(latest)
    }


def early_stop(store: Store, unit: TrialUnit, task: Json) -> EarlyStop | None:
    """How the user ended a finished trial before the agent's first turn, if it did."""
    if (unit.usage.get("agent") or {}).get("requests"):
        return None  # it was asked, so it spoke: no need to read the conversation
    return empty_passes.early_stop(task, store.units.messages(unit.id), unit.termination_reason)


def why_empty(
    early: EarlyStop | None, task: Json, environment: Environment | None
) -> EmptyPass | None:
    """Why a pass proves nothing; None if it proves something, or nobody can tell.

    Args:
        early: How the user ended the trial early, if it did.
        task: As it was run.
        environment: Fresh, of the task's domain; None where there is none.
    """
    if early is None and environment is not None:
        return "idle_passes" if _idle_passes(task, environment.fork) else None
    return early


def _counted(
    units: Iterable[TrialUnit], profile: ScoringProfile, causes: Mapping[int, Cause]
) -> list[TrialUnit]:
    """Of the attempts at each trial the first that passed or failed."""
    first: dict[tuple[str, int], TrialUnit] = {}
    for unit in units:
        known = attribution.facts(unit, causes.get(unit.id))
        if unit.state == "done" and counts(known, profile) in ("pass", "fail"):
            first.setdefault((unit.task_id, unit.trial), unit)
    return list(first.values())


def _weighed(ends: Sequence[_End], idle: Callable[[str], bool | None]) -> RunPasses:
    """What trials prove; `idle` is asked for each task that something else does not decide."""
    asked: dict[str, bool | None] = {}
    tries: list[tuple[str, EmptyPass | None]] = []
    empty: dict[int, EmptyPass] = {}
    for end in ends:
        if not end.is_pass:
            continue
        why: EmptyPass | None = end.early
        if why is None:
            if end.task_id not in asked:
                asked[end.task_id] = idle(end.task_id)
            why = "idle_passes" if asked[end.task_id] else None
        if why is not None:
            empty[end.key] = why
        tries.append((end.task_id, why))
    early = {end.key: end.early for end in ends if end.early is not None}
    unchecked = [name for name, passes in asked.items() if passes is None]
    solvability = empty_passes.solvability(tries, early_stops=len(early), unchecked=unchecked)
    return RunPasses(empty=empty, early=early, solvability=solvability)


# -- an agent that does nothing ----------------------------------------------------------------


def _ground(store: Store, run: Run) -> tuple[str, ...] | None:
    """Names the databases that a run's tasks are looked at on; None if there are none."""
    if snapshot.is_staged(run):
        return tuple(run.material[name] for name in ("database", "user_database", "pack"))
    if run.domain not in environments.domains(store):
        return None
    return (run.domain, *(document.source_hash for document in store.documents.of(run.domain)))


@cached(LRUCache(2), key=lambda store, run, ground: ground, lock=Lock())
def _opening(store: Store, run: Run, ground: tuple[str, ...]) -> Opening:
    """Opens fresh environments of a run; made once and kept while it is asked for."""
    if snapshot.is_staged(run):
        return snapshot.load(store, run).open
    return environments.load(store, run.domain).open


def _idle_passes(task: Json, opened: Opening) -> bool:
    """Whether an idle agent passes; a task whose own initial state fails is passed by nobody."""
    try:
        return empty_passes.idle_passes(task, opened())
    except BadInput:
        return False
