"""What the buttons of the Review page do, and which segment is on the desk.

Callbacks run before the page is drawn: they save, move on, and leave a notice for the page to show.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from review_app.models import Mark, Person
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.review import answers, queue, remarks


def current(store: Store, person: Person, wanted: QueueFilter) -> str | None:
    """The segment on the desk: the one opened, else the next one waiting."""
    here: str | None = st.session_state.get("segment")
    if here is None:
        here = queue.next_segment(store, person, wanted)
    if here is None:
        entries, _ = queue.page_of(store, person, wanted, page=0, size=1)
        here = entries[0].id if entries else None
    open_segment(here)
    return here


def open_segment(segment_id: str | None) -> None:
    """Put a segment on the desk. `desk.js` writes the URL: from here it would cost a redraw."""
    st.session_state["segment"] = segment_id


def _run(action: Callable[[Store, Person], None]) -> None:
    """Run one action; what goes wrong becomes the page's notice."""
    with session.noted(), session.opened() as store:
        action(store, session.current_person(store))


def _go_on(store: Store, person: Person, wanted: QueueFilter, done: str) -> None:
    following = queue.next_segment(store, person, wanted, after=done)
    if following is None:
        st.session_state["notice"] = ("success", text("review.nothing_left"))
    else:
        open_segment(following)


def text_key(segment_id: str, version: int) -> str:
    """The key of the editor: another segment or version is another editor."""
    return f"text-{segment_id}-{version}"


def approve(segment_id: str, version: int, wanted: QueueFilter) -> None:
    """Approve; a text that was changed in the editor is saved and counts as the answer."""

    def action(store: Store, person: Person) -> None:
        answers.submit(
            store,
            segment_id,
            person,
            verdict="approve",
            expected_version=version,
            target=st.session_state.get(text_key(segment_id, version), ""),
        )
        _go_on(store, person, wanted, segment_id)

    _run(action)


def request_change(segment_id: str, version: int, wanted: QueueFilter) -> None:
    """Ask for a change, with the reason and an MQM mark from the form."""

    def action(store: Store, person: Person) -> None:
        category = st.session_state.get("mark_category")
        marks = [Mark(category, st.session_state["mark_severity"])] if category else []
        answers.submit(
            store,
            segment_id,
            person,
            verdict="request_change",
            expected_version=version,
            note=st.session_state.get("reason", ""),
            marks=marks,
        )
        st.session_state["reason"] = ""
        st.session_state["asking"] = ("", "")
        _go_on(store, person, wanted, segment_id)

    _run(action)


def step(segment_id: str, version: int, wanted: QueueFilter, back: bool) -> None:
    """Go to the next or previous segment; what was typed is kept as a draft."""

    def action(store: Store, person: Person) -> None:
        keep_typed(store, person, segment_id, version)
        here = read_model.segment(store, segment_id)
        target = read_model.queue_step(store, wanted, here, person.id, back=back)
        if target is None:
            st.session_state["notice"] = ("info", text("review.end_of_list"))
        else:
            open_segment(target)

    _run(action)


def ask(what: str = "", segment_id: str = "", version: int = 0) -> None:
    """Open a form under the editor (`request`, `dismiss`), or close it; what was typed is kept."""
    st.session_state["asking"] = (what, segment_id)
    if segment_id:
        _run(lambda store, person: keep_typed(store, person, segment_id, version))


def asking(segment_id: str) -> str:
    """The form that is open under this segment's editor."""
    what, where = st.session_state.get("asking", ("", ""))
    return str(what) if where == segment_id else ""


def keep_typed(store: Store, person: Person, segment_id: str, version: int) -> None:
    """Keep the editor's text as a draft."""
    typed = st.session_state.get(text_key(segment_id, version))
    if typed is not None:
        answers.save_draft(store, segment_id, person, target=typed, base_version=version)


def undo() -> None:
    """Take back one's own last decision and put its segment on the desk."""

    def action(store: Store, person: Person) -> None:
        open_segment(answers.undo(store, person).id)
        st.session_state["notice"] = ("info", text("review.undone"))

    _run(action)


def use_text(segment_id: str, version: int, content: str) -> None:
    """Put another text into the editor, as a draft on the version in force."""

    def action(store: Store, person: Person) -> None:
        st.session_state[text_key(segment_id, version)] = content
        answers.save_draft(store, segment_id, person, target=content, base_version=version)

    _run(action)


def drop_draft(segment_id: str, version: int) -> None:
    """Throw away what was typed."""

    def action(store: Store, person: Person) -> None:
        answers.drop_draft(store, segment_id, person)
        st.session_state.pop(text_key(segment_id, version), None)

    _run(action)


def dismiss(segment_id: str, fingerprint: str, withdraw: bool) -> None:
    """Call a finding no fault, with the reason from the form; or take that back."""

    def action(store: Store, person: Person) -> None:
        for finding in read_model.findings(store, segment_id):
            if finding.fingerprint == fingerprint:
                reason = st.session_state.get("dismiss_reason", "")
                remarks.dismiss(
                    store, segment_id, finding, person, reason=reason, withdraw=withdraw
                )
                st.session_state["dismiss_reason"] = ""
                st.session_state["asking"] = ("", "")

    _run(action)


def comment(segment_id: str) -> None:
    """Add the comment from the form."""

    def action(store: Store, person: Person) -> None:
        remarks.comment(store, segment_id, person, st.session_state.get("comment", ""))
        st.session_state["comment"] = ""

    _run(action)


def resolve_comment(comment_id: int, resolved: bool) -> None:
    """Mark a comment as dealt with, or open it again."""
    _run(
        lambda store, person: remarks.resolve_comment(store, comment_id, person, resolved=resolved)
    )
