"""The tables and the chart of the Statistics page. Every number links to the tasks behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

import altair as alt
import pandas as pd
import streamlit as st

from review_app.core.scoring.empty_passes import Solvability
from review_app.core.tasks.patches import GROUPS
from review_app.core.validity import LEVELS
from review_app.ui.shared import curation_words, downloads, grid, links, rule_words, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text

COLUMNS = ("total", *GROUPS)
SERIOUS = "serious"
_ROW_PX = 26
_RIGHT = " style='text-align:right;width:9rem'"
_SHARES = {"before": "#b9c6d3", "after": "#1f5f8b"}


def _link(number: int, **query: str) -> str:
    """A number that opens the list of tasks behind it."""
    if not number:
        return "<span class='jt-muted'>0</span>"
    url = f"/tasks?{urlencode(query | links.who_and_language())}"
    return f"<a href='{escape(url)}' target='_self'>{number:,}</a>"


# -- Table 12 ----------------------------------------------------------------------------------


def show_groups(table: Mapping[str, Mapping[str, int]]) -> None:
    """How many tasks of each domain were changed, and on which layer."""
    head = "".join(
        f"<th style='text-align:right'>{escape(text(f'statistics.group.{name}'))}</th>"
        for name in COLUMNS
    )
    rows = "".join(
        f"<tr><td><b>{safe(domain)}</b></td>"
        + "".join(
            f"<td class='jt-num'>{_link(counts[name], domain=domain, **_of_group(name))}</td>"
            for name in COLUMNS
        )
        + "</tr>"
        for domain, counts in table.items()
    )
    st.html(
        curation_words.heading(text("statistics.groups"), text("statistics.groups_note"))
        + f"<table class='jt-table' style='max-width:60rem'><tr><th></th>{head}</tr>{rows}</table>"
    )
    cells = [[domain, *(counts[name] for name in COLUMNS)] for domain, counts in table.items()]
    _download("groups", ("domain", *COLUMNS), cells)


def _of_group(name: str) -> dict[str, str]:
    return {} if name == "total" else {"group": name}


# -- rules -------------------------------------------------------------------------------------


def show_rules(hits: Sequence[Mapping[str, Any]]) -> None:
    """Tasks that each rule names, before and after patches, as chart and as table."""
    st.html(curation_words.heading(text("statistics.rules"), text("statistics.rules_note")))
    if not hits:
        st.info(text("statistics.no_hits"), icon=":material/rule:")
        return
    shown = _filtered(hits)
    if shown:
        st.altair_chart(
            _chart(shown), width="stretch", key="statistics-rules", alt=text("statistics.rules_alt")
        )
        st.html(_rule_table(shown))
    else:
        st.info(text("tasks.none_pass"), icon=":material/filter_alt_off:")
    columns = ("domain", "code", "name", "level", "before", "after")
    _download("rules", columns, [[hit[name] for name in columns] for hit in hits])


def _filtered(hits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    options = {
        "domain": list(dict.fromkeys(hit["domain"] for hit in hits)),
        "level": [SERIOUS, *LEVELS],
    }
    line = st.container(horizontal=True, gap="small")
    for name, choices in options.items():
        grid.remember("statistics", name, ["", *choices])
        line.selectbox(
            text(f"statistics.{name}"),
            ["", *choices],
            format_func=partial(_option, name),
            key=f"statistics_{name}",
            label_visibility="collapsed",
            width=210,
        )
        links.keep_in_url(name, str(st.session_state[f"statistics_{name}"]))
    domain, level = (st.session_state[f"statistics_{name}"] for name in options)
    levels = {"": LEVELS, SERIOUS: ("error", "warning")}.get(level, (level,))
    return [hit for hit in hits if domain in ("", hit["domain"]) and hit["level"] in levels]


def _option(name: str, value: str) -> str:
    if not value:
        return f"{text(f'statistics.{name}')}: {text('common.all')}"
    if value == SERIOUS:
        return text("statistics.serious")
    return text(f"curation.level.{value}") if name == "level" else value


def _chart(shown: Sequence[Mapping[str, Any]]) -> alt.Chart:
    frame = pd.DataFrame(
        [
            {
                "rule": f"{hit['domain']} {hit['code']}",
                "name": rule_words.name(hit["code"], hit["name"]),
                "when": text(f"statistics.{when}"),
                "order": at,
                "tasks": hit[when],
            }
            for hit in shown
            for at, when in enumerate(_SHARES)
        ]
    )
    words = [text(f"statistics.{when}") for when in _SHARES]
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("tasks:Q", title=None, axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("rule:N", sort=None, title=None, axis=alt.Axis(labelLimit=220, ticks=False)),
            yOffset=alt.YOffset("order:O"),
            color=alt.Color(
                "when:N",
                sort=words,
                scale=alt.Scale(domain=words, range=list(_SHARES.values())),
                legend=alt.Legend(orient="top", title=None),
            ),
            tooltip=[
                alt.Tooltip("rule:N", title=text("statistics.rule")),
                alt.Tooltip("name:N", title=text("statistics.name")),
                alt.Tooltip("when:N", title=text("statistics.when")),
                alt.Tooltip("tasks:Q", title=text("statistics.tasks")),
            ],
        )
        .properties(height=_ROW_PX * len(shown) + 40)
    )
    return chart


def _rule_table(shown: Sequence[Mapping[str, Any]]) -> str:
    names = ("rule", "name", "level", "domain", "before", "after")
    head = "".join(
        f"<th{_RIGHT if name in _SHARES else ''}>{escape(text(f'statistics.{name}'))}</th>"
        for name in names
    )
    rows = "".join(map(_rule_row, shown))
    return f"<table class='jt-table' style='max-width:70rem'><tr>{head}</tr>{rows}</table>"


def _rule_row(hit: Mapping[str, Any]) -> str:
    after = _link(hit["after"], domain=hit["domain"], code=hit["code"])
    return (
        f"<tr><td class='jt-mono'>{hit['code']}</td>"
        f"<td>{safe(rule_words.name(hit['code'], hit['name']))}</td>"
        f"<td>{curation_words.badge('level', hit['level'])}</td><td>{safe(hit['domain'])}</td>"
        f"<td class='jt-num'>{hit['before']:,}</td><td class='jt-num'>{after}</td></tr>"
    )


# -- flags -------------------------------------------------------------------------------------


def show_flags(counts: Sequence[Mapping[str, Any]]) -> None:
    """Flags by state and severity, with how old they are or how long they were open."""
    st.html(curation_words.heading(text("statistics.flags"), text("statistics.flags_note")))
    if not counts:
        st.info(text("statistics.no_flags"), icon=":material/flag:")
        return
    names = ("domain", "state", "severity", "count", "oldest_days", "median_days")
    head = "".join(f"<th>{escape(text(f'statistics.flag.{name}'))}</th>" for name in names)
    rows = "".join(
        f"<tr><td>{safe(count['domain'])}</td>"
        f"<td>{curation_words.badge('flag', count['state'])}</td>"
        f"<td>{safe(curation_words.severity(count['severity']))}</td><td>{_flagged(count)}</td>"
        f"<td>{count['oldest_days']}</td><td>{count['median_days']:g}</td></tr>"
        for count in counts
    )
    st.html(f"<table class='jt-table' style='max-width:60rem'><tr>{head}</tr>{rows}</table>")
    _download("flags", names, [[count[name] for name in names] for count in counts])


def _flagged(count: Mapping[str, Any]) -> str:
    """A count of flags; open ones link to the tasks that have any."""
    is_open = count["state"] in ("open", "triaged")
    return (
        _link(count["count"], domain=count["domain"], flags="yes")
        if is_open
        else str(count["count"])
    )


def _download(name: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    st.download_button(
        text("statistics.csv"),
        downloads.table_csv(columns, rows),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=f"statistics_csv_{name}",
        icon=":material/download:",
        type="tertiary",
    )


# -- what runs show ----------------------------------------------------------------------------


def show_solvable(proved: Mapping[str, tuple[int, Solvability]]) -> None:
    """What the latest run of each domain shows solvable."""
    st.html(curation_words.heading(text("statistics.solvable"), text("statistics.solvable_note")))
    if not proved:
        st.html(curation_words.quiet(text("statistics.no_runs")))
        return
    titles = [text(f"statistics.column.{name}") for name in ("run", "shown", "not_shown", "empty")]
    rows = [
        (
            f"<b>{safe(domain)}</b> {run}",
            f"{len(known.shown):,}",
            f"{len(known.not_shown):,}",
            f"{sum(known.empty.values()):,}",
        )
        for domain, (run, known) in proved.items()
    ]
    st.html(run_words.table(titles, rows, numbers=3))
