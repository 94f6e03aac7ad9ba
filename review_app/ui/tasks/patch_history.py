"""The patches of a task: what was proposed, approved, rejected, taken back, by whom."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.ui.shared import curation_words, links
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model


def show(store: Store, domain: str, task_id: str) -> None:
    """Every patch of a task, newest first, each a link to its page."""
    st.html(curation_words.heading(text("patch.history")))
    patches = read_model.patches(store, domain, task_id)
    if not patches:
        st.html(curation_words.quiet(text("patch.no_patches")))
    names = {person.id: person.name for person in read_model.people(store)}
    for patch in reversed(patches):
        st.html(in_words(patch, names))
        links.to_page(
            "patch",
            text("patch.open", name=patch.patch.id),
            ":material/difference:",
            patch=str(patch.id),
        )


def in_words(stored: StoredPatch, names: Mapping[int, str]) -> str:
    """A patch in a few lines: state, kind, who and when, why."""
    by = text(
        "patch.proposed_by",
        name=names.get(stored.proposer_id, "?"),
        time=curation_words.moment(stored.created_at),
    )
    if stored.origin:
        by = text("patch.of_pack", pack=stored.pack, name=names.get(stored.proposer_id, "?"))
    decided = ""
    if stored.decided_at:
        verb = "rejected" if stored.state == "rejected" else "approved"
        decided = " · " + text(
            f"patch.{verb}_by",
            name=names.get(stored.approver_id or 0) or "—",
            time=curation_words.moment(stored.decided_at),
        )
    inverse = f" · {text('patch.inverse')}" if stored.inverts else ""
    note = f"<div class='jt-muted'>{safe(stored.note)}</div>" if stored.note else ""
    return (
        f"<div style='font-size:0.88rem'>{curation_words.badge('patch', stored.state)} "
        f"<b>{safe(curation_words.kind(stored.patch.kind))}</b> · "
        f"{text(f'curation.layer.{stored.patch.layer}')}{inverse}"
        f"<div class='jt-muted'>{safe(by)}{safe(decided)}</div>"
        f"<div>{safe(stored.patch.reason)}</div>{note}</div>"
    )
