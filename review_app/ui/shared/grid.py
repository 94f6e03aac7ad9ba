"""Tables of which one row is chosen, and filters that the URL remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import pandas as pd
import streamlit as st

ROW_PX = 28
HEAD_PX = 36


def show(
    name: str,
    rows: Sequence[Mapping[str, object]],
    ids: list[int],
    *,
    opened: int | None,
    columns: Mapping[str, tuple[str, int]],
    on_open: Callable[[int | None], None],
    height: int = 330,
) -> None:
    """Show rows as a table; choosing one opens it.

    Args:
        name: Of the page; the table's key starts with it.
        rows: Cells by column.
        ids: Of the rows.
        opened: The id of the row that is open, if any.
        columns: Title and width in pixels of each column.
        on_open: Called with the chosen id; None if the choice was taken back.
        height: In pixels, at most.
    """
    turn = st.session_state.get(f"{name}_turn", 0)
    key = f"{name}_grid_{crc32(repr(ids).encode())}_{turn}"

    def choose() -> None:
        chosen = st.session_state[key]["selection"]["rows"]
        on_open(ids[chosen[0]] if chosen else None)

    st.dataframe(
        pd.DataFrame(rows, columns=list(columns)),
        hide_index=True,
        height=min(HEAD_PX + ROW_PX * max(len(rows), 1), height),
        row_height=ROW_PX,
        key=key,
        on_select=choose,
        selection_mode="single-row",
        selection_default=({"selection": {"rows": [ids.index(opened)]}} if opened in ids else None),
        column_config={
            column: st.column_config.Column(title, width=width)
            for column, (title, width) in columns.items()
        },
    )


def remember(page: str, name: str, allowed: Sequence[str] | None = None) -> str:
    """Take a filter's first value from the URL; forget one that is no longer offered."""
    key = f"{page}_{name}"
    value = st.session_state.get(key, st.query_params.get(name, ""))
    st.session_state[key] = value if allowed is None or value in allowed else ""
    return str(st.session_state[key])
