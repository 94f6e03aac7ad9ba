"""The middle of the Review page: where the segment stands, its neighbours, source and target."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Segment
from review_app.store import Store
from review_app.ui.review import highlights
from review_app.ui.shared import markup, session
from review_app.ui.shared.i18n import text
from review_app.workflows.review import checks
from review_app.workflows.review.card import Card


def show(store: Store, card: Card) -> None:
    """Crumbs, the block before, source and target side by side, the block after."""
    session.show_notice()
    rows = [_crumbs(card)]
    for neighbour in card.context:
        rows.append(_pair(store, card) if neighbour.id == card.segment.id else _dimmed(neighbour))
    rows.append(_answers(card))
    if card.segment.state == "untranslated":
        rows.append(f"<p class='jt-muted'>{escape(text('review.untranslated'))}</p>")
    st.html("".join(rows))


def _answers(card: Card) -> str:
    """What a disagreement is about: the answers side by side, without names."""
    if not card.to_settle:
        return ""
    cells = "".join(
        f"<div><b>{escape(card.people.get(answer.person_id, '?'))}</b> {_verdict(answer.verdict)}"
        f'<div class="jt-text">{escape(answer.note)}</div></div>'
        for answer in card.to_settle
    )
    return f'<div class="jt-pair">{cells}</div>'


def _crumbs(card: Card) -> str:
    segment = card.segment
    where = " › ".join(
        escape(part) for part in (segment.domain, segment.file, segment.section) if part
    )
    answered = text("review.answered", answered=segment.answered, needed=segment.needed)
    recheck = ""
    if card.recheck:
        why = card.recheck.partition(" ")[0]
        recheck = f"<b>{escape(text(f'review.recheck.{why}', what=card.recheck))}</b> · "
    mine = (
        f"{escape(text('review.my_answer'))} {_verdict(card.my_answer)} · "
        if card.my_answer
        else ""
    )
    place = f'<b>{where}</b> <span class="jt-mono jt-muted">{escape(segment.address)}</span>'
    standing = (
        f"{recheck}{mine}{markup.badge(segment.state)} v{segment.version} · {escape(answered)}"
    )
    return f'<div class="jt-crumbs"><span>{place}</span><span>{standing}</span></div>'


def _verdict(verdict: str) -> str:
    return escape(text(f"common.verdict.{verdict}"))


def _pair(store: Store, card: Card) -> str:
    in_source, in_target = highlights.of_pair(card, checks.rules(store))
    return (
        '<div class="jt-pair jt-here">'
        + markup.block(card.segment.source, in_source, text("review.source"))
        + markup.block(card.segment.target or "—", in_target, text("review.target"))
        + "</div>"
    )


def _dimmed(neighbour: Segment) -> str:
    return (
        '<div class="jt-pair jt-dim">'
        + markup.block(neighbour.source)
        + markup.block(neighbour.target or "—")
        + "</div>"
    )
