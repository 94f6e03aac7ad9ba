"""What an edit of a term would affect: the segments, and those that go back to review."""

from __future__ import annotations

import streamlit as st

from review_app.models import Term
from review_app.ui.shared import links
from review_app.ui.shared.i18n import text
from review_app.workflows.review.glossary import TermEffect

CODES = {"exact": "TRM003", "forbidden": "TRM002"}
"""The check that speaks about terms of a mode; TRM001 for the others."""

SHOWN = 200
"""Affected segments listed; the count says how many there are."""


def show(effect: TermEffect, old: Term | None, violated: int) -> None:
    """Which segments use the term, and which approved ones would go back to review."""
    requeued = {segment.id for segment in effect.requeued}
    st.html(
        f"<div><b>{text('glossary.affected', count=len(effect.affected))}</b><br>"
        + f"{text('glossary.requeued', count=len(requeued))}</div>"
    )
    if effect.affected:
        rows = [
            {
                "open": links.segment_url(segment.id),
                "state": text(f"common.state.{segment.state}"),
                "back": segment.id in requeued,
                "source": segment.source,
                "target": segment.target or "",
                "where": f"{segment.domain}/{segment.address}",
            }
            for segment in sorted(
                effect.affected, key=lambda affected: affected.id not in requeued
            )[:SHOWN]
        ]
        st.dataframe(
            rows,
            column_order=[name for name in rows[0] if name != "back" or requeued],
            hide_index=True,
            height=min(36 + 28 * len(rows), 260),
            row_height=28,
            key="glossary_affected",
            column_config={
                "open": st.column_config.LinkColumn(
                    "", display_text=text("glossary.open"), width=60
                ),
                "state": st.column_config.Column(text("glossary.column.state"), width=80),
                "back": st.column_config.CheckboxColumn(text("glossary.column.back"), width=62),
                "source": st.column_config.Column(text("glossary.column.text"), width=190),
                "target": st.column_config.Column(text("glossary.column.translation"), width=190),
                "where": st.column_config.Column(text("glossary.column.where"), width=200),
            },
        )
    if len(effect.affected) > SHOWN:
        st.caption(text("glossary.affected_shown", count=SHOWN))
    if old is not None and old.source:
        links.to_review(text("glossary.search_link"), ":material/search:", search=old.source)
    if old is not None and violated:
        words = text("glossary.violated_link", count=violated)
        code = CODES.get(old.mode, "TRM001")
        links.to_review(words, ":material/warning:", finding=code, search=old.source)
