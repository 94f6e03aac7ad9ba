"""What the validity rules say about tasks: computed once, kept by content; accepted warnings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from cachetools import LRUCache

from review_app.config import data_folder, data_text
from review_app.core import validity
from review_app.core.envs import has_environment
from review_app.core.locale.amounts import Currency
from review_app.core.locale.money import money_rule
from review_app.core.tasks.patches import task_hash
from review_app.core.validity import (
    LEVELS,
    RULESET,
    DomainFacts,
    PolicyProfile,
    RuleViolation,
    TaskContext,
    parse_profile,
)
from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.json_types import Json
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.curation import Acknowledgement
from review_app.store import Store
from review_app.store.curation.validations import fingerprint
from review_app.workflows.background.progress import Progress, silent
from review_app.workflows.benchmark import environments, tasks_in_force
from review_app.workflows.benchmark.environments import GoldTask, Playground

_OWN = "own profile"
_NO_WARNINGS: Mapping[str, Notice] = {
    "error": Notice("validity.level_error", "error"),
    "info": Notice("validity.level_info", "info"),
    "label": Notice("validity.level_label", "label"),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A violation with what people decided about it."""

    violation: RuleViolation
    fingerprint: str
    acknowledged: Acknowledgement | None

    @property
    def open(self) -> bool:
        """Whether somebody has to act: an error, or a warning that nobody accepted."""
        level = self.violation.level
        return level == "error" or (level == "warning" and self.acknowledged is None)


def inspect(
    store: Store,
    domain: str,
    task_id: str | None = None,
    *,
    repaired: bool = True,
    progress: Progress = silent,
) -> dict[str, list[Checked]]:
    """What the rules say about every task of `tasks.json`, or about one of any task file.

    Results are kept, so the second call takes milliseconds. Call it outside of a transaction.

    Args:
        store: The review database.
        domain: Its name.
        task_id: Only this task.
        repaired: With approved repairs; false looks at the tasks as imported.
        progress: Told of each task that is not known yet.

    Returns:
        Task id -> violations, the worst first; tasks without any have an empty list.

    Raises:
        NotFound: no such domain or task.
    """
    chosen = chosen_tasks(store, domain, task_id, repaired=repaired)
    tasks = {name: gold.task for name, gold in chosen.items()}
    violations = _known(store, domain, tasks, progress)
    accepted = store.validations.acknowledged(domain, task_id)
    return {name: _checked(violations[name], accepted) for name in chosen}


def chosen_tasks(
    store: Store, domain: str, task_id: str | None = None, *, repaired: bool = True
) -> dict[str, GoldTask]:
    """The tasks of `tasks.json`, or one of any task file, with repairs or as imported.

    Raises:
        NotFound: no such domain or task.
    """
    store.documents.require(domain)
    tasks = tasks_in_force.tasks(store, domain, fixed=repaired)
    if task_id is None:
        return {name: gold for name, gold in tasks.items() if gold.file == environments.TASKS}
    if task_id not in tasks:
        raise NotFound(
            "validity.task_unknown",
            "domain {domain!r} has no task {task!r}; `validate` lists them",
            domain=domain,
            task=task_id,
        )
    return {task_id: tasks[task_id]}


def record(domain: str, checked: Checked) -> dict[str, str]:
    """The JSON record of a violation: code, level, domain, task_id, address, message."""
    violation = checked.violation
    return {
        "code": violation.code,
        "level": violation.level,
        "domain": domain,
        "task_id": violation.task_id,
        "address": violation.address,
        "message": violation.message,
    }


def code_and_message(violation: RuleViolation) -> Notice:
    """A violation in one line."""
    return Notice(
        "validity.violation", "{rule} {message}", rule=violation.code, message=violation.message
    )


def place_and_message(violation: RuleViolation) -> Notice | str:
    """A violation in one line beside its code."""
    if not violation.address:
        return violation.message
    return Notice(
        "validity.at_address",
        "{address} {message}",
        address=violation.address,
        message=violation.message,
    )


def of_task(store: Store, domain: str, task: Json) -> list[RuleViolation]:
    """What the rules say about a source-language task as somebody edited it; kept as well."""
    return _sorted(_known(store, domain, {"": task}, silent)[""])


def worst(listed: Sequence[Checked]) -> str:
    """The highest level among open violations, else among all; empty without any."""
    acting = [checked for checked in listed if checked.open] or listed
    return min((checked.violation.level for checked in acting), key=LEVELS.index, default="")


def _checked(
    violations: Iterable[RuleViolation], accepted: Mapping[tuple[str, str], Acknowledgement]
) -> list[Checked]:
    return [
        Checked(violation, mark, accepted.get((violation.task_id, mark)))
        for violation in _sorted(violations)
        for mark in [fingerprint(violation)]
    ]


def _sorted(violations: Iterable[RuleViolation]) -> list[RuleViolation]:
    return sorted(violations, key=lambda violation: LEVELS.index(violation.level))


# -- kept results ------------------------------------------------------------------------------


def _known(
    store: Store, domain: str, tasks: Mapping[str, Json], progress: Progress
) -> dict[str, list[RuleViolation]]:
    """Violations by the keys of `tasks`: what is kept, and the rest computed and kept."""
    hashes = {name: task_hash(dict(task)) for name, task in tasks.items()}
    state, version = _state_hash(store, domain), f"{RULESET}.{profile(store, domain).version}"
    kept = store.validations.kept(list(hashes.values()), state, version)
    missing = [name for name, key in hashes.items() if key not in kept]
    if missing:
        known, computed = facts(store, domain), {}
        for number, name in enumerate(missing, 1):
            task = tasks[name]
            computed[hashes[name]] = validity.inspect(task, TaskContext(task, known))
            progress(number, len(missing), str(task.get("id", "")))
        with store.write("rules"):
            store.validations.keep(computed, state, version)
        kept |= computed
    return {name: kept[key] for name, key in hashes.items()}


def _state_hash(store: Store, domain: str) -> str:
    """Names the databases, the words that the tools run on, and how texts write amounts."""
    names = (*environments.DATABASES, *environments.USER_DATABASES)
    parts = [
        f"{document.file} {document.source_hash}"
        for document in store.documents.of(domain)
        if document.file in names
    ]
    known = (domain, parts, _words(domain), currency(store))
    return hashlib.sha256(repr(known).encode()).hexdigest()[:24]


def _words(domain: str) -> list[str]:
    files = sorted((data_folder() / "locales" / "en").glob(f"{domain}*.toml"))
    return [path.read_text(encoding="utf-8") for path in files]


# -- what rules look up ------------------------------------------------------------------------

_KEPT = 16
_indexed: LRUCache[str, DomainFacts] = LRUCache(_KEPT)
"""The last one of each domain: its indexes take longer than a task."""
_indexed_lock = Lock()


def facts(store: Store, domain: str) -> DomainFacts:
    """What the rules look up in a domain of the source.

    Raises:
        NotFound: no such domain.
        BadInput: its database or its profile is broken.
    """
    store.documents.require(domain)
    known, written = profile(store, domain), currency(store)
    if domain not in environments.domains(store):
        pack = environments.english_pack(domain) if has_environment(domain) else None
        return DomainFacts(domain, known, pack=pack, currency=written)
    ground = environments.load(store, domain)
    with _indexed_lock:
        last = _indexed.get(domain)
        in_force = last is not None and (last.profile, last.currency) == (known, written)
        if last is None or not in_force or not _is_of(last, ground):
            last = _indexed[domain] = DomainFacts(
                domain,
                known,
                pack=ground.pack,
                state=ground.state,
                user_state=ground.user_state,
                currency=written,
            )
    return last


def currency(store: Store) -> Currency:
    """How texts of the source write amounts, as the project's locale knows it.

    Raises:
        BadInput: the locale's rules are broken.
    """
    locale = store.people.project().target_locale
    return _source_currency(data_text("locales", locale, "locale.toml"))


@lru_cache(maxsize=_KEPT)
def _source_currency(rules: str) -> Currency:
    return money_rule(rules).source


def _is_of(known: DomainFacts, ground: Playground) -> bool:
    return (known.state, known.user_state) == (ground.state, ground.user_state)


def profile(store: Store, domain: str) -> PolicyProfile:
    """The policy profile in force: the shipped one with the project's own laid over it.

    Raises:
        BadInput: a profile is broken.
    """
    texts = [("common.toml", data_text("rules", "common.toml"))]
    if (data_folder() / "rules" / f"{domain}.toml").is_file():
        texts.append((f"{domain}.toml", data_text("rules", f"{domain}.toml")))
    return _profile((*texts, (_OWN, own_profile(store, domain))))


@lru_cache(maxsize=_KEPT)
def _profile(texts: tuple[tuple[str, str], ...]) -> PolicyProfile:
    laid: PolicyProfile | None = None
    for name, text in texts:
        if text:
            laid = parse_profile(text, name, laid)
    assert laid is not None
    return laid


def own_profile(store: Store, domain: str) -> str:
    """The TOML that this project lays over the shipped profile; empty if none."""
    return store.settings.get(_setting(domain))


def set_profile(store: Store, person: Person, domain: str, text: str) -> PolicyProfile:
    """Lay a project's own TOML over the shipped profile; empty takes it away.

    Raises:
        NotAllowed: no maintainer.
        BadInput: not a profile.
    """
    if person.role != "maintainer":
        raise NotAllowed(
            "validity.only_maintainers_set_profile",
            "a maintainer has to change what the policy says",
        )
    parse_profile(text, _OWN)
    with store.write(person.name):
        put_profile(store, domain, text)
    return profile(store, domain)


def put_profile(store: Store, domain: str, text: str) -> None:
    """Write a project's own profile, inside the caller's transaction."""
    store.settings.put(_setting(domain), text)


def _setting(domain: str) -> str:
    return f"profile/{domain}"


# -- accepted warnings -------------------------------------------------------------------------


def acknowledge(
    store: Store, person: Person, domain: str, violation: RuleViolation, *, reason: str
) -> None:
    """Accept a warning of a task, with a reason.

    Raises:
        ReviewError: no reason; or no warning: nobody can accept an error.
    """
    if violation.level != "warning":
        raise ReviewError(
            "validity.not_a_warning",
            "{rule} is of level {level}: only warnings can be accepted; "
            "repair the task with a patch",
            rule=violation.code,
            level=_NO_WARNINGS[violation.level],
        )
    if not reason.strip():
        raise ReviewError(
            "validity.acceptance_unexplained",
            "say why this is fine: accepting a warning needs a reason",
        )
    with store.write(person.name):
        store.validations.acknowledge(domain, violation, person=person.id, reason=reason.strip())


def withdraw(store: Store, person: Person, domain: str, violation: RuleViolation) -> None:
    """Take an acknowledgement back."""
    with store.write(person.name):
        store.validations.acknowledge(domain, violation, person=person.id, reason="", withdraw=True)
