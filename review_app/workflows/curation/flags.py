"""Flags on tasks: raise, triage, own, discuss, close by two people; exchange with the benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from review_app.core.formats.json_text import parse_json
from review_app.core.tasks.patches import PatchKind
from review_app.core.tasks.task_files import with_tasks
from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.curation import Flag, FlagOutcome, FlagState, NewFlag, Remark
from review_app.store import Store
from review_app.workflows.benchmark import environments, tasks_in_force

TWO_PEOPLE_FROM = 2
"""Severity from which two people have to close a flag."""

_STATUS: Mapping[FlagState, str] = {
    "open": "open",
    "triaged": "open",
    "patched": "resolved",
    "not_a_defect": "resolved",
    "wont_fix": "wont_fix",
}
_STATES: Mapping[str, FlagState] = {"open": "open", "resolved": "patched", "wont_fix": "wont_fix"}
_CLOSED: Mapping[FlagState, Notice] = {
    "patched": Notice("flag.patched", "patched"),
    "not_a_defect": Notice("flag.not_a_defect", "not_a_defect"),
    "wont_fix": Notice("flag.wont_fix", "wont_fix"),
}
_OWN = ("id", "title", "description", "status", "resolution", "created_at")
_PRIVATE = ("author_email",)


@dataclass(frozen=True, slots=True)
class FlagCard:
    """A flag with what was said."""

    flag: Flag
    remarks: tuple[Remark, ...]
    votes: Mapping[int, FlagOutcome]
    """Person -> how they would close it, since it was opened last."""
    needed: int
    """How many must agree: 2 from severity 2 up."""


def raise_flag(store: Store, person: Person, new: NewFlag) -> Flag:
    """Flag a task.

    Raises:
        ReviewError: no title, or a severity that is none of 0 to 3.
        NotFound: no such task.
    """
    title = new.title.strip() if isinstance(new.title, str) else new.title
    if not title:
        raise ReviewError("flag.untitled", "say in one line what is wrong: a flag needs a title")
    _require_severity(new.severity)
    store.documents.require(new.domain)
    if new.task_id not in environments.tasks(store, new.domain):
        raise NotFound(
            "flag.task_unknown",
            "domain {domain!r} has no task {task!r}",
            domain=new.domain,
            task=new.task_id,
        )
    with store.write(person.name):
        return store.flags.get(store.flags.add(replace(new, title=title, reporter_id=person.id)))


def triage(
    store: Store,
    person: Person,
    flag: Flag,
    *,
    kind: PatchKind,
    severity: int,
    owner: Person | None,
) -> Flag:
    """Say what is wrong, how badly, and who takes care.

    Raises:
        NotAllowed: no maintainer.
        ReviewError: it is closed.
        StaleEdit: somebody changed it meanwhile.
    """
    _require_maintainer(person)
    _require_open(flag)
    _require_severity(severity)
    changed = replace(
        flag, kind=kind, severity=severity, owner_id=owner.id if owner else None, state="triaged"
    )
    with store.write(person.name):
        return store.flags.put(changed)


def own(store: Store, person: Person, flag: Flag, owner: Person | None) -> Flag:
    """Give a flag to somebody, or to nobody.

    Raises:
        StaleEdit: somebody changed it meanwhile.
    """
    with store.write(person.name):
        return store.flags.put(replace(flag, owner_id=owner.id if owner else None))


def comment(store: Store, person: Person, flag_id: int, body: str) -> int:
    """Say something about a flag; returns the remark's id."""
    if not body.strip():
        raise ReviewError("flag.comment_empty", "the comment is empty")
    with store.write(person.name):
        store.flags.get(flag_id)
        return store.flags.add_remark(flag_id, person.id, "comment", body=body.strip())


def close(store: Store, person: Person, flag: Flag, outcome: FlagOutcome, *, reason: str) -> Flag:
    """Close a flag, or vote for it: from severity 2 up a second person has to say the same.

    Returns:
        The flag; its state tells whether it is closed.

    Raises:
        NotAllowed: no maintainer.
        ReviewError: no reason, or closed already.
        StaleEdit: somebody changed it meanwhile.
    """
    _require_maintainer(person)
    if not reason.strip():
        raise ReviewError("flag.closing_unexplained", "say why: closing a flag needs a reason")
    with store.write(person.name):
        _require_open(store.flags.get(flag.id))
        store.flags.add_remark(flag.id, person.id, "close", body=reason.strip(), outcome=outcome)
        agreed = [vote for vote in _votes(store.flags.remarks(flag.id)).values() if vote == outcome]
        closed = len(agreed) >= needed(flag.severity)
        changed = replace(flag, state=outcome, resolution=reason.strip()) if closed else flag
        return store.flags.put(changed)


def reopen(store: Store, person: Person, flag: Flag, *, reason: str) -> Flag:
    """Open a closed flag again; earlier votes no longer count.

    Raises:
        ReviewError: no reason, or not closed.
        StaleEdit: somebody changed it meanwhile.
    """
    if not reason.strip():
        raise ReviewError(
            "flag.reopening_unexplained", "say why: opening a flag again needs a reason"
        )
    if not flag.closed:
        raise ReviewError("flag.open", "flag {flag} is open", flag=flag.id)
    with store.write(person.name):
        store.flags.add_remark(flag.id, person.id, "reopen", body=reason.strip())
        state: FlagState = "triaged" if flag.kind else "open"
        return store.flags.put(replace(flag, state=state, resolution=""))


def card(store: Store, flag_id: int) -> FlagCard:
    """A flag with its discussion. Raises NotFound."""
    flag, remarks = store.flags.get(flag_id), store.flags.remarks(flag_id)
    return FlagCard(
        flag=flag, remarks=tuple(remarks), votes=_votes(remarks), needed=needed(flag.severity)
    )


def open_count(store: Store) -> int:
    """How many flags wait for somebody."""
    return sum(1 for flag in store.flags.all() if not flag.closed)


def needed(severity: int) -> int:
    """How many people must agree to close a flag of this severity."""
    return 2 if severity >= TWO_PEOPLE_FROM else 1


def _votes(remarks: Sequence[Remark]) -> dict[int, FlagOutcome]:
    votes: dict[int, FlagOutcome] = {}
    for remark in remarks:
        if remark.kind == "reopen":
            votes.clear()
        elif remark.outcome is not None:
            votes[remark.person_id] = remark.outcome
    return votes


def _require_maintainer(person: Person) -> None:
    if person.role != "maintainer":
        raise NotAllowed(
            "flag.only_maintainers_decide", "a maintainer has to triage and close flags"
        )


def _require_open(flag: Flag) -> None:
    if flag.closed:
        raise ReviewError(
            "flag.closed",
            "flag {flag} is closed ({state}): open it again first",
            flag=flag.id,
            state=_CLOSED[flag.state],
        )


def _require_severity(severity: int) -> None:
    if severity not in range(4):
        raise ReviewError(
            "flag.severity_unknown", "severity {severity} is none of 0, 1, 2, 3", severity=severity
        )


# -- the benchmark's `issues` ------------------------------------------------------------------


def import_issues(store: Store, person: Person, domain: str) -> list[Flag]:
    """Make flags of the `issues` that imported tasks carry; those known already stay.

    Returns:
        The new flags. Nobody's e-mail address is kept.

    Raises:
        NotFound: no such domain.
    """
    store.documents.require(domain)
    tasks = environments.tasks(store, domain)
    with store.write(person.name):
        known = {(flag.task_id, flag.issue_id) for flag in store.flags.all(domain)}
        ids = [
            store.flags.add(new)
            for task_id, gold in tasks.items()
            for new in _from_issues(domain, task_id, gold.task)
            if (task_id, new.issue_id) not in known
        ]
        return [store.flags.get(number) for number in ids]


def _from_issues(domain: str, task_id: str, task: Mapping[str, Any]) -> Iterator[NewFlag]:
    seen: set[str] = set()
    for issue in task.get("issues") or ():
        name = str(issue.get("id") or "")
        if not name or name in seen:
            continue
        seen.add(name)
        yield NewFlag(
            domain=domain,
            task_id=task_id,
            title=str(issue.get("title") or name),
            description=str(issue.get("description") or ""),
            state=_STATES.get(str(issue.get("status", "open")), "open"),
            resolution=str(issue.get("resolution") or ""),
            issue_id=name,
            extras={key: issue[key] for key in issue if key not in (*_OWN, *_PRIVATE)},
            created_at=_time(issue.get("created_at")),
        )


def _time(value: Any) -> str:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return ""
    return str(value)


def with_issues(store: Store, domain: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """A task with its flags as the benchmark's `issues`; unchanged if it has none.

    Nobody's e-mail address is written.
    """
    flags = store.flags.all(domain, str(task.get("id", "")))
    names = {flag.issue_id for flag in flags}
    others = [
        {key: value for key, value in issue.items() if key not in _PRIVATE}
        for issue in task.get("issues") or ()
        if issue.get("id") not in names
    ]
    issues = [*others, *map(_issue, flags)]
    return {**task, "issues": issues} if issues else dict(task)


def _issue(flag: Flag) -> dict[str, Any]:
    issue = {
        "id": flag.issue_id or f"flag_{flag.id}",
        "title": str(flag.title),
        "description": str(flag.description),
        "status": _STATUS[flag.state],
        "resolution": _resolution(flag),
        "created_at": flag.created_at,
        "resolved_at": flag.changed_at if flag.closed else "",
    }
    return {**{key: value for key, value in issue.items() if value}, **flag.extras}


def _resolution(flag: Flag) -> str:
    note = "not a defect: " if flag.state == "not_a_defect" else ""
    return f"{note}{flag.resolution}"


def tasks_file(store: Store, domain: str) -> str:
    """The source's `tasks.json` with approved repairs and the flags as `issues`.

    Raises:
        NotFound: no such domain, or it has no tasks.
    """
    store.documents.require(domain)
    documents = [
        document for document in store.documents.of(domain) if document.file == environments.TASKS
    ]
    if not documents:
        raise NotFound(
            "flag.no_tasks",
            "domain {domain!r} has no {file}",
            domain=domain,
            file=environments.TASKS,
        )
    raw = store.documents.texts(documents[0].id)[0]
    text = tasks_in_force.repaired_text(
        raw, environments.TASKS, tasks_in_force.in_force(store, domain)
    )
    listed = parse_json(text, environments.TASKS)
    changed = {str(task["id"]): with_issues(store, domain, task) for task in listed}
    return with_tasks(text, changed, environments.TASKS)
