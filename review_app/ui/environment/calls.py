"""The calls made on the Environment page: plain data in the session, from which the state follows.

No environment is kept: a page run opens one and makes the calls again, which takes microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import streamlit as st

from review_app.core.envs import Requestor


class Call(TypedDict):
    """One call, as replay takes it."""

    name: str
    arguments: Any
    requestor: Requestor
    gold: int | None
    """Index of the task's gold action; None for a call made by form."""


def of(domain: str, task: str | None) -> list[Call]:
    """The calls made since this domain and task were chosen."""
    kept = st.session_state.get("environment")
    if kept is None or (kept["domain"], kept["task"]) != (domain, task):
        kept = {"domain": domain, "task": task, "calls": []}
        st.session_state["environment"] = kept
    calls: list[Call] = kept["calls"]
    return calls


def left(name: str) -> str:
    """The domain or task that was chosen when the page was left; empty if none."""
    return st.session_state.get("environment", {}).get(name) or ""


def make(new: Sequence[Call]) -> None:
    """Make more calls."""
    st.session_state["environment"]["calls"] += new


def step_back() -> None:
    """Take the last call back."""
    del st.session_state["environment"]["calls"][-1:]


def start_over() -> None:
    """Take all calls back."""
    st.session_state["environment"]["calls"] = []
