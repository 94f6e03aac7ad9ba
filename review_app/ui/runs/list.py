"""The runs so far, the newest first."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from review_app.records.runs import Run
from review_app.store import Store
from review_app.ui.shared import curation_words, grid, i18n, links, run_words
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.background import jobs
from review_app.workflows.runs import lifecycle, passes

WIDTHS = {
    "run": 45,
    "name": 270,
    "domain": 70,
    "variant": 90,
    "agent": 170,
    "state": 80,
    "done": 80,
    "passed": 65,
    "empty": 95,
    "failed": 65,
    "left_out": 70,
    "cost": 90,
    "started": 125,
}


def show(store: Store) -> None:
    """A table of runs; choosing one opens it."""
    jobs.reap(store)
    runs = read_model.runs(store)
    if not runs:
        st.info(text("runs.none_yet"), icon=":material/play_circle:")
        return
    widths = {name: (text(f"runs.column.{name}"), width) for name, width in WIDTHS.items()}
    grid.show(
        "runs",
        [_row(store, run) for run in runs],
        [run.id for run in runs],
        opened=None,
        columns=widths,
        on_open=open_run,
        height=560,
    )
    st.caption(text("runs.open_hint"))


def open_run(run: int | None) -> None:
    """Show a run; None for the list."""
    links.keep_in_url("run", str(run) if run else "")


def _row(store: Store, run: Run) -> Mapping[str, object]:
    """A run's row; counted anew when a trial ends, somebody gives a verdict or its job changes."""
    job = read_model.job(store, run.job_id).version if run.job_id else 0
    said = len(read_model.verdicts(store, run=run.id))
    edition = (run.version, job, said, sorted(read_model.trial_counts(store, run.id).items()))
    return _counted(store, str(store.path), run.id, repr((i18n.language(), edition)))


@st.cache_data(max_entries=400, show_spinner=False)
def _counted(_store: Store, path: str, number: int, edition: str) -> Mapping[str, object]:
    now = lifecycle.status(_store, number)
    run, outcomes = now.run, now.outcomes
    empty = passes.of_run(_store, run).solvability.empty
    return {
        "run": run.id,
        "name": run.name,
        "domain": run.domain,
        "variant": run.variant,
        "agent": run_words.model(run),
        "state": text(f"runs.state.{now.state}"),
        "done": f"{sum(outcomes.values()):,} / {now.wanted:,}",
        "passed": str(outcomes.get("pass", 0)),
        "empty": str(sum(empty.values())),
        "failed": str(outcomes.get("fail", 0)),
        "left_out": str(outcomes.get("excluded", 0) + outcomes.get("rerun", 0)),
        "cost": run_words.money(now.cost_usd or None, now.unpriced),
        "started": curation_words.moment(run.created_at),
    }
