"""The proof that localizing broke nothing: run it, and go to what it found."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from review_app.config import recorded_folder
from review_app.core.proof import leftovers
from review_app.core.proof.leftovers import ProofViolation
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.localization import ProofInfo, StoredViolation
from review_app.store import Store
from review_app.ui.entities import acceptance, undecided
from review_app.ui.shared import downloads, grid, links, progress
from review_app.ui.shared.i18n import catalogue, language, notice_text, text
from review_app.workflows.benchmark import environments
from review_app.workflows.localization import proof
from review_app.workflows.localization.derived_domain import Use

SHOWN = 500
"""Violations listed; the download has them all."""
COLUMNS = ("code", "severity", "where", "record", "field", "message")


def show(store: Store, person: Person, domain: str) -> None:
    """The report of the last proof, and a button that runs it again."""
    st.html(f"<div class='jt-muted'>{text('entities.check.about')}</div>")
    if domain not in environments.domains(store):
        st.info(text("entities.check.no_tools", domain=domain), icon=":material/info:")
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    pressed = row.button(text("entities.check.run"), icon=":material/rule:", type="primary")
    drafts = row.toggle(text("entities.check.drafts"), key="entities_check_drafts")
    if pressed:
        shown = progress.bar("proof")
        use: Use = "current" if drafts else "approved"
        proof.prove(store, domain, use=use, records=recorded_folder(), progress=shown)
        st.rerun()
    last = proof.last(store, domain)
    if last is None:
        st.info(text("entities.check.never", domain=domain), icon=":material/rule:")
        return
    violations = proof.violations(store, domain)
    row.html(f"<span class='jt-muted'>{text('entities.check.at', at=last.made_at[:16])}</span>")
    _summary(last, violations)
    if violations:
        _table(domain, violations)
        acceptance.show(store, person, domain, violations)
        st.download_button(
            text("entities.download"),
            downloads.table_csv(COLUMNS, [_cells(violation) for violation in violations]),
            f"localization_{domain}.csv",
            "text/csv",
            icon=":material/download:",
        )
    undecided.show_accepted(store, person, domain)
    _apart(last)


def _summary(last: ProofInfo, violations: list[StoredViolation]) -> None:
    said = last.summary
    words = text("entities.check.compared", tasks=said["tasks"], calls=said["calls"])
    if said["note"]:
        words = f"{words} {text('entities.check.no_records')}"
    if violations:
        st.error(f"{text('entities.check.violations', count=len(violations))} {words}")
    else:
        st.success(f"{text('entities.check.holds')} {words}")
    st.caption(text("entities.check.stand_ins", count=said["stand_ins"]))


def _table(domain: str, violations: list[StoredViolation]) -> None:
    rows = [
        {
            "open": _url(domain, violation),
            "code": violation.violation.code,
            "what": text(f"entities.check.rule.{leftovers.RULES[violation.violation.code]}"),
            "record": violation.violation.record,
            "field": violation.violation.field,
            "message": _message(violation.violation),
        }
        for violation in violations[:SHOWN]
    ]
    st.dataframe(
        rows,
        hide_index=True,
        row_height=grid.ROW_PX,
        height=min(grid.HEAD_PX + grid.ROW_PX * len(rows), 420),
        key="entities_check",
        column_config={
            "open": st.column_config.LinkColumn("", display_text=text("entities.open"), width=60),
            "code": st.column_config.Column("", width=80),
            "what": st.column_config.Column(text("entities.column.what"), width=150),
            "record": st.column_config.Column(text("entities.column.where"), width=230),
            "field": st.column_config.Column(text("entities.check.field"), width=200),
            "message": st.column_config.Column(text("entities.check.message"), width=420),
        },
    )


def _message(violation: ProofViolation) -> str:
    """What a violation says, in the interface's language."""
    template = catalogue(language(), "findings").get(violation.code)
    if template is None:
        return violation.message
    kinds = catalogue(language(), "entities")
    values = {
        name: kinds.get(f"kind.{value}", value) if name == "kind" else value
        for name, value in violation.values.items()
    }
    return template.format(**values)


def _url(domain: str, stored: StoredViolation) -> str:
    """A link that opens a new tab: the text, the task in the environment, or the entities."""
    if stored.segment_id:
        return links.segment_url(stored.segment_id)
    query = {"domain": domain} | links.who_and_language()
    if stored.violation.where == "task":
        return f"/environment?{urlencode(query | {'task': stored.violation.record})}"
    if stored.violation.where == "entity":
        return f"/entities?{urlencode(query | {'search': stored.violation.field})}"
    return ""


def _cells(stored: StoredViolation) -> list[str]:
    violation = stored.violation
    return [str(getattr(violation, name)) for name in COLUMNS]


def _apart(last: ProofInfo) -> None:
    """What differs by rounding: listed, not hidden, and no violation."""
    roundings, off = last.summary["roundings"], last.summary["amounts_off_by_rounding"]
    if roundings:
        with st.expander(text("entities.check.roundings", count=len(roundings))):
            lines = (notice_text(Notice.from_json(rounding)) for rounding in roundings)
            st.code("\n".join(lines), language=None)
    if off:
        words = text(
            "entities.check.amounts", count=len(off), total=last.summary["expected_amounts"]
        )
        with st.expander(words):
            st.dataframe(off, hide_index=True)
