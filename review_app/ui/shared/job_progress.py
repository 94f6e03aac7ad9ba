"""A translation that runs, looked at while it does, and how the last one ended."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

import streamlit as st

from review_app.records.project import Job, Spent
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model
from review_app.workflows.background import jobs

LOOK_S = 2.0
"""How often a running job is looked at."""


def watch(job: int) -> None:
    """Show a running job and how far it is, until it ends; the browser may close meanwhile."""
    with st.container(border=True, key="translation-job"):
        st.fragment(_show_running, run_every=LOOK_S)(job)


def _show_running(number: int) -> None:
    with session.guard(), session.opened() as store:
        jobs.reap(store)
        job = read_model.job(store, number)
    if not job.is_unfinished:
        st.rerun()
    share = min(job.done / job.total, 1.0) if job.total else 0.0
    st.progress(share, text(f"translation.doing.{_doing(job)}", done=job.done, total=job.total))
    facts = [
        text("translation.tokens", tokens_in=job.spent.tokens_in, tokens_out=job.spent.tokens_out)
    ]
    facts += [cost(job.spent), *_time_left(job)]
    st.caption(" · ".join(part for part in facts if part))
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("common.cancel"),
        key="translation_cancel",
        icon=":material/stop:",
        help=text("translation.cancel_help"),
        on_click=_cancel,
        args=(number,),
        disabled=job.state == "cancelling",
    )
    row.caption(text("translation.browser_may_close"))
    st.html(f"<div class='jt-muted jt-mono'>{escape(str(jobs.log_path(store, number)))}</div>")


def _doing(job: Job) -> str:
    """What happens now: `waiting`, `starting`, `running` or `cancelling`."""
    return "starting" if job.state == "running" and not job.total else job.state


def cost(spent: Spent) -> str:
    """What calls cost; a price that nobody knows is not zero. Empty before the first call."""
    if spent.cost_usd is None:
        return text("translation.unpriced") if spent.unpriced else ""
    dollars = f"{spent.cost_usd:,.4f} USD"
    if not spent.unpriced:
        return dollars
    return f"{dollars} + {text('translation.unpriced_calls', count=spent.unpriced)}"


def _time_left(job: Job) -> list[str]:
    if not job.done or not job.started_at or job.done >= job.total:
        return []
    elapsed = datetime.now(UTC) - datetime.fromisoformat(job.started_at)
    seconds = elapsed.total_seconds() * (job.total - job.done) / job.done
    if seconds < 90:
        return [text("translation.seconds_left", count=round(seconds))]
    return [text("translation.minutes_left", count=round(seconds / 60))]


def said(job: Job) -> str:
    """Why a job failed, else what it said last; empty if it said nothing."""
    notice = job.error or job.note
    return "" if notice is None else notice_text(notice)


def show_outcome(job: Job) -> None:
    """How the newest translation ended: the way to its drafts, or to going on."""
    with st.container(border=True, key="translation-outcome"):
        words = text(f"translation.ended.{job.state}", done=job.done, total=job.total)
        shown = f"{words} {links.plain(said(job))}"
        if job.state == "done" and job.done >= job.total:
            st.success(shown, icon=":material/check_circle:")
        elif job.state == "failed":
            st.error(shown, icon=":material/error:")
        else:
            st.warning(shown, icon=":material/pause_circle:")
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        if job.state in ("failed", "cancelled"):
            row.button(
                text("translation.resume"),
                key="translation_resume",
                type="primary",
                icon=":material/resume:",
                help=text("translation.resume_help"),
                on_click=_resume,
                args=(job.id,),
            )
        with row:
            links.to_review(
                text("translation.drafts"),
                ":material/rate_review:",
                state="draft",
                domain=job.domain,
            )


def _cancel(number: int) -> None:
    with session.noted(), session.opened() as store:
        jobs.cancel(store, session.current_person(store), number)


def _resume(number: int) -> None:
    with session.noted(), session.opened() as store:
        jobs.resume(store, session.current_person(store), number)
