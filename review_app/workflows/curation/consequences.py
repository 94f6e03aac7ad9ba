"""What a patch does: text, gold actions, end states, rules, texts that go back to review."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, Literal

from cachetools import LRUCache, cached

from review_app.core import formats, validity
from review_app.core.review import rules
from review_app.core.tasks.operations import Task, operate
from review_app.core.tasks.patches import Layer, Patch, task_hash
from review_app.core.tasks.replay import Replay
from review_app.core.tasks.taskdiff import TaskDiff, diff
from review_app.core.validity import DomainFacts, RuleViolation, TaskContext
from review_app.errors import BadInput, NotFound, ReviewError
from review_app.models import Segment
from review_app.notices import Notice
from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.environments import GoldTask
from review_app.workflows.curation import validity as curation_validity
from review_app.workflows.curation.end_states import EndRow, end_rows
from review_app.workflows.localization.derived_domain import DerivationChoice, Derived
from review_app.workflows.review.import_domain import HALF_PAIR

_KEPT = 4
"""Localized domains kept in memory: a real one takes a second to make."""


@dataclass(frozen=True, slots=True)
class Requeued:
    """A text that goes back to review, or comes or goes, if the patch is approved."""

    address: str
    change: Literal["changed", "added", "removed"]
    old: str | None
    new: str | None
    segment: Segment | None
    """With its translation now; None where it is new."""


@dataclass(frozen=True)
class Consequences:
    """What changes between two versions of a task."""

    before: Task
    after: Task
    diff: TaskDiff
    rules_before: tuple[RuleViolation, ...]
    rules_after: tuple[RuleViolation, ...]
    replay_before: Replay | None
    """None where the gold actions cannot be replayed; `problem` says why."""
    replay_after: Replay | None
    problem: str
    end_states: tuple[EndRow, ...]
    """Every field that old or new gold changes."""
    requeued: tuple[Requeued, ...]
    """Of a repair: exactly the texts whose source it changes."""

    @cached_property
    def solved(self) -> tuple[RuleViolation, ...]:
        """Violations that go away."""
        return tuple(without(self.rules_before, self.rules_after))

    @cached_property
    def new(self) -> tuple[RuleViolation, ...]:
        """Violations that come."""
        return tuple(without(self.rules_after, self.rules_before))

    @cached_property
    def breaks(self) -> tuple[RuleViolation, ...]:
        """New ones of level error: such a patch is refused."""
        return tuple(violation for violation in self.new if violation.level == "error")


def without(
    some: Iterable[RuleViolation], others: Iterable[RuleViolation]
) -> Iterator[RuleViolation]:
    """Yield the violations that others do not say as well, wherever in the task."""
    known = set(map(_fault, others))
    return (violation for violation in some if _fault(violation) not in known)


def _fault(violation: RuleViolation) -> tuple[object, ...]:
    """What a violation says, wherever in the task."""
    return violation.code, tuple(sorted(violation.values.items()))


# -- tasks that patches start from -------------------------------------------------------------


def task(store: Store, domain: str, task_id: str, layer: Layer = "repair") -> Task:
    """The task that a patch of this layer starts from: approved patches are in it.

    For a localization this is the localized task, with translations that are not approved yet.

    Raises:
        NotFound: no such domain or task.
    """
    if layer == "repair":
        return dict(curation_validity.chosen_tasks(store, domain, task_id)[task_id].task)
    imported(store, domain, task_id)
    return dict(localized_domain(store, domain).task(task_id))


def imported(store: Store, domain: str, task_id: str) -> GoldTask:
    """A source task as it was imported. Raises NotFound."""
    return curation_validity.chosen_tasks(store, domain, task_id, repaired=False)[task_id]


def base_hash(store: Store, domain: str, task_id: str, layer: Layer = "repair") -> str:
    """Hash that a patch of this layer is bound to now: of the source task.

    With repairs for a repair, as imported for a localization.
    """
    if layer == "localization":
        return task_hash(dict(imported(store, domain, task_id).task))
    return task_hash(task(store, domain, task_id))


def versions(store: Store, domain: str, task_id: str) -> dict[str, Task]:
    """Every version of a source task that its patches ever made, by hash."""
    first = dict(imported(store, domain, task_id).task)
    known = {task_hash(first): first}
    # Patches are listed in the order of their making: a base is there before what builds on it.
    for patch in (stored.patch for stored in store.patches.all(domain, task_id)):
        if patch.layer == "repair" and patch.operations and patch.base_hash in known:
            repaired = operate(known[patch.base_hash], patch.operations, patch.id)
            known.setdefault(task_hash(repaired), repaired)
    return known


def checked(domain: str, task_id: str, edited: Any) -> Task:
    """An edited task, if it is one of this domain.

    Raises:
        BadInput: not the form that the benchmark reads; names the address.
        ReviewError: it has another id.
    """
    try:
        text = json.dumps([edited], ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        problem = Notice("patch.not_json", "not JSON: {problem}", problem=str(error))
        raise BadInput(problem, environments.TASKS, task_id) from error
    if half := HALF_PAIR.search(text):
        problem = Notice("patch.half_character", "holds half a character, {half!r}", half=half[0])
        raise BadInput(problem, environments.TASKS, task_id)
    formats.check_source(environments.TASKS, text, domain)
    if str(edited["id"]) != task_id:
        raise ReviewError(
            "patch.id_changed",
            "the id is {given}, not {task!r}: ids of tasks stay",
            given=repr(edited["id"]),
            task=task_id,
        )
    return dict(edited)


# -- consequences ------------------------------------------------------------------------------


def consequences(
    store: Store, domain: str, task_id: str, edited: Task, *, layer: Layer = "repair"
) -> Consequences:
    """What an edited task changes against the one in force.

    Args:
        store: The review database; call it outside of a transaction.
        domain: Its name.
        task_id: The task.
        edited: The task after editing: source-language for a repair, localized for a localization.
        layer: Which of the two.

    Raises:
        BadInput: the edited task is no task of this domain; names the address.
        NotFound: no such task.
    """
    after = checked(domain, task_id, edited)
    if layer == "repair":
        return _of_source(store, domain, task(store, domain, task_id), after)
    derived = localized_domain(store, domain)
    return derived.consequences(dict(derived.task(task_id)), after)


def of_patch(store: Store, stored: StoredPatch) -> Consequences:
    """What a stored patch changes against the base it was written for.

    Raises:
        NotFound: its base is not known any more, or no such task.
        BadInput: it does not fit.
    """
    patch = stored.patch
    if patch.layer == "localization":
        return _of_localization(store, stored)
    base = versions(store, patch.domain, patch.task_id).get(patch.base_hash)
    if base is None:
        raise NotFound(
            "patch.base_unknown",
            "the version of task {task} that {patch!r} was written "
            "for was imported before the present one; propose it again",
            task=f"{patch.domain}/{patch.task_id}",
            patch=patch.id,
        )
    after = operate(base, patch.operations, patch.id)
    return _of_source(store, patch.domain, base, after)


def of_operations(store: Store, patch: Patch) -> Consequences:
    """What a patch that is not stored would change now, its placeholders filled in.

    Args:
        store: The review database; call it outside of a transaction.
        patch: Its base hash does not matter.

    Raises:
        BadInput: it does not fit, or a placeholder has no value.
        NotFound: no such task.
    """
    if patch.layer == "repair":
        before = task(store, patch.domain, patch.task_id)
        return _of_source(store, patch.domain, before, operate(before, patch.operations, patch.id))
    derived = localized_domain(store, patch.domain)
    before = dict(derived.task(patch.task_id))
    return derived.consequences(before, derived.patched(before, patch))


def _of_source(store: Store, domain: str, before: Task, after: Task) -> Consequences:
    checked(domain, str(before.get("id", "")), after)
    known = curation_validity.facts(store, domain)
    was, now = TaskContext(before, known), TaskContext(after, known)
    return Consequences(
        before=before,
        after=after,
        diff=diff(before, after),
        rules_before=tuple(curation_validity.of_task(store, domain, before)),
        rules_after=tuple(curation_validity.of_task(store, domain, after)),
        replay_before=was.replay,
        replay_after=now.replay,
        problem=str(now.problem or was.problem or ""),
        end_states=tuple(end_rows(was.replay, now.replay)),
        requeued=tuple(_requeued(store, domain, before, after)),
    )


def _of_localization(store: Store, stored: StoredPatch) -> Consequences:
    patch, derived = stored.patch, localized_domain(store, stored.patch.domain)
    if stored.inverts is not None:
        patch = store.patches.get(stored.inverts).patch
    before = dict(derived.task(patch.task_id, but=patch.id))
    after = derived.patched(before, patch)
    if stored.inverts is not None:
        return derived.consequences(after, before)
    return derived.consequences(before, after)


class LocalizedDomain:
    """A domain in the target locale, with every translation there is."""

    def __init__(self, store: Store, domain: str) -> None:
        self.derived = Derived(store, domain, DerivationChoice(use="current"))
        self.profile = curation_validity.profile(store, domain)

    def task(self, task_id: str, *, but: str = "") -> Mapping[str, Any]:
        """A localized task, without one of its localization patches."""
        gold, original = self.derived.tasks[task_id], self.derived.originals[task_id]
        source, target = self.derived.replays(gold)
        return self.derived.localized(gold, original.task, source, target, but=but).task

    def patched(self, before: Task, patch: Patch) -> Task:
        """A localized task with a localization patch."""
        original = dict(self.derived.originals[patch.task_id].task)
        fresh = replace(patch, base_hash=task_hash(original))
        return tasks_in_force.with_localization(before, original, fresh, self.derived.derivation)

    @cached_property
    def facts(self) -> DomainFacts:
        """What rules look up in the localized domain."""
        state, user_state = self.derived.states
        localizer, money = self.derived.derivation.localizer, self.derived.ground.locale.money
        return DomainFacts(
            self.derived.domain,
            self.profile,
            pack=localizer.pack,
            state=state,
            user_state=user_state,
            currency=money.source if localizer.money is None else money.target,
        )

    def consequences(self, before: Task, after: Task) -> Consequences:
        """What changes between two versions of a localized task. Raises BadInput."""
        checked(self.derived.domain, str(before.get("id", "")), after)
        was, now = TaskContext(before, self.facts), TaskContext(after, self.facts)
        return Consequences(
            before=before,
            after=after,
            diff=diff(before, after),
            rules_before=tuple(validity.inspect(before, was)),
            rules_after=tuple(validity.inspect(after, now)),
            replay_before=was.replay,
            replay_after=now.replay,
            problem=str(now.problem or was.problem or ""),
            end_states=tuple(end_rows(was.replay, now.replay)),
            requeued=(),
        )


def _as_it_is_now(store: Store, domain: str) -> tuple[str, str, str]:
    return str(store.path.resolve()), store.people.edition(), domain


@cached(LRUCache[tuple[str, str, str], LocalizedDomain](_KEPT), key=_as_it_is_now, lock=Lock())
def localized_domain(store: Store, domain: str) -> LocalizedDomain:
    """A domain in the target locale as the project is now."""
    return LocalizedDomain(store, domain)


# -- texts -------------------------------------------------------------------------------------


def _requeued(store: Store, domain: str, before: Task, after: Task) -> Iterator[Requeued]:
    gold = environments.tasks(store, domain).get(str(before.get("id", "")))
    file = gold.file if gold else environments.TASKS
    was, now = (
        {unit.address: unit.text for unit in formats.units(file, json.dumps([version]))}
        for version in (before, after)
    )
    for address in dict.fromkeys((*was, *now)):
        old, new = was.get(address), now.get(address)
        if old != new:
            yield Requeued(
                address=address,
                change="added" if old is None else "removed" if new is None else "changed",
                old=old,
                new=new,
                segment=_segment(store, domain, file, address),
            )


def _segment(store: Store, domain: str, file: str, address: str) -> Segment | None:
    try:
        return store.segments.get(rules.segment_id(domain, file, address))
    except NotFound:
        return None
