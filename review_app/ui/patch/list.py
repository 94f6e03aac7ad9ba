"""All patches: those that wait for this person first."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from review_app.models import Person
from review_app.records.curation import PatchState, StoredPatch
from review_app.store import Store
from review_app.ui.shared import curation_words, filters, grid, links
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import patches as curation_patches

WAITING = "waiting"
WIDTHS = {
    "name": 190,
    "kind": 150,
    "layer": 100,
    "state": 90,
    "reason": 330,
    "proposer": 115,
    "approver": 115,
    "created": 150,
}


def show(store: Store, person: Person) -> None:
    """The patches as a table with filters that the URL keeps; choosing one opens it."""
    patches = read_model.patches(store)
    if not patches:
        st.info(text("patch.none_yet"), icon=":material/difference:")
        links.to_page("tasks", text("common.page.tasks"), ":material/task:")
        return
    waiting = {patch.id for patch in curation_patches.waiting(store, person)}
    st.html(f"<b>{text('patch.waiting', count=len(waiting))}</b>")
    shown = _filtered(patches, waiting)
    names = {member.id: member.name for member in read_model.people(store)}
    if shown:
        _show_grid(shown, names)
    else:
        st.info(text("tasks.none_pass"), icon=":material/filter_alt_off:")
    st.caption(text("patch.shown", shown=len(shown), total=len(patches)))


def _filtered(patches: list[StoredPatch], waiting: set[int]) -> list[StoredPatch]:
    options = {
        "state": [WAITING, *get_args(PatchState)],
        "of": sorted({patch.patch.domain for patch in patches}),
    }
    wanted = filters.choices(filters.line(), "patch", options, "patch.filter", _option, 210)
    state, domain = wanted["state"], wanted["of"]
    return [
        patch
        for patch in reversed(patches)
        if domain in ("", patch.patch.domain)
        and (state in ("", patch.state) or (state == WAITING and patch.id in waiting))
    ]


def _option(name: str, value: str) -> str:
    if value == WAITING:
        return text("patch.filter.waiting")
    return text(f"curation.patch.{value}") if name == "state" else value


def _show_grid(shown: list[StoredPatch], names: dict[int, str]) -> None:
    cells = [
        {
            "name": patch.patch.id,
            "kind": curation_words.kind(patch.patch.kind),
            "layer": text(f"curation.layer.{patch.patch.layer}"),
            "state": text(f"curation.patch.{patch.state}"),
            "reason": patch.patch.reason,
            "proposer": names.get(patch.proposer_id, "?")
            + (f" ({text('patch.in_pack', pack=patch.pack)})" if patch.pack else ""),
            "approver": names.get(patch.approver_id or 0, ""),
            "created": curation_words.moment(patch.created_at),
        }
        for patch in shown
    ]

    def open_row(number: int | None) -> None:
        if number is not None:
            st.query_params["patch"] = str(number)

    grid.show(
        "patch",
        cells,
        [patch.id for patch in shown],
        opened=None,
        columns={name: (text(f"patch.column.{name}"), width) for name, width in WIDTHS.items()},
        on_open=open_row,
        height=520,
    )
