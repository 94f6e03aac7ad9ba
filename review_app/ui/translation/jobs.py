"""The translations of a domain so far: who, when, how far, for how much, and the log."""

from __future__ import annotations

import streamlit as st

from review_app.records.project import Job
from review_app.store import Store
from review_app.ui.shared import grid, job_progress
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.background import jobs

SHOWN = 20
WIDTHS = {
    "job": 50,
    "started": 140,
    "person": 110,
    "state": 90,
    "done": 90,
    "tokens": 160,
    "cost": 100,
    "said": 330,
    "log": 330,
}


def show(store: Store, domain: str) -> None:
    """Those that have ended, the newest first."""
    every = read_model.jobs(store, "translate", domain, limit=SHOWN)
    finished = [job for job in every if not job.is_unfinished]
    if not finished:
        return
    st.html(f"<div class='jt-label'>{text('translation.earlier')}</div>")
    st.dataframe(
        [_row(store, job) for job in finished],
        hide_index=True,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(finished), 300),
        row_height=grid.ROW_PX,
        key="translation_jobs",
        column_config={
            name: st.column_config.Column(text(f"translation.column.{name}"), width=width)
            for name, width in WIDTHS.items()
        },
    )


def _row(store: Store, job: Job) -> dict[str, object]:
    person = read_model.person(store, job.started_by).name if job.started_by else ""
    spent = job.spent
    return {
        "job": job.id,
        "started": f"{job.created_at[:16].replace('T', ' ')} UTC",
        "person": person,
        "state": text(f"translation.state.{job.state}"),
        "done": f"{job.done:,} / {job.total:,}",
        "tokens": f"{spent.tokens_in:,} + {spent.tokens_out:,}",
        "cost": job_progress.cost(spent),
        "said": job_progress.said(job),
        "log": str(jobs.log_path(store, job.id)),
    }
