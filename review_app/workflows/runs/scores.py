"""Scores of runs and of results files under any profile: totals, groups, causes, comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from review_app.core.results.files import Results
from review_app.core.results.files import entries as file_entries
from review_app.core.results.files import task_ids as file_tasks
from review_app.core.scoring.accounting import PROFILES, Cause, ScoringProfile, counts
from review_app.core.scoring.empty_passes import Solvability
from review_app.core.scoring.intervals import Agreement
from review_app.core.scoring.run_scores import (
    RunComparison,
    Summary,
    TrialEntry,
    by_group,
    cause_counts,
    compare,
    summarize,
)
from review_app.core.scoring.upstream_code import CodeCount, as_its_code_counts
from review_app.core.simulation.user_review import ReviewRates
from review_app.errors import BadInput
from review_app.notices import Notice
from review_app.records.runs import TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.runs import attribution, judges, passes, results_files
from review_app.workflows.runs.passes import RunPasses

Source = int | Path
"""A run by its id, or a results file (or its folder)."""
RepairGroup = Literal["repaired", "unmodified"]


@dataclass(frozen=True)
class Trials:
    """The trials of a run or of a file, ready to be counted under any profile."""

    label: str
    """The run's name, or the file's."""
    domain: str
    variant: str
    """Empty where it is not known."""
    models: Mapping[str, str]
    """Role -> model."""
    profile: str
    """The run's own profile; of a file `jtau`."""
    tasks: tuple[str, ...]
    """That the run was to play."""
    wanted: int
    """Trials of a task."""
    groups: Mapping[str, RepairGroup]
    """Task -> group; tasks of which it is not known are in none."""
    causes: Mapping[int, Cause]
    """Trial -> whom a person blamed."""
    units: tuple[TrialUnit, ...] = ()
    file: Results | None = None

    def entries(self, profile: ScoringProfile) -> list[TrialEntry]:
        """The trials as a profile looks at them."""
        if self.file is not None:
            return list(file_entries(self.file))
        return attribution.entries(self.units, profile, self.causes)

    def recorded(self) -> list[TrialEntry]:
        """The trials as a results file records them, whatever a profile tries again."""
        if self.file is not None:
            return list(file_entries(self.file))
        last = attribution.recorded(self.units)
        return [
            TrialEntry(task_id, trial, attribution.facts(unit))
            for (task_id, trial), unit in last.items()
        ]


@dataclass(frozen=True, slots=True)
class Grades:
    """The scores of one run or file under one profile."""

    label: str
    domain: str
    variant: str
    models: Mapping[str, str]
    profile: str
    total: Summary
    groups: Mapping[RepairGroup, Summary]
    """As Table 2; empty where it is not known what was repaired."""
    profiles: Mapping[str, Summary]
    """Under every profile, as Table 3 compares two."""
    upstream_code: CodeCount
    """What upstream's own metrics say, which count some trials otherwise than its profile here."""
    judge_causes: Mapping[str, int] | None
    """`pass`, `agent`, `user`, `eval`, `unknown` -> trials, as Table 4; None: nobody judged."""
    human_causes: Mapping[str, int] | None
    agreement: Agreement
    """Of judge and people."""
    user_rates: ReviewRates | None
    """As Table 31; None: nobody reviewed the user simulator."""
    solvability: Solvability
    """What the passes under this profile prove; no score knows of it."""
    record_causes: Mapping[str, int] | None
    """As `judge_causes`, by the record of each trial itself, and `early_stop`; None: it names
    nobody."""
    cost_usd: float | None
    unpriced: int


def trials(store: Store | None, source: Source) -> Trials:
    """The trials of a run or of a results file.

    Args:
        store: The review database; None where a file is scored without one.
        source: Run id, or path.

    Raises:
        NotFound: no such run.
        BadInput: no such file, or it cannot be read.
    """
    if isinstance(source, int):
        if store is None:
            raise BadInput(
                Notice(
                    "scores.no_database",
                    "a run is scored from a review database: name one with --db",
                )
            )
        return _of_run(store, source)
    return _of_file(store, source)


def score(store: Store | None, source: Source, profile: str | None = None) -> Grades:
    """The scores of a run or of a results file.

    Args:
        store: The review database; None where a file is scored without one.
        source: Run id, or path.
        profile: One of `accounting.PROFILES`; None: the run's own, `jtau` for a file.

    Raises:
        NotFound: no such run.
        BadInput: no such file or profile, or the file cannot be read.
    """
    played = trials(store, source)
    chosen = attribution.scoring_profile(profile or played.profile)
    summaries = {
        name: summarize(played.entries(known), known, played.tasks, played.wanted)
        for name, known in PROFILES.items()
    }
    run = source if isinstance(source, int) else None
    proved = _proved(store, run, played, chosen)
    priced = [unit.cost_usd for unit in played.units if unit.cost_usd is not None]
    return Grades(
        label=played.label,
        domain=played.domain,
        variant=played.variant,
        models=played.models,
        profile=chosen.name,
        total=summaries[chosen.name],
        groups=groups(played, chosen),
        profiles=summaries,
        upstream_code=as_its_code_counts(played.recorded(), played.tasks, played.wanted),
        judge_causes=_causes(store, run, played, chosen, "judge"),
        human_causes=_causes(store, run, played, chosen, "human"),
        agreement=(
            attribution.judge_agreement(store, run)
            if store is not None and run is not None
            else Agreement(0, 0, None)
        ),
        user_rates=_user_rates(store, run),
        solvability=proved.solvability,
        record_causes=_record_causes(played, chosen, proved),
        cost_usd=sum(priced) if priced else _file_cost(played.file),
        unpriced=sum(unit.unpriced for unit in played.units),
    )


def groups(played: Trials, profile: ScoringProfile) -> dict[RepairGroup, Summary]:
    """Scores of repaired and unmodified tasks, as Table 2."""
    summaries = by_group(played.entries(profile), profile, played.groups, played.wanted)
    return {name: summaries[name] for name in ("repaired", "unmodified") if name in summaries}


def table(
    store: Store, sources: Sequence[Source], profile: str | None = None
) -> dict[str, dict[str, Grades]]:
    """Runs side by side, as Tables 1, 25, 29 and 30: row -> domain -> scores.

    A row is a variant and the models that played it; of several runs of one row and domain the one
    named last is shown.
    """
    rows: dict[str, dict[str, Grades]] = {}
    for source in sources:
        grades = score(store, source, profile)
        label = f"{grades.variant or grades.label}: {grades.models.get('agent', '')}"
        rows.setdefault(label, {})[grades.domain] = grades
    return rows


def mean_over_domains(row: Iterable[Grades]) -> float | None:
    """The unweighted mean over domains; None as long as one has no complete number."""
    means = [grades.total.mean if grades.total.is_complete else None for grades in row]
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if known and len(known) == len(means) else None


def compared(
    store: Store | None, first: Source, second: Source, profile: str
) -> RunComparison | None:
    """Two runs or files paired by task; None if no task has counted trials in both."""
    chosen = attribution.scoring_profile(profile)
    sides = [trials(store, source).entries(chosen) for source in (first, second)]
    return compare(sides[0], sides[1], chosen)


def _of_run(store: Store, run_id: int) -> Trials:
    run = store.runs.get(run_id)
    rows = store.runs.tasks(run_id)
    known: dict[str, RepairGroup] = {
        name: "repaired" if row.repaired else "unmodified"
        for name, row in rows.items()
        if row.repaired is not None
    }
    return Trials(
        label=run.name,
        domain=run.domain,
        variant=run.variant,
        models={role: str(played.get("model", "")) for role, played in run.models.items()},
        profile=run.profile,
        tasks=tuple(rows),
        wanted=run.trials,
        groups=known,
        causes=attribution.human_causes(store, run_id),
        units=tuple(store.units.of_run(run_id)),
    )


def _of_file(store: Store | None, path: Path) -> Trials:
    file = results_files.read(path)
    domain = results_files.domain_of(file)
    ids = file_tasks(file)
    return Trials(
        label=path.name,
        domain=domain,
        variant="",
        models=results_files.models_of(file),
        profile="jtau",
        tasks=ids,
        wanted=file.wanted,
        groups=repaired_groups(store, domain, ids),
        causes={},
        file=file,
    )


def repaired_groups(
    store: Store | None, domain: str, tasks: Iterable[str]
) -> dict[str, RepairGroup]:
    """Which tasks have a repair in force today; empty where the domain is not imported."""
    if store is None or domain not in environments.domains(store):
        return {}
    patches = tasks_in_force.in_force(store, domain)
    known = environments.tasks(store, domain)
    grouped: dict[str, RepairGroup] = {}
    for name in tasks:
        if name in known:
            fitting = tasks_in_force.fitting(known[name].task, patches)
            is_repaired = any(patch.layer == "repair" for patch in fitting)
            grouped[name] = "repaired" if is_repaired else "unmodified"
    return grouped


def _causes(
    store: Store | None, run: int | None, played: Trials, profile: ScoringProfile, layer: str
) -> dict[str, int] | None:
    if store is None or run is None:
        return None
    said = {
        verdict.unit_id: verdict.cause
        for verdict in store.units.verdicts(run=run)
        if (verdict.layer, verdict.kind) == (layer, "cause")
    }
    if not said:
        return None
    listed: list[tuple[Any, str]] = []
    for unit in played.units:
        if unit.state == "done":
            known = attribution.facts(unit, played.causes.get(unit.id))
            cause = said.get(unit.id, "unknown")
            listed.append((counts(known, profile), attribution.as_judges(cause)))
    return cause_counts(listed)


def _proved(
    store: Store | None, run: int | None, played: Trials, profile: ScoringProfile
) -> RunPasses:
    """What the passes of a run or a file prove."""
    if played.file is not None:
        return passes.of_file(store, played.file, played.domain, profile)
    assert store is not None and run is not None
    return passes.of_run(store, store.runs.get(run), profile)


def _record_causes(
    played: Trials, profile: ScoringProfile, proved: RunPasses
) -> dict[str, int] | None:
    known = {
        unit.id: attribution.facts(unit, played.causes.get(unit.id))
        for unit in played.units
        if unit.state == "done"
    }
    if played.file is not None:
        known = {at: trial.facts() for at, trial in enumerate(played.file.simulations)}
    listed = [
        (counts(facts, profile), attribution.recorded_cause(facts, proved.early.get(key)))
        for key, facts in known.items()
    ]
    tally = cause_counts(listed, (attribution.EARLY_STOP,))
    names_any = any(tally[name] for name in ("agent", "user", attribution.EARLY_STOP))
    return tally if names_any else None


def _user_rates(store: Store | None, run: int | None) -> ReviewRates | None:
    if store is None or run is None:
        return None
    rates = judges.user_rates(store, run)
    return rates if rates.reviewed or rates.unknown else None


def _file_cost(file: Results | None) -> float | None:
    if file is None:
        return None
    known = [
        cost
        for simulation in file.simulations
        for cost in (simulation.agent_cost, simulation.user_cost)
        if cost is not None
    ]
    return sum(known) if known else None
