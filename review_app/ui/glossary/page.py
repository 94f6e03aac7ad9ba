"""Glossary: all terms in one grid, and what an edit would do before it is saved."""

from __future__ import annotations

import streamlit as st

from review_app.store import Store
from review_app.ui.glossary import editor, files
from review_app.ui.glossary import list as glossary_list
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.review import overview


@st.cache_data(max_entries=8, show_spinner=False)
def _use(_store: Store, path: str, edition: str, imports: str) -> dict[int, int]:
    """How often each term is used; counted again after an edit of a term or an import."""
    return overview.term_use(_store)


def term_use(store: Store) -> dict[int, int]:
    """Term id to the number of segments that use it."""
    imports = " ".join(info.imported_at for info in read_model.domains(store))
    with st.spinner(text("glossary.counting"), show_time=True):
        return _use(store, str(store.path), read_model.glossary_edition(store), imports)


with session.page("glossary") as (store, person):
    terms = read_model.terms(store)
    violated = overview.term_violations(store)
    shown = glossary_list.filtered(terms)
    if terms:
        glossary_list.show(shown, term_use(store), violated)
        st.caption(text("glossary.shown", shown=len(shown), total=len(terms)))
    else:
        st.info(text("glossary.empty"), icon=":material/dictionary:")
    editor.show_notice()
    editor.show(store, person, violated)
    files.show(store, person)
