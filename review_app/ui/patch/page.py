"""Patch: the editor of a task beside its consequences; a patch and its decision; all patches."""

from __future__ import annotations

import streamlit as st

from review_app.core.tasks.patches import Layer
from review_app.models import Person
from review_app.store import Store
from review_app.ui.patch import actions, conflict, consequences, decision, editor
from review_app.ui.patch import draft as patch_draft
from review_app.ui.patch import list as patch_list
from review_app.ui.patch.draft import OpenPatch
from review_app.ui.shared import links, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows.curation import patches


def edit(store: Store, person: Person, domain: str, task_id: str, layer: Layer) -> None:
    """The editor left, the consequences right."""
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.html(f"<b>{safe(domain)} {safe(task_id)}</b>")
    with row:
        links.to_page(
            "tasks", text("patch.to_task"), ":material/task:", domain=domain, task=task_id
        )
    other: Layer = "localization" if layer == "repair" else "repair"
    row.button(
        text(f"patch.switch.{other}"),
        key="patch_switch",
        icon=":material/swap_horiz:",
        type="tertiary",
        on_click=actions.open_editor,
        args=((domain, task_id, other),),
    )
    st.caption(text(f"patch.layer.{layer}"))
    with st.spinner(text("patch.opening"), show_time=True):
        draft = patch_draft.load(store, person, domain, task_id, layer)
    now = patches.base_hash(store, domain, task_id, layer)
    if now != draft["base_hash"]:
        theirs = patches.task(store, domain, task_id, layer)
        conflict.show(
            (domain, task_id, layer),
            (draft["base"], theirs, draft["task"]),
            now,
            kind=draft["kind"],
            reason=draft["reason"],
        )
        st.stop()
    left, right = st.columns([5, 6], gap="medium")
    with left:
        editor.show(store, draft)
    with right, session.guard():
        show_effects(store, draft)


def show_effects(store: Store, draft: OpenPatch) -> None:
    """What the draft would change."""
    _, domain, task_id, layer = draft["whose"]
    if draft["raw"]:
        st.warning(text("patch.raw_waits"), icon=":material/data_object:")
    done = consequences.of_draft(store, domain, task_id, layer, draft["task"])
    consequences.show(store, domain, task_id, layer, done)


with session.page("patch") as (store, person):
    with st.container():  # there with and without a notice, so that what follows stays in place
        session.show_notice()
    if person.role != "maintainer":
        st.info(text("patch.maintainers"), icon=":material/lock:")
        st.stop()
    asked = {name: st.query_params.get(name, "") for name in ("patch", "domain", "task", "layer")}
    if asked["patch"].isdigit():
        decision.show(store, person, int(asked["patch"]))
    elif asked["domain"] and asked["task"]:
        layer: Layer = "localization" if asked["layer"] == "localization" else "repair"
        edit(store, person, asked["domain"], asked["task"], layer)
    else:
        patch_list.show(store, person)
