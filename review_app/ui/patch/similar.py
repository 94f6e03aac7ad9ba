"""One change for many tasks: previewed task by task, proposed as one action."""

from __future__ import annotations

import streamlit as st

from review_app.records.curation import StoredPatch
from review_app.store import Store
from review_app.ui.patch import actions, consequences
from review_app.ui.shared import curation_words, links, markup, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import similar_tasks
from review_app.workflows.curation.similar_tasks import Preview


def show(store: Store, stored: StoredPatch) -> None:
    """The button that looks for similar tasks, then what the change would do to each."""
    if st.session_state.get("patch_similar") != stored.id:
        st.button(
            text("patch.similar"),
            key="patch_similar_find",
            icon=":material/content_copy:",
            help=text("patch.similar_help"),
            on_click=_look,
            args=(stored.id,),
        )
        return
    with session.guard(), st.spinner(text("patch.similar_looking"), show_time=True):
        previews = _similar(store, str(store.path), read_model.patches_edition(store), stored.id)
        _show_form(stored, previews)


def _look(patch: int) -> None:
    st.session_state["patch_similar"] = patch


@st.cache_resource(max_entries=6, show_spinner=False)
def _similar(_store: Store, path: str, edition: str, patch: int) -> list[Preview]:
    return similar_tasks.similar(_store, similar_tasks.template_of(_store, patch))


def _show_form(stored: StoredPatch, previews: list[Preview]) -> None:
    if not previews:
        st.info(text("patch.similar_none"), icon=":material/search_off:")
        return
    with st.form("patch_similar_form", enter_to_submit=False):
        st.html(f"<b>{text('patch.similar_found', count=len(previews))}</b>")
        for preview in previews:
            key = f"patch_similar_{stored.id}_{preview.task_id}"
            st.session_state.setdefault(key, bool(preview.solved) and not _breaks(preview))
            st.checkbox(links.plain(preview.task_id), key=key)
            st.html(_told(preview))
        st.form_submit_button(
            text("patch.similar_propose"),
            key="patch_similar_send",
            type="primary",
            on_click=_propose,
            args=(stored.id, [preview.task_id for preview in previews]),
        )


def _breaks(preview: Preview) -> bool:
    return any(violation.level == "error" for violation in preview.new)


def _told(similar: Preview) -> str:
    texts = "".join(
        f"<div class='jt-mono jt-muted'>{safe('/'.join(map(str, change.path)))}</div>"
        f"{markup.difference(change.old or '', change.new or '')}"
        for change in similar.diff.texts
    )
    rules = consequences.rule_changes(similar.solved, similar.new)
    preview = texts + consequences.actions(similar.diff)
    return rules + curation_words.folded(text("patch.similar_preview"), preview)


def _propose(patch: int, names: list[str]) -> None:
    chosen = [name for name in names if st.session_state.get(f"patch_similar_{patch}_{name}")]
    with session.noted(), actions.refusals(), session.opened() as store:
        template = similar_tasks.template_of(store, patch)
        proposed = similar_tasks.propose_all(store, session.current_person(store), template, chosen)
        st.session_state["notice"] = ("success", text("patch.similar_done", count=len(proposed)))
        st.session_state["patch_similar"] = None
