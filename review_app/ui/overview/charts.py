"""The charts of the Overview page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from review_app.models import STATES
from review_app.ui.shared import links
from review_app.ui.shared.i18n import text
from review_app.workflows.review.overview import FileProgress, ReviewDay

COLOURS = {
    "untranslated": "#d3d9df",
    "draft": "#9ba8b5",
    "in_review": "#5c9bcb",
    "contested": "#e09a45",
    "approved": "#4f9f6e",
    "stale": "#9877c6",
}
"""The hues of the state badges in `style.css`, in a tone that fills a bar."""

ORDER = ("approved", "in_review", "contested", "stale", "draft", "untranslated")
ROW = 24
SHOWN_DAYS = 60


def show_progress(files: Iterable[FileProgress]) -> None:
    """One stacked bar for each file; a click on a part opens the segments behind it."""
    frame = _progress_frame(files)
    event = st.altair_chart(
        _progress_chart(frame),
        width="stretch",
        key="overview-progress",
        on_select="rerun",
        selection_mode="part",
        alt=text("overview.progress_alt"),
    )
    chosen = event["selection"].get("part", []) if event else []
    if chosen:
        domain, file = str(chosen[0]["where"]).split(" / ", 1)
        query = {"domain": domain, "file": file, "state": ORDER[int(chosen[0]["order"])]}
        st.switch_page(links.REVIEW, query_params=query | links.who_and_language())


def _progress_frame(files: Iterable[FileProgress]) -> pd.DataFrame:
    rows = [
        {
            "where": f"{file.domain} / {file.file}",
            "state": text(f"common.state.{state}"),
            "order": ORDER.index(state),
            "count": file.states[state],
            "share": file.states[state] / file.total,
            "total": file.total,
        }
        for file in files
        for state in STATES
        if state in file.states
    ]
    return pd.DataFrame(rows)


def _progress_chart(frame: pd.DataFrame) -> alt.LayerChart:
    part = alt.selection_point(name="part", fields=["where", "order"], on="click", clear=False)
    where = alt.Y("where:N", sort=None, title=None, axis=alt.Axis(labelLimit=260, ticks=False))
    words = [text(f"common.state.{state}") for state in ORDER]
    bars = (
        alt.Chart(frame)
        .mark_bar(cursor="pointer", height=ROW - 9)
        .encode(
            x=alt.X(
                "count:Q",
                stack="normalize",
                title=None,
                axis=alt.Axis(format="%", tickCount=5, grid=True),
            ),
            y=where,
            color=alt.Color(
                "state:N",
                sort=words,
                scale=alt.Scale(domain=words, range=[COLOURS[state] for state in ORDER]),
                legend=alt.Legend(orient="top", title=None, columns=6, labelLimit=160),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("where:N", title=text("overview.tooltip.file")),
                alt.Tooltip("state:N", title=text("overview.tooltip.state")),
                alt.Tooltip("count:Q", title=text("overview.tooltip.segments"), format=","),
                alt.Tooltip("share:Q", title=text("overview.tooltip.share"), format=".1%"),
            ],
        )
        .add_params(part)
    )
    totals = (
        alt.Chart(frame.drop_duplicates("where"))
        .mark_text(align="left", dx=6, color="#51606f")
        .encode(x=alt.datum(1), y=where, text=alt.Text("total:Q", format=","))
    )
    chart: alt.LayerChart = bars + totals
    return chart.properties(height=alt.Step(ROW), padding={"right": 44})


def show_burn_up(days: Sequence[ReviewDay]) -> None:
    """Decisions on each day as bars, approved segments in all as a line."""
    if not days:
        st.html(f"<div class='jt-muted'>{text('overview.no_decisions')}</div>")
        return
    frame = pd.DataFrame(
        [
            {"day": day.day, "decisions": day.decisions, "approved": day.approved}
            for day in days[-SHOWN_DAYS:]
        ]
    )
    st.altair_chart(
        _burn_up_chart(frame),
        width="stretch",
        key="overview-burn-up",
        alt=text("overview.burn_up_alt"),
    )


def _burn_up_chart(frame: pd.DataFrame) -> alt.LayerChart:
    names = {"decisions": text("overview.decisions"), "approved": text("overview.approved")}
    tooltip = [
        alt.Tooltip("day:N", title=text("overview.tooltip.day")),
        alt.Tooltip("decisions:Q", title=names["decisions"], format=","),
        alt.Tooltip("approved:Q", title=names["approved"], format=","),
    ]
    colour = alt.Scale(domain=list(names.values()), range=["#b9c6d3", COLOURS["approved"]])
    legend = alt.Legend(orient="top", title=None)
    base = alt.Chart(frame.assign(bars=names["decisions"], line=names["approved"])).encode(
        x=alt.X("day:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        tooltip=tooltip,
    )
    bars = base.mark_bar(size=14).encode(
        y=alt.Y("decisions:Q", title=None, axis=alt.Axis(tickMinStep=1)),
        color=alt.Color("bars:N", scale=colour, legend=legend),
    )
    line = base.mark_line(point=True).encode(
        y=alt.Y("approved:Q", title=None, axis=alt.Axis(tickMinStep=1, grid=False)),
        color=alt.Color("line:N", scale=colour, legend=legend),
    )
    chart: alt.LayerChart = alt.layer(bars, line).resolve_scale(y="independent")
    return chart.properties(height=190)
