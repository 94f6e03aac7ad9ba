"""A bar for workflows that take a while."""

from __future__ import annotations

import streamlit as st

from review_app.notices import Notice
from review_app.ui.shared.i18n import notice_text, text
from review_app.ui.shared.links import plain
from review_app.workflows.background.progress import Progress


def bar(step: str) -> Progress:
    """A progress bar on the page, as the callback that workflows take.

    Args:
        step: Which step this is: a key `step.…` of the project's catalogue.
    """
    words = text(f"project.step.{step}")
    shown = st.empty()

    def report(done: int, total: int, what: str | Notice) -> None:
        share = min(done / total, 1.0) if total else 1.0
        said = what if isinstance(what, str) else notice_text(what)
        detail = f" {plain(said)}" if said and step != "checks" else ""
        shown.progress(share, f"{words} {done}/{total}{detail}")

    return report
