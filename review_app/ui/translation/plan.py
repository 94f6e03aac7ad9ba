"""What there is to translate and what it would cost, and the button that starts it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

from review_app.llm import Endpoint
from review_app.models import KINDS, SegmentKind
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.ui.shared import endpoint as shared_endpoint
from review_app.ui.shared import links, session
from review_app.ui.shared.i18n import text
from review_app.workflows import read_model
from review_app.workflows.background import jobs
from review_app.workflows.localization import translation, translation_plan, undecided

FRESH_S = 60
"""How old a shown plan may be; a translation plans anew."""
REASONS = {
    "a person's": "persons",
    "translated": "translated",
    "given up": "given_up",
    "undecided": "undecided",
}


@dataclass(frozen=True, slots=True)
class PlanNumbers:
    """A plan in numbers."""

    texts: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    counts: dict[str, int]
    undecided: int


@st.cache_data(ttl=FRESH_S, max_entries=8, show_spinner=False)
def _estimate(
    _store: Store,
    edition: tuple[object, ...],
    domain: str,
    again: bool,
    kinds: tuple[SegmentKind, ...],
) -> PlanNumbers:
    order = translation.order_of(_store, domain, {"again": again, "kinds": kinds})
    plan = translation_plan.plan(_store, order)
    return PlanNumbers(
        texts=len(plan.made_from),
        requests=len(plan.batches),
        tokens_in=plan.tokens_in,
        tokens_out=plan.tokens_out,
        cost_usd=plan.cost_usd,
        counts={str(reason): count for reason, count in plan.counts.items()},
        undecided=plan.undecided,
    )


def _edition(store: Store, domain: str, endpoint: Endpoint) -> tuple[object, ...]:
    """What a plan depends on, but for the texts."""
    prompts = sorted(
        (prompt.name, prompt.version) for prompt in read_model.current_prompts(store).values()
    )
    last = [(job.id, job.version) for job in read_model.jobs(store, "translate", domain, limit=1)]
    accepted = [(mention.kind, mention.source) for mention in undecided.accepted(store, domain)]
    imports = [info.imported_at for info in read_model.domains(store)]
    return (
        str(store.path),
        endpoint.model,
        read_model.glossary_edition(store),
        read_model.entities_edition(store),
        *prompts,
        *last,
        *accepted,
        *imports,
    )


def show(store: Store, domain: str, endpoint: Endpoint, *, resumes: bool) -> None:
    """Kinds and whether to translate again, the plan as a table, and Start.

    Args:
        store: The review database.
        domain: What to translate.
        endpoint: With what.
        resumes: Whether the page offers to resume a job as the first thing to do.
    """
    kinds, again = _choose(store, domain)
    if not kinds:
        st.info(text("translation.no_kinds"), icon=":material/filter_alt:")
        return
    edition = _edition(store, domain, endpoint)
    plan = None
    with session.guard(), st.spinner(text("translation.planning"), show_time=True):
        plan = _estimate(store, edition, domain, again, kinds)
    if plan is None:
        return
    st.html(_table(plan))
    st.caption(text("translation.estimated"))
    if plan.undecided:
        st.warning(text("translation.undecided", count=plan.undecided), icon=":material/help:")
        st.page_link(
            "ui/entities/page.py",
            label=text("common.page.entities"),
            query_params={"domain": domain, "group": "undecided"} | links.who_and_language(),
        )
    if not plan.texts:
        key = "translation.nothing" if again else "translation.nothing_new"
        st.success(text(key), icon=":material/check_circle:")
    st.button(
        text("translation.start"),
        key="translation_start",
        type="secondary" if resumes else "primary",
        icon=":material/play_arrow:",
        on_click=_start,
        args=(domain, {"again": again, "kinds": kinds}),
        disabled=not plan.texts or not shared_endpoint.is_set(endpoint),
    )


def _choose(store: Store, domain: str) -> tuple[tuple[SegmentKind, ...], bool]:
    present = [
        kind
        for kind in KINDS
        if read_model.queue_count(store, QueueFilter(domain=domain, kind=kind))
    ]
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    chosen = row.pills(
        text("translation.kinds"),
        present,
        selection_mode="multi",
        default=present,
        format_func=lambda kind: text(f"common.kind.{kind}"),
        key=f"translation_kinds_{domain}",
    )
    again = row.toggle(
        text("translation.again"), key="translation_again", help=text("translation.again_help")
    )
    return tuple(kind for kind in present if kind in chosen), again


def _table(plan: PlanNumbers) -> str:
    cost = text("translation.unpriced") if plan.cost_usd is None else f"{plan.cost_usd:,.2f} USD"
    cells = {
        "texts": f"{plan.texts:,}",
        "requests": f"{plan.requests:,}",
        "tokens_in": f"{plan.tokens_in:,}",
        "tokens_out": f"{plan.tokens_out:,}",
        "cost": cost,
    } | {name: f"{plan.counts.get(reason, 0):,}" for reason, name in REASONS.items()}
    head = "".join(
        f"<th style='text-align:right'>{escape(text(f'translation.column.{name}'))}</th>"
        for name in cells
    )
    row = "".join(f"<td class='jt-num'>{escape(value)}</td>" for value in cells.values())
    return f"<table class='jt-table'><tr>{head}</tr><tr>{row}</tr></table>"


def _start(domain: str, params: dict[str, object]) -> None:
    with session.noted(), session.opened() as store:
        jobs.start(store, session.current_person(store), "translate", domain, params)
