"""The benchmark's results files: read, write, and import as runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from review_app.core.results import files
from review_app.core.results.facts import OWN_KEY, fault_info
from review_app.core.results.files import Results, Simulation, read_results
from review_app.core.results.records import info_record
from review_app.core.results.stream import members
from review_app.core.scoring.accounting import classify
from review_app.core.tasks.patches import task_hash
from review_app.errors import BadInput, ReviewError
from review_app.json_types import Json
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.runs import NewRun, NewTrialUnit, Run, RunTask, TrialResult, TrialUnit
from review_app.store import Store
from review_app.workflows.benchmark.files import naming
from review_app.workflows.runs import attribution, plan, rescore
from review_app.workflows.runs.released import PlayedRelease, is_same, recognized

Layout = Literal["json", "dir"]

_CHUNK = 1 << 20
_MISSING = "state unknown"
_LONGEST_NAME = 200
"""Bytes of a file's name, without its ending."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made."""

    run: int
    tasks: int
    trials: int
    changed: tuple[str, ...]
    """Tasks that are not the same today: the run keeps those of the file, and both can be shown."""
    gone: tuple[str, ...]
    """Tasks that are no longer there today."""
    played: PlayedRelease | None = None
    """The localized domain that the file is of; None: a domain of the source."""


# -- reading -----------------------------------------------------------------------------------


def read(path: Path) -> Results:
    """A results file in either layout, streamed; a byte order mark before it is fine.

    Args:
        path: The file, or the folder that it lies in.

    Raises:
        BadInput: no such file, or it is none that can be read; names the file and the place in it.
    """
    file = path / "results.json" if path.is_dir() else path
    if not file.is_file():
        raise BadInput(Notice("run.no_results_file", "no such results file"), str(file))
    with _opened(file) as opened:
        chunks = iter(lambda: opened.read(_CHUNK), "")
        return read_results(
            _named(file, members(chunks, strict=True)), _separate(file), file=str(file)
        )


def domain_of(file: Results) -> str:
    """The domain of the source that a file is of; empty if it names none."""
    if played := recognized(file):
        return played.domain
    environment = file.info.get("environment_info") or {}
    return str(environment.get("domain_name") or "")


def models_of(file: Results) -> dict[str, str]:
    """Role -> model, as far as the file says."""
    models = {}
    for role in ("agent", "user"):
        info = file.info.get(f"{role}_info") or {}
        models[role] = str(info.get("llm") or info.get("implementation") or "")
    return models


@contextmanager
def _opened(file: Path) -> Iterator[TextIO]:
    """A file of text; what goes wrong with reading it is told with its name."""
    try:
        with file.open(encoding="utf-8-sig") as opened:
            yield opened
    except (OSError, UnicodeDecodeError) as error:
        problem = Notice("run.file_unreadable", "cannot be read ({problem})", problem=str(error))
        raise BadInput(problem, str(file)) from error


def _named(file: Path, parts: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The members of a file; what is no JSON in it is told with its name."""
    with naming(file):
        yield from parts


def _separate(file: Path) -> Iterator[tuple[str, Json]]:
    """Each file of the folder beside a results file, read as one object."""
    for path in sorted(file.with_name("simulations").glob("*.json")):
        with _opened(path) as opened, naming(path):
            yield str(path), dict(members([opened.read()], frozenset()))


# -- importing ---------------------------------------------------------------------------------


def import_file(
    store: Store, person: Person | None, path: Path, *, domain: str = "", name: str = ""
) -> Imported:
    """Import a results file as a run, with the tasks as they were run.

    Args:
        store: The review database.
        person: Who imports it.
        path: The file, or the folder that it lies in.
        domain: Where the file does not name it.
        name: Of the run; empty: the file's.

    Raises:
        BadInput: no such file, it cannot be read, or it names no domain.
    """
    file = read(path)
    played = recognized(file)
    if played and domain in ("", f"{played.domain}_{played.locale}"):
        domain = played.domain
    played = played if played and domain == played.domain else None
    domain = domain or domain_of(file)
    if not domain:
        raise BadInput(Notice("run.no_domain", "names no domain: say which"), str(path))
    with store.write(person.name if person else "runs"):
        run = store.runs.add(_new_run(file, domain, name or path.stem, person, played))
        hashes = _add_tasks(store, run, file)
        _add_units(store, run, file, hashes)
    changed, gone = against_today(store, run)
    return Imported(
        run=run,
        tasks=len(hashes),
        trials=len(file.simulations),
        changed=changed,
        gone=gone,
        played=played,
    )


def against_today(store: Store, run_id: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tasks of a run that are not the same today, and those that are no longer there.

    A run that was played here or of a localized domain is compared with its variant as it is
    derived today, another imported one with the tasks as they are imported.
    """
    rows, run = store.runs.tasks(run_id), store.runs.get(run_id)
    known = rescore.today(store, run).tasks
    is_released = run.origin == "imported" and bool(run.locale)
    gone = tuple(name for name in rows if name not in known)
    changed = tuple(
        name
        for name, row in rows.items()
        if name in known
        and row.notes.get("embedded", True)
        and row.notes.get("hash") != task_hash(dict(known[name]))
        and not (is_released and is_same(store.runs.content(row.task_hash), known[name]))
    )
    return changed, gone


def _new_run(
    file: Results, domain: str, name: str, person: Person | None, played: PlayedRelease | None
) -> NewRun:
    info = file.info
    models = {
        role: {"model": model, "parameters": (info.get(f"{role}_info") or {}).get("llm_args") or {}}
        for role, model in models_of(file).items()
    }
    return NewRun(
        name=name,
        domain=domain,
        variant=played.variant if played else "",
        locale=played.locale if played else "",
        agent_kind=str((info.get("agent_info") or {}).get("implementation") or ""),
        models=models,
        profile="jtau",
        trials=file.wanted,
        plan={"info": info},
        material={},
        seed=info.get("seed"),
        config_hash="imported",
        origin="imported",
        created_by=person.id if person else None,
    )


def _add_tasks(store: Store, run: int, file: Results) -> dict[str, str]:
    """Keep the embedded tasks; a task that has trials only is kept as its id."""
    embedded = {str(task.get("id", "")): dict(task) for task in file.tasks}
    rows = []
    for at, name in enumerate(files.task_ids(file)):
        task = embedded.get(name, {"id": name})
        notes = {"hash": task_hash(task), "embedded": name in embedded}
        rows.append(
            RunTask(
                task_id=name,
                task_hash=store.runs.keep(task),
                state_hash=_MISSING,
                position=at,
                repaired=None,
                notes=notes,
            )
        )
    store.runs.add_tasks(run, rows)
    return {row.task_id: row.task_hash for row in rows}


def _add_units(store: Store, run: int, file: Results, hashes: Mapping[str, str]) -> None:
    for simulation, trial in zip(
        file.simulations, files.trial_numbers(file.simulations), strict=True
    ):
        new = NewTrialUnit(
            task_id=simulation.task_id,
            task_hash=hashes[simulation.task_id],
            state_hash=_MISSING,
            trial=trial,
            attempt=0,
            seed=simulation.seed,
        )
        store.units.add_done(run, new, _result(simulation), simulation.messages)


def _result(simulation: Simulation) -> TrialResult:
    raw = dict(simulation.raw)
    messages = raw.pop("messages", None)
    sides = (simulation.agent_cost, simulation.user_cost)
    costs = [cost for cost in sides if cost is not None]
    return TrialResult(
        termination_reason=simulation.termination_reason,
        reward=simulation.reward,
        reward_info=raw.get("reward_info"),
        fault=asdict(simulation.fault) if simulation.fault else None,
        rule_id=classify(simulation.facts()).rule_id,
        stop_token=simulation.stop_token,
        cost_usd=sum(costs) if costs else None,
        unpriced=sides.count(None),
        steps=len(messages or ()),
        duration_s=simulation.duration_s,
        started_at=raw.get("start_time"),
        finished_at=raw.get("end_time"),
        extras={"record": raw},
    )


# -- writing -----------------------------------------------------------------------------------


def export(store: Store, run_id: int, path: Path, *, layout: Layout = "json") -> int:
    """Write a run's finished trials as a results file; returns how many.

    Of the attempts at one trial the last is written, as the benchmark has one.

    Args:
        store: The review database.
        run_id: The run.
        path: A new file, or with layout `dir` a new folder.
        layout: One file, or `results.json` and a folder `simulations/`.

    Raises:
        BadInput: the path is taken or cannot be written, or a folder cannot hold a file for each
            trial.
        NotFound: no such run.
    """
    run = store.runs.get(run_id)
    last = attribution.recorded(store.units.of_run(run_id))
    if path.exists():
        raise BadInput(Notice("run.file_exists", "exists already: name a new one"), str(path))
    head = {"timestamp": run.created_at, "info": _info(store, run)}
    tasks = [store.runs.content(row.task_hash) for row in store.runs.tasks(run_id).values()]
    records = (_record(store, unit) for unit in last.values())
    try:
        if layout == "json":
            _write(path, files.written(head, tasks, records))
        else:
            _require_file_names(path, [_name(unit) for unit in last.values()])
            _write_folder(path, head, tasks, records)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        problem = Notice("run.file_not_writable", "cannot be written ({problem})", problem=why)
        raise BadInput(problem, str(path)) from error
    return len(last)


def _write(path: Path, parts: Iterator[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8") as opened:
            opened.writelines(parts)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_folder(path: Path, head: Json, tasks: list[Json], records: Iterator[Json]) -> None:
    folder = path / "simulations"
    folder.mkdir(parents=True)
    index = []
    for record in records:
        text = files.record_text(record)
        (folder / f"{record['id']}.json").write_text(text, encoding="utf-8")
        index += files.index([files.read_simulation(record)])
    whole = {**head, "simulation_index": index}
    _write(path / "results.json", files.written(whole, tasks, ()))


def _require_file_names(path: Path, names: list[str]) -> None:
    """Nothing, if each trial can have the file of its own that is named after it."""
    for name in names:
        is_plain = name.isprintable() and not set(name) & set('/\\:*?"<>|') and name.strip(". ")
        if not is_plain or len(name.encode()) > _LONGEST_NAME:
            problem = Notice(
                "run.no_file_name", "trial {name!r} can name no file: use layout json", name=name
            )
            raise BadInput(problem, str(path))
    twice = [name for name, count in Counter(map(str.casefold, names)).items() if count > 1]
    if twice:
        problem = Notice(
            "run.name_twice",
            "two trials are called {name!r}, and a folder holds one file for each: use layout json",
            name=twice[0],
        )
        raise BadInput(problem, str(path))


def _name(unit: TrialUnit) -> str:
    kept = unit.extras.get("record") or {}
    return str(kept.get("id") or f"run{unit.run_id}-unit{unit.id}")


def _record(store: Store, unit: TrialUnit) -> dict[str, Any]:
    kept = unit.extras.get("record")
    messages = store.units.messages(unit.id)
    if kept is not None:
        return {**kept, "messages": messages}
    fault = attribution.fault(unit)
    own = {
        "rule_id": unit.rule_id,
        "stop_token": unit.stop_token,
        "steps": unit.steps,
        "tool_errors": unit.tool_errors,
        "attempt": unit.attempt,
    }
    info = fault_info(fault) if fault else {}
    return {
        "id": _name(unit),
        "task_id": unit.task_id,
        "timestamp": unit.finished_at,
        "start_time": unit.started_at,
        "end_time": unit.finished_at,
        "duration": unit.duration_s,
        "termination_reason": unit.termination_reason,
        "agent_cost": _side_cost(unit, "agent"),
        "user_cost": _side_cost(unit, "user"),
        "reward_info": unit.reward_info,
        "messages": messages,
        "trial": unit.trial,
        "seed": unit.seed,
        "mode": "half_duplex",
        "info": {**info, OWN_KEY: {**info.get(OWN_KEY, {}), **own}},
    }


def _side_cost(unit: TrialUnit, side: str) -> float | None:
    usage = unit.usage.get(side) or {}
    return None if usage.get("unpriced") else usage.get("cost_usd")


def _info(store: Store, run: Run) -> Json:
    kept = run.plan.get("info")
    if isinstance(kept, Mapping):
        return kept
    if "policy" not in run.material:
        raise ReviewError(
            "run.not_started", "run {run} has not started: there is nothing to write", run=run.id
        )
    sides = {
        role: {
            "implementation": "llm_agent_gt" if run.agent_kind == "oracle" else f"llm_{role}",
            "llm": run.models[role]["model"],
            "llm_args": run.models[role]["parameters"],
        }
        for role in ("agent", "user")
    }
    sides["user"]["global_simulation_guidelines"] = store.runs.content(run.material["guideline"])
    started = plan.of_run(run)
    record = info_record(
        run.domain,
        store.runs.content(run.material["policy"]),
        sides["agent"],
        sides["user"],
        num_trials=run.trials,
        max_steps=started.max_steps,
        max_errors=started.max_errors,
        seed=run.seed,
    )
    own = {
        "variant": run.variant,
        "locale": run.locale,
        "profile": run.profile,
        "litellm": run.litellm,
        "config_hash": run.config_hash,
        "material": run.material,
        "judge": run.models.get("judge"),
        "timeout_s": run.plan["timeout_s"],
    }
    return {**record, OWN_KEY: own}
