"""Tables of scores. Coverage and what is left out stand beside every number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

import streamlit as st

from review_app.core.scoring.run_scores import Summary, Uncounted
from review_app.core.simulation.scripted import MODEL
from review_app.ui.shared import curation_words, downloads, i18n, links, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows.runs.scores import Grades

CAUSES = ("pass", "agent", "user", "eval", "unknown")
COLUMNS = (
    "run",
    "name",
    "domain",
    "variant",
    "agent",
    "user",
    "profile",
    "group",
    "tasks",
    "covered",
    "wanted_trials",
    "counted",
    "passed",
    "excluded",
    "rerun",
    "mean",
    "low",
    "high",
    "round_mean",
    "round_std",
    "pass_1",
    "pass_2",
    "pass_3",
    "pass_4",
    "cost_usd",
    "unpriced",
)


def parts(one: Grades) -> Iterator[tuple[str, Summary]]:
    """All tasks, then the groups where it is known what was repaired."""
    yield "all", one.total
    for name, summary in one.groups.items():
        if summary.tasks and summary.tasks != one.total.tasks:
            yield name, summary


def show(found: Mapping[int, Grades]) -> None:
    """Each run, and its groups below it."""
    titles = [
        text(f"scores.column.{name}")
        for name in ("run", "group", "score", "rounds", "pass_k", "over", "left_out")
    ]
    rows = [row for run, one in found.items() for row in _rows(run, one)]
    st.html(run_words.table(titles, rows))
    for words in _gaps(found):
        st.html(curation_words.quiet(words))
    cells = [cell for run, one in found.items() for cell in _cells(run, one)]
    st.download_button(
        text("statistics.csv"),
        downloads.table_csv(COLUMNS, cells),
        file_name="scores.csv",
        mime="text/csv",
        key="scores_csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def _rows(run: int, one: Grades) -> Iterator[Sequence[str]]:
    for at, (name, summary) in enumerate(parts(one)):
        head = "" if at else _head(run, one)
        yield head, safe(text(f"scores.group.{name}")), *_numbers(summary)


def _head(run: int, one: Grades) -> str:
    url = f"/runs?{urlencode({'run': str(run)} | links.who_and_language())}"
    played = " · ".join(part for part in (one.domain, one.variant, who(one)) if part)
    return (
        f"<a href='{escape(url)}' target='_self'><b>{run} · {safe(one.label)}</b></a>"
        f"<div class='jt-muted'>{safe(played)} · {safe(one.profile)}</div>"
    )


def who(one: Grades, role: str = "agent") -> str:
    """Who plays a role; a script is said to be no model."""
    name = one.models.get(role, "")
    return text("runs.no_model") if name == MODEL else name


def _numbers(summary: Summary) -> tuple[str, ...]:
    spread = "" if summary.round_std is None else f" ± {100 * summary.round_std:.1f}"
    rounds = run_words.share(summary.round_mean).removesuffix(" %") + spread
    ks = " ".join(
        f"<span class='jt-muted'>^{k}</span> {100 * value:.1f}"
        for k, value in enumerate(summary.pass_k, 1)
    )
    return (
        f"<b>{run_words.share(summary.mean)}</b> {span(summary)}",
        rounds,
        ks,
        coverage(summary),
        _left_out(summary),
    )


def span(summary: Summary) -> str:
    """The interval of a score, as HTML; empty where there is none."""
    if summary.interval is None:
        return ""
    low, high = f"{100 * summary.interval.low:.1f}", f"{100 * summary.interval.high:.1f}"
    return f"<span class='jt-muted'>{text('scores.interval', low=low, high=high)}</span>"


def coverage(summary: Summary) -> str:
    """Over how many tasks and trials a number is, as HTML; loud where tasks are missing."""
    words = text("scores.over", covered=summary.covered, tasks=summary.tasks)
    trials = text("scores.trials", count=summary.counted, wanted=summary.tasks * summary.wanted)
    look = "" if summary.is_complete else " class='jt-state jt-contested'"
    return f"<span{look}>{words}</span> <span class='jt-muted'>{trials}</span>"


def _left_out(summary: Summary) -> str:
    rows = [f"{count} × {reason_words(reason)}" for reason, count in summary.uncounted.items()]
    return "<br>".join(map(safe, rows)) or "<span class='jt-muted'>0</span>"


def reason_words(reason: Uncounted) -> str:
    """Why trials are not counted, in the interface's language."""
    if reason.cause:
        return text("runs.by_person", cause=text(f"runs.cause.{reason.cause}"))
    said = text(f"runs.kind.{reason.kind}")
    return f"{text(f'runs.role.{reason.speaker}')}: {said}" if reason.speaker else said


def _gaps(found: Mapping[int, Grades]) -> list[str]:
    return [
        text("scores.gap", run=run, count=count, what=i18n.notice_text(missing))
        for run, one in found.items()
        for missing, count in one.total.gaps.items()
    ]


def _cells(run: int, one: Grades) -> Iterator[Sequence[object]]:
    for name, each in parts(one):
        span = each.interval
        ks = [*each.pass_k, "", "", "", ""][:4]
        values = [
            run,
            one.label,
            one.domain,
            one.variant,
            one.models.get("agent", ""),
            one.models.get("user", ""),
            one.profile,
            name,
            each.tasks,
            each.covered,
            each.wanted,
            each.counted,
            each.outcomes["pass"],
            each.outcomes["excluded"],
            each.outcomes["rerun"],
            each.mean,
            span.low if span else None,
            span.high if span else None,
            each.round_mean,
            each.round_std,
            *ks,
            one.cost_usd,
            one.unpriced,
        ]
        yield ["" if value is None else value for value in values]


# -- profiles and causes -----------------------------------------------------------------------


def show_profiles(found: Mapping[int, Grades]) -> None:
    """Each run under every profile, as Table 3 compares two."""
    names = list(next(iter(found.values())).profiles)
    titles = [text("scores.column.run"), *names]
    rows = [
        (
            f"{run} · {safe(one.label)}",
            *(
                f"<b>{run_words.share(one.profiles[name].mean)}</b>"
                f"<div>{coverage(one.profiles[name])}</div>"
                for name in names
            ),
        )
        for run, one in found.items()
    ]
    st.html(
        curation_words.heading(text("scores.profiles"), text("scores.profiles_note"))
        + run_words.table(titles, rows)
    )


def show_causes(found: Mapping[int, Grades]) -> None:
    """Whose fault failed trials were, by judge and by people, as Table 4."""
    st.html(curation_words.heading(text("scores.causes"), text("scores.causes_note")))
    rows = [row for run, one in found.items() for row in _cause_rows(run, one)]
    if not rows:
        st.html(curation_words.quiet(text("scores.no_causes")))
        return
    titles = [
        text("scores.column.run"),
        text("scores.column.by"),
        *(text(f"scores.cause.{name}") for name in CAUSES),
    ]
    st.html(run_words.table(titles, rows, numbers=len(CAUSES)))
    for run, one in found.items():
        if one.agreement.judged:
            kappa = "–" if one.agreement.kappa is None else f"{one.agreement.kappa:.2f}"
            st.html(
                curation_words.quiet(
                    text(
                        "scores.agreement",
                        run=run,
                        same=one.agreement.same,
                        judged=one.agreement.judged,
                        kappa=kappa,
                    )
                )
            )


def _cause_rows(run: int, one: Grades) -> Iterator[Sequence[str]]:
    for layer, counts in (("judge", one.judge_causes), ("human", one.human_causes)):
        if counts is not None:
            numbers = [f"{counts.get(name, 0):,}" for name in CAUSES]
            yield f"{run} · {safe(one.label)}", safe(text(f"scores.by.{layer}")), *numbers
