"""The checklist: every gate with its count, and the way to each place that blocks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

import streamlit as st

from review_app.core.validity import RuleViolation
from review_app.models import Finding, Person
from review_app.store import Store
from review_app.ui.release.choice import ReleaseChoice
from review_app.ui.shared import curation_words, links, progress, rule_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import finding_text, in_words, notice_text, text
from review_app.ui.shared.markup import items
from review_app.workflows import read_model
from review_app.workflows.release import gates
from review_app.workflows.release.gates import AcceptedWarning, Blocker, Gate, ReleaseCheck

SHOWN, FOLDED = 3, 200
"""Places of a gate that are shown at once, and behind a click."""


@st.cache_resource(show_spinner=False)
def _kept() -> dict[tuple[str, ...], ReleaseCheck]:
    """The last check of every choice: one of the whole benchmark takes ten seconds."""
    return {}


def checked(store: Store, person: Person, wanted: ReleaseChoice) -> ReleaseCheck:
    """The check of a choice, made anew when the page is opened and the project has changed.

    While the page is open it stays as it is, and says so: a maintainer may ask for another.
    """
    key = (str(store.path), wanted.variant, *wanted.domains)
    known, kept = _kept().get(key), _kept()
    is_old = known is not None and known.revision != read_model.revision(store)
    again = False
    if is_old and not st.session_state["arrived"]:
        row = st.container(horizontal=True, gap="small", vertical_alignment="center")
        row.html(curation_words.quiet(text("release.older")))
        if person.role == "maintainer":
            again = row.button(
                text("release.again"), key="release_again", icon=":material/refresh:"
            )
    if known is None or again or (is_old and st.session_state["arrived"]):
        place = st.empty()
        with place.container():
            known = kept[key] = gates.check(
                store,
                wanted.domains,
                variant=wanted.variant,
                progress=progress.bar("release_check"),
            )
        place.empty()
        if again:
            st.rerun()
    return known


def show(check: ReleaseCheck) -> None:
    """What blocks, what is clean, and the warnings that people accepted."""
    total = sum(check.counts.values())
    if check.ready:
        st.success(text("release.ready"), icon=":material/check_circle:")
    else:
        words = text("release.blocked", count=total, gates=len(check.counts))
        st.error(words, icon=":material/block:")
    note = text("release.at_revision", revision=check.revision.number)
    st.html(curation_words.heading(text("release.gates"), note))
    st.html("".join(map(_row, check.gates)))
    st.html(curation_words.heading(text("release.accepted")))
    if check.accepted:
        st.html(_accepted(check.accepted))
    else:
        st.html(curation_words.quiet(text("release.accepted_none")))


def _row(gate: Gate) -> str:
    look, word = ("error", "blocks") if gate.count else ("approved", "clean")
    return (
        f"<div class='jt-gate'><span><span class='jt-state jt-{look}'>"
        f"● {escape(text(f'release.{word}'))}</span></span>"
        f"<div><div>{escape(notice_text(gate.title))}</div>{_places(gate.blockers)}</div>"
        f"<div class='jt-num'>{gate.count:,}</div></div>"
    )


def _places(blockers: Sequence[Blocker]) -> str:
    if not blockers:
        return ""
    shown = items(map(_place, blockers[:SHOWN]))
    rest = blockers[SHOWN:]
    if not rest:
        return shown
    left = len(rest) - FOLDED
    more = curation_words.quiet(text("release.and_more", count=left)) if left > 0 else ""
    folded = items(map(_place, rest[:FOLDED])) + more
    return shown + curation_words.folded(text("release.more", count=len(rest)), folded)


def _place(blocker: Blocker) -> str:
    url = f"/{blocker.page}?{urlencode(dict(blocker.query) | links.who_and_language())}"
    return (
        f"<a class='jt-mono' target='_self' href='{escape(url)}'>{safe(blocker.place)}</a> "
        f"<span class='jt-muted'>{safe(_said(blocker))}</span>"
    )


def _said(blocker: Blocker) -> str:
    """Why a place blocks, in the interface's language."""
    if isinstance(blocker.said, Finding):
        return f"{blocker.said.code} {finding_text(blocker.said)}"
    if isinstance(blocker.said, RuleViolation):
        return f"{blocker.said.code} {rule_words.message(blocker.said)}"
    return in_words(blocker.note)


def _accepted(accepted: Sequence[AcceptedWarning]) -> str:
    return items(map(_warning, accepted))


def _warning(warning: AcceptedWarning) -> str:
    query = {"domain": warning.domain, "task": warning.task_id} | links.who_and_language()
    place = safe(f"{warning.domain}/{warning.task_id}")
    return (
        f"<a class='jt-mono' target='_self' href='{escape(f'/tasks?{urlencode(query)}')}'>{place}"
        f"</a> {safe(warning.code)} {safe(rule_words.message(warning.said))}"
        f"<div class='jt-muted'>{safe(warning.reason)} · {safe(warning.person)} · "
        f"{curation_words.moment(warning.accepted_at)}</div>"
    )
