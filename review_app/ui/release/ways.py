"""The ways inside the page: to a release, to a comparison, and back to all; the URL has them."""

from __future__ import annotations

import streamlit as st

from review_app.ui.shared import links
from review_app.ui.shared.i18n import text

PLACES = ("release", "compare")
"""Parameters of the URL; at most one of them is there."""


def back() -> None:
    """The way back to the checklist and the list."""
    to("back", text("release.back"), ":material/arrow_back:")


def to(key: str, label: str, icon: str | None = None, **query: str) -> None:
    """A way to `release="2026-12"` or `compare="2026-11,2026-12"`; to neither, back to all.

    A button: a link to the page that is open would leave the browser's address as it is.
    """
    st.button(
        links.plain(label),
        key=f"way_{key}",
        icon=icon,
        type="tertiary",
        on_click=_go,
        args=(query,),
    )


def _go(query: dict[str, str]) -> None:
    for name in PLACES:
        links.keep_in_url(name, query.get(name, ""))
