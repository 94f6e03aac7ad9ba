"""The task changed since a patch was written: base, theirs, mine, and a choice for each place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from review_app.core.tasks.merge import MergeConflict, merge
from review_app.core.tasks.operations import Task
from review_app.core.tasks.patches import Layer, PatchKind
from review_app.core.tasks.taskdiff import diff
from review_app.ui.patch import actions, draft
from review_app.ui.shared import curation_words, markup
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text

Whose = tuple[str, str, Layer]


def show(
    whose: Whose,
    versions: tuple[Task | None, Task, Task | None],
    base_hash: str,
    *,
    kind: PatchKind | None,
    reason: str,
) -> None:
    """Three versions, the places that both changed, and the button that goes on with both.

    Args:
        whose: Domain, task and layer.
        versions: Base, theirs, mine; base or mine may be unknown.
        base_hash: Of theirs: what the merged task is bound to.
        kind: Of the patch.
        reason: Of the patch.
    """
    st.warning(text("patch.moved_base"), icon=":material/call_split:")
    base, theirs, mine = versions
    if base is None or mine is None:
        st.caption(text("patch.base_unknown"))
        content = draft.fresh(theirs, base_hash, mine)
    else:
        choices = merge(base, theirs, mine).choices
        st.html(_both(base, theirs, mine))
        taken = [choice.path for at, choice in enumerate(choices) if _ask(at, choice)]
        content = draft.fresh(theirs, base_hash, merge(base, theirs, mine, taken).task)
    content |= {"kind": kind, "reason": reason}
    st.button(
        text("patch.merge"),
        key="patch_merge",
        type="primary",
        icon=":material/merge:",
        on_click=actions.take,
        args=(content, whose),
    )


def _ask(at: int, choice: MergeConflict) -> bool:
    """One place that both changed; returns whether mine is to hold."""
    cells = "".join(
        f"<div><div class='jt-label'>{escape(text(f'patch.side.{name}'))}</div>"
        f"<div class='jt-text jt-mono'>{cell}</div></div>"
        for name, cell in (
            ("base", safe(_text(choice.base))),
            ("theirs", markup.difference(_text(choice.base), _text(choice.theirs))),
            ("mine", markup.difference(_text(choice.base), _text(choice.mine))),
        )
    )
    st.html(
        f"<div class='jt-mono jt-muted'>{safe('/'.join(map(str, choice.path)))}</div>"
        f"<div class='jt-pair' style='grid-template-columns:1fr 1fr 1fr'>{cells}</div>"
    )
    chosen = st.segmented_control(
        text("patch.choose_side"),
        ("theirs", "mine"),
        default="mine",
        required=True,
        format_func=lambda name: text(f"patch.take.{name}"),
        key=f"patch_side_{at}",
        label_visibility="collapsed",
    )
    return chosen == "mine"


def _both(base: Task, theirs: Task, mine: Task) -> str:
    """What each side changed, place by place."""
    cells = "".join(
        f"<div><div class='jt-label'>{escape(text(f'patch.changed.{name}'))}</div>"
        f"{markup.items(_places(base, version))}</div>"
        for name, version in (("theirs", theirs), ("mine", mine))
    )
    return f"<div class='jt-pair'>{cells}</div>"


def _places(base: Task, version: Task) -> Sequence[str]:
    differences = diff(base, version)
    rows = [_place(row.status, row.name) for row in differences.actions if row.status != "same"]
    paths = [
        *(change.path for change in differences.texts),
        *(other.path for other in differences.others),
    ]
    return rows + [_place("changed", "/".join(map(str, path))) for path in paths]


def _place(status: str, name: str) -> str:
    return f"{curation_words.badge('status', status)} <span class='jt-mono'>{safe(name)}</span>"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
