"""Translation: what a model is to translate, how far it is, and what it is told."""

from __future__ import annotations

import streamlit as st

from review_app.store import Store
from review_app.ui.shared import endpoint as shared_endpoint
from review_app.ui.shared import filters, job_progress, session
from review_app.ui.shared.i18n import text
from review_app.ui.translation import jobs as translation_jobs
from review_app.ui.translation import plan, prompts
from review_app.workflows import read_model
from review_app.workflows.background import jobs

SECTIONS = ("translate", "prompts")


def choose(domains: list[str]) -> tuple[str, str]:
    """Domain and part of the page, kept in the URL."""
    row = filters.line()
    return (
        filters.domain(row, "translation", domains),
        filters.part(row, "translation", "section", SECTIONS),
    )


def show_translating(store: Store, domain: str) -> None:
    """The model, the job that runs or what there is to do, and the earlier jobs."""
    jobs.reap(store)
    endpoint = shared_endpoint.show(store)
    newest = next(iter(read_model.jobs(store, "translate", domain, limit=1)), None)
    if newest is not None and newest.is_unfinished:
        job_progress.watch(newest.id)
    else:
        if newest is not None:
            job_progress.show_outcome(newest)
        if endpoint is not None:
            resumes = newest is not None and newest.state in ("failed", "cancelled")
            plan.show(store, domain, endpoint, resumes=resumes)
    translation_jobs.show(store, domain)


with session.page("translation") as (store, person):
    if person.role != "maintainer":
        st.info(text("translation.maintainers"), icon=":material/lock:")
        st.stop()
    domains = [info.name for info in read_model.domains(store)]
    if not domains:
        st.info(text("translation.no_domains"), icon=":material/folder_open:")
        st.page_link("ui/project/page.py", label=text("common.page.project"))
        st.stop()
    domain, section = choose(domains)
    session.show_notice()
    if section == "prompts":
        prompts.show(store, person, domain)
    else:
        show_translating(store, domain)
