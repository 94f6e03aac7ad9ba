"""Recorded answers of the reference compared with the environments and the scoring here.

A record says what was called on which state and what came of it: output, error flag, state
difference, hashes, assertions, rewards. `run` goes through any number of records and reports which
agree. Error texts are compared only where the reference's own code raised them (`error_class`
ValueError): the others are Python's and pydantic's wordings. Notes are not compared.

Source: format of the conformance records' README.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from review_app import json_paths
from review_app.core.envs.base import Environment, States, Step, ToolError
from review_app.core.scoring.recorded import component_records, product_record
from review_app.core.scoring.reward import ScoredRun, run_assertion, score
from review_app.core.tasks.replay import gold_environment, prepared
from review_app.core.tasks.statediff import Side, changes, entries
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice

Open = Callable[[], Environment]
"""Opens a fresh environment on the pristine state that the records start from."""
AnswerDifference = tuple[str, Any, Any]
"""What was compared, what the record says, what came out here."""

KINDS = ("replay", "call", "sequence", "env_call", "score")
_REMOVED = "__remove__"
_RECORD = "conformance record"
"""Stands for the file in what is wrong with a record."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A record that the environments do not reproduce."""

    id: str
    kind: str
    differences: tuple[AnswerDifference, ...]

    def line(self) -> str:
        """The first difference, in one line."""
        what, wanted, got = self.differences[0]
        return f"{self.id}: {what}: recorded {wanted!r:.200}, here {got!r:.200}"


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """How many records agree, and the first that do not."""

    agreeing: Mapping[str, int]
    """Record kind -> count."""
    disagreeing: Mapping[str, int]
    first: tuple[Disagreement, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Domain without an environment, or unknown kind -> count."""

    @property
    def ok(self) -> bool:
        """Whether something was compared and everything agreed."""
        return bool(self.agreeing) and not self.disagreeing

    def as_json(self) -> dict[str, Any]:
        """The record that the command line writes."""
        return {
            "agreeing": sum(self.agreeing.values()),
            "disagreeing": sum(self.disagreeing.values()),
            "skipped": sum(self.skipped.values()),
            "by_kind": {
                kind: {
                    "agreeing": self.agreeing.get(kind, 0),
                    "disagreeing": self.disagreeing.get(kind, 0),
                }
                for kind in sorted({*self.agreeing, *self.disagreeing})
            },
            "skipped_by": dict(self.skipped),
            "first_differences": [disagreement.line() for disagreement in self.first],
        }


def run(
    records: Iterable[Json], environments: Mapping[str, Open], *, first: int = 20
) -> ConformanceReport:
    """Compare records with the environments.

    Args:
        records: Lines of the record files, `meta` lines included, in any order but that a `score`
            record must come after the `replay` record of its task.
        environments: Domain -> what opens a fresh environment of it.
        first: How many disagreements to keep.

    Raises:
        BadInput: a record lacks a field or names a task without a replay record.
    """
    agreeing: Counter[str] = Counter()
    disagreeing: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    kept: list[Disagreement] = []
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    for at, record in enumerate(records):
        if not isinstance(record, Mapping):
            problem = Notice("conformance.no_object", "a record must be an object")
            raise BadInput(problem, _RECORD, str(at))
        kind, domain = record.get("kind", ""), record.get("domain", "")
        if kind not in ("meta", *KINDS) or domain not in environments:
            skipped[domain if kind in KINDS else kind] += 1
            continue
        differences = tuple(compare(record, environments[domain], tasks))
        (disagreeing if differences else agreeing)[kind] += 1
        if differences and len(kept) < first:
            kept.append(Disagreement(record.get("id", f"{domain}/{kind}"), kind, differences))
    return ConformanceReport(
        agreeing=dict(agreeing),
        disagreeing=dict(disagreeing),
        first=tuple(kept),
        skipped=dict(skipped),
    )


def compare(
    record: Json, opened: Open, tasks: dict[tuple[str, str], dict[str, Any]]
) -> Iterator[AnswerDifference]:
    """Where a record and the environment disagree.

    Args:
        record: One record of a known kind.
        opened: Opens a fresh environment of its domain.
        tasks: Tasks by domain and id as replay records tell them; filled and read here.
    """
    try:
        if record["kind"] == "replay":
            tasks[record["domain"], record["task_id"]] = task_of(record)
        if record["kind"] == "score":
            yield from _compare_score(record, opened(), tasks[record["domain"], record["task_id"]])
        else:
            yield from _COMPARED[record["kind"]](record, opened())
    except KeyError as error:
        problem = Notice(
            "conformance.field_missing",
            "lacks {field}, or its task has no replay record before it",
            field=str(error),
        )
        raise BadInput(problem, _RECORD, str(record.get("id"))) from error
    except (TypeError, AttributeError, LookupError, ToolError) as error:
        problem = Notice(
            "conformance.other_form",
            "does not have the form of a {kind} record: {problem}",
            kind=record["kind"],
            problem=str(error),
        )
        raise BadInput(problem, _RECORD, str(record.get("id"))) from error


def task_of(record: Json) -> dict[str, Any]:
    """The task that a replay record tells of, as far as replay and scoring need it."""
    criteria = record["evaluation_criteria"]
    return {
        "id": record["task_id"],
        "initial_state": {"initialization_actions": record["initial_state"].get("actions")},
        "evaluation_criteria": {
            "actions": record["actions"],
            "env_assertions": record["env_assertions_after_live"],
            "communicate_info": criteria["communicate_info"],
            "nl_assertions": [""] * criteria["n_nl_assertions"],
            "reward_basis": criteria["reward_basis"],
        },
    }


def _compare_meta(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    yield from _differ("pristine_hash", record["pristine_hash"], _hashes(environment.states()))


def _compare_call(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    for at, entry in enumerate(record.get("setup", ())):
        yield from _compare_entry(entry, environment, f"setup/{at}")
    step = environment.call(record["tool"], record["arguments"], record["requestor"])
    yield from _compare_step(record, step, "call")
    if "final_hash" in record:
        yield from _differ("final_hash", record["final_hash"], _hashes(step.after))


def _compare_sequence(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    for at, entry in enumerate(record["steps"]):
        yield from _compare_entry(entry, environment, f"steps/{at}")
    yield from _differ("final_hash", record["final_hash"], _hashes(environment.states()))


def _compare_env_call(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    for at, entry in enumerate(record.get("setup", ())):
        yield from _compare_entry(entry, environment, f"setup/{at}")
    for value in (True, False):
        name = f"run_env_assertion_assert_value_{str(value).lower()}"
        if name in record:
            verdict = run_assertion(environment.fork(), {**record, "assert_value": value})
            yield from _differ(name, record[name], verdict.met)
    step = environment.run(record["env_type"], record["func_name"], record["arguments"])
    yield from _compare_returned(record, step, "env_call")
    yield from _differ("final_hash", record["final_hash"], _hashes(step.after))


def _compare_replay(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    yield from _compare_gold(record, environment)
    for at, entry in enumerate(record["initial_state"].get("actions", ())):
        yield from _compare_entry({**entry, "env": entry}, environment, f"initial_state/{at}")
    initial = environment.states()
    yield from _differ("initial_hash", record["initial_hash"], _hashes(initial))
    for action in record["actions"]:
        step = environment.call(action["name"], action["arguments"], action["requestor"])
        yield from _compare_step(action, step, action["action_id"])
        yield from _differ(f"{action['action_id']}/tool_type", action["tool_type"], step.kind)
    final = environment.states()
    yield from _differ("live", _recorded_hashes(record["live"]), _hashes(final))
    yield from _compare_diff(record["live"]["diff"], initial, final, "live/diff")
    for at, assertion in enumerate(record["env_assertions_after_live"]):
        met = run_assertion(environment, assertion).met
        yield from _differ(f"env_assertions_after_live/{at}", assertion["met"], met)
    same = _recorded_hashes(record["gold_env"]) == _hashes(final)
    yield from _differ("gold_env/same_as_live", record["gold_env"]["same_as_live"], same)


def _compare_gold(record: Json, environment: Environment) -> Iterator[AnswerDifference]:
    """The evaluator's own gold environment: where it ends, and what it passed over."""
    wanted, task = record["gold_env"], task_of(record)
    initial = prepared(environment.fork(), task).states()
    gold, steps = gold_environment(environment.fork(), task)
    yield from _differ("gold_env", _recorded_hashes(wanted), _hashes(gold.states()))
    pairs = zip(record["actions"], steps, strict=True)
    refused = {
        action["action_id"]: f"ValueError: {step.error}" for action, step in pairs if not step.ok
    }
    for error in wanted["swallowed_errors"]:
        got = refused.pop(error["action_id"], "ok")
        if error["exception"].startswith("ValueError: "):
            yield from _differ("gold_env/swallowed_errors", error["exception"], got)
    yield from _differ("gold_env/swallowed_errors", {}, refused)
    if "diff_from_initial" in wanted:
        place = "gold_env/diff_from_initial"
        # Two forks have the same pristine state, so their moments may be compared.
        yield from _compare_diff(wanted["diff_from_initial"], initial, gold.states(), place)


def _compare_entry(entry: Json, environment: Environment, place: str) -> Iterator[AnswerDifference]:
    """A step of a setup, a sequence or an initial state."""
    if "set_user_db" in entry:
        set_values(environment, entry["set_user_db"])
    elif "call" in entry:
        call = entry["call"]
        requestor = call.get("requestor", "assistant")
        yield from _compare_step(
            entry, environment.call(call["name"], call["arguments"], requestor), place
        )
    else:
        call = entry["env"]
        step = environment.run(call["env_type"], call["func_name"], call["arguments"])
        yield from _compare_returned(entry, step, place)


def _compare_step(record: Json, step: Step, place: str) -> Iterator[AnswerDifference]:
    result = record["result"]
    yield from _differ(f"{place}/error", result["error"], not step.ok)
    if not result["error"] or result.get("error_class") == "ValueError":
        yield from _differ(f"{place}/content", result["content"], step.output)
    yield from _differ(f"{place}/error_where", result.get("error_where", ""), _where(step))
    if "diff" in record:
        yield from _compare_diff(record["diff"], step.before, step.after, f"{place}/diff")


def _where(step: Step) -> str:
    return "sync_tools" if step.error_where == "sync" else ""


def _compare_returned(record: Json, step: Step, place: str) -> Iterator[AnswerDifference]:
    yield from _differ(f"{place}/raised", "raised" in record, not step.ok)
    if "returned" in record:
        value = list(step.value) if isinstance(step.value, tuple) else step.value
        yield from _differ(f"{place}/returned", record["returned"], value)
    elif record["raised"].startswith("ValueError: "):
        yield from _differ(f"{place}/raised", record["raised"], f"ValueError: {step.error}")
    if "diff" in record:
        yield from _compare_diff(record["diff"], step.before, step.after, f"{place}/diff")


_SIDES: tuple[Side, ...] = ("agent", "user")


def _compare_diff(
    wanted: Json, before: States, after: States, place: str
) -> Iterator[AnswerDifference]:
    differing = changes(before, after)
    for side in _SIDES:
        got = _by_path(entries(differing, side))
        yield from _differ(f"{place}/{side}", _by_path(wanted.get(side, ())), got)


def _by_path(diff: Iterable[Json]) -> dict[str, tuple[str, str]]:
    return {
        entry["path"]: (entry["op"], repr((entry.get("old"), entry.get("new")))) for entry in diff
    }


def set_values(environment: Environment, values: Json) -> None:
    """Set values of the user's database by pointer, as the recorder did."""
    for pointer, value in values.items():
        keys = json_paths.keys(pointer)
        name, path = keys[0], keys[1:]
        holder = json_paths.inside(environment.user_db.edit_single(name), path[:-1])
        key = int(path[-1]) if isinstance(holder, list) else path[-1]
        if value == _REMOVED:
            del holder[key]
        else:
            holder[key] = value


def _compare_score(
    record: Json, environment: Environment, task: Json
) -> Iterator[AnswerDifference]:
    met = record["nl_judge_stub"] == "all assertions met"
    nl = [met] * len(task["evaluation_criteria"]["nl_assertions"])
    lenient = ScoredRun(
        messages=record["messages"],
        termination_reason=record["termination_reason"],
        nl_met=nl,
        strict=record["strict_replay"],
    )
    strict = ScoredRun(record["messages"], record["termination_reason"], nl)
    wanted = record["expected"]
    result = score(task, lenient, environment)
    for component, got in component_records(result).items():
        yield from _compare_component(component, wanted[component], got)
    if not record["strict_replay"]:
        result = score(task, strict, environment)
    got = product_record(result)
    yield from _compare_component("all_ignore_basis", wanted["all_ignore_basis"], got)


def _compare_component(name: str, wanted: Json, got: Json) -> Iterator[AnswerDifference]:
    if "raised" in wanted or "raised" in got:
        yield from _differ(f"{name}/raised", "raised" in wanted, "raised" in got)
        return
    for key, value in wanted.items():
        if key != "info":
            yield from _differ(f"{name}/{key}", value, got.get(key))


def _hashes(states: States) -> dict[str, str | None]:
    return {"agent": states[0].hash, "user": states[1].hash if states[1] else None}


def _recorded_hashes(record: Json) -> dict[str, str | None]:
    return {"agent": record["agent_hash"], "user": record["user_hash"]}


def _differ(what: str, wanted: Any, got: Any) -> Iterator[AnswerDifference]:
    if wanted != got:
        yield what, wanted, got


_COMPARED: Mapping[str, Callable[[Json, Environment], Iterator[AnswerDifference]]] = {
    "meta": _compare_meta,
    "call": _compare_call,
    "sequence": _compare_sequence,
    "env_call": _compare_env_call,
    "replay": _compare_replay,
}
