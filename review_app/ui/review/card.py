"""The middle of the Review page: where the segment stands, its neighbours, source and target."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Segment
from review_app.store import Store
from review_app.ui.shared import markup, session
from review_app.ui.shared.i18n import finding_text, text
from review_app.ui.shared.markup import Highlight
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
        f"<div><b>{escape(card.people.get(one.person_id, '?'))}</b> {_verdict(one.verdict)}"
        f'<div class="jt-text">{escape(one.note)}</div></div>'
        for one in card.to_settle
    )
    return f'<div class="jt-pair">{cells}</div>'


def _crumbs(card: Card) -> str:
    one = card.segment
    where = " › ".join(escape(part) for part in (one.domain, one.file, one.section) if part)
    answered = text("review.answered", answered=one.answered, needed=one.needed)
    recheck = ""
    if card.recheck:
        why = card.recheck.partition(" ")[0]
        recheck = f"<b>{escape(text(f'review.recheck.{why}', what=card.recheck))}</b> · "
    mine = (
        f"{escape(text('review.my_answer'))} {_verdict(card.my_answer)} · "
        if card.my_answer
        else ""
    )
    place = f'<b>{where}</b> <span class="jt-mono jt-muted">{escape(one.address)}</span>'
    standing = f"{recheck}{mine}{markup.badge(one.state)} v{one.version} · {escape(answered)}"
    return f'<div class="jt-crumbs"><span>{place}</span><span>{standing}</span></div>'


def _verdict(verdict: str) -> str:
    return escape(text(f"common.verdict.{verdict}"))


def _pair(store: Store, card: Card) -> str:
    one = card.segment
    rules = checks.rules(store)
    matches = rules.glossary.in_source(one.source, one.domain)
    in_source = [
        Highlight(
            start=m.start,
            end=m.end,
            look="term",
            title=f"{m.term.source} → {m.term.target}  {m.term.category}",
        )
        for m in matches
    ]
    target = one.target or ""
    in_target = [
        Highlight(
            start=start, end=end, look="hit", title=f"{match.term.source} → {match.term.target}"
        )
        for match in matches
        for start, end in rules.glossary.in_target(target, match.term)
    ]
    for found in card.findings:
        if found.dismissed or not found.finding.span:
            continue
        mark = Highlight(*found.finding.span, "fault", finding_text(found.finding))
        (in_source if found.finding.in_source else in_target).append(mark)
    return (
        '<div class="jt-pair jt-here">'
        + markup.block(one.source, in_source, text("review.source"))
        + markup.block(target or "—", in_target if target else (), text("review.target"))
        + "</div>"
    )


def _dimmed(neighbour: Segment) -> str:
    return (
        '<div class="jt-pair jt-dim">'
        + markup.block(neighbour.source)
        + markup.block(neighbour.target or "—")
        + "</div>"
    )
