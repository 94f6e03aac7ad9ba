"""What the rules say about a task, each with its evidence; warnings can be accepted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from review_app.core.tasks.operations import Task
from review_app.core.validity import RuleViolation
from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import curation_words, markup, rule_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import actions
from review_app.workflows import read_model
from review_app.workflows.benchmark import environments
from review_app.workflows.curation.validity import Checked

_WORD = re.compile(r"#?\w[\w-]*")
_MOST = 3
"""Records shown for one violation."""
_LONGEST = 600


def show(store: Store, person: Person, domain: str, task: Task, checked: Sequence[Checked]) -> None:
    """Errors and warnings with what can be done about them; then what is only worth a look."""
    st.html(curation_words.heading(text("tasks.rules")))
    serious = [hit for hit in checked if hit.violation.level in ("error", "warning")]
    names = {hit.id: hit.name for hit in read_model.people(store)}
    for hit in serious:
        _show_one(store, person, domain, task, hit, names)
    if not serious:
        st.html(curation_words.quiet(text("tasks.no_faults")))
    others = [hit for hit in checked if hit not in serious]
    if others:
        rows = [said(other.violation) for other in others]
        st.html(curation_words.folded(text("tasks.notes", count=len(others)), markup.items(rows)))


def said(violation: RuleViolation) -> str:
    """A violation as a line: level, code, message, where."""
    return (
        f"{curation_words.badge('level', violation.level)} "
        f"<span class='jt-mono' title='{safe(violation.name)}'>{violation.code}</span> "
        f"{safe(rule_words.message(violation))} "
        f"<span class='jt-mono jt-muted'>{safe(violation.address)}</span>"
    )


def _show_one(
    store: Store,
    person: Person,
    domain: str,
    task: Task,
    checked: Checked,
    names: Mapping[int, str],
) -> None:
    violation, mark = checked.violation, checked.fingerprint
    line, accepted = said(violation), checked.acknowledged
    if accepted:
        who = names.get(accepted.person_id, "?")
        why = safe(text("tasks.accepted_by", who=who, reason=accepted.reason))
        line = f"<s>{line}</s><div class='jt-muted'>{why}</div>"
    st.html(
        f"<div style='font-size:0.88rem'>{line}{_evidence(store, domain, task, violation)}</div>"
    )
    if person.role != "maintainer":
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("tasks.flag_this"),
        key=f"flag_{mark}",
        type="tertiary",
        icon=":material/flag:",
        on_click=actions.ask,
        args=("flag", mark),
    )
    if violation.level == "warning" and accepted:
        row.button(
            text("tasks.withdraw"),
            key=f"withdraw_{mark}",
            type="tertiary",
            icon=":material/undo:",
            on_click=actions.acknowledge,
            args=(domain, violation),
            kwargs={"withdraw": True},
        )
    elif violation.level == "warning":
        row.button(
            text("tasks.acknowledge"),
            key=f"ack_{mark}",
            type="tertiary",
            icon=":material/check:",
            on_click=actions.ask,
            args=("acknowledge", mark),
        )
    if actions.asking("acknowledge", mark):
        _acknowledge_form(domain, violation)


def _acknowledge_form(domain: str, violation: RuleViolation) -> None:
    with st.form("tasks_ack_form", enter_to_submit=False):
        st.text_input(text("tasks.ack_reason"), key="tasks_ack_reason")
        row = st.container(horizontal=True, gap="small")
        row.form_submit_button(
            text("tasks.ack_send"),
            key="tasks_ack",
            type="primary",
            shortcut="Ctrl+Enter",
            on_click=actions.acknowledge,
            args=(domain, violation),
            kwargs={"withdraw": False},
        )
        row.form_submit_button(text("common.cancel"), key="tasks_ack_cancel", on_click=actions.ask)


# -- evidence ----------------------------------------------------------------------------------


def _evidence(store: Store, domain: str, task: Task, violation: RuleViolation) -> str:
    """The value that the rule points at, and the records that it names."""
    parts = []
    value = curation_words.place(task, violation.address)
    if violation.address and value is not None:
        parts.append(f"<div class='jt-mono'>{safe(_short(value))}</div>")
    for name, record in _records(environments.database(store, domain), violation):
        fields = record if isinstance(record, dict) else {"": record}
        parts.append(f"<div class='jt-mono'>{safe(name)}</div>{curation_words.record(fields)}")
    if not parts:
        return ""
    return curation_words.folded(text("tasks.evidence"), "".join(parts))


def _records(database: Mapping[str, Any], violation: RuleViolation) -> Iterator[tuple[str, Any]]:
    words = [word for value in violation.values.values() for word in _WORD.findall(str(value))]
    shown = 0
    for word in dict.fromkeys(words):
        for table, content in database.items():
            if isinstance(content, dict) and word in content and shown < _MOST:
                shown += 1
                yield f"{table} · {word}", content[word]


def _short(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
