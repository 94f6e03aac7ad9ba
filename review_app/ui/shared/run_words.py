"""How the pages of runs write outcomes, money, models and links to transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from review_app.core.scoring.empty_passes import NAMES, EmptyPass, Solvability, summary
from review_app.core.simulation.scripted import MODEL
from review_app.records.runs import Run
from review_app.ui.shared import curation_words, links
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.runs.lifecycle import Cell

LOOKS = {
    "pass": "approved",
    "empty": "contested",
    "fail": "error",
    "excluded": "stale",
    "rerun": "stale",
    "running": "in_review",
    "waiting": "untranslated",
    "cancelling": "contested",
    "stopped": "contested",
    "failed": "error",
    "done": "approved",
}
"""Whose colours an outcome or a run's state borrows."""


def badge(word: str) -> str:
    """An outcome of a trial, as colour and word."""
    return _state(word, text(f"runs.outcome.{word}"))


def state(word: str) -> str:
    """A run's state, as colour and word."""
    return _state(word, text(f"runs.state.{word}"))


def _state(word: str, shown: str) -> str:
    return f"<span class='jt-state jt-{LOOKS[word]}'>{escape(shown)}</span>"


def standing(cell: Cell, empty: EmptyPass | None = None) -> str:
    """What a cell of the matrix says: its outcome, else whether it runs or waits.

    A pass that proves nothing is `empty`.
    """
    outcome = cell.outcome or cell.attempts[-1].state
    return "empty" if outcome == "pass" and empty else outcome


def why_empty(empty: EmptyPass | None) -> str:
    """Why a pass proves nothing, in words."""
    return notice_text(NAMES[empty]) if empty else ""


def proofs(proved: Solvability) -> str:
    """What the passes of a run prove, as HTML; empty where all of them count."""
    return "".join(curation_words.quiet(notice_text(line)) for line in summary(proved))


def mark(
    cell: Cell, attempt: int = -1, *, is_open: bool = False, empty: EmptyPass | None = None
) -> str:
    """A cell of the matrix: colour and letter, the word on hover, a link to the transcript.

    Args:
        cell: One trial number of one task.
        attempt: Which of its attempts; the last one says how the trial stands.
        is_open: Whether it is the one that is being read.
        empty: Why its pass proves nothing, if that is so.
    """
    shown = cell.attempts[attempt]
    word = standing(cell, empty) if shown is cell.attempts[-1] else "excluded"
    said = text(
        "runs.cell",
        trial=cell.trial + 1,
        word=text(f"runs.outcome.{word}"),
        attempt=shown.attempt + 1,
    )
    if word == "empty":
        said += f": {why_empty(empty)}"
    look = f"class='jt-cell jt-{LOOKS[word]}' title='{escape(said)}'"
    if is_open:
        look += " style='outline:2px solid #1f5f8b'"
    letter = escape(text(f"runs.letter.{word}"))
    if shown.state != "done":
        return f"<span {look}>{letter}</span>"
    return f"<a {look} href='{escape(transcript_url(shown.id))}' target='_self'>{letter}</a>"


def transcript_url(unit: int) -> str:
    """A link to a transcript, as the same person in the same language."""
    return f"/transcript?{urlencode({'unit': str(unit)} | links.who_and_language())}"


def money(cost: float | None, unpriced: int = 0) -> str:
    """What calls cost; a price that nobody knows is not zero. Empty where there was no call."""
    if cost is None:
        return text("runs.unpriced") if unpriced else ""
    dollars = f"{cost:,.4f} USD"
    return f"{dollars} + {text('runs.unpriced_calls', count=unpriced)}" if unpriced else dollars


def share(ratio: float | None) -> str:
    """A ratio as a percentage; a dash where there is none."""
    return "–" if ratio is None else f"{100 * ratio:.1f} %"


def model(run: Run, role: str = "agent") -> str:
    """Who plays a role of a run; a script is said to be no model."""
    name = str((run.models.get(role) or {}).get("model") or "")
    if name == MODEL:
        return text("runs.no_model")
    return f"{name} ({text('runs.agent.oracle')})" if _is_told(run, role) else name


def _is_told(run: Run, role: str) -> bool:
    return role == "agent" and run.agent_kind == "oracle"


def table(
    head: Iterable[str], rows: Iterable[Iterable[str]], *, numbers: int = 0, is_even: bool = False
) -> str:
    """A table of ready-made cells.

    Args:
        head: Titles.
        rows: Cells as HTML.
        numbers: So many columns at the right are numbers.
        is_even: All columns equally wide, whatever they hold.
    """
    titles = list(head)
    first = len(titles) - numbers
    top = "".join(
        f"<th{_right(at >= first)}>{escape(title)}</th>" for at, title in enumerate(titles)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td class='{'jt-num' if at >= first else ''}'>{cell}</td>"
            for at, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    layout = " style='table-layout:fixed'" if is_even else ""
    return f"<table class='jt-table'{layout}><tr>{top}</tr>{body}</table>"


def _right(is_number: bool) -> str:
    return " style='text-align:right'" if is_number else ""


def facts(named: Mapping[str, str]) -> str:
    """Names and ready-made values, one line each."""
    rows = "".join(
        f"<tr><td class='jt-muted' style='width:8.5rem'>{escape(name)}</td><td>{value}</td></tr>"
        for name, value in named.items()
        if value
    )
    return f"<table class='jt-table'>{rows}</table>"


def usage_tokens(usages: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Tokens in and out of trials, both sides together."""
    sides = [side for usage in usages for side in usage.values() if isinstance(side, Mapping)]
    return (
        sum(int(side.get("tokens_in") or 0) for side in sides),
        sum(int(side.get("tokens_out") or 0) for side in sides),
    )


def mono(content: str) -> str:
    """An identifier, escaped."""
    return f"<span class='jt-mono'>{safe(content)}</span>"
