"""Patches: what a person changes in a task, why, and on which base.

Two layers. A *repair* changes the source-language task and so fixes the original benchmark too. A
*localization* changes the task of a locale; it is bound to the source task's hash, because the
wording of a translation is not known when the patch is written.

Source: Tables 9, 10 and 12 of the J-tau paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from review_app.core.tasks.operations import Operation, Task, canonical, inverse, operate
from review_app.errors import BadInput, ReviewError
from review_app.notices import Notice

Layer = Literal["repair", "localization"]
PatchKind = Literal[
    "identity_missing",
    "place",
    "region",
    "language",
    "unsolvable",
    "non_deterministic_gold",
    "wrong_gold",
    "policy_gap",
    "wrong_amount",
    "misplaced_action",
]
"""What is wrong: the first four as in Table 9, the others as in Table 10."""

PatchGroup = Literal["unmodified", "repair", "both", "localization"]
"""Columns of Table 12."""

NO_VALUES: Mapping[str, str] = MappingProxyType({})
GROUPS: tuple[PatchGroup, ...] = ("unmodified", "repair", "both", "localization")

_PLACEHOLDER = re.compile(r"\{([a-z_]+\.[^{}'\"\n]+)\}")


@dataclass(frozen=True, slots=True)
class Patch:
    """One change of one task."""

    id: str
    """Stable: `airline/7/repair/1`."""
    domain: str
    task_id: str
    layer: Layer
    kind: PatchKind
    base_hash: str
    """`task_hash` of the source-language task it was written for: as imported for a localization,
    as earlier repairs leave it for a repair."""
    operations: tuple[Operation, ...]
    """Empty where upstream has the fix."""
    reason: str
    """What is wrong and what this does about it, for the person who approves."""
    source: str
    """Where the defect is reported: `Table 10`."""
    upstream: str = ""
    """How the source task has the fix already; then there is nothing to change, and the task still
    counts in its group."""


class StalePatch(ReviewError):
    """The task changed since the patch was written. Nothing was applied.

    Args:
        patch: The patch.
        current_hash: Of the task as it is now.
    """

    def __init__(self, patch: Patch, current_hash: str) -> None:
        super().__init__(
            "operation.patch_stale",
            "patch {patch!r} was written for another version of task {domain}/{task} "
            "(base {base}, now {now}); compare the three versions and propose it again",
            patch=patch.id,
            domain=patch.domain,
            task=patch.task_id,
            base=patch.base_hash[:12],
            now=current_hash[:12],
        )


def task_hash(task: Task) -> str:
    """Hash of a raw task: 64 hex digits. Only the order of keys does not count.

    `[]`, null and an absent key differ, and so do 1 and 1.0.
    """
    return hashlib.sha256(canonical(task).encode()).hexdigest()


def apply(
    task: Task, patch: Patch, values: Mapping[str, str] = NO_VALUES, *, source: Task | None = None
) -> Task:
    """A task with a patch applied; everything the patch does not touch is as it was.

    Args:
        task: The source-language task for a repair, the localized one for a localization. Not
            changed.
        patch: What to do.
        values: What stands for placeholders of a localization: `{"user.family": "木村"}`. Braces
            that do not hold a dotted name are text.
        source: The source-language task that a localization is bound to; `task` itself by default.

    Raises:
        StalePatch: the base moved.
        BadInput: an operation does not fit, or a placeholder has no value; names patch and path.
    """
    current_hash = task_hash(task if source is None else source)
    if current_hash != patch.base_hash:
        raise StalePatch(patch, current_hash)
    return operate(task, filled(patch, values), patch.id)


def invert(task: Task, patch: Patch) -> tuple[Operation, ...]:
    """The operations that take a patched task back to `task`, byte for byte.

    Give them to `operate`: the texts in them are literal, braces included.

    Args:
        task: The task before the patch.
        patch: The patch; whether its base moved does not matter here.

    Raises:
        BadInput: an operation does not fit.
    """
    return inverse(task, patch.operations, patch.id)


# -- placeholders ------------------------------------------------------------------------------


def placeholders(patch: Patch) -> frozenset[str]:
    """Names whose values a patch needs: `user.given`, `airport.EWR`, `person.Ann Lee`.

    Only localizations have any.
    """
    if patch.layer == "repair":
        return frozenset()
    texts = (text for operation in patch.operations for text in _texts(operation.value))
    return frozenset(name for text in texts for name in _PLACEHOLDER.findall(text))


def filled(patch: Patch, values: Mapping[str, str]) -> tuple[Operation, ...]:
    """A patch's operations with the placeholders of a localization filled in.

    Raises:
        BadInput: a placeholder has no value; names patch and path.
    """
    if patch.layer == "repair":
        return patch.operations
    for operation in patch.operations:
        for text in _texts(operation.value):
            missing = sorted(set(_PLACEHOLDER.findall(text)) - set(values))
            if missing:
                problem = Notice(
                    "operation.placeholder_unknown",
                    "no value for {{{name}}}; known: {known}",
                    name=missing[0],
                    known=tuple(sorted(values)[:8]) or Notice("operation.no_placeholders", "none"),
                )
                raise BadInput(problem, patch.id, operation.path)
    return tuple(
        replace(operation, value=_with_values(operation.value, values))
        for operation in patch.operations
    )


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)


def _with_values(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], value)
    if isinstance(value, dict):
        return {name: _with_values(member, values) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_values(entry, values) for entry in value]
    return value


# -- groups ------------------------------------------------------------------------------------


def group_of(task_id: str, patches: Iterable[Patch]) -> PatchGroup:
    """The column of Table 12 that a task belongs in.

    Args:
        task_id: A task of one domain.
        patches: Those of the same domain.
    """
    layers = {patch.layer for patch in patches if patch.task_id == task_id}
    if not layers:
        return "unmodified"
    return "both" if len(layers) == 2 else layers.pop()


def table12(task_ids: Iterable[str], patches: Iterable[Patch]) -> dict[str, int]:
    """How many tasks of a domain are in each group.

    Args:
        task_ids: All tasks of the domain.
        patches: Those of the same domain; patches of other tasks do not count.

    Returns:
        Counts by `total` and each of `GROUPS`, zeros included.
    """
    known = tuple(patches)
    groups = [group_of(task_id, known) for task_id in dict.fromkeys(task_ids)]
    return {"total": len(groups), **{group: groups.count(group) for group in GROUPS}}
