"""The benchmark's results files: read in both layouts, and written.

One layout is a single file with everything; the other a file with the metadata and an index beside
a folder `simulations/` with one file each. The caller opens files; large ones come through
`stream.members`. What is read keeps its unknown keys; of the provider's raw responses only
finish reason, model and usage are kept, because they make up most of such a file.

Source: format specification, section 4.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from review_app.core.results.facts import recorded_fault
from review_app.core.results.shape import (
    EMBEDDED,
    INDEX,
    INFO,
    SIMULATION,
    require,
    require_count,
    require_share,
)
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
        return self.info.get("num_trials") or max(
            Counter(simulation.task_id for simulation in self.simulations).values(), default=1
        )


def read_results(
    parts: Iterable[tuple[str, Any]],
    separate: Iterable[tuple[str, Any]] = (),
    *,
    file: str = "results.json",
) -> Results:
    """A results file from its members.

    Args:
        parts: Key and value as `stream.members` yields them.
        separate: File and record of a folder `simulations/`, where the layout has one.
        file: Name for messages.

    Raises:
        BadInput: a value has not the type that it must have, a record lacks what it must have, two
            tasks of one id are not the same, or the index names other simulations than are there.
    """
    rest: dict[str, Any] = {}
    tasks: dict[str, Json] = {}
    simulations: list[Simulation] = []
    number = 0
    for key, value in parts:
        if key == "tasks" and value is not None:
            _add_task(tasks, value, file, f"tasks/{number}")
            number += 1
        elif key == "simulations" and value is not None:
            simulations.append(read_simulation(value, file, f"simulations/{len(simulations)}"))
        elif key not in ("tasks", "simulations"):
            require({key: value}, {"timestamp": str, "simulation_index": INDEX}, file, "")
            rest[key] = value
    # The folder is that of results.json; a whole file of another name lies beside it by chance.
    is_whole = bool(simulations) and not file.endswith("results.json")
    folder = [] if is_whole else [read_simulation(record, name) for name, record in separate]
    if folder and simulations:
        problem = Notice(
            "results.both_layouts",
            "holds simulations, and the folder simulations/ beside it holds others: "
            "take one of them away",
        )
        raise BadInput(problem, file, "simulations")
    if folder or (rest.get("simulation_index") and not simulations):
        listed = [str(entry["id"]) for entry in rest.get("simulation_index") or ()]
        _match_index(listed, folder, file)
        place = {name: at for at, name in enumerate(listed)}
        folder.sort(key=lambda simulation: place[simulation.id])
    info = _object(rest.pop("info", None), file, "info")
    require(info, INFO, file, "info")
    require_count(info.get("num_trials"), 1, file, "info/num_trials")
    return Results(
        info=info, tasks=tuple(tasks.values()), simulations=(*simulations, *folder), rest=rest
    )


def _add_task(tasks: dict[str, Json], value: Any, file: str, address: str) -> None:
    """Keep a task; one that is there twice is kept once, if it is the same."""
    task = _object(value, file, address)
    require(task, EMBEDDED, file, address)
    name = str(task["id"])
    if task_hash(dict(tasks.setdefault(name, task))) != task_hash(dict(task)):
        problem = Notice(
            "results.task_twice",
            "task {task!r} is there twice, with other content: give one of them another id",
            task=name,
        )
        raise BadInput(problem, file, address)


def read_simulation(record: Any, file: str = "results.json", address: str = "") -> Simulation:
    """One record of a results file; costs, raw data, reward and trial number may be missing.

    Raises:
        BadInput: it has no id, task or end, is of a voice run, or a value has not the type that it
            must have.
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
    require(record, SIMULATION, file, address)
    reward = record.get("reward_info") or {}
    require_share(reward.get("reward"), file, address)
    require_count(record.get("trial"), 0, file, f"{address}/trial".lstrip("/"))
    basis = reward.get("reward_basis")
    messages = record.get("messages") or ()
    reason = record["termination_reason"]
    return Simulation(
        id=str(record["id"]),
        task_id=str(record["task_id"]),
        trial=record.get("trial"),
        seed=record.get("seed"),
        termination_reason=reason,
        reward=_number(reward.get("reward")),
        reward_basis=None if basis is None else tuple(basis),
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
    """A file's trials for scoring, none left out.

    Args:
        results: The file.
        human_causes: Simulation id -> whom a person blamed.
    """
    causes = human_causes or {}
    return tuple(
        TrialEntry(
            simulation.task_id,
            number,
            replace(
                simulation.facts(causes.get(simulation.id)),
                shares_number=simulation.trial not in (None, number),
            ),
        )
        for simulation, number in zip(
            results.simulations, trial_numbers(results.simulations), strict=True
        )
    )


def trial_numbers(simulations: Sequence[Simulation]) -> tuple[int, ...]:
    """A number for each trial that no other trial of its task bears.

    Stated numbers stay. A trial without one, and one whose number an earlier trial bears already,
    gets the next after those that are stated: two records are two trials, whatever they say.
    """
    stated: dict[str, set[int]] = defaultdict(set)
    for simulation in simulations:
        if simulation.trial is not None:
            stated[simulation.task_id].add(simulation.trial)
    spare = {name: count(max(numbers) + 1) for name, numbers in stated.items()}
    numbers = []
    for simulation in simulations:
        open_numbers, number = stated[simulation.task_id], simulation.trial
        if number is None or number not in open_numbers:
            number = next(spare.setdefault(simulation.task_id, count()))
        open_numbers.discard(number)
        numbers.append(number)
    return tuple(numbers)


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


def _match_index(index: Sequence[str], folder: Sequence[Simulation], file: str) -> None:
    listed = Counter(index)
    there = Counter(simulation.id for simulation in folder)
    odd = min((id for id in listed | there if listed[id] != there[id]), default=None)
    if odd is None:
        return
    if listed[odd] and there[odd]:
        problem = Notice(
            "results.index_differs",
            "simulation {id!r} is {listed} times in the index and {there} times in the folder",
            id=odd,
            listed=listed[odd],
            there=there[odd],
        )
    elif listed[odd]:
        problem = Notice("results.index_only", "simulation {id!r} is in the index only", id=odd)
    else:
        problem = Notice("results.folder_only", "simulation {id!r} is in the folder only", id=odd)
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


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


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
        yield f"  {json.dumps(key)}: {record_text(value)},\n"
    for name, records in (("tasks", tasks), ("simulations", simulations)):
        yield f'  "{name}": ['
        for at, record in enumerate(records):
            yield ("," if at else "") + f"\n    {record_text(record)}"
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


def record_text(value: Any) -> str:
    """A part of a results file as JSON text.

    Raises:
        ValueError: it holds a number that JSON does not have.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
