"""What a run is made of, frozen when it first starts: tasks, databases, prompts, tools.

Whatever is edited later, the run is resumed, judged and shown as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import msgspec

from review_app import __version__
from review_app.config import data_folder, data_text
from review_app.core.envs import Environment, environment_class, open_environment
from review_app.core.envs.schema import tool_schemas
from review_app.core.envs.state import Pristine
from review_app.core.formats.structured import parse_structured
from review_app.core.locale.pack import Pack
from review_app.core.simulation import prompts, scripted
from review_app.core.simulation.orchestrator import GREETING
from review_app.core.tasks.patches import task_hash
from review_app.core.validity import TaskContext
from review_app.errors import ReviewError
from review_app.json_types import Json
from review_app.records.review import Document
from review_app.records.runs import Run, RunTask
from review_app.store import Store
from review_app.workflows.benchmark import environments, files, tasks_in_force
from review_app.workflows.curation import validity
from review_app.workflows.localization import domain_files, entities
from review_app.workflows.localization import prompts as localization_prompts
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.runs import plan as run_plan

_POLICIES = ("main_policy.md", "tech_support_manual.md")
"""The two parts of a policy that has two."""
_JUDGES = ("assertions", "cause", "user_review")


@dataclass(frozen=True)
class Stage:
    """Everything that a trial needs beside the models."""

    domain: str
    tasks: Mapping[str, Json]
    """As they are run, by id."""
    notes: Mapping[str, Json]
    """Task id -> what is known of it (`RunTask.notes`)."""
    greeting: str
    """The agent's first words."""
    agent_prompt: str
    """System prompt, policy included."""
    agent_template: str
    policy: str
    oracle: str
    """What an oracle agent is told beside."""
    guideline: str
    """The user simulator's."""
    agent_tools: Sequence[Json]
    user_tools: Sequence[Json]
    phrases: scripted.Phrases
    judges: Mapping[str, str]
    """Judge's prompt by what it judges: `assertions`, `cause`, `user_review`."""
    language: str
    """What the user should speak, as a prompt calls it."""
    pack: Pack
    database: Any
    user_database: Any

    @cached_property
    def _states(self) -> tuple[Pristine, Pristine | None]:
        kind, user = environment_class(self.domain), self.user_database
        return (
            environments.loaded(kind.load, self.database, self.pack),
            None if user is None else environments.loaded(kind.load_user, user, self.pack),
        )

    def open(self) -> Environment:
        """A fresh environment; microseconds after the first."""
        state, user_state = self._states
        return open_environment(self.domain, state, self.pack, user_state)

    def script(self, task_id: str) -> scripted.Script:
        """How the scripted players play a task."""
        choices = self.notes.get(task_id, {}).get("open_choices") or ()
        return scripted.script(self.tasks[task_id], self.open(), self.phrases, tuple(choices))

    def prompt(self, task_id: str, *, oracle: bool) -> str:
        """The agent's system prompt for a task."""
        if not oracle:
            return self.agent_prompt
        criteria = self.tasks[task_id].get("evaluation_criteria") or {}
        return prompts.oracle_prompt(
            self.agent_template, self.policy, self.oracle, criteria.get("actions") or ()
        )

    def user_prompt(self, task_id: str) -> str:
        """The user simulator's system prompt for a task."""
        return prompts.user_prompt(self.guideline, self.tasks[task_id].get("user_scenario"))


# -- freezing ----------------------------------------------------------------------------------


def stage(store: Store, run: Run) -> Stage:
    """What a run is made of; frozen now if it is not yet.

    Raises:
        ReviewError: a model is to play and the user simulator's guidelines are not imported.
        NotFound: a task or the domain is no longer there.
        BadInput: a file of the domain cannot be used.
    """
    if not run.config_hash:
        freeze(store, run)
        run = store.runs.get(run.id)
    return load(store, run)


def freeze(store: Store, run: Run) -> None:
    """Keep everything that a run is made of, and note its tasks."""
    plan = run_plan.of_run(run)
    entities.rows(store, run.domain)  # what is new gets its counterpart first: that is a write
    choice = DerivationChoice(variant=run.variant, locale=plan.locale, use=plan.use)
    with store.read():
        derived = Derived(store, run.domain, choice)
        wanted = plan.tasks or _all(derived)
        tasks = {name: derived_task(derived, name) for name in wanted}
        parts = _parts(store, derived, run)
    notes: dict[str, Json] = {name: {} for name in wanted}
    if run.agent_kind == "scripted":
        notes = {name: {"open_choices": _open_choices(store, derived, name)} for name in wanted}
    hashes = [state.hash for state in derived.open().states() if state is not None]
    state_hash = sha256("/".join(hashes).encode()).hexdigest()
    with store.write("runs"):
        material = {name: store.runs.keep(part) for name, part in parts.items()}
        rows = [
            RunTask(
                task_id=name,
                task_hash=store.runs.keep(dict(tasks[name])),
                state_hash=state_hash,
                position=at,
                repaired=_is_repaired(derived, name),
                notes={**notes[name], "hash": task_hash(dict(tasks[name]))},
            )
            for at, name in enumerate(wanted)
        ]
        store.runs.add_tasks(run.id, rows)
        store.runs.put_frozen(run.id, material, _config_hash(run, material), version("litellm"))


def load(store: Store, run: Run) -> Stage:
    """What a frozen run is made of."""
    parts = {name: store.runs.content(kept) for name, kept in run.material.items()}
    rows = store.runs.tasks(run.id)
    return Stage(
        domain=run.domain,
        tasks={name: store.runs.content(row.task_hash) for name, row in rows.items()},
        notes={name: row.notes for name, row in rows.items()},
        greeting=parts.get("greeting", GREETING),
        agent_prompt=prompts.agent_prompt(parts["agent_template"], parts["policy"]),
        agent_template=parts["agent_template"],
        policy=parts["policy"],
        oracle=parts["oracle"],
        guideline=parts["guideline"],
        agent_tools=parts["agent_tools"],
        user_tools=parts["user_tools"],
        phrases=msgspec.convert(parts["phrases"], scripted.Phrases),
        judges={name: parts[f"judge_{name}"] for name in _JUDGES},
        language=parts["language"],
        pack=msgspec.convert(parts["pack"], Pack),
        database=parts["database"],
        user_database=parts["user_database"],
    )


def is_staged(run: Run) -> bool:
    """Whether the run's databases and prompts are kept; those of imported ones are not."""
    return "database" in run.material


def derived_task(derived: Derived, task_id: str) -> Json:
    """A task as it is played in a derived domain today.

    Raises:
        ReviewError: it is no longer there.
    """
    if task_id not in derived.tasks:
        raise ReviewError(
            "run.task_gone",
            "domain {domain!r} has no task {task!r} any more",
            domain=derived.domain,
            task=task_id,
        )
    gold = derived.tasks[task_id]
    if derived.variant.is_source:
        return gold.task
    return derived.task(gold, derived.originals[task_id].task).task


def _all(derived: Derived) -> tuple[str, ...]:
    return tuple(name for name, gold in derived.tasks.items() if gold.file == environments.TASKS)


def _is_repaired(derived: Derived, name: str) -> bool:
    fitting = tasks_in_force.fitting(derived.originals[name].task, derived.known_patches)
    return any(patch.layer == "repair" for patch in fitting)


def _open_choices(store: Store, derived: Derived, name: str) -> list[int]:
    """Choices that a task's scenario leaves open; the rules read the source language."""
    task = derived.tasks[name].task
    return scripted.open_choices(task, TaskContext(task, validity.facts(store, derived.domain)))


def _parts(store: Store, derived: Derived, run: Run) -> dict[str, Any]:
    """Every part of a run by name, as plain data."""
    pack, variant = derived.derivation.localizer.pack, derived.variant
    language = derived.ground.locale.name if variant.texts == "target" else "en"
    spoken = "en" if variant.is_source else derived.ground.locale.name
    packed = asdict(pack) | {"errors": sorted(pack.errors)}
    tools = {side: _tools(derived, side) for side in environments.TOOLS}
    needs_guide = run.agent_kind != "scripted"
    return {
        "app": __version__,
        "agent_template": domain_files.agent_prompt(
            language, json_instruction=variant.json_instruction
        ),
        "greeting": _prompt(spoken, "greeting.md").strip(),
        "policy": _policy(derived),
        "oracle": _prompt(language, "oracle.md"),
        "guideline": _guideline(store, derived, bool(tools["user"])) if needs_guide else "",
        "agent_tools": tools["assistant"],
        "user_tools": tools["user"],
        "phrases": json.loads(_prompt(language, "scripted.json")),
        "language": localization_prompts.language_name(spoken),
        "pack": packed,
        "database": derived.database,
        "user_database": derived.user_database,
        **{f"judge_{name}": data_text("prompts", "judge", f"{name}.md") for name in _JUDGES},
    }


def _prompt(language: str, name: str) -> str:
    folder = data_folder() / "prompts" / "run" / language
    return data_text("prompts", "run", language if (folder / name).is_file() else "en", name)


def _policy(derived: Derived) -> str:
    texts = {
        document.file: domain_files.file(derived, document)
        for document in derived.documents
        if document.kind in ("policy", "manual")
    }
    if all(name in texts for name in _POLICIES):
        return prompts.whole_policy(*(texts[name] for name in _POLICIES))
    return texts.get("policy.md") or next(iter(texts.values()), "")


def _tools(derived: Derived, side: Any) -> Any:
    """Function schemas of a side: imported ones localized, else those of our own tools."""
    file = environments.TOOLS[side]
    document = next((listed for listed in derived.documents if listed.file == file), None)
    if document is None:
        pack = derived.derivation.localizer.pack
        return list(tool_schemas(environment_class(derived.domain), pack, side))
    return parse_structured(file, domain_files.file(derived, document))


def _guideline(store: Store, derived: Derived, has_tools: bool) -> str:
    return domain_files.guide(store, derived, guideline_document(store, has_tools))


def require_guideline(store: Store, domain: str) -> None:
    """Raise ReviewError if no guideline is imported by which a model can play the domain's user."""
    sides = {side for side, _ in environment_class(domain).tools}
    guideline_document(store, "user" in sides)


def guideline_document(store: Store, has_tools: bool) -> Document:
    """The guideline by which a model plays the user.

    Raises:
        ReviewError: it is not imported; says what to import.
    """
    names = {info.name for info in store.documents.domains()}
    wanted = "simulation_guidelines_tools.md" if has_tools else "simulation_guidelines.md"
    if files.SHARED_GUIDES in names:
        for document in store.documents.of(files.SHARED_GUIDES):
            if document.file == wanted:
                return document
    raise ReviewError(
        "run.guideline_missing",
        "a model plays the user by {file}, which is not imported: "
        "jtau-review import path/to/tau2-bench --domain {domain}",
        file=wanted,
        domain=files.SHARED_GUIDES,
    )


def _config_hash(run: Run, material: Mapping[str, str]) -> str:
    """Names all that a unit's result may hang on beside task, state, trial and seed."""
    limits = {name: run.plan[name] for name in ("max_steps", "max_errors", "timeout_s")}
    named = [run.agent_kind, run.models, run.profile, limits, material]
    return sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
