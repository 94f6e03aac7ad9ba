"""A stored patch: who proposed it and who decided, what it does, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from review_app.core.tasks.operations import operate
from review_app.models import Person
from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.ui.patch import actions, conflict, consequences, similar
from review_app.ui.shared import curation_words, links, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.ui.tasks import patch_history
from review_app.workflows import read_model
from review_app.workflows.curation import consequences as curation_consequences
from review_app.workflows.curation import patches


def show(store: Store, person: Person, number: int) -> None:
    """The patch: its head and decisions left, its consequences right."""
    stored = read_model.patch(store, number)
    patch = stored.patch
    _show_head(stored)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        names = {member.id: member.name for member in read_model.people(store)}
        st.html(patch_history.in_words(stored, names) + _facts(store, stored, names))
        if stored.state == "proposed":
            _show_decision(store, person, stored)
        elif stored.in_force:
            _show_revert(stored)
        _show_audit(store, stored)
        if stored.inverts is None and patch.operations:
            similar.show(store, stored)
    with right, session.guard():
        done = consequences.of_patch(store, stored)
        consequences.show(store, patch.domain, patch.task_id, patch.layer, done)


def _show_head(stored: StoredPatch) -> None:
    patch = stored.patch
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("patch.back"),
        key="patch_back",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=_close,
    )
    row.html(f"<b class='jt-mono'>{safe(patch.id)}</b>")
    with row:
        links.to_page(
            "tasks",
            text("patch.to_task"),
            ":material/task:",
            domain=patch.domain,
            task=patch.task_id,
        )
    row.button(
        text("patch.edit_on"),
        key="patch_edit_on",
        icon=":material/build:",
        type="tertiary",
        on_click=actions.open_editor,
        args=((patch.domain, patch.task_id, patch.layer),),
    )


def _close() -> None:
    for name in ("patch", "domain", "task", "layer"):
        st.query_params.pop(name, None)


def _facts(store: Store, stored: StoredPatch, names: Mapping[int, str]) -> str:
    patch = stored.patch
    evidence = ", ".join(map(curation_words.evidence, stored.evidence))
    rows = [
        (text("patch.source"), _source(store, stored, names)),
        (text("patch.upstream"), patch.upstream),
        (text("tasks.evidence"), evidence),
    ]
    return "".join(
        f"<div style='font-size:0.88rem'><span class='jt-muted'>{name}</span> {safe(value)}</div>"
        for name, value in rows
        if value
    )


def _source(store: Store, stored: StoredPatch, names: Mapping[int, str]) -> str:
    """Where the fault was found, in words."""
    if stored.inverts is not None:
        inverted = read_model.patch(store, stored.inverts)
        return text("patch.inverse_of", patch=inverted.patch.id)
    name = names.get(stored.proposer_id, "?")
    if stored.patch.source == patches.found_by(name):
        return text("patch.found_by", name=name)
    return stored.patch.source


# -- decisions ---------------------------------------------------------------------------------


def _show_decision(store: Store, person: Person, stored: StoredPatch) -> None:
    is_own = stored.proposer_id == person.id
    if stored.inverts is None and not patches.fits(store, stored):
        with session.guard():
            _show_conflict(store, stored)
    if is_own:
        st.info(text("patch.own"), icon=":material/group:")
    with st.form("patch_decision", enter_to_submit=False):
        st.text_area(text("patch.note"), key="patch_note", height=80)
        row = st.container(horizontal=True, gap="small")
        if not is_own:
            row.form_submit_button(
                text("patch.approve"),
                key="patch_approve",
                type="primary",
                icon=":material/check:",
                shortcut="Ctrl+Enter",
                on_click=_approve,
                args=(stored.id,),
            )
        row.form_submit_button(
            text("patch.withdraw" if is_own else "patch.reject"),
            key="patch_reject",
            icon=":material/close:",
            on_click=_reject,
            args=(stored.id,),
        )


def _show_conflict(store: Store, stored: StoredPatch) -> None:
    patch = stored.patch
    base = curation_consequences.versions(store, patch.domain, patch.task_id).get(patch.base_hash)
    theirs = patches.task(store, patch.domain, patch.task_id, patch.layer)
    mine = None
    if base is not None and patch.layer == "repair":
        mine = operate(base, patch.operations, patch.id)
    conflict.show(
        (patch.domain, patch.task_id, patch.layer),
        (base, theirs, mine),
        patches.base_hash(store, patch.domain, patch.task_id, patch.layer),
        kind=patch.kind,
        reason=patch.reason,
    )


def _show_revert(stored: StoredPatch) -> None:
    with st.form("patch_revert_form", enter_to_submit=False):
        st.text_input(text("patch.revert_reason"), key="patch_revert_reason")
        st.form_submit_button(
            text("patch.revert"),
            key="patch_revert",
            icon=":material/undo:",
            help=text("patch.revert_help"),
            on_click=_revert,
            args=(stored.id,),
        )


def _run(action: Callable[[Store, Person], str]) -> None:
    with session.noted(), actions.refusals(), session.opened() as store:
        done = action(store, session.current_person(store))
        st.session_state["notice"] = ("success", done)


def _note(key: str) -> str:
    return str(st.session_state.get(key) or "")


def _approve(number: int) -> None:
    def action(store: Store, person: Person) -> str:
        stored = patches.approve(store, person, number, note=_note("patch_note"))
        return text("patch.approved", name=stored.patch.id)

    _run(action)


def _reject(number: int) -> None:
    def action(store: Store, person: Person) -> str:
        stored = patches.reject(store, person, number, note=_note("patch_note"))
        return text("patch.rejected", name=stored.patch.id)

    _run(action)


def _revert(number: int) -> None:
    def action(store: Store, person: Person) -> str:
        stored = patches.invert(store, person, number, reason=_note("patch_revert_reason"))
        st.query_params["patch"] = str(stored.id)
        return text("patch.reverting", name=stored.patch.id)

    _run(action)


def _show_audit(store: Store, stored: StoredPatch) -> None:
    changes = patches.history(store, stored.id)
    rows = "".join(
        f"<div><span class='jt-muted'>{curation_words.moment(change.at)}</span> "
        f"<b>{safe(change.actor)}</b> {safe(text(f'patch.op.{change.op}'))}</div>"
        for change in changes
    )
    st.html(curation_words.folded(text("patch.audit", count=len(changes)), rows))
