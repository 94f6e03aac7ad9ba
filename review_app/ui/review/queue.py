"""The left column of the Review page: filters, and the list around the segment on the desk."""

from __future__ import annotations

from dataclasses import asdict, fields

import pandas as pd
import streamlit as st

from review_app.models import KINDS, STATES, Person
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.ui.review import actions
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.review import queue
from review_app.workflows.review.card import Card

SIZE = 20
NAMES = tuple(field.name for field in fields(QueueFilter))
MINE = ("waiting", "answered", "drafted")


def filters(store: Store) -> QueueFilter:
    """The filter line; its values stand in the URL, so a link opens the same list."""
    _read_url()
    present = read_model.files(store)
    chosen = st.session_state.get("f_domain") or ""
    domains = list(dict.fromkeys(domain for domain, _ in present))
    files = list(dict.fromkeys(file for domain, file in present if chosen in ("", domain)))
    codes = [row[0] for row in read_model.findings_by_code(store)]
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    _choice(row, "domain", domains)
    _choice(row, "file", files)
    _choice(row, "kind", list(KINDS), "common.kind")
    _choice(row, "state", list(STATES), "common.state")
    _choice(row, "mine", list(MINE), "review.mine")
    _choice(row, "finding", ["any", *codes])
    row.text_input(
        text("review.search"),
        key="f_search",
        icon=":material/search:",
        placeholder=text("review.search"),
        label_visibility="collapsed",
        width=210,
    )
    row.button(
        text("review.clear"), key="clear", on_click=_clear, type="tertiary", icon=":material/close:"
    )
    wanted = QueueFilter(**{name: st.session_state.get(f"f_{name}") or "" for name in NAMES})
    _write_url(wanted)
    return wanted


def _choice(
    row: st.delta_generator.DeltaGenerator, name: str, values: list[str], words: str = ""
) -> None:
    key = f"f_{name}"
    if st.session_state.get(key) not in ("", None, *values):
        st.session_state[key] = ""
    shown = {value: _word(name, value, words) for value in ("", *values)}
    row.selectbox(
        text(f"review.filter.{name}"),
        list(shown),
        format_func=shown.__getitem__,
        key=key,
        label_visibility="collapsed",
        width=142,
    )


def _word(name: str, value: str, words: str) -> str:
    if not value:
        return text(f"review.filter.{name}")
    if value == "any":
        return text("review.any_finding")
    return text(f"{words}.{value}") if words else value


def _clear() -> None:
    for name in NAMES:
        st.session_state[f"f_{name}"] = ""


def _read_url() -> None:
    """Take filters and segment from the URL on arrival, or when the browser went back."""
    asked = {name: st.query_params.get(name, "") for name in NAMES}
    if not st.session_state["arrived"] and st.session_state.get("filters_in_url") == asked:
        return
    for name, value in asked.items():
        st.session_state[f"f_{name}"] = value
    st.session_state["filters_in_url"] = asked
    actions.open_segment(st.query_params.get("segment"))


def _write_url(wanted: QueueFilter) -> None:
    values = asdict(wanted)
    if st.session_state.get("filters_in_url") == values:
        return
    for name, value in values.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    st.session_state["filters_in_url"] = values
    actions.open_segment(None)


def listed(card: Card, wanted: QueueFilter) -> QueueFilter:
    """What the list shows: the filter, or the file of the segment where nothing is filtered."""
    if wanted != QueueFilter():
        return wanted
    return QueueFilter(domain=card.segment.domain, file=card.segment.file)


def show(store: Store, card: Card, person: Person, wanted: QueueFilter) -> None:
    """The list of segments around the one on the desk, and how far the file is."""
    shown = listed(card, wanted)
    rank = read_model.queue_rank(store, shown, card.segment, person.id)
    total = read_model.queue_count(store, shown, person.id)
    page = _page(rank // SIZE, total)
    entries, _ = queue.page_of(store, person, shown, page=page, size=SIZE)
    ids = [entry.id for entry in entries]
    frame = pd.DataFrame(
        {
            "mark": ["▸" if entry.id == card.segment.id else "" for entry in entries],
            "state": [text(f"common.state.{entry.state}") for entry in entries],
            "fault": [
                {"error": "✕", "warning": "!"}.get(entry.worst or "", "") for entry in entries
            ],
            "excerpt": [entry.excerpt.lstrip("#*- ") for entry in entries],
        }
    )
    first = page * SIZE + 1
    key = f"queue-{st.session_state.get('queue_picks', 0)}"
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=470,
        row_height=26,
        on_select=lambda: _open_row(key, ids, card),
        selection_mode="single-cell",
        column_config={
            "mark": st.column_config.TextColumn("", width=18),
            "state": st.column_config.TextColumn(text("review.column.state"), width=76),
            "fault": st.column_config.TextColumn("", width=20),
            "excerpt": st.column_config.TextColumn(text("review.column.text")),
        },
    )
    waiting = read_model.queue_count(
        store,
        QueueFilter(domain=card.segment.domain, file=card.segment.file, mine="waiting"),
        person.id,
    )
    listing = text("review.list", first=first, last=first + len(ids) - 1, total=total)
    counts = text(
        "review.counts", waiting=waiting, today=read_model.decided_today(store, person.id)
    )
    if total > SIZE:
        here = rank // SIZE
        st.pagination(
            -(-total // SIZE), default=here + 1, max_visible_pages=3, key=f"page-{here}-{total}"
        )
    st.caption(f"{listing} · {counts}")


def _page(here: int, total: int) -> int:
    """The page of the list to show: the one of the segment on the desk, until another is chosen."""
    if total <= SIZE:
        return 0
    return int(st.session_state.get(f"page-{here}-{total}", here + 1)) - 1


def _open_row(key: str, ids: list[str], card: Card) -> None:
    cells = st.session_state[key]["selection"]["cells"]
    if cells and ids[cells[0][0]] != card.segment.id:
        actions.open_segment(ids[cells[0][0]])
    st.session_state["queue_picks"] = st.session_state.get("queue_picks", 0) + 1


def show_empty(store: Store, wanted: QueueFilter) -> None:
    """Nothing passes the filter: say so and name the next step."""
    if wanted == QueueFilter():
        st.success(text("review.all_done"), icon=":material/check_circle:")
    else:
        st.info(text("review.no_match"), icon=":material/filter_alt_off:")
