"""Accept a leftover that the check found, at its place and with a reason."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from review_app.core.proof.leftovers import LEFTOVERS
from review_app.models import Person
from review_app.records.localization import AcceptedMention, StoredViolation
from review_app.store import Store
from review_app.ui.shared import session
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import undecided


def show(store: Store, person: Person, domain: str, violations: Sequence[StoredViolation]) -> None:
    """A form with the leftovers to choose from; none where there are none."""
    left = [stored.violation for stored in violations if stored.violation.code in LEFTOVERS]
    if not left:
        return
    with st.form("entities_accept"):
        number = st.selectbox(
            text("entities.check.leftover"),
            range(len(left)),
            format_func=lambda at: f"{left[at].values['found']}: {left[at].record}",
        )
        reason = st.text_input(text("entities.undecided.reason"))
        if st.form_submit_button(text("entities.undecided.accept")):
            violation = left[number]
            mention = AcceptedMention(
                kind=violation.values.get("kind", "amount"),
                source=violation.values["found"],
                record=violation.record,
                reason=reason,
            )
            with session.guard():
                undecided.accept_left_over(store, person, domain, mention)
                st.success(text("entities.check.accepted_next"))
