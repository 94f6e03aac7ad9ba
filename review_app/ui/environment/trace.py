"""What the calls on the Environment page did, newest first. Outputs are hostile: all escaped."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from review_app.core.envs import Step
from review_app.core.envs.base import States, canonical_hash
from review_app.core.tasks import statediff
from review_app.core.tasks.replay import Replay
from review_app.core.tasks.statediff import StateChange
from review_app.ui.environment import calls as environment_calls
from review_app.ui.environment.calls import Call
from review_app.ui.shared import environment_words, markup
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.benchmark.environments import call_text

SHOWN = 100
"""Calls and state differences listed; the counts are of all."""
SHORT = 240
"""Longer outputs are folded."""


def show(done: Replay, calls: Sequence[Call]) -> None:
    """Where the databases are now, the buttons to go back, and every call."""
    count = len(calls)
    head = text("environment.state_now", count=count)
    st.html(f"<b>{head}</b>{markup.items([_hashes(done.final)])}")
    row = st.container(horizontal=True, gap="small")
    row.button(
        text("environment.step_back"),
        key="environment_back",
        icon=":material/undo:",
        disabled=not count,
        on_click=environment_calls.step_back,
    )
    row.button(
        text("environment.start_over"),
        key="environment_over",
        icon=":material/restart_alt:",
        disabled=not count,
        on_click=environment_calls.start_over,
    )
    if not count:
        st.caption(text("environment.nothing_yet"))
        return
    with st.expander(text("environment.since_start", count=len(done.changes))):
        st.html(changes(done.changes) or f"<div>{text('environment.no_change')}</div>")
    entries = [
        _entry(number, step, calls[number - 1]["gold"], is_newest=number == count)
        for number, step in enumerate(done.steps, 1)
    ]
    st.html(markup.items(reversed(entries[-SHOWN:])))
    if count > SHOWN:
        st.caption(text("environment.shown", shown=SHOWN, count=count))


def _entry(number: int, step: Step, gold: int | None, *, is_newest: bool) -> str:
    origin = (
        text("environment.by_form") if gold is None else text("environment.gold_no", no=gold + 1)
    )
    kind = text(f"environment.kind.{step.kind or 'none'}")
    side = environment_words.side(step.requestor)
    differences = changes(statediff.changes(step.before, step.after))
    nothing = f"<div class='jt-muted'>{text('environment.no_change')}</div>"
    return (
        f"<div><b>{number}</b> {environment_words.verdict(step.ok)} "
        f"<span class='jt-muted'>{side} · {kind} · {origin}</span></div>"
        f"<div class='jt-mono'>{environment_words.safe(call_text(step.name, step.arguments))}</div>"
        f"{output(step.output, is_open=is_newest)}"
        f"{differences or nothing}"
        f"<div>{_hashes(step.after)}</div>"
    )


def output(said: str, *, is_open: bool) -> str:
    """What a tool returned, as HTML; folded where it is long."""
    if not said:
        return f"<div class='jt-muted'>{text('environment.no_output')}</div>"
    if len(said) <= SHORT:
        return f"<div class='jt-text jt-mono'>{environment_words.safe(said)}</div>"
    summary = text("environment.output", count=len(said))
    return (
        f"<details{' open' if is_open else ''}><summary class='jt-muted'>{summary}</summary>"
        f"<div class='jt-text jt-mono'>{environment_words.safe(said)}</div></details>"
    )


def changes(changed: Sequence[StateChange]) -> str:
    """What a call changed, record by record, as HTML; empty if nothing."""
    if not changed:
        return ""
    rows = [
        f"<span>{environment_words.safe(notice_text(statediff.notice(change)))}</span>"
        for change in changed[:SHOWN]
    ]
    if len(changed) > SHOWN:
        rows.append(text("environment.shown", shown=SHOWN, count=len(changed)))
    return f"<div class='jt-info' style='padding:0.1rem 0.5rem'>{'<br>'.join(rows)}</div>"


def _hashes(states: States) -> str:
    parts = [("agent_hash", states[0].hash)]
    if states[1]:
        parts.append(("user_hash", states[1].hash))
    parts.append(("canonical", canonical_hash(states)))
    return " ".join(
        f"<span class='jt-muted'>{text(f'environment.{name}')}</span> "
        f"<span class='jt-mono' title='{full}'>{_short(full)}</span>"
        for name, full in parts
    )


def _short(full: str) -> str:
    # The canonical hash is one for each side, joined.
    return "+".join(part[:10] for part in full.split("+"))
