"""The patch editor: a form of the whole task, its raw text, kind and reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import streamlit as st

from review_app.core.envs import Requestor
from review_app.core.envs.schema import ToolSchema
from review_app.core.tasks.argument_choices import Picker
from review_app.core.tasks.operations import Task
from review_app.core.tasks.patches import PatchKind
from review_app.store import Store
from review_app.ui.patch import actions, fields, inputs
from review_app.ui.patch.draft import OpenPatch
from review_app.ui.shared import curation_words, environment_words
from review_app.ui.shared.i18n import text

Tools = Mapping[tuple[Requestor, str], ToolSchema]


def show(store: Store, draft: OpenPatch) -> None:
    """The form. Everything in it is saved by Ctrl+Enter, whichever part is in front."""
    domain = draft["whose"][1]
    with st.form("patch_form", border=False, enter_to_submit=False):
        parts = ("instructions", "actions", "criteria", "json")
        tabs = st.tabs([text(f"patch.tab.{name}") for name in parts])
        with tabs[0]:
            for entry in fields.texts(draft["task"]):
                inputs.show_entry(entry, actions.key(draft, entry.name))
        with tabs[1]:
            tools = actions.tools_of(store, domain)
            _show_actions(draft, tools, actions.picker_of(store, draft))
        with tabs[2]:
            _show_criteria(draft)
        with tabs[3]:
            _show_raw(draft)
        _show_proposal(draft)


def _show_criteria(draft: OpenPatch) -> None:
    entries = fields.criteria(draft["task"])
    for entry in entries:
        inputs.show_entry(entry, actions.key(draft, entry.name))
    if len(entries) < 3:
        st.caption(text("patch.others_in_json"))


def _show_raw(draft: OpenPatch) -> None:
    key = actions.key(draft, "raw")
    st.session_state.setdefault(key, draft["raw"] or fields.as_json(draft["raw_base"]))
    if draft["raw"]:
        st.warning(text("patch.raw_kept"))
    st.text_area(text("patch.raw"), key=key, height=460)


def _show_proposal(draft: OpenPatch) -> None:
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.form_submit_button(
        text("common.save"),
        key="patch_save",
        type="primary",
        shortcut="Ctrl+Enter",
        on_click=actions.save,
    )
    row.form_submit_button(
        text("patch.start_over"), key="patch_start_over", on_click=actions.start_over
    )
    saved = curation_words.clock(draft["saved_at"])
    words = text("patch.saved", time=saved) if saved else text("patch.not_saved")
    row.html(curation_words.quiet(words))
    st.session_state.setdefault("patch_kind", draft["kind"] or "")
    st.session_state.setdefault("patch_reason", draft["reason"])
    st.selectbox(
        text("patch.kind"),
        ["", *get_args(PatchKind)],
        key="patch_kind",
        format_func=lambda name: curation_words.kind(name) if name else text("patch.choose_kind"),
    )
    st.text_area(text("patch.reason"), key="patch_reason", height=80)
    st.form_submit_button(
        text("patch.propose"), key="patch_propose", icon=":material/send:", on_click=actions.propose
    )


# -- gold actions ------------------------------------------------------------------------------


def _show_actions(draft: OpenPatch, tools: Tools, picker: Picker | None) -> None:
    listed = fields.actions(draft["task"])
    if listed is None:
        st.caption(text("patch.others_in_json"))
        return
    names = [f"{side} {name}" for side, name in sorted(tools)]
    if names:
        row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
        row.selectbox(
            text("patch.new_tool"), names, key="patch_new_tool", format_func=_tool, width=300
        )
        row.form_submit_button(
            text("patch.insert_first"),
            key="patch_insert_first",
            icon=":material/add:",
            on_click=actions.insert,
            args=(-1,),
        )
    if not listed:
        st.caption(text("environment.no_gold"))
    for number, action in enumerate(listed):
        with st.container(border=True, key=f"patch-action-{number}"):
            _show_action(draft, number, action, tools, picker)


def _tool(name: str) -> str:
    side, _, tool = name.partition(" ")
    return tool if side == "assistant" else f"{tool} ({environment_words.side(side)})"


def _show_action(
    draft: OpenPatch, number: int, action: Task, tools: Tools, picker: Picker | None
) -> None:
    side, name = actions.side_of(action), str(action.get("name"))
    own = sorted({*(tool for who, tool in tools if who == side), name})
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    who = f" {environment_words.side(side)}" if side == "user" else ""
    row.html(f"<b>{number + 1}</b><span class='jt-muted'>{who}</span>")
    for field, value in (("*name", name), ("*action_id", str(action.get("action_id") or ""))):
        st.session_state.setdefault(actions.key(draft, number, field), value)
    row.selectbox(
        text("environment.tool"),
        own,
        key=actions.key(draft, number, "*name"),
        label_visibility="collapsed",
        width=240,
    )
    row.text_input(
        "action_id",
        key=actions.key(draft, number, "*action_id"),
        label_visibility="collapsed",
        width=90,
    )
    _show_buttons(row, number)
    arguments = fields.arguments(action, tools.get((side, name)), picker)
    columns = st.columns(2, gap="small")
    for at, argument in enumerate(arguments):
        with columns[at % 2]:
            key = actions.key(draft, number, argument.field.name)
            inputs.show_argument(argument, key)


def _show_buttons(row: st.delta_generator.DeltaGenerator, number: int) -> None:
    buttons = (
        ("up", ":material/arrow_upward:", actions.move, (number, -1)),
        ("down", ":material/arrow_downward:", actions.move, (number, 1)),
        ("insert", ":material/add:", actions.insert, (number,)),
        ("remove", ":material/delete:", actions.remove, (number,)),
    )
    for name, icon, act, arguments in buttons:
        row.form_submit_button(
            icon,
            key=f"patch_{name}_{number}",
            help=text(f"patch.{name}"),
            type="tertiary",
            on_click=act,
            args=arguments,
        )
