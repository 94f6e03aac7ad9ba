"""Project page: what an import did or would do, and the domains that are there."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from review_app.models import Unaligned
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.shared import downloads, links
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model

COLUMNS = ("side", "file", "address", "reason", "text")
COUNTS = ("added", "translated", "redrafted", "removed")


def show(report: Mapping[str, Any]) -> None:
    """One report: the numbers, then what needs a look."""
    dry = report["dry_run"]
    if not report["changed"]:
        st.info(text("project.report.same", domain=links.plain(report["domain"])))
    elif dry:
        st.info(
            text("project.report.dry", domain=links.plain(report["domain"])),
            icon=":material/preview:",
        )
    else:
        st.success(
            text("project.report.done", domain=links.plain(report["domain"])),
            icon=":material/check:",
        )
    kinds = [f"{text(f'common.kind.{kind}')} {n:,}" for kind, n in report["segments"].items()]
    numbers = [f"{text(f'project.report.{name}')} {report[name]:,}" for name in COUNTS]
    st.html(
        f"<div>{text('project.report.segments')}: {escape(' · '.join(kinds)) or '0'}</div>"
        f"<div class='jt-muted'>{escape(' · '.join(numbers))}</div>"
    )
    if guides := report.get("guides"):
        st.html(f"<div>{escape(_guides(guides))}</div>")
    for name in ("stale", "kept"):
        _show_list(name, report[name])
    _show_list("notes", _notes(report))
    if report["unaligned"]:
        with st.expander(
            text("project.report.unaligned", count=len(report["unaligned"])),
            key="import_unaligned",
            icon=":material/link_off:",
        ):
            show_unaligned([*map(_unaligned, report["unaligned"])], "report")


def _guides(guides: Mapping[str, Any]) -> str:
    """What came along, or would: the user simulator's guidelines."""
    counts = {"segments": sum(guides["segments"].values()), "added": guides["added"]}
    return text("project.report.guides", domain=guides["domain"], **counts)


def _unaligned(row: Mapping[str, Any]) -> Unaligned:
    """An entry of a kept report; the reason of an older one is shown as it is."""
    return Unaligned(
        side=row["side"],
        file=row["file"],
        address=row["address"],
        reason=Notice.from_json(row["reason"]),
        text=row["text"],
    )


def _notes(report: Mapping[str, Any]) -> list[str]:
    """What a stored report remarks, in the reader's language."""
    return [notice_text(Notice.from_json(note)) for note in report.get("notes", [])]


def _show_list(name: str, lines: list[str]) -> None:
    if not lines:
        return
    with st.expander(text(f"project.report.{name}", count=len(lines)), key=f"import_list_{name}"):
        rows = "".join(f"<li class='jt-mono'>{escape(line)}</li>" for line in lines[:300])
        st.html(f"<ul class='jt-list'>{rows}</ul>")
        if len(lines) > 300:
            st.caption(text("project.report.more", count=len(lines) - 300))


def show_domains(store: Store) -> None:
    """Every imported domain, and what of one of them could not be aligned."""
    domains = read_model.domains(store)
    st.html(f"<div style='padding-top:0.6rem'><b>{text('project.domains')}</b></div>")
    if not domains:
        st.html(f"<div class='jt-muted'>{text('project.no_domains')}</div>")
        return
    totals: dict[str, int] = {}
    for domain, _, _, _, count in read_model.progress(store):
        totals[domain] = totals.get(domain, 0) + count
    unaligned = {info.name: read_model.unaligned(store, info.name) for info in domains}
    names = ("domain", "imported", "files", "segments", "unaligned")
    head = "".join(f"<th>{text(f'project.column.{name}')}</th>" for name in names)
    body = "".join(
        f"<tr><td>{escape(info.name)}</td>"
        f"<td>{escape(info.imported_at[:16].replace('T', ' '))} UTC</td>"
        f"<td>{len(read_model.documents(store, info.name))}</td>"
        f"<td>{totals.get(info.name, 0):,}</td>"
        f"<td>{len(unaligned[info.name])}</td></tr>"
        for info in domains
    )
    st.html(f"<table class='jt-table'><tr>{head}</tr>{body}</table>")
    _show_one(store, {info.name: info.report for info in domains}, unaligned)


def _show_one(
    store: Store, reports: dict[str, dict[str, Any]], unaligned: dict[str, list[Unaligned]]
) -> None:
    """The last import of one domain, chosen in the URL or here."""
    asked = st.query_params.get("domain", "")
    if st.session_state.get("project_domain") not in reports:
        st.session_state["project_domain"] = asked if asked in reports else next(iter(reports))
    chosen = st.selectbox(
        text("project.column.domain"), list(reports), key="project_domain", width=240
    )
    links.keep_in_url("domain", chosen, next(iter(reports)))
    notes = _notes(reports[chosen])
    if notes:
        st.html("".join(f"<div class='jt-muted'>{escape(note)}</div>" for note in notes))
    if unaligned[chosen]:
        show_unaligned(unaligned[chosen], f"domain_{chosen}")
    else:
        st.html(f"<div class='jt-muted'>{text('project.all_aligned')}</div>")


def show_unaligned(items: list[Unaligned], name: str) -> None:
    """Texts without a counterpart, with the draft's text; filtered, and to download."""
    row = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    sides = ["", "source", "draft"]
    side = row.selectbox(
        text("project.column.side"),
        sides,
        format_func=lambda value: text(f"project.side.{value}") if value else text("common.all"),
        key=f"unaligned_side_{name}",
        width=170,
    )
    words = row.text_input(
        text("project.unaligned.search"), key=f"unaligned_search_{name}", width=280
    ).casefold()
    shown = [
        (item.side, (item.file, item.address, notice_text(item.reason), item.text))
        for item in items
    ]
    rows = [
        (text(f"project.side.{its_side}"), *cells)
        for its_side, cells in shown
        if side in ("", its_side) and words in " ".join(cells).casefold()
    ]
    titles = [text(f"project.column.{column}") for column in COLUMNS]
    row.download_button(
        text("project.unaligned.download"),
        downloads.table_csv(titles, rows),
        file_name="unaligned.csv",
        mime="text/csv",
        key=f"unaligned_download_{name}",
        icon=":material/download:",
        on_click="ignore",
    )
    widths = dict(zip(titles, (70, 130, 270, 420, 330), strict=True))
    st.dataframe(
        [dict(zip(titles, row, strict=True)) for row in rows],
        hide_index=True,
        height=min(36 + 28 * max(len(rows), 1), 320),
        row_height=28,
        key=f"unaligned_table_{name}",
        column_config={
            title: st.column_config.Column(width=width) for title, width in widths.items()
        },
    )
