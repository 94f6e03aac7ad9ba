"""Entities: what stands for the people, places and products of a domain, and where they occur."""

from __future__ import annotations

import streamlit as st

from review_app.core.localize.entity_changes import DRAWN, GROUPS
from review_app.ui.entities import bulk, editor, files, fixed, outcome, report, undecided
from review_app.ui.entities import list as entities_list
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.localization import entities

with session.page("entities") as (store, person):
    if person.role != "maintainer":
        st.info(text("entities.maintainers"), icon=":material/lock:")
        st.stop()
    domains = [info.name for info in read_model.domains(store)]
    if not domains:
        st.info(text("entities.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    domain, group = entities_list.choose(domains)
    with st.spinner(text("entities.looking"), show_time=True):
        rows, index = entities.rows(store, domain), entities.index(store, domain)
    outcome.show_notice(store, person)
    if group == entities_list.UNDECIDED:
        undecided.show(store, person, domain)
        st.stop()
    if group == entities_list.CHECK:
        report.show(store, person, domain)
        st.stop()
    drawn = next((known for known in GROUPS if known == group), None)
    if drawn is None:
        fixed.show(store, domain, group, index)
        st.stop()
    mine = [row for row in rows if row.kind in GROUPS[drawn]]
    shown = entities_list.filtered(mine)
    if mine:
        entities_list.show(shown, index)
        st.caption(text("entities.shown", shown=len(shown), total=len(mine)))
        editor.show(store, person, domain, rows, index)
    else:
        st.info(text("entities.empty", domain=domain), icon=":material/badge:")
    if drawn in DRAWN:
        bulk.show(store, person, domain, drawn)
    files.show(store, person, domain)
