"""The benchmark's results files: read in both layouts, and written.

One layout is a single file with everything; the other a file with the metadata and an index beside
a folder `simulations/` with one file each. The caller opens files; large ones come through
`stream.members`. What is read keeps its unknown keys; of the provider's raw responses only
finish reason, model and usage are kept, because they make up most of such a file.

Source: format specification, section 4.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from review_app.core.results.facts import recorded_fault
from review_app.core.scoring.accounting import Cause, Facts, TrialFault
from review_app.core.scoring.run_scores import TrialEntry
from review_app.core.simulation.orchestrator import stop_token
from review_app.core.tasks.patches import task_hash
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice

RAW_KEPT = ("model", "provider", "usage")
"""Members of a raw response that are kept beside the finish reasons of its choices."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One recorded trial."""

    id: str
    task_id: str
    trial: int | None
    """From 0; None where the file does not say."""
    seed: int | None
    termination_reason: str
    reward: float | None
    """None: not recorded."""
    reward_basis: tuple[str, ...] | None
    """None: ended early, or not recorded."""
    db_match: bool | None
    messages: Sequence[Json]
    agent_cost: float | None
    """US dollars; None: not recorded, or partial."""
    user_cost: float | None
    duration_s: float | None
    fault: TrialFault | None
    stop_token: str
    raw: Json = field(repr=False)
    """The whole record, without what `slim` takes out."""

    def facts(self, human_cause: Cause | None = None) -> Facts:
        """What error accounting needs of the trial."""
        return Facts(
            termination_reason=self.termination_reason,
            reward=self.reward,
            fault=self.fault,
            human_cause=human_cause,
        )


@dataclass(frozen=True, slots=True)
class Results:
    """A results file."""

    info: Json
    tasks: tuple[Json, ...]
    """As they were run: these count, not today's file."""
    simulations: tuple[Simulation, ...]
    rest: Json
    """Other members of the top level: `timestamp`, `simulation_index`, unknown ones."""

    @property
    def wanted(self) -> int:
        """Trials of a task that the run was to play."""
        stated = self.info.get("num_trials")
        if isinstance(stated, int) and stated > 0:
            return stated
        return max(
            Counter(simulation.task_id for simulation in self.simulations).values(), default=1
        )


def read_results(
    parts: Iterable[tuple[str, Any]], separate: Iterable[Json] = (), *, file: str = "results.json"
) -> Results:
    """A results file from its members.

    Args:
        parts: Key and value as `stream.members` yields them.
        separate: Records of a folder `simulations/`, where the layout has one.
        file: Name for messages.

    Raises:
        BadInput: a record lacks what it must have, or the index names other simulations than are
            there.
    """
    rest: dict[str, Any] = {}
    tasks: list[Json] = []
    simulations: list[Simulation] = []
    for key, value in parts:
        if key == "tasks" and value is not None:
            tasks.append(_object(value, file, f"tasks/{len(tasks)}"))
        elif key == "simulations" and value is not None:
            simulations.append(read_simulation(value, file, f"simulations/{len(simulations)}"))
        elif key not in ("tasks", "simulations"):
            rest[key] = value
    folder = [
        read_simulation(record, f"simulations/{at}.json") for at, record in enumerate(separate)
    ]
    if folder or (rest.get("simulation_index") and not simulations):
        _match_index(rest.get("simulation_index"), folder, file)
    info = _object(rest.pop("info", None), file, "info")
    return Results(info=info, tasks=tuple(tasks), simulations=(*simulations, *folder), rest=rest)


def read_simulation(record: Any, file: str = "results.json", address: str = "") -> Simulation:
    """One record of a results file; costs, raw data, reward and trial number may be missing.

    Raises:
        BadInput: it has no id, task or end, is of a voice run, or its messages are no list.
    """
    record = _object(record, file, address)
    for name in ("id", "task_id", "termination_reason"):
        if not isinstance(record.get(name), str | int) or isinstance(record[name], bool):
            raise BadInput(
                Notice("results.missing", "{name!r} is missing", name=name), file, address
            )
    if record.get("mode") not in (None, "half_duplex"):
        problem = Notice(
            "results.mode", "mode {mode} is not read: text runs only", mode=repr(record["mode"])
        )
        raise BadInput(problem, file, address)
    record = slim(record, file, address)
    reward = record.get("reward_info") or {}
    basis = reward.get("reward_basis")
    messages = record.get("messages") or ()
    reason = str(record["termination_reason"])
    return Simulation(
        id=str(record["id"]),
        task_id=str(record["task_id"]),
        trial=_whole(record.get("trial")),
        seed=_whole(record.get("seed")),
        termination_reason=reason,
        reward=_number(reward.get("reward")),
        reward_basis=None if basis is None else tuple(map(str, basis)),
        db_match=(reward.get("db_check") or {}).get("db_match"),
        messages=messages,
        agent_cost=_number(record.get("agent_cost")),
        user_cost=_number(record.get("user_cost")),
        duration_s=_number(record.get("duration")),
        fault=recorded_fault(reason, record.get("info")),
        stop_token=stop_token(messages[-1]) if messages and reason == "user_stop" else "",
        raw=record,
    )


def slim(record: Json, file: str = "results.json", address: str = "") -> Json:
    """A record whose messages keep of raw responses only what this app looks at.

    Raises:
        BadInput: the messages are no list of objects.
    """
    messages = record.get("messages")
    if messages is None:
        return record
    if not isinstance(messages, list) or not all(
        isinstance(message, Mapping) for message in messages
    ):
        problem = Notice("results.messages", "'messages' must be a list of objects")
        raise BadInput(problem, file, address)
    return {**record, "messages": [_slim_message(message) for message in messages]}


def entries(
    results: Results, human_causes: Mapping[str, Cause] | None = None
) -> tuple[TrialEntry, ...]:
    """A file's trials for scoring; those without a number are numbered in their order.

    Args:
        results: The file.
        human_causes: Simulation id -> whom a person blamed.
    """
    causes = human_causes or {}
    seen: Counter[str] = Counter()
    numbered = []
    for simulation in results.simulations:
        task_id, trial = simulation.task_id, simulation.trial
        number = seen[task_id] if trial is None else trial
        seen[task_id] += 1
        numbered.append(TrialEntry(task_id, number, simulation.facts(causes.get(simulation.id))))
    return tuple(numbered)


def task_ids(results: Results) -> tuple[str, ...]:
    """Ids of the tasks that the run was to play: those embedded, and any that have trials."""
    ids = [str(task.get("id", "")) for task in results.tasks]
    return tuple(dict.fromkeys([*ids, *(simulation.task_id for simulation in results.simulations)]))


def changed_tasks(results: Results, today: Mapping[str, Json]) -> tuple[str, ...]:
    """Ids of the embedded tasks that are not the same today, or are no longer there.

    Args:
        results: The file.
        today: Id -> raw task as it is now.
    """
    return tuple(
        id
        for task in results.tasks
        if (id := str(task.get("id", ""))) not in today
        or task_hash(dict(task)) != task_hash(dict(today[id]))
    )


def finish_reasons(simulation: Simulation) -> tuple[str | None, ...]:
    """The finish reason of each message of agent and user; None where none is recorded."""
    return tuple(
        _finish_reason(message.get("raw_data"))
        for message in simulation.messages
        if message.get("role") in ("assistant", "user")
    )


def _match_index(index: Any, folder: Sequence[Simulation], file: str) -> None:
    listed = {str(entry.get("id")) for entry in index or () if isinstance(entry, Mapping)}
    there = {simulation.id for simulation in folder}
    if odd := sorted(listed ^ there):
        problem = (
            Notice("results.index_only", "simulation {id!r} is in the index only", id=odd[0])
            if odd[0] in listed
            else Notice("results.folder_only", "simulation {id!r} is in the folder only", id=odd[0])
        )
        raise BadInput(problem, file, "simulation_index")


def _slim_message(message: Json) -> Json:
    raw = message.get("raw_data")
    if not isinstance(raw, Mapping):
        return message
    listed = raw.get("choices")
    choices = [
        {name: value for name, value in choice.items() if name.endswith("finish_reason")}
        for choice in (listed if isinstance(listed, list) else ())
        if isinstance(choice, Mapping)
    ]
    kept = {name: raw[name] for name in RAW_KEPT if name in raw}
    return {**message, "raw_data": {**kept, "choices": choices}}


def _finish_reason(raw: Any) -> str | None:
    choices = raw.get("choices") if isinstance(raw, Mapping) else None
    return str(choices[0].get("finish_reason") or "") if choices else None


def _object(value: Any, file: str, address: str) -> Json:
    if not isinstance(value, Mapping):
        raise BadInput(Notice("results.no_object", "must be an object"), file, address)
    return value


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None


def written(
    head: Mapping[str, Any], tasks: Iterable[Json], simulations: Iterable[Json]
) -> Iterator[str]:
    """Yield the text of a results file of one piece, one record at a time.

    Args:
        head: The other members: `timestamp`, `info`.
        tasks: As they were run.
        simulations: As `records.simulation_record` makes them, or read ones' `raw`.
    """
    yield "{\n"
    for key, value in head.items():
        yield f"  {json.dumps(key)}: {_text(value)},\n"
    for name, records in (("tasks", tasks), ("simulations", simulations)):
        yield f'  "{name}": ['
        for at, record in enumerate(records):
            yield ("," if at else "") + f"\n    {_text(record)}"
        yield "\n  ]" + (",\n" if name == "tasks" else "\n}\n")


def index(simulations: Iterable[Simulation]) -> list[dict[str, Any]]:
    """The `simulation_index` of the folder layout."""
    return [
        {
            "id": simulation.id,
            "task_id": simulation.task_id,
            "trial": simulation.trial,
            "reward": simulation.reward,
            "termination_reason": simulation.termination_reason,
            "agent_cost": simulation.agent_cost,
            "duration": simulation.duration_s,
        }
        for simulation in simulations
    ]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
