"""The page that the Review page is compared with: text area, 20-row table, button, SQLite read."""

from __future__ import annotations

import os
import sqlite3

import pandas as pd
import streamlit as st

st.set_page_config(layout="wide")
number = st.session_state.setdefault("number", 1)


def step() -> None:
    st.session_state["number"] += 1


with sqlite3.connect(os.environ["JTAU_REVIEW_DB"]) as db:
    rows = db.execute(
        "SELECT number, state, source FROM segments WHERE number >= ? ORDER BY number LIMIT 20",
        (st.session_state["number"],),
    ).fetchall()
st.html(f"<p class='here'>{rows[0][0]}</p>")
st.text_area("Text", rows[0][2], key=f"text-{rows[0][0]}")
st.dataframe(pd.DataFrame(rows, columns=["number", "state", "source"]), height=470)
st.button("Next", key="go", on_click=step)
