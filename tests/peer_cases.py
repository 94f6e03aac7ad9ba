"""Play localized domains with the benchmark itself, installed in a virtual environment of its own.

`make peer` installs it into `.peer`; `JTAU_PEER` names another folder.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from model_server import ModelServer, Reply, says

from review_app.store import Store
from review_app.workflows.localization import domain_files, entities
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.release import plugin

ROOT = Path(__file__).resolve().parent.parent
ABSENT = "no benchmark in .peer or $JTAU_PEER: `make peer` installs it (tests/peer are skipped)"

PEER_VARIABLES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LLM_CACHE_ENABLED": "false",
    "LOGURU_LEVEL": "ERROR",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Keep the benchmark from asking the network, from its cache and from writing beside the plugin."""


def peer_python() -> Path | None:
    """The benchmark's interpreter, None where it is not installed."""
    folder = Path(os.environ.get("JTAU_PEER") or ROOT / ".peer")
    python = folder / "bin" / "python"
    return python if python.is_file() else None


def lay_snapshot(
    store: Store, folder: Path, domains: Sequence[str], choice: DerivationChoice | None = None
) -> list[Derived]:
    """Write the localized domains with their plugin, as far as the benchmark reads a snapshot."""
    for domain in domains:
        entities.rows(store, domain)  # what is new gets its counterpart first: that is a write
    with store.read():
        derived = [Derived(store, domain, choice) for domain in domains]
        for localized in derived:
            root = folder / "data" / "tau2" / "domains" / plugin.localized_name(localized)
            for document in localized.documents:
                _write(root / document.file, domain_files.file(localized, document))
            for name, text in domain_files.extra_files(localized):
                _write(root / name, text)
        for document in store.documents.of("user_simulator"):
            guide = domain_files.guide(store, derived[0], document)
            _write(folder / "data" / "tau2" / "user_simulator" / document.file, guide)
        plugin.write_plugin(folder, derived)
    return derived


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def run_plugin(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`python -m jtau_domains ...` from a snapshot's folder `plugin`."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(peer_python()), "-m", "jtau_domains", *words],
        cwd=folder / "plugin",
        env={**environment, **PEER_VARIABLES, **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def checked(folder: Path) -> dict[str, Any]:
    """What the plugin's self-test says."""
    done = run_plugin(folder, "check", "--json")
    assert done.stdout.strip(), done.stderr
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return report


def played(
    folder: Path,
    name: str,
    tasks: Sequence[dict[str, Any]],
    results: Path,
    *,
    trials: int = 1,
    idle: Sequence[int] = (),
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run tasks of a domain with the benchmark's own command, both sides playing the gold actions.

    Args:
        folder: The snapshot.
        name: The domain.
        tasks: Raw tasks of it.
        results: Folder for the benchmark's results files.
        trials: How often each is played.
        idle: Simulations, counted through all trials, in which the agent ends at once.

    Returns:
        The benchmark's results file and the requests that its agent and user sent.
    """
    player = GoldPlayer([*tasks] * trials, idle)
    with ModelServer(player) as server:
        side = json.dumps({"api_base": server.url, "temperature": 0})
        ids = [str(task["id"]) for task in tasks]
        words = ["run", "--domain", name, "--task-ids", *ids, "--max-concurrency", "1"]
        words += ["--num-trials", str(trials)]
        words += ["--agent-llm", "openai/agent", "--agent-llm-args", side]
        words += ["--user-llm", "openai/user", "--user-llm-args", side, "--user-api-key", "none"]
        words += ["--save-to", name, "--results-dir", str(results), "--log-level", "ERROR"]
        judge = {
            "TAU2_NL_ASSERTIONS_MODEL": "openai/judge",
            "TAU2_NL_ASSERTIONS_API_BASE": server.url,
            "OPENAI_API_KEY": "none",
        }
        done = run_plugin(folder, *words, "--max-steps", "200", **judge)
        requests = [request.payload for request in server.requests]
    file = results / f"{name}.json"
    assert done.returncode == 0 and file.is_file(), done.stdout[-3000:] + done.stderr[-3000:]
    assert not player.faults, player.faults[:3]
    return json.loads(file.read_text(encoding="utf-8")), requests


class GoldPlayer:
    """Answers as an agent and a user who do what the gold actions say, one task after the other.

    What each side must know of the other stands in its texts: `[task 3]`, `[user 5]` (the user's
    turn, from action 5 on), `[done 7]`, `[end]`.
    """

    def __init__(self, tasks: Sequence[dict[str, Any]], idle: Sequence[int] = ()) -> None:
        self._tasks = list(tasks)
        self._idle = frozenset(idle)
        self._begun = 0
        self._lock = threading.Lock()
        self.faults: list[str] = []

    def __call__(self, payload: dict[str, Any]) -> Reply:
        messages = payload["messages"]
        if payload["model"] == "judge":
            return _approves(messages)
        return self._user(messages) if payload["model"] == "user" else self._agent(messages)

    def _user(self, messages: list[dict[str, Any]]) -> Reply:
        own = [str(m.get("content")) for m in messages if m["role"] == "assistant"]
        if not own:
            return says(f"[task {self._begin(messages[0]['content'])}]")
        heard = max(at for at, m in enumerate(messages) if m["role"] == "user")
        told = str(messages[heard]["content"])
        if "[end]" in told:
            return says("###STOP###")
        done = sum(m["role"] == "tool" for m in messages[heard:])
        at = _number("user", told) + done
        gold = self._gold(_number("task", own[0]))
        if at < len(gold) and gold[at].get("requestor") == "user":
            return _call(gold[at])
        return says(f"[done {at}]")

    def _agent(self, messages: list[dict[str, Any]]) -> Reply:
        texts = [str(m["content"]) for m in messages if m["role"] == "user"]
        number, at = _number("task", texts[0]), 0
        if number in self._idle:
            return says("[end]")
        for message in messages[1:]:
            if message["role"] == "user" and "[done" in str(message["content"]):
                at = _number("done", str(message["content"]))
            at += len(message.get("tool_calls") or ())
        gold = self._gold(number)
        if at < len(gold):
            by_user = gold[at].get("requestor") == "user"
            return says(f"[user {at}]") if by_user else _call(gold[at])
        criteria = self._tasks[number].get("evaluation_criteria") or {}
        return says(" / ".join([*(criteria.get("communicate_info") or ()), "[end]"]))

    def _begin(self, prompt: str) -> int:
        """The number of the next task, whose scenario the user's prompt must hold."""
        with self._lock:
            number, self._begun = self._begun, self._begun + 1
            scenario = self._tasks[number]["user_scenario"]["instructions"]
            lines = {line.strip() for line in prompt.splitlines()}
            for part in scenario.values() if isinstance(scenario, dict) else [scenario]:
                missing = [x for x in str(part or "").splitlines() if x.strip() not in lines]
                if missing and scenario.get("domain") not in missing:
                    self.faults.append(f"{self._tasks[number]['id']}: {missing[0]!r}")
            return number

    def _gold(self, number: int) -> list[dict[str, Any]]:
        return (self._tasks[number].get("evaluation_criteria") or {}).get("actions") or []


def _approves(messages: list[dict[str, Any]]) -> Reply:
    """A judge who finds every expected outcome met."""
    expected = ast.literal_eval(messages[-1]["content"].rsplit("expectedOutcomes:", 1)[1].strip())
    results = [{"expectedOutcome": e, "reasoning": "", "metExpectation": True} for e in expected]
    return says(json.dumps({"results": results}, ensure_ascii=False))


def _call(action: dict[str, Any]) -> Reply:
    arguments = json.dumps(action["arguments"], ensure_ascii=False)
    return says(None, finish_reason="tool_calls", tool_calls=[(action["name"], arguments)])


def _number(name: str, text: str) -> int:
    match = re.search(rf"\[{name} (\d+)\]", text)
    assert match, (name, text)
    return int(match[1])


def english_left(
    folder: Path, name: str, requests: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str]]:
    """Yield where and which words, messages or schemas of the source reached a model.

    An app's name is its key in the phone, the same in every language: as an argument it stays.
    """
    tables = json.loads(_plugin_file(folder, f"tables/{name}.json"))
    words = {
        source
        for field, known in tables["words"].items()
        for source, target in known.items()
        if source != target and field != "app_name"
    }
    said = [tables["messages"][message] for message in tables["spoken"]]
    texts = [both["source"] for both in said if both["source"] != both["target"]]
    pieces = {piece.strip() for text in texts for piece in re.split(r"\{\w+\}|\n", text)}
    long_pieces = {piece for piece in pieces if len(piece) >= 8}
    schemas = snapshot_schemas(folder, name)
    for request in requests:
        for tool in request.get("tools") or ():
            if tool != schemas[tool["function"]["name"]]:
                yield "schema", tool["function"]["name"]
            yield from (("enum", word) for word in closed_sets(tool) if word in words)
        for message in request["messages"][1:]:
            for call in message.get("tool_calls") or ():
                arguments = json.loads(call["function"]["arguments"])
                yield from (("argument", word) for word in strings(arguments) if word in words)
            if message["role"] == "tool":
                for text in strings(_read(message["content"])):
                    if text in words:
                        yield "answer", text
                    yield from (("message", piece) for piece in long_pieces if piece in text)


def snapshot_schemas(folder: Path, name: str) -> dict[str, Any]:
    """The tool schemas of a snapshot as models get them, by name."""
    schemas = {}
    for file in ("tools.json", "user_tools.json"):
        path = folder / "data" / "tau2" / "domains" / name / file
        for tool in json.loads(path.read_text(encoding="utf-8")) if path.is_file() else ():
            function = {k: v for k, v in tool["function"].items() if not k.startswith("x_")}
            schemas[function["name"]] = {"type": "function", "function": function}
    return schemas


def closed_sets(schema: Any) -> Iterator[str]:
    """Every value of a closed set in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("enum") or ()
        yield from [schema["const"]] if "const" in schema else ()
        for member in schema.values():
            yield from closed_sets(member)
    elif isinstance(schema, list):
        for member in schema:
            yield from closed_sets(member)


def _plugin_file(folder: Path, place: str) -> str:
    return (folder / "plugin" / "jtau_domains" / place).read_text(encoding="utf-8")


def _read(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content


def strings(value: Any) -> Iterator[str]:
    """Every string of plain data, names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)
