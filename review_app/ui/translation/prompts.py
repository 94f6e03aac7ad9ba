"""What the model is told: templates, edited in versions, each with its history."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.shared import grid, links, markup, session
from review_app.ui.shared.i18n import text
from review_app.ui.translation import preview
from review_app.workflows import read_model
from review_app.workflows.localization import prompts as localization_prompts
from review_app.workflows.localization.prompts import Prompt

SHOWN = 20


def show(store: Store, person: Person, domain: str) -> None:
    """Choose a template; edit it left, see what is sent right."""
    prompts = {prompt.name: prompt for prompt in localization_prompts.prompts(store)}
    grid.remember("translation", "prompt", list(prompts))
    st.session_state["translation_prompt"] = st.session_state["translation_prompt"] or next(
        iter(prompts)
    )
    name: str = st.selectbox(
        text("translation.prompt"),
        list(prompts),
        format_func=title,
        key="translation_prompt",
        width=360,
    )
    links.keep_in_url("prompt", name, next(iter(prompts)))
    left, right = st.columns(2, gap="medium")
    with left:
        _show_editor(store, person, prompts[name])
        _show_history(store, prompts[name])
    with right:
        preview.show(store, domain, name)


def title(name: str) -> str:
    """A template's name for people."""
    *_, last = name.split("/")
    if name.startswith("locales/"):
        return text("translation.style", locale=name.split("/")[1])
    if last == "system":
        return text("translation.system")
    return text("translation.guide", kind=text(f"common.kind.{last}"))


def _show_editor(store: Store, person: Person, prompt: Prompt) -> None:
    base, typed = _editing(prompt)
    st.caption(links.plain(_provenance(store, prompt)))
    if base != prompt.version:
        _show_conflict(prompt, typed)
    with st.form(f"translation_form_{prompt.name}", border=False):
        words: str = st.text_area(
            title(prompt.name),
            typed,
            height=400,
            key=_key(prompt.name, base),
            label_visibility="collapsed",
        )
        st.caption(_places(prompt))
        is_saved = st.form_submit_button(
            text("common.save"), key="translation_save", type="primary", icon=":material/save:"
        )
    if is_saved:
        st.session_state[f"translation_editing_{prompt.name}"] = (base, words)
        with session.guard():
            localization_prompts.save(store, person, prompt.name, words, expected_version=base)
            _leave(prompt.name)
            st.rerun()
    if st.button(
        text("translation.restore"),
        key="translation_restore",
        icon=":material/settings_backup_restore:",
        disabled=prompt.text == prompt.default,
    ):
        with session.guard():
            localization_prompts.restore_default(
                store, person, prompt.name, expected_version=prompt.version
            )
            _leave(prompt.name)
            st.rerun()


def _editing(prompt: Prompt) -> tuple[int, str]:
    """The version that the editor is based on, and its text at first."""
    kept: tuple[int, str] = st.session_state.setdefault(
        f"translation_editing_{prompt.name}", (prompt.version, prompt.text)
    )
    return kept


def _key(name: str, base: int) -> str:
    return f"translation_text_{name}_{base}"


def _leave(name: str) -> None:
    st.session_state.pop(f"translation_editing_{name}", None)


def _show_conflict(prompt: Prompt, mine: str) -> None:
    """Somebody saved another version meanwhile: what differs, and which to go on with."""
    st.warning(text("translation.conflict", who=links.plain(prompt.author)))
    st.html(markup.difference(prompt.text, mine))
    row = st.container(horizontal=True, gap="small")
    if row.button(text("translation.take_theirs"), key="translation_theirs"):
        _leave(prompt.name)
        st.rerun()
    if row.button(text("translation.keep_mine"), key="translation_mine"):
        st.session_state[f"translation_editing_{prompt.name}"] = (prompt.version, mine)
        st.rerun()


def _provenance(store: Store, prompt: Prompt) -> str:
    if not prompt.version:
        return text("translation.shipped")
    newest = read_model.prompt_history(store, prompt.name)[0]
    who = read_model.person(store, newest.author_id).name
    return _said(newest.version, who, newest.created_at, is_default=newest.text is None)


def _said(version: int, who: str, at: str, *, is_default: bool) -> str:
    key = "translation.version_restored" if is_default else "translation.version"
    return text(key, version=version, who=who, at=f"{at[:16].replace('T', ' ')} UTC")


def _places(prompt: Prompt) -> str:
    named = " ".join(f"`{{{place}}}`" for place in prompt.places)
    return f"{text('translation.places')} {named}"


def _show_history(store: Store, prompt: Prompt) -> None:
    """The newest versions first, each against the one before."""
    versions = read_model.prompt_history(store, prompt.name)
    with st.expander(
        text("translation.history", count=len(versions)),
        icon=":material/history:",
        key=f"translation_history_{prompt.name}",
    ):
        if not versions:
            st.caption(text("translation.shipped"))
        texts = [prompt.default if version.text is None else version.text for version in versions]
        before = [*texts[1:], prompt.default]
        for prompt_version, new, old in list(zip(versions, texts, before, strict=False))[:SHOWN]:
            who = read_model.person(store, prompt_version.author_id).name
            head = _said(
                prompt_version.version,
                who,
                prompt_version.created_at,
                is_default=prompt_version.text is None,
            )
            st.html(f"<div class='jt-label'>{escape(head)}</div>{markup.difference(old, new)}")
