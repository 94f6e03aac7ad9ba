"""Building a release: its form, how far it is, and how it ended."""

from __future__ import annotations

import streamlit as st

from review_app.errors import ReviewError
from review_app.records.project import Job
from review_app.store import Store
from review_app.ui.release import ways
from review_app.ui.release.choice import ReleaseChoice
from review_app.ui.shared import curation_words, grid, job_progress, links, session
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model
from review_app.workflows.background import jobs
from review_app.workflows.release import build_job
from review_app.workflows.release.build import BuildOrder
from review_app.workflows.release.gates import ReleaseBlocked, ReleaseCheck

LOOK_S = 2.0
"""How often a build under way is looked at."""


def show(store: Store, wanted: ReleaseChoice, check: ReleaseCheck) -> None:
    """The form of a new release, or the build that is under way; then how the last one ended."""
    st.html(curation_words.heading(text("release.build")))
    jobs.reap(store)
    newest = next(iter(read_model.jobs(store, build_job.KIND, limit=1)), None)
    _keep_what_was_typed()
    if newest is not None and newest.is_unfinished:
        with st.container(border=True, key="release-job"):
            st.fragment(_look, run_every=LOOK_S)(newest.id)
        return
    with st.form("release_order"):
        st.text_input(
            text("release.name"),
            key="release_name",
            help=text("release.name_help", folder=build_job.exports(store)),
        )
        st.text_area(text("release.note"), key="release_note", height=70)
        st.toggle(text("release.incomplete"), key="release_incomplete")
        st.caption(text("release.incomplete_note"))
        st.toggle(text("release.with_names"), key="release_with_names")
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        row.form_submit_button(
            text("release.go"),
            key="release_go",
            type="primary",
            icon=":material/inventory_2:",
            on_click=_start,
            args=(wanted, check, False),
        )
        row.form_submit_button(
            text("release.dry_run"),
            key="release_dry_run",
            help=text("release.dry_run_help"),
            on_click=_start,
            args=(wanted, check, True),
        )
        session.show_notice(links.plain)
    if newest is not None:
        _show_outcome(newest)


def _keep_what_was_typed() -> None:
    """What the form holds, while a build is shown in its place."""
    for name in ("name", "note"):
        grid.remember("release", name)
    for key in ("release_incomplete", "release_with_names"):
        st.session_state[key] = bool(st.session_state.get(key))


def _start(wanted: ReleaseChoice, check: ReleaseCheck, dry_run: bool) -> None:
    with session.noted(), session.opened() as store:
        typed = st.session_state
        order = BuildOrder(
            name=str(typed["release_name"]).strip(),
            out=build_job.exports(store),
            domains=wanted.domains,
            variant=wanted.variant,
            note=str(typed["release_note"]).strip(),
            allow_incomplete=dry_run or bool(typed["release_incomplete"]),
            with_names=bool(typed["release_with_names"]),
        )
        person = session.current_person(store)
        try:
            build_job.start(store, person, order, check=check, dry_run=dry_run)
        except ReleaseBlocked as blocked:
            raise ReviewError(
                "ui.release_blocked",
                (
                    "1 place blocks the release ({gates}): settle it, "
                    "or build although something blocks",
                    "{count:,} places block the release ({gates}): settle them, "
                    "or build although something blocks",
                ),
                count=sum(blocked.check.counts.values()),
                gates=tuple(f"{gate} {count:,}" for gate, count in blocked.check.counts.items()),
            ) from blocked


def _look(number: int) -> None:
    with session.guard(), session.opened() as store:
        jobs.reap(store)
        job = read_model.job(store, number)
    if not job.is_unfinished:
        st.rerun()
    share = min(job.done / job.total, 1.0) if job.total else 0.0
    st.progress(share, text(f"release.doing.{job.state}", name=links.plain(_name(job))))
    if job.note is not None:
        st.caption(links.plain(notice_text(job.note)))
    st.button(
        text("common.cancel"),
        key="release_cancel",
        icon=":material/stop:",
        on_click=_cancel,
        args=(number,),
        disabled=job.state == "cancelling",
    )
    st.caption(text("translation.browser_may_close"))


def _cancel(number: int) -> None:
    with session.noted(), session.opened() as store:
        jobs.cancel(store, session.current_person(store), number)


def _show_outcome(job: Job) -> None:
    """How the newest build ended: where the release is, or why there is none."""
    is_dry = bool(job.params["dry_run"])
    head = f"{_name(job)} · {curation_words.moment(job.finished_at)}"
    words = f"**{links.plain(head)}**  \n{links.plain(job_progress.said(job))}"
    if job.state == "failed":
        st.error(words, icon=":material/error:")
    elif job.state == "cancelled":
        st.warning(f"**{links.plain(head)}**  \n{text('release.cancelled')}")
    elif is_dry:
        st.info(words, icon=":material/preview:")
    else:
        st.success(words, icon=":material/check_circle:")
        ways.to("built", text("release.open"), ":material/arrow_forward:", release=_name(job))


def _name(job: Job) -> str:
    return str(job.params["name"])
