"""Two runs paired by task: the difference, and the tasks that changed sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from review_app.core.scoring.run_scores import RunComparison, tallied
from review_app.store import Store
from review_app.ui.shared import curation_words, downloads, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.runs import attribution, lifecycle, scores
from review_app.workflows.runs.scores import Grades

PairRow = tuple[str, tuple[int, int], tuple[int, int]]
"""Task, and (passed, counted) in the first and the second run."""


def show(store: Store, grades: Mapping[int, Grades]) -> None:
    """Choose two of the runs; they are paired over the tasks that both have counted trials of."""
    st.html(curation_words.heading(text("scores.pair"), text("scores.pair_note")))
    if len(grades) < 2:
        st.html(curation_words.quiet(text("scores.pair_two")))
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    numbers = sorted(grades)
    sides: list[int] = []
    for name, index in zip(("first", "second"), _newest(numbers, grades), strict=True):
        sides.append(
            row.selectbox(
                text(f"scores.{name}"),
                numbers,
                index=index,
                key=f"scores_{name}",
                width=400,
                format_func=lambda run: f"{run} · {grades[run].label}" if run in grades else "",
            )
        )
    first, second = sides
    if first == second:
        st.html(curation_words.quiet(text("scores.pair_same")))
        return
    comparison = scores.compared(store, first, second, grades[first].profile)
    if comparison is None:
        st.info(text("scores.pair_nothing"), icon=":material/compare_arrows:")
        return
    st.html(_told(comparison, grades[first].profile))
    _show_changed(store, first, second, grades[first].profile)


def _newest(numbers: Sequence[int], grades: Mapping[int, Grades]) -> tuple[int, int]:
    """Where the newest run stands, and before it the one to compare it with."""
    last = len(numbers) - 1
    domain = grades[numbers[last]].domain
    alike = [at for at in range(last) if grades[numbers[at]].domain == domain]
    return (alike[-1] if alike else last - 1), last


def _told(comparison: RunComparison, profile: str) -> str:
    span = (
        ""
        if comparison.interval is None
        else text(
            "scores.interval",
            low=f"{100 * comparison.interval.low:+.1f}",
            high=f"{100 * comparison.interval.high:+.1f}",
        )
    )
    left = text("scores.pair_left", count=comparison.left_out) if comparison.left_out else ""
    named = {
        "shares": f"{run_words.share(comparison.first)} → {run_words.share(comparison.second)}",
        "difference": f"<b>{100 * comparison.difference:+.1f}</b> {span}",
        "tasks": f"{comparison.tasks:,} {left}",
        "changed": text(
            "scores.pair_sides", won=comparison.won, lost=comparison.lost, tied=comparison.tied
        ),
        "chance": f"{comparison.p_value:.3g}",
        "profile": safe(profile),
    }
    return run_words.facts({text(f"scores.pair.{name}"): fact for name, fact in named.items()})


def _show_changed(store: Store, first: int, second: int, profile: str) -> None:
    chosen = attribution.scoring_profile(profile)
    ours, theirs = (
        tallied(scores.trials(store, run).entries(chosen), chosen) for run in (first, second)
    )
    rows: list[PairRow] = [(task, ours[task], theirs[task]) for task in ours if task in theirs]
    changed = sorted((row for row in rows if _gain(row)), key=_gain)
    if not changed:
        st.html(curation_words.quiet(text("scores.pair_alike")))
        return
    cells = {run: _cells(store, run) for run in (first, second)}
    columns = tuple(f"{text('scores.column.run')} {run}" for run in (first, second))
    titles = (text("scores.column.task"), text("scores.column.side"), *columns)
    st.html(run_words.table(titles, [_row(change, first, second, cells) for change in changed]))
    listed = [(task, f"{a[0]}/{a[1]}", f"{b[0]}/{b[1]}") for task, a, b in changed]
    table = downloads.table_csv(("task", f"run_{first}", f"run_{second}"), listed)
    st.download_button(
        text("statistics.csv"),
        table,
        file_name=f"runs_{first}_{second}.csv",
        mime="text/csv",
        key="scores_pair_csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def _gain(row: PairRow) -> float:
    return row[2][0] / row[2][1] - row[1][0] / row[1][1]


def _cells(store: Store, run: int) -> dict[str, str]:
    marks: dict[str, str] = {}
    for cell in lifecycle.cells(store, read_model.run(store, run)):
        marks[cell.task_id] = marks.get(cell.task_id, "") + run_words.mark(cell)
    return marks


def _row(
    row: PairRow, first: int, second: int, cells: Mapping[int, Mapping[str, str]]
) -> Sequence[str]:
    task, ours, theirs = row
    better = _gain(row) > 0
    look, word = ("approved", "better") if better else ("error", "worse")
    side = f"<span class='jt-state jt-{look}'>{escape(text(f'scores.{word}'))}</span>"
    return (
        run_words.mono(task),
        side,
        f"{ours[0]}/{ours[1]} {cells[first].get(task, '')}",
        f"{theirs[0]}/{theirs[1]} {cells[second].get(task, '')}",
    )
