"""Which model translates and how it is reached; a key is never shown, only where it is from."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

import streamlit as st

from review_app import llm
from review_app.llm import Endpoint
from review_app.records.project import Job
from review_app.store import Store
from review_app.ui.shared import markup, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model
from review_app.workflows.background import jobs

CHECK_S = 1.0
"""How often an endpoint that is being tried is looked at."""


def show(store: Store) -> Endpoint | None:
    """The model, its host and where the key is from; what to set if that is not enough.

    Returns:
        The endpoint of the settings; None where they cannot be used.
    """
    endpoint = None
    with session.guard():
        endpoint = llm.endpoint("translate")
    if endpoint is None:
        return None
    with st.container(border=True, key="translation-endpoint"):
        st.html(_facts(endpoint))
        if not is_set(endpoint):
            st.warning(text("translation.unset"), icon=":material/key_off:")
            return endpoint
        newest = next(iter(read_model.jobs(store, "preflight", limit=1)), None)
        is_running = newest is not None and newest.is_unfinished
        # Asked in a process of its own: the models' library is too slow for the app's server.
        st.fragment(_show_attempt, run_every=CHECK_S if is_running else None)(is_running)
    return endpoint


def is_set(endpoint: Endpoint) -> bool:
    """Whether there is anything to reach the model by."""
    return bool(endpoint.api_key or endpoint.api_base)


def host(endpoint: Endpoint) -> str:
    """The server's name and port, without what else an address may hold."""
    try:
        parts = urlsplit(endpoint.api_base or "")
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or ''}{port}"
    except ValueError:
        return "?"


def _facts(endpoint: Endpoint) -> str:
    provider = endpoint.model.partition("/")[0]
    where = host(endpoint) or text("translation.provider", provider=provider)
    cells = {
        "model": endpoint.model,
        "host": where,
        "key": endpoint.key_from or text("translation.no_key"),
    }
    head = "".join(f"<th>{escape(text(f'translation.column.{name}'))}</th>" for name in cells)
    row = "".join(f"<td class='jt-mono'>{escape(value)}</td>" for value in cells.values())
    return f"<table class='jt-table'><tr>{head}</tr><tr>{row}</tr></table>"


def _show_attempt(was_running: bool) -> None:
    with session.guard(), session.opened() as store:
        jobs.reap(store)
        newest = next(iter(read_model.jobs(store, "preflight", limit=1)), None)
        is_running = newest is not None and newest.is_unfinished
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        row.button(
            text("translation.try"),
            key="translation_try",
            icon=":material/network_check:",
            help=text("translation.try_help"),
            on_click=_try,
            disabled=is_running,
        )
        if newest is not None:
            row.html(_attempt(newest))
    if is_running != was_running:
        st.rerun()


def _attempt(job: Job) -> str:
    at = f"<span class='jt-muted'>{escape(job.created_at[:16].replace('T', ' '))} UTC</span>"
    if job.is_unfinished:
        return f"{at} {escape(text('translation.trying'))}"
    if job.state == "done":
        return f"{at} {markup.severity('info')} {escape(text('translation.answers'))}"
    why = job.state if job.error is None else notice_text(job.error)
    return f"{at} {markup.severity('error')} {escape(why)}"


def _try() -> None:
    with session.noted(), session.opened() as store:
        jobs.start(store, session.current_person(store), "preflight")
