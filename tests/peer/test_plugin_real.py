"""The benchmark itself plays its own three domains in Japanese: needs ../shared."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from peer_cases import PEER_VARIABLES, checked, english_left, peer_python, played
from peer_snapshots import WITH_DRAFTS
from sample_project import DOMAINS

from review_app.core.localize.values import Localizer
from review_app.core.proof import recorded
from review_app.workflows.localization.derived_domain import Derived

pytestmark = pytest.mark.timeout(1200)
ANSWER_CALLS = Path(__file__).parent / "answer_calls.py"
PLAYED = {"airline_ja": 3, "retail_ja": 6, "telecom_ja": 6}
"""Tasks that are played here; `benchmarks/peer_runs.py` plays all."""
NOT_IN_26_3 = "get_item_details"
WORDED_BY_PYTHON = "calculate"


def test_every_gold_action_of_278_tasks_does_there_what_it_does_here(real_snapshot):
    report = checked(real_snapshot)
    assert report["differences"] == []
    assert report["tasks"] == report["agree"] == 50 + 114 + 114
    assert report["missing_tools"] == {"retail_ja": [NOT_IN_26_3]}


@pytest.mark.parametrize("name", PLAYED)
def test_gold_ends_with_reward_1_and_no_english_reaches_a_model(real_snapshot, tmp_path, name):
    file = real_snapshot / "data" / "tau2" / "domains" / name / "tasks.json"
    tasks = json.loads(file.read_text(encoding="utf-8"))
    every = len(tasks) // PLAYED[name]
    results, requests = played(real_snapshot, name, tasks[::every][: PLAYED[name]], tmp_path)
    rewards = [simulation["reward_info"]["reward"] for simulation in results["simulations"]]
    assert rewards == [1.0] * PLAYED[name]
    judged = [request for request in requests if request["model"] != "judge"]
    assert list(english_left(real_snapshot, name, judged)) == []


@pytest.mark.parametrize("domain", [name for name in DOMAINS if name != "airline"])
def test_every_recorded_call_answers_there_as_here(
    real_store, real_snapshot, shared, tmp_path, domain
):
    """Refusals, messages and set-up functions that no gold action reaches.

    Airline's 700 records open its database each, which takes the benchmark ten minutes:
    `benchmarks/peer_runs.py --calls` has them.
    """
    with real_store.read():
        compared, differences = compare_calls(
            Derived(real_store, domain, WITH_DRAFTS), real_snapshot, shared, tmp_path
        )
    assert differences == []
    assert compared > 600


def compare_calls(
    derived: Derived, folder: Path, shared: Path, scratch: Path
) -> tuple[int, list[str]]:
    """How many recorded calls were run on both sides, and which answer otherwise."""
    localizer, asked, ours = derived.derivation.localizer, [], []
    for record in _records(shared / "conformance", derived.domain):
        domain = f"{derived.domain}_{derived.ground.locale.name}"
        asked.append({"domain": domain, "steps": list(_steps(record, localizer))})
        ours.append(recorded.replayed(record, derived.open(), localizer).steps)
    answers = _answers(folder, asked, scratch)
    compared, differences = 0, []
    for sequence, told, steps in zip(asked, answers, ours, strict=True):
        calls = [
            (step, answer)
            for step, answer in zip(sequence["steps"], told, strict=True)
            if "set_user_db" not in step and step["name"] != NOT_IN_26_3
        ]
        known = [step for step in steps if step.name != NOT_IN_26_3]
        for (asked_step, there), here in zip(calls, known, strict=True):
            compared += 1
            if not _same(there, here, is_tool=asked_step["tool"]):
                differences.append(f"{asked_step}: {there}, here {here.ok} {here.output}")
    return compared, differences


def _same(there: dict[str, Any], here: Any, *, is_tool: bool) -> bool:
    if there["ok"] != here.ok:
        return False
    by_python = here.error_class != "ToolError" or here.name == WORDED_BY_PYTHON
    if not here.ok and (by_python or not is_tool):
        return True
    if not is_tool:
        return not here.ok or there["content"] == (
            here.value if here.value in (True, False) else ""
        )
    return _parsed(there["content"]) == _parsed(here.output)


def _parsed(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


def _records(folder: Path, domain: str) -> Iterator[dict[str, Any]]:
    for path in (folder / f"{domain}.jsonl", folder / f"{domain}_env.jsonl"):
        for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
            record = json.loads(line)
            if record["kind"] in recorded.KINDS:
                yield record


def _steps(record: dict[str, Any], localizer: Localizer) -> Iterator[dict[str, Any]]:
    """The calls of a record in the target's words, as `answer_calls.py` takes them."""
    for entry in record.get("setup", record.get("steps", ())):
        if "set_user_db" in entry:
            yield {"set_user_db": _values(entry["set_user_db"], localizer)}
        elif "call" in entry:
            yield _step(entry["call"], localizer, is_tool=True)
        else:
            yield _step(entry["env"], localizer, is_tool=False)
    if record["kind"] == "call":
        yield _step({**record, "name": record["tool"]}, localizer, is_tool=True)
    elif record["kind"] == "env_call":
        yield _step(record, localizer, is_tool=False)


def _step(call: dict[str, Any], localizer: Localizer, *, is_tool: bool) -> dict[str, Any]:
    name = call["name" if is_tool else "func_name"]
    side = call.get("requestor", "assistant") if is_tool else call["env_type"]
    arguments = localizer.arguments(name, call["arguments"])
    return {"tool": is_tool, "name": name, "arguments": arguments, "side": side}


def _values(values: dict[str, Any], localizer: Localizer) -> dict[str, Any]:
    localized = {}
    for pointer, value in values.items():
        path = tuple(pointer.removeprefix("/").split("/"))
        there = "/".join(map(str, localizer.path("user_database", path)))
        localized[there] = localizer.record("user_database", path, value)
    return localized


def _answers(folder: Path, asked: list[dict[str, Any]], scratch: Path) -> list[list[Any]]:
    questions, answers = scratch / "asked.json", scratch / "told.json"
    questions.write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    done = subprocess.run(
        [str(peer_python()), str(ANSWER_CALLS), str(questions), str(answers)],
        cwd=folder / "plugin",
        env={**os.environ, **PEER_VARIABLES},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: list[list[Any]] = json.loads(answers.read_text(encoding="utf-8"))
    return told
