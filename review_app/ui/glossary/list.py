"""The glossary's filter line and grid."""

from __future__ import annotations

from typing import get_args

from review_app.models import Term, TermMode
from review_app.ui.glossary import editor
from review_app.ui.shared import filters, grid
from review_app.ui.shared.i18n import text

EVERYWHERE = "*"
WIDTHS = {
    "source": 155,
    "target": 150,
    "mode": 70,
    "category": 130,
    "domain": 80,
    "variants": 130,
    "accepted": 110,
    "exceptions": 110,
    "note": 120,
    "used": 58,
    "violated": 68,
}


def filtered(terms: list[Term]) -> list[Term]:
    """The filter line, kept in the URL; returns the terms that pass."""
    options = {
        "domain": sorted({term.domain or EVERYWHERE for term in terms}),
        "category": sorted({term.category for term in terms if term.category}),
        "mode": list(get_args(TermMode)),
    }
    row = filters.line()
    chosen = filters.choices(row, "glossary", options, "glossary.column", _option, 190)
    words = filters.search(row, "glossary", 260)
    row.button(
        text("glossary.add"),
        key="glossary_add",
        icon=":material/add:",
        on_click=editor.open_term,
        args=(0,),
    )
    return [term for term in terms if _passes(term, chosen, words)]


def _option(name: str, value: str) -> str:
    """How a choice of a filter reads."""
    if name == "mode":
        return text(f"glossary.mode.{value}")
    return text("glossary.everywhere") if value == EVERYWHERE else value


def _passes(term: Term, chosen: dict[str, str], words: str) -> bool:
    spelt = (term.source, term.target, *term.variants, *term.accepted, term.note)
    return (
        chosen["domain"] in ("", term.domain or EVERYWHERE)
        and chosen["category"] in ("", term.category)
        and chosen["mode"] in ("", term.mode)
        and (not words or any(words in spelling.casefold() for spelling in spelt))
    )


def show(terms: list[Term], used: dict[int, int], violated: dict[int, int]) -> None:
    """The terms as a table; choosing a row opens it below."""
    rows = [
        {
            "source": term.source,
            "target": term.target,
            "mode": text(f"glossary.mode.{term.mode}"),
            "category": term.category,
            "domain": term.domain or text("glossary.everywhere"),
            "variants": ", ".join(term.variants),
            "accepted": ", ".join(term.accepted),
            "exceptions": ", ".join(term.exceptions),
            "note": term.note,
            "used": used.get(term.id, 0),
            "violated": violated.get(term.id, 0),
        }
        for term in terms
    ]
    grid.show(
        "glossary",
        rows,
        [term.id for term in terms],
        opened=editor.chosen(),
        columns={name: (text(f"glossary.column.{name}"), width) for name, width in WIDTHS.items()},
        on_open=editor.open_row,
    )
