"""Run by the benchmark's interpreter in a snapshot's folder `plugin`: what calls answer there.

Reads a JSON file `[{"domain", "steps": [...]}]`, writes for each step whether it was accepted and
what was answered. A step is a tool call, a function of the environment, or values set in the user's
database.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from jtau_domains import registration
from tau2.data_model.message import ToolCall
from tau2.data_model.tasks import EnvFunctionCall


def answered(environment: Any, step: dict[str, Any]) -> dict[str, Any]:
    if "set_user_db" in step:
        set_values(environment, step["set_user_db"])
        return {"ok": True, "content": ""}
    name, arguments, side = step["name"], step["arguments"], step["side"]
    if step["tool"]:
        call = ToolCall(id="", name=name, arguments=arguments, requestor=side)
        answer = environment.get_response(call)
        return {"ok": not answer.error, "content": answer.content}
    call = EnvFunctionCall(env_type=side, func_name=name, arguments=arguments)
    try:
        value = environment.run_env_function_call(call)
    except (ValueError, TypeError, KeyError, AttributeError, AssertionError) as error:
        return {"ok": False, "content": type(error).__name__}
    return {"ok": True, "content": value if isinstance(value, bool) else ""}


def set_values(environment: Any, values: dict[str, Any]) -> None:
    toolkit = environment.user_tools
    tree = environment.border.stored("user_database", toolkit.db.model_dump(mode="json"))
    for pointer, value in values.items():
        *above, last = pointer.removeprefix("/").split("/")
        place = tree
        for key in above:
            place = place[key]
        if value == "__remove__":
            del place[last]
        else:
            place[last] = value
    toolkit.db = type(toolkit.db).model_validate(environment.border.database("user_database", tree))


def main() -> None:
    asked, told = map(Path, sys.argv[1:])
    answers = []
    for sequence in json.loads(asked.read_text(encoding="utf-8")):
        environment = registration.environment(sequence["domain"])
        answers.append([answered(environment, step) for step in sequence["steps"]])
    told.write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")


main()
