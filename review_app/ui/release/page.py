"""Release: what blocks one, building it, who signed it, whether it is sound, and what changed."""

from __future__ import annotations

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.release import build, choice, compare, gates, one
from review_app.ui.release import list as releases_list
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows.benchmark import environments


def show(store: Store, person: Person) -> None:
    """The checklist at the left; building and what was built at the right."""
    domains = environments.domains(store)
    if not domains:
        st.info(text("release.no_domains"), icon=":material/folder_open:")
        links.to_page("project", text("common.page.project"), ":material/folder_open:")
        releases_list.show(store)
        return
    left, right = st.columns([13, 9], gap="large")
    with left:
        wanted = choice.choose(domains)
        check = gates.checked(store, person, wanted)
        gates.show(check)
    with right:
        if person.role == "maintainer":
            build.show(store, wanted, check)
        releases_list.show(store)


with session.page("release") as (store, person), session.guard(links.plain):
    asked = st.query_params
    if asked.get("compare"):
        compare.show(store, asked["compare"])
    elif asked.get("release"):
        one.show(store, person, asked["release"])
    else:
        show(store, person)
