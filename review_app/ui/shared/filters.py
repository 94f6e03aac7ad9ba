"""The line above a list: what is chosen there, the URL keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from review_app.ui.shared import grid, links
from review_app.ui.shared.i18n import text


def line() -> DeltaGenerator:
    """A row for filters."""
    return st.container(horizontal=True, gap="small", vertical_alignment="bottom")


def domain(row: DeltaGenerator, page: str, domains: Sequence[str], width: int = 150) -> str:
    """The domain that is shown: chosen here or asked for by the URL, else the first."""
    key = f"{page}_domain"
    st.session_state[key] = grid.remember(page, "domain", domains) or domains[0]
    chosen: str = row.selectbox(
        text(f"{page}.domain"), domains, key=key, label_visibility="collapsed", width=width
    )
    links.keep_in_url("domain", chosen)
    return chosen


def part(row: DeltaGenerator, page: str, name: str, parts: Sequence[str]) -> str:
    """The part of a page that is shown, by its tab; the first at first."""
    key = f"{page}_{name}"
    st.session_state[key] = grid.remember(page, name, parts) or parts[0]
    row.segmented_control(
        text(f"{page}.{name}"),
        parts,
        format_func=lambda choice: text(f"{page}.{name}.{choice}"),
        key=key,
        label_visibility="collapsed",
        required=True,
    )
    chosen = str(st.session_state[key])
    links.keep_in_url(name, chosen, parts[0])
    return chosen


def choices(
    row: DeltaGenerator,
    page: str,
    options: Mapping[str, Sequence[str]],
    words: str,
    say: Callable[[str, str], str],
    width: int | Mapping[str, int],
) -> dict[str, str]:
    """One select box a filter; empty is the choice of all.

    Args:
        row: Where they stand.
        page: Whose.
        options: Filter to its choices.
        words: `words.<filter>` is a filter's name in the catalogue.
        say: Words for a choice, by filter and choice.
        width: In pixels, of all or by filter.
    """

    def option(name: str, choice: str) -> str:
        if choice:
            return say(name, choice)
        return f"{text(f'{words}.{name}')}: {text('common.all')}"

    wanted = {}
    for name, offered in options.items():
        grid.remember(page, name, offered)
        wanted[name] = row.selectbox(
            text(f"{words}.{name}"),
            ["", *offered],
            format_func=partial(option, name),
            key=f"{page}_{name}",
            label_visibility="collapsed",
            width=width if isinstance(width, int) else width[name],
        )
        links.keep_in_url(name, wanted[name])
    return wanted


def search(row: DeltaGenerator, page: str, width: int) -> str:
    """What is looked for, without case."""
    grid.remember(page, "search")
    words: str = row.text_input(
        text(f"{page}.search"),
        key=f"{page}_search",
        icon=":material/search:",
        placeholder=text(f"{page}.search"),
        label_visibility="collapsed",
        width=width,
    )
    links.keep_in_url("search", words)
    return words.strip().casefold()
