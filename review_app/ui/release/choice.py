"""What is released: the domains and the variant, kept in the URL."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from review_app.core.localize.variants import DEFAULT
from review_app.ui.shared import grid, i18n, links
from review_app.ui.shared.i18n import text
from review_app.workflows.localization import derived_domain


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """What a release is to be made of."""

    domains: tuple[str, ...]
    """All that can be localized if none is named."""
    variant: str


def choose(known: list[str]) -> ReleaseChoice:
    """The line above the checklist."""
    variants = derived_domain.variants()
    if "release_domains" not in st.session_state:
        st.session_state["release_domains"] = st.query_params.get("domains", "").split(",")
    chosen = st.session_state["release_domains"]
    st.session_state["release_domains"] = [domain for domain in known if domain in chosen]
    grid.remember("release", "variant", list(variants))
    st.session_state["release_variant"] = st.session_state["release_variant"] or DEFAULT
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    domains = row.multiselect(
        text("release.domains"),
        known,
        key="release_domains",
        placeholder=text("common.all"),
        width=360,
    )
    variant = str(
        row.selectbox(text("release.variant"), list(variants), key="release_variant", width=180)
    )
    links.keep_in_url("domains", ",".join(domains))
    links.keep_in_url("variant", variant, DEFAULT)
    words = i18n.catalogue(i18n.language(), "runs")
    about = words.get(f"variant.{variant}", variants[variant].about)
    st.caption(links.plain(about))
    return ReleaseChoice(domains=tuple(domains), variant=variant)
