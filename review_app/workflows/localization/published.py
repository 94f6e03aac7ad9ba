"""Compare the tasks that localizing makes with tasks that somebody published."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review_app.core.formats.json_text import parse_json
from review_app.core.formats.source_checks import require_published
from review_app.core.tasks.statediff import value_changes
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice
from review_app.workflows.benchmark.environments import TASKS, GoldTask
from review_app.workflows.benchmark.files import read_text
from review_app.workflows.localization import published_texts
from review_app.workflows.localization.derived_domain import Derived

_CRITERIA = "/evaluation_criteria/"
FREE_TEXT = ("prose", "expression")
"""Kinds of arguments that are worded freely: not compared."""


@dataclass(frozen=True, slots=True)
class PublishedDifference:
    """Where a localized and a published task differ."""

    task_id: str
    place: str
    """`actions/7_2/cabin`, `communicate_info/0`."""
    ours: str
    published: str
    why: str
    """What explains it; empty if nothing does."""

    def line(self) -> str:
        """The difference in one line."""
        return (
            f"task {self.task_id}, {self.place}: {self.ours} here, {self.published} published; "
            f"{self.why or 'not explained'}"
        )


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """How many tasks agree, in what, and where the others do not."""

    tasks: int
    agreeing: int
    """Tasks that agree in gold actions and expected strings."""
    unlike: tuple[PublishedDifference, ...]
    texts_agreeing: int
    """Tasks whose texts agree in names, dates and amounts."""
    texts_unlike: tuple[PublishedDifference, ...]

    def summary(self) -> str:
        """How many agree, and over what."""
        return (
            f"{self.agreeing} of {self.tasks} tasks agree in gold actions and expected strings; "
            f"{self.texts_agreeing} of {self.tasks} in names, dates and amounts of their texts"
        )


def read_tasks(path: Path) -> list[Json]:
    """The tasks of a published file.

    Raises:
        BadInput: not a JSON list of tasks with ids.
    """
    tasks = parse_json(read_text(path, path.parent), str(path))
    if not isinstance(tasks, list) or not all(isinstance(t, dict) and "id" in t for t in tasks):
        problem = Notice("localization.no_tasks", "must be a list of tasks, each with an id")
        raise BadInput(problem, str(path))
    require_published(tasks, str(path))
    return tasks


def compare(derived: Derived, published: list[Json]) -> PublishedComparison:
    """Gold actions, expected strings and facts in texts, of tasks that both sides have.

    Args:
        derived: The localized domain.
        published: Raw tasks in the target language.
    """
    differences: list[PublishedDifference] = []
    in_texts: list[PublishedDifference] = []
    agreeing = texts_agreeing = compared = 0
    named = [row for row in derived.ground.entities if row.kind in published_texts.NAMED]
    names = {name for row in named for name in (row.target, row.given, row.family) if name[1:]}
    for theirs in published:
        gold = derived.tasks.get(str(theirs["id"]))
        if gold is None or gold.file != TASKS:
            continue
        compared += 1
        unlike = list(_task(derived, gold, theirs))
        agreeing += not unlike
        differences += unlike
        texts_unlike = list(_texts(derived, gold, theirs, names))
        texts_agreeing += not texts_unlike
        in_texts += texts_unlike
    return PublishedComparison(
        tasks=compared,
        agreeing=agreeing,
        unlike=tuple(differences),
        texts_agreeing=texts_agreeing,
        texts_unlike=tuple(in_texts),
    )


def _texts(
    derived: Derived, gold: GoldTask, theirs: Json, names: Collection[str]
) -> Iterator[PublishedDifference]:
    task_id = str(theirs["id"])
    ours = derived.task(gold, derived.originals[task_id].task).task
    currency = derived.ground.locale.money.target
    for place, here, there in published_texts.differences(ours, theirs, names, currency):
        yield PublishedDifference(
            task_id=task_id,
            place=place,
            ours=", ".join(here) or "nothing",
            published=", ".join(there) or "nothing",
            why="",
        )


def _task(derived: Derived, gold: GoldTask, theirs: Json) -> Iterator[PublishedDifference]:
    task_id = str(theirs["id"])
    original = derived.originals[task_id]
    localized = derived.task(gold, original.task).task
    ours = localized.get("evaluation_criteria") or {}
    published = theirs.get("evaluation_criteria") or {}
    why = _why(derived, task_id)
    left, right = (_calls(derived, criteria.get("actions") or ()) for criteria in (ours, published))
    info, published_info = (
        criteria.get("communicate_info") or [] for criteria in (ours, published)
    )
    sections = {
        "actions": value_changes(left, right),
        "communicate_info": value_changes(info, published_info),
    }
    for section, changes in sections.items():
        for pointer, _, here, there in changes:
            yield PublishedDifference(
                task_id=task_id,
                place="/".join(map(str, (section, *pointer))),
                ours=_quoted(here),
                published=_quoted(there),
                why=why,
            )


def _calls(derived: Derived, actions: Any) -> dict[str, Any]:
    """Name and arguments by action id, without what is worded freely."""
    rules = derived.derivation.localizer.rules
    calls = {}
    for at, action in enumerate(actions):
        leaves = rules.leaves(rules.node("arguments", action["name"]), action["arguments"])
        free = {path[0] for path, kind, _ in leaves if kind in FREE_TEXT and path}
        arguments = {k: v for k, v in action["arguments"].items() if k not in free}
        calls[str(action.get("action_id", at))] = {"name": action["name"], **arguments}
    return calls


def _why(derived: Derived, task_id: str) -> str:
    reasons = [
        f"{patch.source} changed this task ({patch.kind}): {patch.reason}"
        for patch in derived.known_patches
        if patch.task_id == task_id
        and any(operation.path.startswith(_CRITERIA) for operation in patch.operations)
    ]
    return " ".join(reasons)


def _quoted(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
