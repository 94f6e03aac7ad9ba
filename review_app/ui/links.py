"""Links to the list behind a number. They stay inside the app, so the session goes on."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import streamlit as st

REVIEW = "ui/review.py"


def to_review(label: str, icon: str | None = None, **query: str) -> None:
    """A link to the Review page with its filters set: `state="contested"`."""
    st.page_link(REVIEW, label=plain(label), icon=icon, query_params=query)


def plain(content: str) -> str:
    """Text for a place that reads Markdown, such as a label, shown as it is."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", content).replace("\n", " ")


def segment_url(segment: str) -> str:
    """A link for a table; it opens a new tab, as the same person in the same language."""
    query = {"segment": segment}
    query |= {name: st.query_params[name] for name in ("me", "lang") if name in st.query_params}
    return f"/review?{urlencode(query)}"
