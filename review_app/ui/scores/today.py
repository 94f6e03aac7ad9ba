"""Scores where each trial counts by its task as it is today, beside those by the task as it was."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from review_app.store import Store
from review_app.ui.scores import tables
from review_app.ui.shared import curation_words, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.runs import rescore, results_files


def show(store: Store, runs: Sequence[int], profile: str) -> None:
    """Asked for only: the domains are derived anew."""
    if not st.toggle(text("scores.today"), key="scores_today", help=text("scores.today_help")):
        return
    with st.spinner(text("scores.rescoring"), show_time=True):
        rows = [_row(store, run, profile) for run in runs]
    titles = [text(f"scores.column.{name}") for name in ("run", "score", "over", "changed", "gone")]
    st.html(
        curation_words.heading(text("scores.today_title"))
        + run_words.table(titles, rows, numbers=2)
    )


def _row(store: Store, run: int, profile: str) -> Sequence[str]:
    today = rescore.score_today(store, run, profile or None)
    changed, gone = results_files.against_today(store, run)
    return (
        f"{run} · {safe(read_model.run(store, run).name)}",
        f"<b>{run_words.share(today.mean)}</b> {tables.span(today)}",
        tables.coverage(today),
        f"<span title='{safe(', '.join(changed))}'>{len(changed):,}</span>",
        f"<span title='{safe(', '.join(gone))}'>{len(gone):,}</span>",
    )
