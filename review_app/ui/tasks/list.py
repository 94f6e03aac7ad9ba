"""The list of tasks: filters that the URL keeps, and a grid of which one row is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import streamlit as st

from review_app.core.tasks.patches import GROUPS
from review_app.core.validity import ALL, LEVELS
from review_app.records.curation import PatchState
from review_app.store import Store
from review_app.ui.shared import filters, grid, rule_words
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.benchmark import environments
from review_app.workflows.curation import statistics, validity
from review_app.workflows.curation.statistics import TaskRow
from review_app.workflows.runs import lifecycle

CLEAN = "clean"
WIDTHS = {
    "id": 56,
    "purpose": 360,
    "rules": 170,
    "codes": 170,
    "patch": 90,
    "group": 105,
    "nothing": 105,
    "flags": 60,
    "runs": 70,
}
FILTERS = {"level": 130, "code": 135, "patch": 130, "group": 135, "nothing": 160, "flags": 150}
WIDE_ID = 300
"""For ids that are sentences."""
_LETTERS = 7


def domains(store: Store) -> list[str]:
    """The imported domains that have tasks."""
    return [
        info.name
        for info in read_model.domains(store)
        if any(
            document.file == environments.TASKS
            for document in read_model.documents(store, info.name)
        )
    ]


def domain_of(names: list[str]) -> str:
    """The domain that the URL asks for, else the one chosen last, else the first."""
    asked = st.query_params.get("domain", "") or st.session_state.get("tasks_domain", "")
    return asked if asked in names else names[0]


def rows(store: Store, domain: str) -> list[TaskRow]:
    """The tasks with what the rules say; kept until something changes."""
    with st.spinner(text("tasks.inspecting"), show_time=True):
        return _rows(store, str(store.path), domain, edition(store, domain))


def edition(store: Store, domain: str) -> str:
    """Changes with everything that the list of a domain shows."""
    flags = [(flag.id, flag.version) for flag in read_model.flags(store, domain)]
    files = [(d.file, d.source_hash) for d in read_model.documents(store, domain)]
    accepted = sorted(read_model.acknowledged(store, domain))
    profile = validity.profile(store, domain).version
    return repr((read_model.patches_edition(store), flags, files, accepted, profile))


@st.cache_data(max_entries=12, show_spinner=False)
def _rows(_store: Store, path: str, domain: str, edition: str) -> list[TaskRow]:
    return statistics.task_rows(_store, domain)


def show(store: Store, names: list[str]) -> None:
    """Filters and grid; choosing a row opens the task."""
    line = filters.line()
    domain = filters.domain(line, "tasks", names, width=110)
    task_rows = rows(store, domain)
    shown = _filtered(line, task_rows)
    st.session_state["tasks_ids"] = [row.task_id for row in shown]
    if shown:
        _show_grid(domain, shown, lifecycle.last_outcomes(store, domain))
    else:
        st.info(text("tasks.none_pass"), icon=":material/filter_alt_off:")
    st.caption(text("tasks.shown", shown=len(shown), total=len(task_rows)))


# -- filters -----------------------------------------------------------------------------------

_PASSES: Mapping[str, Callable[[TaskRow, str], bool]] = {
    "level": lambda row, value: worst(row) == value or (value == CLEAN and not worst(row)),
    "code": lambda row, value: value in row.codes,
    "patch": lambda row, value: (row.patch_state or "none") == value,
    "group": lambda row, value: row.group == value,
    "nothing": lambda row, value: row.does_nothing_pass == (value == "yes"),
    "flags": lambda row, value: bool(row.flags) == (value == "yes"),
}


def worst(row: TaskRow) -> str:
    """The highest level that asks for something: error, warning, info; empty if none."""
    return next((level for level in LEVELS[:3] if row.levels.get(level)), "")


def _filtered(line: st.delta_generator.DeltaGenerator, task_rows: list[TaskRow]) -> list[TaskRow]:
    options = {
        "level": [*LEVELS[:3], CLEAN],
        "code": [code for code in ALL if any(code in row.codes for row in task_rows)],
        "patch": ["none", *get_args(PatchState)],
        "group": list(GROUPS),
        "nothing": ["yes", "no"],
        "flags": ["yes", "no"],
    }
    wanted = filters.choices(line, "tasks", options, "tasks.filter", _option, FILTERS)
    words = filters.search(line, "tasks", 180)
    return [row for row in task_rows if _passes(row, wanted, words)]


def _passes(row: TaskRow, wanted: Mapping[str, str], words: str) -> bool:
    return all(
        not wanted[name] or passes(row, wanted[name]) for name, passes in _PASSES.items()
    ) and (not words or words in f"{row.task_id} {row.purpose} {' '.join(row.codes)}".casefold())


def _option(name: str, value: str) -> str:
    """How a choice of a filter reads."""
    if name == "code":
        return f"{value} {rule_words.name(value, ALL[value].name)}"
    if name in ("nothing", "flags"):
        return text(f"tasks.filter.{name}.{value}")
    return text(f"curation.{name}.{value}")


# -- grid --------------------------------------------------------------------------------------


def _show_grid(
    domain: str, shown: list[TaskRow], outcomes: Mapping[str, Sequence[str | None]]
) -> None:
    cells = [
        {
            "id": row.task_id,
            "purpose": row.purpose,
            "rules": levels(row.levels),
            "codes": " ".join(row.codes),
            "patch": text(f"curation.patch.{row.patch_state}") if row.patch_state else "",
            "group": text(f"curation.group.{row.group}"),
            "nothing": text("tasks.filter.nothing.yes") if row.does_nothing_pass else "",
            "flags": str(row.flags or ""),
            "runs": " ".join(
                text(f"runs.letter.{outcome or 'waiting'}")
                for outcome in outcomes.get(row.task_id, ())
            ),
        }
        for row in shown
    ]
    is_wide = any(len(row.task_id) > _LETTERS for row in shown)
    widths = WIDTHS | ({"id": WIDE_ID, "purpose": 200} if is_wide else {})

    def open_row(number: int | None) -> None:
        if number is not None:
            st.query_params["task"] = shown[number].task_id

    grid.show(
        f"tasks_{domain}",
        cells,
        list(range(len(shown))),
        opened=None,
        columns={name: (text(f"tasks.column.{name}"), width) for name, width in widths.items()},
        on_open=open_row,
        height=620,
    )


def levels(counts: Mapping[str, int]) -> str:
    """Counts by level in words: `2 errors · 1 warning`."""
    return " · ".join(
        text(f"curation.count.{level}", count=counts[level])
        for level in LEVELS[:3]
        if counts.get(level)
    )
