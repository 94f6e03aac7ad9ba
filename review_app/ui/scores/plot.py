"""Scores as dots with their 95 % intervals, by run and group of tasks."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd
import streamlit as st

from review_app.ui.scores import tables
from review_app.ui.shared import run_words
from review_app.ui.shared.i18n import text
from review_app.workflows.runs.scores import Grades

COLOURS = {"all": "#1f5f8b", "repaired": "#e09a45", "unmodified": "#4f9f6e"}
ROW_PX = 24
EDGES_PX = 90
"""Legend and axis."""


def show(grades: Mapping[int, Grades]) -> None:
    """A dot for each number of the table."""
    frame = _frame(grades)
    if frame.empty:
        return
    st.altair_chart(_chart(frame), width="stretch", key="scores-plot", alt=text("scores.plot_alt"))


def _frame(grades: Mapping[int, Grades]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "run": " · ".join(filter(None, _named(run, graded))),
                "group": text(f"scores.group.{name}"),
                "order": list(COLOURS).index(name),
                "mean": summary.mean,
                "low": summary.interval.low if summary.interval else summary.mean,
                "high": summary.interval.high if summary.interval else summary.mean,
                "score": run_words.share(summary.mean),
                "over": text("scores.over", covered=summary.covered, tasks=summary.tasks),
                "trials": summary.counted,
            }
            for run, graded in grades.items()
            for name, summary in tables.parts(graded)
            if summary.mean is not None
        ]
    )


def _named(run: int, graded: Grades) -> tuple[str, ...]:
    return str(run), graded.domain, graded.variant, tables.who(graded)


def _chart(frame: pd.DataFrame) -> alt.LayerChart:
    known = [name for at, name in enumerate(COLOURS) if at in set(frame["order"])]
    words = [text(f"scores.group.{name}") for name in known]
    colour = alt.Color(
        "group:N",
        sort=words,
        scale=alt.Scale(domain=words, range=[COLOURS[name] for name in known]),
        legend=alt.Legend(orient="top", title=None),
    )
    axis = alt.Axis(format="%", tickCount=11, grid=True)
    base = alt.Chart(frame).encode(
        y=alt.Y(
            "run:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelLimit=420, labelOverlap=False, ticks=False),
        ),
        yOffset=alt.YOffset("order:O"),
        color=colour,
        tooltip=[
            alt.Tooltip("run:N", title=text("scores.column.run")),
            alt.Tooltip("group:N", title=text("scores.column.group")),
            alt.Tooltip("score:N", title=text("scores.column.score")),
            alt.Tooltip("over:N", title=text("scores.column.over")),
            alt.Tooltip("trials:Q", title=text("scores.counted")),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, axis=axis, scale=scale), x2="high:Q"
    )
    dots = base.mark_circle(size=90, opacity=1).encode(x=alt.X("mean:Q", title=None, scale=scale))
    chart: alt.LayerChart = bars + dots
    return chart.properties(height=ROW_PX * len(frame) + EDGES_PX)
