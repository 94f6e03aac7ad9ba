"""A task's gold actions, walked one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from review_app.core.envs import Step
from review_app.core.tasks.replay import gold_actions
from review_app.ui.environment import calls as environment_calls
from review_app.ui.environment.calls import Call
from review_app.ui.shared import environment_words
from review_app.ui.shared.i18n import text
from review_app.workflows.benchmark.environments import call_text

SEEN = 2
"""Actions that are done and still listed; the trace has them all."""


def show(task: Any, calls: Sequence[Call], steps: Sequence[Step]) -> None:
    """The initial state, every gold action with how it went, and the buttons to walk them."""
    gold = [_call(number, action) for number, action in enumerate(gold_actions(task))]
    went = {
        call["gold"]: step.ok
        for call, step in zip(calls, steps, strict=True)
        if call["gold"] is not None
    }
    following = max(went, default=-1) + 1
    st.html(f"<b>{text('environment.gold', done=following, count=len(gold))}</b>")
    _show_initial(task)
    if not gold:
        st.caption(text("environment.no_gold"))
        return
    row = st.container(horizontal=True, gap="small")
    row.button(
        text("environment.next"),
        key="environment_next",
        type="primary",
        shortcut="Ctrl+Down",
        disabled=following >= len(gold),
        on_click=environment_calls.make,
        args=(gold[following : following + 1],),
    )
    row.button(
        text("environment.run_all"),
        key="environment_run_all",
        disabled=following >= len(gold),
        on_click=environment_calls.make,
        args=(gold[following:],),
    )
    first = max(following - SEEN, 0)
    if first:
        st.caption(text("environment.earlier", count=first))
    with st.container(height=min(60 * (len(gold) - first) + 30, 330), key="environment-gold"):
        for number, call in list(enumerate(gold))[first:]:
            _show_action(call, went.get(number), gold[following : number + 1])


def _show_action(call: Call, ok: bool | None, until: Sequence[Call]) -> None:
    """One action; `until` is what running to here would still do."""
    what, to_here = st.columns([5, 1.3], vertical_alignment="center", gap="small")
    number = call["gold"] or 0
    state = "" if ok is None else f" {environment_words.verdict(ok)}"
    waiting = " jt-muted" if ok is None else ""
    side = environment_words.side(call["requestor"])
    shown = environment_words.safe(call_text(call["name"], call["arguments"]))
    what.html(
        f"<div style='font-size:0.88rem'><span class='jt-muted'>{number + 1} {side}</span>{state} "
        f"<span class='jt-mono{waiting}'>{shown}</span></div>"
    )
    if until:
        to_here.button(
            text("environment.run_to"),
            key=f"environment_to_{number}",
            type="tertiary",
            help=text("environment.run_to_help"),
            on_click=environment_calls.make,
            args=(until,),
        )


def _show_initial(task: Any) -> None:
    initial = task.get("initial_state") or {}
    actions = initial.get("initialization_actions") or ()
    rows = [
        f"<span class='jt-muted'>{environment_words.side(action.get('env_type'))}</span> "
        + environment_words.safe(call_text(action["func_name"], action["arguments"]))
        for action in actions
    ]
    if rows:
        with st.expander(text("environment.initial", count=len(rows))):
            st.html(f"<div class='jt-mono'>{'<br>'.join(rows)}</div>")


def _call(number: int, action: Any) -> Call:
    return {
        "name": action["name"],
        "arguments": action["arguments"],
        "requestor": action.get("requestor") or "assistant",
        "gold": number,
    }
