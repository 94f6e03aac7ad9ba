"""What a patch does: texts by characters, gold side by side, end states, rules, texts requeued."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from review_app.core.tasks.operations import Task
from review_app.core.tasks.patches import Layer, task_hash
from review_app.core.tasks.taskdiff import ActionRow, TaskDiff, TextChange, ValueChange
from review_app.core.validity import RuleViolation
from review_app.models import Segment
from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.ui.shared import curation_words, links, markup
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import rules, story
from review_app.workflows import read_model
from review_app.workflows.benchmark.environments import call_text
from review_app.workflows.curation import consequences
from review_app.workflows.curation.consequences import Consequences, Requeued
from review_app.workflows.curation.end_states import EndRow

SHOWN = 60
"""End states listed; the count is of all."""
_LONGEST = 160


def of_draft(store: Store, domain: str, task_id: str, layer: Layer, edited: Task) -> Consequences:
    """What an edited task changes; computed once for the same text."""
    edition = f"{read_model.patches_edition(store)} {task_hash(edited)}"
    with st.spinner(text("patch.weighing"), show_time=True):
        return _of_draft(store, str(store.path), domain, task_id, layer, edition, edited)


@st.cache_resource(max_entries=12, show_spinner=False)
def _of_draft(
    _store: Store, path: str, domain: str, task_id: str, layer: Layer, edition: str, _edited: Task
) -> Consequences:
    return consequences.consequences(_store, domain, task_id, _edited, layer=layer)


def of_patch(store: Store, stored: StoredPatch) -> Consequences:
    """What a stored patch changes; computed once until any patch is decided."""
    with st.spinner(text("patch.weighing"), show_time=True):
        return _of_patch(store, str(store.path), read_model.patches_edition(store), stored.id)


@st.cache_resource(max_entries=12, show_spinner=False)
def _of_patch(_store: Store, path: str, edition: str, patch: int) -> Consequences:
    return consequences.of_patch(_store, _store.patches.get(patch))


def show(store: Store, domain: str, task_id: str, layer: Layer, done: Consequences) -> None:
    """The five kinds of consequences, in the order in which a person asks for them."""
    if done.diff.empty:
        st.info(text("patch.no_change"), icon=":material/edit_off:")
    texts = {
        segment.address.partition("#")[2].removeprefix(f"{task_id}/"): segment
        for segment in story.segments(store, domain, task_id)
    }
    parts = [
        _texts(done.diff, layer, texts),
        actions(done.diff),
        _others(done.diff.others),
        _ends(done),
        _rules(done),
        _requeued(done.requeued) if layer == "repair" else "",
    ]
    st.html("".join(parts))


# -- texts -------------------------------------------------------------------------------------


def _texts(diff: TaskDiff, layer: Layer, segments: Mapping[str, Segment]) -> str:
    if not diff.texts:
        return ""
    rows = [
        _text(change, layer, segments.get("/".join(map(str, change.path)))) for change in diff.texts
    ]
    return curation_words.heading(text("patch.texts")) + "".join(rows)


def _text(change: TextChange, layer: Layer, segment: Segment | None) -> str:
    """Source and target; the one that the patch changes as a difference."""
    changed = markup.difference(change.old or "", change.new or "")
    name = escape("/".join(map(str, change.path)))
    if layer == "repair":
        other = (segment.target if segment else None) or "—"
        note = text("patch.now_translated")
        cells = (changed, f"<div class='jt-text jt-muted'>{safe(other)}</div>")
        labels = (text("common.source"), f"{text('common.target')} · {note}")
    else:
        source = segment.source if segment else "—"
        cells = (f"<div class='jt-text jt-muted'>{safe(source)}</div>", changed)
        labels = (text("common.source"), text("common.target"))
    return (
        f"<div class='jt-mono jt-muted'>{name}</div><div class='jt-pair'>"
        + "".join(
            f"<div><div class='jt-label'>{escape(label)}</div>{cell}</div>"
            for label, cell in zip(labels, cells, strict=True)
        )
        + "</div>"
    )


# -- gold actions ------------------------------------------------------------------------------


def actions(diff: TaskDiff) -> str:
    """Old and new gold actions side by side, those that did not change in one line."""
    if all(row.status == "same" for row in diff.actions):
        return ""
    head = "".join(
        f"<th style='width:{width}'>{escape(text(f'patch.gold.{name}'))}</th>"
        for name, width in (("status", "6.5rem"), ("old", "43%"), ("new", "43%"))
    )
    rows = "".join(map(_action, diff.actions))
    return (
        curation_words.heading(text("patch.gold"))
        + f"<table class='jt-table'><tr>{head}</tr>{rows}</table>"
    )


def _action(row: ActionRow) -> str:
    if row.status == "same":
        call = _short(_call(row.new), 90)
        return (
            f"<tr class='jt-muted'><td>{(row.new_index or 0) + 1}</td>"
            f"<td colspan='2' class='jt-mono'>{safe(call)}</td></tr>"
        )
    badge = curation_words.badge("status", row.status)
    moved = ""
    if row.moved and row.old_index is not None and row.new_index is not None:
        moved = text("patch.moved", old=row.old_index + 1, new=row.new_index + 1)
        moved = f"<div class='jt-muted'>{moved}</div>"
    name = f"<div class='jt-mono jt-muted'>{safe(row.name)}</div>"
    old, new = (f"<td class='jt-mono'>{safe(_call(side))}</td>" for side in (row.old, row.new))
    changes = "".join(
        f"<tr><td class='jt-mono jt-muted'>{safe('/'.join(map(str, change.path)))}</td>"
        f"<td class='jt-del jt-mono'>{safe(_value(change.old, change.kind == 'added'))}</td>"
        f"<td class='jt-ins jt-mono'>{safe(_value(change.new, change.kind == 'removed'))}</td></tr>"
        for change in row.changes
    )
    return f"<tr><td>{badge}{moved}{name}</td>{old}{new}</tr>{changes}"


def _call(action: Task | None) -> str:
    return call_text(str(action.get("name", "")), action.get("arguments")) if action else "—"


def _others(changes: Sequence[ValueChange]) -> str:
    if not changes:
        return ""
    rows = "".join(
        f"<tr><td>{curation_words.badge('status', change.kind)} "
        f"<span class='jt-mono'>{safe('/'.join(map(str, change.path)))}</span></td>"
        f"<td class='jt-mono jt-del'>{safe(_value(change.old, change.kind == 'added'))}</td>"
        f"<td class='jt-mono jt-ins'>{safe(_value(change.new, change.kind == 'removed'))}</td></tr>"
        for change in changes
    )
    return curation_words.heading(text("patch.others")) + f"<table class='jt-table'>{rows}</table>"


# -- end states --------------------------------------------------------------------------------


def _ends(done: Consequences) -> str:
    title = curation_words.heading(text("patch.ends"))
    if done.problem:
        return f"{title}<div class='jt-error'>{safe(done.problem)}</div>"
    differing = [row for row in done.end_states if row.differs]
    same = [row for row in done.end_states if not row.differs]
    if not done.end_states:
        return title + curation_words.quiet(text("patch.no_ends"))
    parts = [title]
    if differing:
        parts.append(_end_table(differing))
    else:
        parts.append(curation_words.quiet(text("patch.same_ends")))
    if same:
        summary = text("patch.ends_alike", count=len(same))
        parts.append(curation_words.folded(summary, _end_table(same)))
    return "".join(parts)


def _end_table(rows: Sequence[EndRow]) -> str:
    head = "".join(
        f"<th>{escape(text(f'patch.end.{name}'))}</th>" for name in ("where", "start", "old", "new")
    )
    body = "".join(
        f"<tr><td>{safe(row.record)}<div class='jt-mono jt-muted'>{safe(row.field)}</div></td>"
        + "".join(
            f"<td class='jt-mono{look}'>{safe(_value(value, value is None))}</td>"
            for value, look in (
                (row.start, ""),
                (row.old_end, " jt-del" if row.differs and row.old_end is not None else ""),
                (row.new_end, " jt-ins" if row.differs and row.new_end is not None else ""),
            )
        )
        + "</tr>"
        for row in rows[:SHOWN]
    )
    more = text("environment.shown", shown=SHOWN, count=len(rows)) if len(rows) > SHOWN else ""
    return (
        f"<table class='jt-table'><tr>{head}</tr>{body}</table><div class='jt-muted'>{more}</div>"
    )


# -- rules and texts ---------------------------------------------------------------------------


def _rules(done: Consequences) -> str:
    parts = [curation_words.heading(text("patch.rules"))]
    if done.breaks:
        words = text("patch.breaks", count=len(done.breaks))
        parts.append(f"<div class='jt-error' style='padding:0.1rem 0.5rem'>{words}</div>")
    parts.append(rule_changes(done.solved, done.new))
    kept = [violation for violation in done.rules_after if violation not in done.new]
    if kept:
        rows = markup.items(rules.said(violation) for violation in kept)
        summary = text("patch.rules_kept", count=len(kept))
        parts.append(curation_words.folded(summary, rows))
    return "".join(parts)


def rule_changes(solved: Iterable[RuleViolation], new: Iterable[RuleViolation]) -> str:
    """Violations that go and that come."""
    gone = f"<span class='jt-state jt-approved'>{text('patch.solved')}</span>"
    come = f"<span class='jt-state jt-error'>{text('patch.new')}</span>"
    rows = [f"{gone} <s>{rules.said(violation)}</s>" for violation in solved]
    rows += [f"{come} {rules.said(violation)}" for violation in new]
    return markup.items(rows) if rows else curation_words.quiet(text("patch.same_rules"))


def _requeued(listed: Sequence[Requeued]) -> str:
    title = curation_words.heading(text("patch.requeued", count=len(listed)))
    if not listed:
        return title + curation_words.quiet(text("patch.none_requeued"))
    return title + markup.items(map(_requeued_row, listed))


def _requeued_row(requeued: Requeued) -> str:
    badge, address = curation_words.badge("status", requeued.change), safe(requeued.address)
    if requeued.segment is None:
        return f"{badge} <span class='jt-mono'>{address}</span>"
    url = escape(links.segment_url(requeued.segment.id))
    link = f"<a class='jt-mono' target='_blank' href='{url}'>{address}</a>"
    return f"{badge} {link} {markup.badge(requeued.segment.state)}"


def _value(value: Any, is_absent: bool) -> str:
    if is_absent:
        return "—"
    return _short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _short(content: str, longest: int = _LONGEST) -> str:
    return content if len(content) <= longest else f"{content[: longest - 1]}…"
