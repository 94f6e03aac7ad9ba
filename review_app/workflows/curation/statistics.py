"""Counts of curation: groups of tasks (Table 12), rule hits, flags; and the list of tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Any

from review_app.core.tasks.patches import Patch, PatchGroup, group_of, table12
from review_app.core.validity import ALL
from review_app.records.curation import Flag, PatchState, StoredPatch
from review_app.store import Store
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.environments import GoldTask
from review_app.workflows.curation import validity
from review_app.workflows.curation.validity import Checked

DOES_NOTHING = "GOLD-07"
"""The rule that says that an agent that does nothing passes."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in the list."""

    task_id: str
    purpose: str
    levels: dict[str, int]
    """Open violations by level; labels and info too."""
    codes: tuple[str, ...]
    group: PatchGroup
    patch_state: PatchState | None
    """`proposed` if any patch waits, else that of the newest one."""
    flags: int
    """Open ones."""
    does_nothing_pass: bool
    """An agent that does nothing passes the database part."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What `jtau-review stats --json` says."""

    table12: dict[str, dict[str, int]]
    """Domain -> total, unmodified, repair, both, localization."""
    rule_hits: list[dict[str, Any]]
    """`{code, name, level, domain, before, after}`: tasks hit before and after patches."""
    flags: list[dict[str, Any]]
    """`{domain, state, severity, count, oldest_days, median_days}`."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def statistics(
    store: Store, domain: str | None = None, *, progress: Progress = silent
) -> Statistics:
    """Counts of one domain or of all that have tasks. Call it outside of a transaction.

    Raises:
        NotFound: no such domain.
    """
    names = [domain] if domain else _domains(store)
    groups, hits = {}, []
    for name in names:
        tasks = validity.chosen_tasks(store, name, repaired=False)
        in_force = _fitting(store, name, tasks)
        groups[name] = table12(tasks, in_force)
        hits += _rule_hits(store, name, progress)
    return Statistics(groups, hits, [row for name in names for row in _flag_counts(store, name)])


def _domains(store: Store) -> list[str]:
    return [info.name for info in store.documents.domains() if environments.tasks(store, info.name)]


def _fitting(store: Store, domain: str, tasks: Mapping[str, GoldTask]) -> list[Patch]:
    """The patches of a domain that hold for its tasks as imported."""
    known = tasks_in_force.in_force(store, domain)
    return [patch for gold in tasks.values() for patch in tasks_in_force.fitting(gold.task, known)]


def _rule_hits(store: Store, domain: str, progress: Progress) -> list[dict[str, Any]]:
    before, after = (
        _tasks_by_code(validity.inspect(store, domain, repaired=repaired, progress=progress))
        for repaired in (False, True)
    )
    return [
        {
            "code": code,
            "name": rule.name,
            "level": rule.level,
            "domain": domain,
            "before": before[code],
            "after": after[code],
        }
        for code, rule in ALL.items()
        if code in before or code in after
    ]


def _tasks_by_code(inspected: Mapping[str, Iterable[Checked]]) -> Counter[str]:
    return Counter(
        code
        for listed in inspected.values()
        for code in {checked.violation.code for checked in listed}
    )


def _flag_counts(store: Store, domain: str) -> list[dict[str, Any]]:
    ages: dict[tuple[str, int], list[int]] = {}
    for flag in store.flags.all(domain):
        ages.setdefault((flag.state, flag.severity), []).append(_days(flag))
    return [
        {
            "domain": domain,
            "state": state,
            "severity": severity,
            "count": len(days),
            "oldest_days": max(days),
            "median_days": median(days),
        }
        for (state, severity), days in sorted(ages.items())
    ]


def _days(flag: Flag) -> int:
    """Age of an open flag; of a closed one how long it was open."""
    start = _moment(flag.created_at)
    end = _moment(flag.changed_at) if flag.closed else datetime.now(UTC)
    return max((end - start).days, 0)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# -- the list of tasks -------------------------------------------------------------------------


def task_rows(store: Store, domain: str, *, progress: Progress = silent) -> list[TaskRow]:
    """The tasks of `tasks.json`, in its order. Call it outside of a transaction.

    Raises:
        NotFound: no such domain.
    """
    tasks = validity.chosen_tasks(store, domain)
    originals = validity.chosen_tasks(store, domain, repaired=False)
    inspected = validity.inspect(store, domain, progress=progress)
    holding = _fitting(store, domain, originals)
    patches = _by_task(store.patches.all(domain))
    flags = Counter(flag.task_id for flag in store.flags.all(domain) if not flag.closed)
    rows = []
    for name, gold in tasks.items():
        levels = [checked.violation.level for checked in inspected[name] if _counts(checked)]
        codes = tuple(dict.fromkeys(checked.violation.code for checked in inspected[name]))
        row = TaskRow(
            task_id=name,
            purpose=purpose(gold.task),
            levels=dict(Counter(levels)),
            codes=codes,
            group=group_of(name, [patch for patch in holding if patch.task_id == name]),
            patch_state=_patch_state(patches.get(name, [])),
            flags=flags[name],
            does_nothing_pass=DOES_NOTHING in codes,
        )
        rows.append(row)
    return rows


def purpose(task: Mapping[str, Any]) -> str:
    """What a task is about: its stated purpose, else why the user calls."""
    description = task.get("description")
    said = description.get("purpose") if isinstance(description, Mapping) else description
    scenario = task.get("user_scenario")
    instructions = scenario.get("instructions") if isinstance(scenario, Mapping) else None
    if not said and isinstance(instructions, Mapping):
        said = instructions.get("reason_for_call")
    return str(said or instructions or "")


def _counts(checked: Checked) -> bool:
    return checked.open or checked.violation.level in ("info", "label")


def _by_task(patches: Iterable[StoredPatch]) -> dict[str, list[StoredPatch]]:
    grouped: dict[str, list[StoredPatch]] = {}
    for patch in patches:
        grouped.setdefault(patch.patch.task_id, []).append(patch)
    return grouped


def _patch_state(patches: Sequence[StoredPatch]) -> PatchState | None:
    if any(patch.state == "proposed" for patch in patches):
        return "proposed"
    own = [patch.state for patch in patches if patch.inverts is None]
    return own[-1] if own else None
