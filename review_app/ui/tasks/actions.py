"""What the buttons of a task's card do. Callbacks run before the page is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from review_app.core.validity import RuleViolation
from review_app.models import Person
from review_app.records.curation import Evidence, Flag, NewFlag
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import flags, validity


def ask(what: str = "", about: str = "") -> None:
    """Open a small form (`flag`, `acknowledge`, `triage`, …) about something, or close it."""
    st.session_state["tasks_asking"] = (what, about) if what else None


def asking(what: str, about: str | None = None) -> bool:
    """Whether this form is open; about anything if `about` is None."""
    open_form = st.session_state.get("tasks_asking")
    return open_form is not None and open_form[0] == what and about in (None, open_form[1])


def about() -> str:
    """What the open form is about."""
    open_form = st.session_state.get("tasks_asking")
    return str(open_form[1]) if open_form else ""


def typed(key: str) -> str:
    """The text under a widget's key."""
    return str(st.session_state.get(key) or "")


def run(action: Callable[[Store, Person], str]) -> None:
    """Run an action and tell what it did; where it fails, the form stays open with its text."""
    with session.noted(), session.opened() as store:
        done = action(store, session.current_person(store))
        ask()
        st.session_state["notice"] = ("success", done)


def acknowledge(domain: str, violation: RuleViolation, *, withdraw: bool) -> None:
    """Accept a warning with the typed reason, or take that back."""

    def action(store: Store, person: Person) -> str:
        if withdraw:
            validity.withdraw(store, person, domain, violation)
            return text("tasks.withdrawn", code=violation.code)
        reason = typed("tasks_ack_reason")
        validity.acknowledge(store, person, domain, violation, reason=reason)
        return text("tasks.acknowledged", code=violation.code)

    run(action)


def raise_flag(domain: str, task_id: str, evidence: tuple[Evidence, ...]) -> None:
    """Flag the task as the form says."""

    def action(store: Store, person: Person) -> str:
        kind = st.session_state.get("flag_kind") or None
        new = NewFlag(
            domain=domain,
            task_id=task_id,
            title=typed("flag_title"),
            description=typed("flag_description"),
            kind=kind,
            severity=int(st.session_state.get("flag_severity") or 0),
            evidence=evidence,
        )
        return text("tasks.flagged", number=flags.raise_flag(store, person, new).id)

    run(action)


def comment(flag_id: int) -> None:
    """Say something about a flag."""

    def action(store: Store, person: Person) -> str:
        flags.comment(store, person, flag_id, typed("flag_comment"))
        return text("tasks.commented")

    run(action)


def triage(flag_id: int, version: int) -> None:
    """Say what is wrong, how badly and who takes care."""

    def action(store: Store, person: Person) -> str:
        kind = st.session_state["flag_triage_kind"]
        chosen = st.session_state.get("flag_triage_owner")
        flags.triage(
            store,
            person,
            _read(store, flag_id, version),
            kind=kind,
            severity=int(st.session_state["flag_triage_severity"]),
            owner=read_model.person(store, int(chosen)) if chosen else None,
        )
        return text("tasks.triaged", number=flag_id)

    run(action)


def own(flag_id: int, version: int, *, release: bool) -> None:
    """Take care of a flag, or no longer."""

    def action(store: Store, person: Person) -> str:
        flag = _read(store, flag_id, version)
        flags.own(store, person, flag, None if release else person)
        return text("tasks.released" if release else "tasks.owned", number=flag_id)

    run(action)


def close(flag_id: int, version: int) -> None:
    """Close a flag, or vote for it."""

    def action(store: Store, person: Person) -> str:
        outcome = st.session_state["flag_outcome"]
        flag = flags.close(
            store, person, _read(store, flag_id, version), outcome, reason=typed("flag_reason")
        )
        return text("tasks.closed" if flag.closed else "tasks.voted", number=flag_id)

    run(action)


def reopen(flag_id: int, version: int) -> None:
    """Open a closed flag again."""

    def action(store: Store, person: Person) -> str:
        reason = typed("flag_reopen_reason")
        flags.reopen(store, person, _read(store, flag_id, version), reason=reason)
        return text("tasks.reopened", number=flag_id)

    run(action)


def _read(store: Store, flag_id: int, version: int) -> Flag:
    """The flag as the person saw it: a change in between is refused."""
    return replace(read_model.flag(store, flag_id), version=version)
