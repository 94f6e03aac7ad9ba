"""What waits for a maintainer on the pages of curation and runs, with the way there."""

from __future__ import annotations

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import links
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import flags, patches


def show(store: Store, person: Person) -> None:
    """A line of links, each with its count; nothing where there is nothing."""
    waiting = {
        "patches": ("ui/patch/page.py", ":material/healing:", len(patches.waiting(store, person))),
        "flags": ("ui/tasks/page.py", ":material/flag:", flags.open_count(store)),
        "runs": ("ui/runs/page.py", ":material/play_circle:", len(read_model.runs(store))),
    }
    row = st.container(horizontal=True, gap="medium")
    for name, (page, icon, count) in waiting.items():
        if count:
            label = links.plain(text(f"overview.curation.{name}", count=count))
            row.page_link(page, label=label, icon=icon, query_params=links.who_and_language())
