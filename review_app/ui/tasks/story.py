"""The story of a task in both languages, the user's record beside it, and what gold does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from review_app.core.envs import Step
from review_app.core.tasks import statediff
from review_app.core.tasks.operations import Task
from review_app.core.tasks.replay import Replay, gold_actions, replay_task
from review_app.models import Segment
from review_app.store import Store
from review_app.ui.environment import trace
from review_app.ui.shared import curation_words, environment_words, markup, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.benchmark import environments
from review_app.workflows.benchmark.environments import call_text
from review_app.workflows.curation import task_records

_CRITERIA = "/evaluation_criteria/"


def segments(store: Store, domain: str, task_id: str) -> list[Segment]:
    """The texts of a task with their translations, in order."""
    return [
        segment
        for document in read_model.documents(store, domain)
        if document.kind == "task"
        for segment in read_model.segments_of_document(store, document.id)
        if segment.address.startswith(f"{document.file}#{task_id}/")
    ]


def show(store: Store, task: Task, texts: Sequence[Segment]) -> None:
    """Source and target side by side, then the records that the task names."""
    rows = [_pair(segment, task) for segment in texts]
    st.html(
        curation_words.heading(text("tasks.story"))
        + ("".join(rows) or f"{curation_words.quiet(text('tasks.no_texts'))}")
        + _records(store, texts)
    )


def _pair(segment: Segment, task: Task) -> str:
    path = segment.address.partition("#")[2].removeprefix(f"{task.get('id', '')}/")
    dim = " jt-dim" if f"/{path}".startswith(_CRITERIA) or path.startswith("description") else ""
    label = path.rsplit("/", 1)[-1] if not path[-1].isdigit() else path.split("/", 1)[-1]
    return (
        f'<div class="jt-pair{dim}">'
        + markup.block(segment.source, label=label)
        + f"<div><div class='jt-label'>{markup.badge(segment.state)}</div>"
        + f"<div class='jt-text'>{safe(segment.target or '—')}</div></div></div>"
    )


def _records(store: Store, texts: Sequence[Segment]) -> str:
    task_records_shown = task_records.records(store, texts[0]) if texts else []
    rows = [
        f"<details{' open' if not at else ''}><summary class='jt-mono'>"
        f"{safe(f'{record.table} · {record.id}')}</summary>"
        f"{curation_words.record(record.fields)}</details>"
        for at, record in enumerate(task_records_shown)
    ]
    return f"<div class='jt-label'>{text('tasks.records')}</div>{''.join(rows)}" if rows else ""


# -- gold --------------------------------------------------------------------------------------


def show_gold(store: Store, domain: str, task: Task) -> None:
    """Every gold action: the call, what came of it, and what it changed, record by record."""
    done: Replay | None = None
    if domain in environments.domains(store):
        with session.guard():
            done = replay_task(environments.load(store, domain).open(), task)
    title = curation_words.heading(text("tasks.gold"))
    if done is None:
        rows = [_call_only(number, action) for number, action in enumerate(gold_actions(task), 1)]
        st.html(title + (markup.items(rows) if rows else _nothing()))
        return
    if not done.steps:
        st.html(title + _nothing())
        return
    two_sided = done.final[1] is not None
    rows = [_row(number, step, two_sided) for number, step in enumerate(done.steps, 1)]
    head = "".join(f"<th>{escape(text(f'tasks.gold.{name}'))}</th>" for name in ("call", "changed"))
    st.html(
        f"{title}<table class='jt-table'><tr><th></th>{head}</tr>{''.join(rows)}</table>"
        + curation_words.quiet(text("tasks.gold.end", count=len(done.changes)))
    )


def _nothing() -> str:
    return curation_words.quiet(text("environment.no_gold"))


def _row(number: int, step: Step, two_sided: bool) -> str:
    side = environment_words.side(step.requestor) if two_sided else ""
    output = trace.output(step.output, is_open=False)
    changed = trace.changes(statediff.changes(step.before, step.after))
    quiet = f"<span class='jt-muted'>{text('environment.no_change')}</span>"
    return (
        f"<tr><td class='jt-num'>{number}</td><td style='width:58%'>"
        f"{environment_words.verdict(step.ok)} <span class='jt-muted'>{side}</span> "
        f"<span class='jt-mono'>{safe(call_text(step.name, step.arguments))}</span>"
        f"<details><summary class='jt-muted'>{text('tasks.gold.result')}</summary>{output}"
        f"</details></td><td>{changed or quiet}</td></tr>"
    )


def _call_only(number: int, action: Mapping[str, Any]) -> str:
    call = safe(call_text(str(action.get("name", "")), action.get("arguments")))
    return f"{number} <span class='jt-mono'>{call}</span>"
