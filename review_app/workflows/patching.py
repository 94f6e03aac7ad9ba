"""Which patches are in force, and tasks with them applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from review_app.config import data_folder
from review_app.core.localize.derivation import Derivation
from review_app.core.tasks.operations import Operation
from review_app.core.tasks.patch_files import patches_from_json
from review_app.core.tasks.patches import Patch, apply, filled, placeholders, task_hash
from review_app.models import EntityKind

Json = Mapping[str, Any]
_KINDS: Mapping[str, EntityKind] = {"airport": "airport", "city": "city", "place": "place"}


def shipped(domain: str, locale: str) -> tuple[Patch, ...]:
    """The patches shipped for a domain and a locale; those of other data do not fit and rest."""
    path = data_folder() / "patches" / locale / f"{domain}.json"
    if not path.is_file():
        return ()
    return _read(path.read_text(encoding="utf-8"), f"data/patches/{locale}/{path.name}")


@lru_cache(maxsize=16)
def _read(text: str, file: str) -> tuple[Patch, ...]:
    return patches_from_json(text, file)


def fitting(task: Json, patches: Iterable[Patch]) -> list[Patch]:
    """The patches written for this very version of a source task."""
    found = [patch for patch in patches if patch.task_id == str(task.get("id", ""))]
    found_hash = task_hash(dict(task)) if found else ""
    return [patch for patch in found if patch.base_hash == found_hash]


def repaired(task: Json, patches: Iterable[Patch]) -> Json:
    """A source task with its repairs."""
    for patch in fitting(task, patches):
        if patch.layer == "repair":
            task = apply(dict(task), patch)
    return task


def finished(
    made: dict[str, Any], source: Json, patches: Iterable[Patch], derivation: Derivation
) -> dict[str, Any]:
    """A localized task with its localization patches.

    Args:
        made: The localized task.
        source: The source task as imported, to which the patches are bound.
        patches: Of the domain.
        derivation: Knows the entities that stand for placeholders.
    """
    for patch in fitting(source, patches):
        if patch.layer == "localization":
            values = _values(patch, source, derivation)
            fresh = replace(patch, operations=tuple(_unsaid(made, patch, values)))
            made = apply(made, fresh, values, source=dict(source))
    return made


def _unsaid(made: Any, patch: Patch, values: Mapping[str, str]) -> Iterator[Operation]:
    """Yield the operations of a patch but for sentences that a translation says already."""
    for given, said in zip(patch.operations, filled(patch, values), strict=True):
        if given.op != "append" or str(said.value).strip() not in str(_at(made, given.path)):
            yield given


def _at(value: Any, path: str) -> Any:
    for step in path.strip("/").split("/"):
        value = value[int(step)] if isinstance(value, list) else (value or {}).get(step)
    return value


def _values(patch: Patch, source: Json, derivation: Derivation) -> dict[str, str]:
    """What stands for the placeholders of a patch, as far as it is known."""
    entities = derivation.localizer.entities
    found: dict[str, str] = {}
    for name in placeholders(patch):
        sort, _, of = name.partition(".")
        if sort == "person":
            found[name] = entities.full_name(of)
        elif sort in _KINDS:
            found[name] = entities.value(_KINDS[sort], of)
    instructions = (source.get("user_scenario") or {}).get("instructions") or {}
    told = instructions.get("known_info") if isinstance(instructions, Mapping) else None
    ids = [each for each in derivation.mentions.find(str(told or "")) if each.kind == "user_id"]
    person = entities.person_of(ids[0].source) if ids else None
    if person is not None:
        found |= {
            "user.given": person.given,
            "user.family": person.family,
            "user.name": person.target,
            "user.id": ids[0].target,
        }
    return found
