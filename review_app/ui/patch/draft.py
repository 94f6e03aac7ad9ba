"""What a person is making of a task: plain data in the session, kept in the database on save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import streamlit as st

from review_app.core.tasks import edits
from review_app.core.tasks.operations import Task, operate
from review_app.core.tasks.patches import Layer, PatchKind
from review_app.models import Person
from review_app.store import Store
from review_app.ui.patch import fields
from review_app.workflows.curation import patch_drafts, patches


class OpenPatch(TypedDict):
    """An unfinished patch."""

    whose: tuple[int, str, str, Layer]
    """Person, domain, task, layer."""
    base_hash: str
    base: Task
    """The task when the editor was opened."""
    task: Task
    """The task as it is typed so far."""
    raw: str
    """The raw text where it is not JSON yet; empty if it is the task's."""
    raw_base: Task
    """The task that the raw text was made of."""
    kind: PatchKind | None
    reason: str
    saved_at: str
    turn: int
    """Names the widgets; another turn draws them anew."""


def load(store: Store, person: Person, domain: str, task_id: str, layer: Layer) -> OpenPatch:
    """The draft on the desk: as it is in the session, as it was kept, or a new one."""
    whose = (person.id, domain, task_id, layer)
    held: OpenPatch | None = st.session_state.get("patch_draft")
    if held is not None and held["whose"] == whose:
        return held
    kept = patch_drafts.kept(store, person, domain, task_id, layer)
    if kept:
        draft = _made(whose, kept[0], kept[1])
    else:
        base = patches.task(store, domain, task_id, layer)
        base_hash = patches.base_hash(store, domain, task_id, layer)
        draft = _made(whose, fresh(base, base_hash), "")
    st.session_state["patch_draft"] = draft
    return draft


def fresh(base: Task, base_hash: str, task: Task | None = None) -> dict[str, Any]:
    """The content of a draft in which nothing, or `task`, is typed yet."""
    task = base if task is None else task
    return {
        "base_hash": base_hash,
        "base": base,
        "task": task,
        "raw": "",
        "raw_base": task,
        "kind": None,
        "reason": "",
    }


def start(
    store: Store, person: Person, whose: tuple[str, str, Layer], content: Mapping[str, Any]
) -> None:
    """Put a draft on the desk and keep it."""
    at = patch_drafts.keep(store, person, *whose, content)
    st.session_state["patch_draft"] = _made((person.id, *whose), content, at)


def drop(store: Store, person: Person, draft: OpenPatch) -> None:
    """Forget a draft, here and in the database."""
    patch_drafts.drop(store, person, *draft["whose"][1:])
    st.session_state["patch_draft"] = None


def _made(
    whose: tuple[int, str, str, Layer], content: Mapping[str, Any], saved_at: str
) -> OpenPatch:
    turn = st.session_state.get("patch_turn", 0) + 1
    st.session_state["patch_turn"] = turn
    return OpenPatch(
        whose=whose,
        base_hash=content["base_hash"],
        base=content["base"],
        task=content["task"],
        raw=content["raw"],
        raw_base=content["raw_base"],
        kind=content["kind"],
        reason=content["reason"],
        saved_at=saved_at,
        turn=turn,
    )


def keep(store: Store, person: Person, draft: OpenPatch) -> None:
    """Keep a draft as it is now."""
    content = {
        "base_hash": draft["base_hash"],
        "base": draft["base"],
        "task": draft["task"],
        "raw": draft["raw"],
        "raw_base": draft["raw_base"],
        "kind": draft["kind"],
        "reason": draft["reason"],
    }
    draft["saved_at"] = patch_drafts.keep(store, person, *draft["whose"][1:], content)
    st.session_state["patch_draft"] = draft


def redraw(draft: OpenPatch) -> None:
    """Draw the form anew: what its inputs show no longer is the task."""
    draft["turn"] = st.session_state["patch_turn"] = st.session_state.get("patch_turn", 0) + 1


def with_raw(task: Task, typed: str, draft: OpenPatch) -> tuple[Task, str]:
    """A task with what was changed in its raw text, and why that cannot be read, if so."""
    try:
        wanted = fields.parsed(typed)
    except (ValueError, RecursionError) as error:
        return task, str(error)
    return operate(task, edits.make(draft["raw_base"], wanted)), ""
