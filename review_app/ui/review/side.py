"""The right column of the Review page: one panel at a time."""

from __future__ import annotations

from html import escape

import streamlit as st

from review_app.models import Person
from review_app.store import Store
from review_app.ui.review import actions
from review_app.ui.shared import markup
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.curation import task_records
from review_app.workflows.review import checks
from review_app.workflows.review.card import Card

PANELS = ("glossary", "versions", "comments", "records", "memory", "leftovers", "whole", "preview")


def show(store: Store, card: Card, person: Person) -> None:
    """The panel chosen: glossary, versions, comments, memory, whole section, preview."""
    shown = {name: text(f"review.panel.{name}") for name in PANELS}
    panel = st.selectbox(
        text("review.panel"),
        PANELS,
        format_func=shown.__getitem__,
        key="panel",
        label_visibility="collapsed",
    )
    {
        "glossary": _glossary,
        "versions": _versions,
        "comments": _comments,
        "records": _records,
        "memory": _memory,
        "leftovers": _leftovers,
        "whole": _whole,
        "preview": _preview,
    }[panel](store, card, person)


def _glossary(store: Store, card: Card, person: Person) -> None:
    rules = checks.rules(store)
    segment = card.segment
    matches = rules.glossary.in_source(segment.source, segment.domain)
    absent = set(rules.glossary.missing(segment.source, segment.target or "", segment.domain))
    rows = []
    for term in dict.fromkeys(match.term for match in matches):
        look, mark = ("error", "✕") if term in absent else ("approved", "✓")
        rows.append(
            f'<span class="jt-state jt-{look}">{mark}</span> {escape(term.source)} → '
            f"<b>{escape(term.target)}</b><br><span class='jt-muted'>"
            f"{escape(' · '.join(x for x in (term.category, term.mode, term.note) if x))}</span>"
        )
    st.html(
        markup.items(rows) if rows else f"<p class='jt-muted'>{escape(text('review.no_terms'))}</p>"
    )


def _versions(store: Store, card: Card, person: Person) -> None:
    numbers = [0, *(revision.version for revision in card.revisions)]
    texts = {revision.version: revision.target for revision in card.revisions}
    others = [number for number in numbers[1:] if number != card.segment.version]
    if not others:
        st.html(f"<p class='jt-muted'>{escape(text('review.one_version'))}</p>")
    else:
        preferred = card.judged or others[0]
        against = st.selectbox(
            text("review.against"),
            others,
            index=others.index(preferred) if preferred in others else 0,
            format_func={number: _version_name(card, number) for number in others}.__getitem__,
            key=f"against-{card.segment.id}",
        )
        st.html(markup.difference(texts[against], card.segment.target or ""))
        st.button(
            text("review.use_text"),
            key="use_text",
            on_click=actions.use_text,
            args=(card.segment.id, card.segment.version, texts[against]),
        )
    _history(card)


def _version_name(card: Card, number: int) -> str:
    revision = next(r for r in card.revisions if r.version == number)
    who = card.people.get(revision.author_id or 0) or text(f"review.origin.{revision.origin}")
    return f"v{number} · {who}"


def _history(card: Card) -> None:
    rows = [
        f"<b>{escape(card.people.get(d.person_id, '?'))}</b> "
        f"{escape(text(f'common.verdict.{d.verdict}'))} v{d.version}"
        f" <span class='jt-muted'>{d.created_at[:16].replace('T', ' ')}</span>"
        + (f"<br>{escape(d.note)}" if d.note else "")
        + "".join(
            f"<br><span class='jt-muted'>MQM {escape(m.category)} / {m.severity}</span>"
            for m in d.marks
        )
        for d in reversed(card.decisions)
    ]
    if card.hidden:
        rows.append(
            f"<span class='jt-muted'>{escape(text('review.hidden', count=card.hidden))}</span>"
        )
    st.html(markup.items(rows))


def _comments(store: Store, card: Card, person: Person) -> None:
    for comment in card.comments:
        who = escape(card.people.get(comment.person_id, "?"))
        body = escape(comment.body)
        st.html(f"<b>{who}</b><br>{f'<s>{body}</s>' if comment.resolved else body}")
        st.button(
            text("review.reopen" if comment.resolved else "review.resolve"),
            key=f"resolve-{comment.id}",
            type="tertiary",
            on_click=actions.resolve_comment,
            args=(comment.id, not comment.resolved),
        )
    if card.hidden:
        st.caption(text("review.hidden", count=card.hidden))
    st.text_area(text("review.comment"), key="comment", height=80)
    st.button(
        text("review.comment_send"),
        key="comment_send",
        on_click=actions.comment,
        args=(card.segment.id,),
    )


def _records(store: Store, card: Card, person: Person) -> None:
    records = task_records.records(store, card.segment)
    if not records:
        st.html(f"<p class='jt-muted'>{escape(text('review.no_records'))}</p>")
    for record in records:
        st.caption(f"{record.table} · {record.id}")
        st.json(dict(record.fields), expanded=1)


def _memory(store: Store, card: Card, person: Person) -> None:
    rows = [
        f"<span class='jt-mono jt-muted'>{escape(f'{other.domain}/{other.address}')}</span><br>"
        f"{escape(other.target or '')}"
        for other in read_model.segments_of_same_source(store, card.segment)
    ]
    st.html(
        markup.items(rows)
        if rows
        else f"<p class='jt-muted'>{escape(text('review.no_memory'))}</p>"
    )


def _leftovers(store: Store, card: Card, person: Person) -> None:
    """The draft's texts of this file that no segment got: one of them may be this one's."""
    segment = card.segment
    texts = {
        f"{left.address}: {left.text[:60]}": left.text
        for left in read_model.unaligned(store, segment.domain)
        if left.side == "draft" and left.file == segment.file and left.text
    }
    if not texts:
        st.html(f"<p class='jt-muted'>{escape(text('review.no_leftovers'))}</p>")
        return
    chosen = st.selectbox(text("review.leftover"), list(texts), key=f"leftover-{segment.id}")
    st.html(markup.block(texts[chosen]))
    st.button(
        text("review.use_text"),
        key="use_leftover",
        on_click=actions.use_text,
        args=(segment.id, segment.version, texts[chosen]),
    )


def _whole(store: Store, card: Card, person: Person) -> None:
    rows = [
        f"<span class='jt-muted'>{escape(other.source)}</span><br>{escape(other.target or '—')}"
        for other in read_model.section(store, card.segment)
    ]
    st.html(markup.items(rows))


def _preview(store: Store, card: Card, person: Person) -> None:
    st.html(markup.markdown(card.draft.target if card.draft else card.segment.target or ""))
