"""Which patches are in force, and tasks with them applied.

Documents stay as they were imported. What is repaired is derived from them: the source texts of
segments, the tasks that rules and replays look at, and what an export writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from review_app.config import data_folder
from review_app.core.formats.json_text import parse_json
from review_app.core.localize.derivation import Derivation
from review_app.core.tasks.operations import Operation, Task, operate
from review_app.core.tasks.patch_files import patches_from_json
from review_app.core.tasks.patches import Patch, apply, filled, placeholders, task_hash
from review_app.core.tasks.task_files import with_tasks
from review_app.errors import BadInput
from review_app.json_paths import at, keys
from review_app.json_types import Json
from review_app.models import EntityKind
from review_app.store import Store
from review_app.workflows.benchmark import environments
from review_app.workflows.benchmark.environments import GoldTask

_KINDS: Mapping[str, EntityKind] = {"airport": "airport", "city": "city", "place": "place"}
_BY_POSITION = ("splice", "append")


def shipped(domain: str, pack: str) -> tuple[Patch, ...]:
    """The patches that a pack has for a domain; none where it has no file."""
    path = data_folder() / "patches" / pack / f"{domain}.json"
    if not path.is_file():
        return ()
    return _read(path.read_text(encoding="utf-8"), f"data/patches/{pack}/{path.name}")


@lru_cache(maxsize=16)
def _read(text: str, file: str) -> tuple[Patch, ...]:
    return patches_from_json(text, file)


def in_force(store: Store, domain: str, locale: str | None = None) -> tuple[Patch, ...]:
    """Approved patches of a domain, in the order of their approval.

    Args:
        store: The review database.
        domain: Its name.
        locale: Whose localizations; None is the project's target locale.
    """
    chosen = locale or store.people.project().target_locale
    return tuple(patch.patch for patch in store.patches.in_force(domain, chosen))


# -- tasks -------------------------------------------------------------------------------------


def chain(task: Json, patches: Iterable[Patch]) -> Iterator[tuple[Patch, Task]]:
    """Yield the repairs of a task that fit one after the other, each with what it makes of it.

    The first is bound to the task as imported, the next to what the first one leaves.
    """
    current, task_id = dict(task), str(task.get("id", ""))
    repairs = [patch for patch in _repairs(patches) if patch.task_id == task_id]
    current_hash = task_hash(current) if repairs else ""
    for patch in repairs:
        if patch.base_hash == current_hash:
            current = apply(current, patch)
            current_hash = task_hash(current) if patch.operations else current_hash
            yield patch, current


def _repairs(patches: Iterable[Patch]) -> list[Patch]:
    return [patch for patch in patches if patch.layer == "repair"]


def fitting(task: Json, patches: Sequence[Patch]) -> list[Patch]:
    """The patches that hold for this source task as imported: repairs in a chain, localizations."""
    task_id = str(task.get("id", ""))
    own = [patch for patch in patches if patch.task_id == task_id]
    if not own:
        return []
    chained, imported_hash = {patch.id for patch, _ in chain(task, own)}, task_hash(dict(task))
    return [
        patch
        for patch in own
        if (patch.id in chained if patch.layer == "repair" else patch.base_hash == imported_hash)
    ]


def repaired(task: Json, patches: Iterable[Patch]) -> Json:
    """A source task with its repairs; the same object if there are none."""
    current: Json = task
    for patch, after in chain(task, patches):
        current = after if patch.operations else current
    return current


def tasks(store: Store, domain: str, *, fixed: bool = True) -> dict[str, GoldTask]:
    """Source tasks by id with their approved repairs, or as imported; see `environments.tasks`."""
    known = environments.tasks(store, domain)
    patches = _repairs(in_force(store, domain)) if fixed else []
    names = {patch.task_id for patch in patches}
    return {
        name: GoldTask(gold.file, repaired(gold.task, patches)) if name in names else gold
        for name, gold in known.items()
    }


# -- files -------------------------------------------------------------------------------------


def repaired_text(raw: str, file: str, patches: Iterable[Patch]) -> str:
    """A source task file with its repairs; other bytes stay."""
    repairs = [patch for patch in _repairs(patches) if patch.operations]
    if not repairs:
        return raw
    listed = parse_json(raw, file)
    names = {repair.task_id for repair in repairs}
    changed = {
        str(task["id"]): dict(repaired(task, repairs))
        for task in listed
        if str(task["id"]) in names
    }
    return with_tasks(raw, changed, file)


def repaired_draft(draft: str, source: str, file: str, patches: Iterable[Patch]) -> str:
    """A drafted task file with what repairs change outside of texts, as far as it fits.

    Values are those of the source: `localize` is what adapts them. Texts come from the segments.
    """
    repairs = [patch for patch in _repairs(patches) if patch.operations]
    if not repairs:
        return draft
    originals = {str(task["id"]): task for task in parse_json(source, file)}
    changed: dict[str, Task] = {}
    for task in parse_json(draft, file):
        original = originals.get(str(task.get("id")))
        for patch, _ in chain(original, repairs) if original else ():
            task = changed[str(task["id"])] = _as_far_as_it_fits(task, patch.operations)
    return with_tasks(draft, changed, file)


def _as_far_as_it_fits(task: Task, operations: Iterable[Operation]) -> Task:
    for operation in operations:
        if operation.op not in _BY_POSITION:
            try:
                task = operate(task, [operation])
            except BadInput:
                continue
    return task


# -- localizations -----------------------------------------------------------------------------


def with_localizations(
    task: dict[str, Any], source: Json, patches: Sequence[Patch], derivation: Derivation
) -> dict[str, Any]:
    """A localized task with its localization patches.

    Args:
        task: The localized task.
        source: The source task as imported, to which the patches are bound.
        patches: Of the domain.
        derivation: Knows the entities that stand for placeholders.
    """
    for patch in fitting(source, patches):
        if patch.layer == "localization":
            task = with_localization(task, source, patch, derivation)
    return task


def with_localization(
    task: dict[str, Any], source: Json, patch: Patch, derivation: Derivation
) -> dict[str, Any]:
    """A localized task with one localization patch.

    Raises:
        StalePatch: the source task is another one.
        BadInput: an operation does not fit, or a placeholder has no value.
    """
    values = placeholder_values(patch, source, derivation)
    fresh = replace(patch, operations=tuple(_unsaid(task, patch, values)))
    return apply(task, fresh, values, source=dict(source))


def _unsaid(task: Any, patch: Patch, values: Mapping[str, str]) -> Iterator[Operation]:
    """Yield the operations of a patch but for sentences that a translation says already."""
    for given, said in zip(patch.operations, filled(patch, values), strict=True):
        if given.op != "append" or str(said.value).strip() not in str(at(task, keys(given.path))):
            yield given


def placeholder_values(patch: Patch, source: Json, derivation: Derivation) -> dict[str, str]:
    """What stands for the placeholders of a patch, as far as it is known.

    `user.*` is the user whose id stands in the source's `known_info`; `person.*`, `airport.*`,
    `city.*` and `place.*` name an entity.
    """
    entities = derivation.localizer.entities
    values: dict[str, str] = {}
    for name in placeholders(patch):
        kind, _, entity = name.partition(".")
        if kind == "person":
            values[name] = entities.full_name(entity)
        elif kind in _KINDS:
            values[name] = entities.value(_KINDS[kind], entity)
    known_info = str(at(source, ("user_scenario", "instructions", "known_info")) or "")
    mentions = derivation.mentions.find(known_info)
    user = next((mention for mention in mentions if mention.kind == "user_id"), None)
    person = entities.person_of(user.source) if user else None
    if user and person:
        values |= {
            "user.given": person.given,
            "user.family": person.family,
            "user.name": person.target,
            "user.id": user.target,
        }
    return values
