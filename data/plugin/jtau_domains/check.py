"""The self-test: all gold actions with the benchmark's environments, compared with the record.

The record says what every gold action answered, what the databases held at the end and whether the
task's assertions held when the release was made, by an engine of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from tau2.data_model.message import ToolCall
from tau2.data_model.tasks import Task

from jtau_domains import registration, release
from jtau_domains.environment import LocalizedEnvironment


def check() -> dict[str, Any]:
    """Replay every task and compare: `{"tasks", "agree", "differences", ...}`."""
    tasks, differences, missing = 0, [], {}
    for name in registration.register():
        record = release.record(name)
        missing[name] = _missing_tools(name)
        for task in registration.tasks(name, None):
            tasks += 1
            environment = registration.environment(name)
            lines = _differences(task, record.get(task.id), environment, missing[name])
            if lines:
                differences.append({"domain": name, "task": task.id, "differences": lines})
    return {
        "tasks": tasks,
        "agree": tasks - len(differences),
        "differences": differences,
        "tau2": release.version(),
        "known": release.unknown_version() is None,
        "missing_tools": {name: tools for name, tools in missing.items() if tools},
    }


def print_report(report: dict[str, Any], *, as_json: bool) -> None:
    """Print what the check found."""
    if as_json:
        print(json.dumps(report, ensure_ascii=False))
        return
    for task in report["differences"]:
        for difference in task["differences"]:
            print(f"{task['domain']} {task['task']}: {difference}")
    for name, tools in report["missing_tools"].items():
        print(f"{name}: this tau2 has no {', '.join(tools)}; its answers were not compared")
    print(f"{report['agree']} of {report['tasks']} tasks agree with the record ({report['tau2']})")


def _missing_tools(name: str) -> list[str]:
    """Tools of the release that the installed tau2 does not have: it is older or newer."""
    environment = registration.environment(name)
    known = {tool.name for tool in environment.get_tools()}
    if environment.user_tools is not None:
        known |= {tool.name for tool in environment.get_user_tools()}
    return sorted(set(environment.border.tool_names) - known)


def _differences(
    task: Task,
    recorded: dict[str, Any] | None,
    environment: LocalizedEnvironment,
    missing: list[str],
) -> list[str]:
    """What a task does otherwise than recorded, one line each."""
    if recorded is None:
        return ["not in the record"]
    played = _played(task, environment)
    lines = [
        f"{now['name']}: {now['ok']} {now['content']!r}, recorded {then['ok']} {then['content']!r}"
        for now, then in zip(played["actions"], recorded["actions"], strict=False)
        if now["name"] not in missing and not _same_answer(now, then)
    ]
    if len(played["actions"]) != len(recorded["actions"]):
        lines.append("the number of gold actions is not the recorded one")
    for part in ("states", "assertions"):
        if played[part] != recorded[part]:
            lines.append(f"{part}: {played[part]}, recorded {recorded[part]}")
    return lines


def _played(task: Task, environment: LocalizedEnvironment) -> dict[str, Any]:
    """What a task's gold actions do, in the form of the record."""
    state, criteria = task.initial_state, task.evaluation_criteria
    environment.set_state(
        initialization_data=state.initialization_data if state else None,
        initialization_actions=state.initialization_actions if state else None,
        message_history=(state.message_history if state else None) or [],
    )
    answers = [
        environment.get_response(
            ToolCall(id="", name=a.name, arguments=a.arguments, requestor=a.requestor)
        )
        for a in (criteria.actions if criteria else None) or ()
    ]
    actions = (criteria.actions if criteria else None) or ()
    return {
        "actions": [
            {"name": action.name, "ok": not answer.error, "content": answer.content}
            for action, answer in zip(actions, answers, strict=True)
        ],
        "states": _states(environment),
        "assertions": [
            environment.run_env_assertion(assertion, raise_assertion_error=False)
            for assertion in (criteria.env_assertions if criteria else None) or ()
        ],
    }


def _states(environment: LocalizedEnvironment) -> list[str]:
    """Digest of each database in the target's words."""
    toolkits = {"database": environment.tools, "user_database": environment.user_tools}
    return [
        digest(environment.border.stored(place, _as_json(toolkit.db.model_dump())))
        for place, toolkit in toolkits.items()
        if toolkit is not None
    ]


def _as_json(value: Any) -> Any:
    """What the benchmark hashes: dates as Python writes them."""
    return json.loads(json.dumps(value, default=str))


def digest(tree: Any) -> str:
    """SHA-256 of plain data; null and absent, 1 and 1.0 are the same."""
    text = json.dumps(_plain(tree), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _same_answer(now: dict[str, Any], then: dict[str, Any]) -> bool:
    # What Python itself says of bad arguments is not recorded: failing alike is enough.
    if not now["ok"] and not then["ok"] and not then["content"]:
        return True
    return bool(now["ok"] == then["ok"] and _read(now["content"]) == _read(then["content"]))


def _read(content: str) -> Any:
    try:
        return _plain(json.loads(content)) if re.match(r"[\[{]", content) else content
    except ValueError:
        return content


def main(arguments: list[str]) -> int:
    """`python -m jtau_domains check [--json]`: exit code 1 if anything differs."""
    if odd := [argument for argument in arguments if argument != "--json"]:
        print(f"check: unknown argument {odd[0]!r}", file=sys.stderr)
        return 2
    report = check()
    print_report(report, as_json="--json" in arguments)
    return 1 if report["differences"] else 0
