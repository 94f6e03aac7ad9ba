"""Links to the list behind a number. They stay inside the app, so the session goes on."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

REVIEW = "ui/review/page.py"


def to_review(label: str, icon: str | None = None, **query: str) -> None:
    """A link to the Review page with its filters set: `state="contested"`."""
    st.page_link(REVIEW, label=plain(label), icon=icon, query_params=query | who_and_language())


def to_page(page: str, label: str, icon: str | None = None, **query: str) -> None:
    """A link to a page of the app by its name, as the same person: `task="7"`."""
    st.page_link(
        f"ui/{page}/page.py", label=plain(label), icon=icon, query_params=query | who_and_language()
    )


def who_and_language() -> dict[str, str]:
    """The part of the URL that every page has; a link without it is a step too many on Back."""
    return {name: st.query_params[name] for name in ("lang", "me") if name in st.query_params}


def plain(content: str) -> str:
    """Text for a place that reads Markdown, such as a label, shown as it is."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", content).replace("\n", " ")


def keep_in_url(name: str, value: str, default: str = "") -> None:
    """Put a choice into the URL. The default stays out: every new URL is one more step on Back."""
    if value == st.query_params.get(name, default):
        return
    if value == default:
        del st.query_params[name]
    else:
        st.query_params[name] = value


_url = st.components.v2.component(
    "jt_url", js=Path(__file__).with_name("url.js").read_text(encoding="utf-8")
)


def keep_quietly(name: str, value: str) -> None:
    """Put a choice into the URL without a redraw and without a step on Back."""
    _url(key=f"url_{name}", data={"name": name, "value": value})


def segment_url(segment: str) -> str:
    """A link for a table; it opens a new tab, as the same person in the same language."""
    return f"/review?{urlencode({'segment': segment} | who_and_language())}"
