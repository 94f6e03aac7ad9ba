"""A form for each tool of a domain, made from its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from review_app.core.envs import Requestor, environment_class
from review_app.core.envs.schema import ToolSchema
from review_app.ui.environment import calls, inputs
from review_app.ui.environment import fields as environment_fields
from review_app.ui.shared import environment_words, links
from review_app.ui.shared.i18n import text


def show(domain: str, schemas: Mapping[Requestor, Sequence[ToolSchema]]) -> None:
    """Who calls, which tool, its arguments, and the button that calls it."""
    st.html(f"<b>{text('environment.call_tool')}</b>")
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    sides = [side for side, tools in schemas.items() if tools]
    requestor: Requestor = sides[0]
    if len(sides) > 1:
        requestor = (
            row.segmented_control(
                text("environment.requestor"),
                sides,
                format_func=environment_words.side,
                default=sides[0],
                key=f"environment_side_{domain}",
                label_visibility="collapsed",
            )
            or sides[0]
        )
    tools = {tool["function"]["name"]: tool["function"] for tool in schemas[requestor]}
    name: str = row.selectbox(
        text("environment.tool"),
        sorted(tools),
        key=f"environment_tool_{domain}_{requestor}",
        label_visibility="collapsed",
    )
    kind = text(f"environment.kind.{environment_class(domain).tools[requestor, name].kind}")
    description = environment_words.safe(tools[name]["description"])
    st.html(f"<div class='jt-text jt-muted'><b>{kind}</b> {description}</div>")
    _show_form(tools[name], requestor, f"environment_{domain}_{requestor}_{name}")


def _show_form(tool: ToolSchema, requestor: Requestor, prefix: str) -> None:
    fields = environment_fields.fields(tool["parameters"])
    with st.form(f"{prefix}_form", border=True):
        for field in fields:
            inputs.show(field, f"{prefix}_{field.name}")
        if not fields:
            st.caption(text("environment.no_arguments"))
        for problem in st.session_state.get(f"{prefix}_problems", ()):
            st.error(links.plain(problem), icon=":material/error:")
        st.form_submit_button(
            text("environment.call"),
            key=f"{prefix}_call",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_call,
            args=(tool, requestor, prefix),
        )


def _call(tool: ToolSchema, requestor: Requestor, prefix: str) -> None:
    """Make the call if every argument can be read; otherwise say what cannot."""
    given = [
        inputs.read(field, st.session_state.get(f"{prefix}_{field.name}"))
        for field in environment_fields.fields(tool["parameters"])
    ]
    problems = [given_field.problem for given_field in given if given_field.problem]
    st.session_state[f"{prefix}_problems"] = problems
    if not problems:
        arguments = {
            given_field.name: given_field.value for given_field in given if given_field.is_given
        }
        calls.make(
            [{"name": tool["name"], "arguments": arguments, "requestor": requestor, "gold": None}]
        )
