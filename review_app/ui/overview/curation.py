"""What waits for a maintainer on the pages of curation and runs, with the way there."""

from __future__ import annotations

import streamlit as st

from review_app.core.scoring.empty_passes import Solvability
from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import curation_words, links, run_words
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import flags, patches
from review_app.workflows.runs import passes


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
    for domain, (run, proved) in solvable(store).items():
        words = text(
            "overview.curation.solvable",
            domain=domain,
            run=run,
            shown=len(proved.shown),
            not_shown=len(proved.not_shown),
        )
        st.html(curation_words.quiet(words) + run_words.proofs(proved))


def solvable(store: Store) -> dict[str, tuple[int, Solvability]]:
    """What the latest run of each domain shows; made again when a trial ends or is judged."""
    runs = read_model.runs(store)
    said = [len(read_model.verdicts(store, run=run.id)) for run in runs]
    counts = [(run.id, run.version, read_model.trial_counts(store, run.id)) for run in runs]
    return _solvable(store, str(store.path), repr((counts, said)))


@st.cache_data(max_entries=8, show_spinner=False)
def _solvable(_store: Store, path: str, edition: str) -> dict[str, tuple[int, Solvability]]:
    return {name: (run.id, proved) for name, (run, proved) in passes.of_domains(_store).items()}
