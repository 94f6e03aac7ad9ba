"""Tables of scores. Coverage and what is left out stand beside every number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

import streamlit as st

from review_app.core.scoring import empty_passes
from review_app.core.scoring.empty_passes import Solvability
from review_app.core.scoring.run_scores import Summary, Uncounted
from review_app.core.scoring.upstream_code import CodeCount
from review_app.core.simulation.scripted import MODEL
from review_app.ui.shared import curation_words, downloads, i18n, links, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import text
from review_app.workflows.runs.scores import Grades

CAUSES = ("pass", "agent", "user", "early_stop", "eval", "unknown")
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
    "empty_passes",
    "shown_solvable",
    "not_shown_solvable",
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


def parts(graded: Grades) -> Iterator[tuple[str, Summary]]:
    """All tasks, then the groups where it is known what was repaired."""
    yield "all", graded.total
    for name, summary in graded.groups.items():
        if summary.tasks and summary.tasks != graded.total.tasks:
            yield name, summary


def show(grades: Mapping[int, Grades]) -> None:
    """Each run, and its groups below it."""
    titles = [
        text(f"scores.column.{name}")
        for name in ("run", "group", "score", "rounds", "pass_k", "over", "left_out")
    ]
    rows = [row for run, graded in grades.items() for row in _rows(run, graded)]
    st.html(run_words.table(titles, rows))
    for words in (*_gaps(grades), *_proofs(grades)):
        st.html(curation_words.quiet(words))
    cells = [cell for run, graded in grades.items() for cell in _cells(run, graded)]
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


def _rows(run: int, graded: Grades) -> Iterator[Sequence[str]]:
    for at, (name, summary) in enumerate(parts(graded)):
        head = "" if at else _head(run, graded)
        yield head, safe(text(f"scores.group.{name}")), *_numbers(summary)


def _head(run: int, graded: Grades) -> str:
    url = f"/runs?{urlencode({'run': str(run)} | links.who_and_language())}"
    played = " · ".join(part for part in (graded.domain, graded.variant, who(graded)) if part)
    return (
        f"<a href='{escape(url)}' target='_self'><b>{run} · {safe(graded.label)}</b></a>"
        f"<div class='jt-muted'>{safe(played)} · {safe(graded.profile)}</div>"
    )


def who(graded: Grades, role: str = "agent") -> str:
    """Who plays a role; a script is said to be no model."""
    name = graded.models.get(role, "")
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


def _gaps(grades: Mapping[int, Grades]) -> list[str]:
    return [
        text("scores.gap", run=run, count=count, what=i18n.notice_text(missing))
        for run, graded in grades.items()
        for missing, count in graded.total.gaps.items()
    ]


def _proofs(grades: Mapping[int, Grades]) -> list[str]:
    return [
        text("scores.proof", run=run, what=i18n.notice_text(line))
        for run, graded in grades.items()
        for line in empty_passes.summary(graded.solvability)
    ]


def _cells(run: int, graded: Grades) -> Iterator[Sequence[object]]:
    for name, summary in parts(graded):
        span = summary.interval
        ks = [*summary.pass_k, "", "", "", ""][:4]
        values = [
            run,
            graded.label,
            graded.domain,
            graded.variant,
            graded.models.get("agent", ""),
            graded.models.get("user", ""),
            graded.profile,
            name,
            summary.tasks,
            summary.covered,
            summary.wanted,
            summary.counted,
            summary.outcomes["pass"],
            *(_proved(graded.solvability) if name == "all" else ("", "", "")),
            summary.outcomes["excluded"],
            summary.outcomes["rerun"],
            summary.mean,
            span.low if span else None,
            span.high if span else None,
            summary.round_mean,
            summary.round_std,
            *ks,
            graded.cost_usd,
            graded.unpriced,
        ]
        yield ["" if value is None else value for value in values]


def _proved(proved: Solvability) -> tuple[int, int, int]:
    return sum(proved.empty.values()), len(proved.shown), len(proved.not_shown)


# -- profiles and causes -----------------------------------------------------------------------


def show_profiles(grades: Mapping[int, Grades]) -> None:
    """Each run under every profile, as Table 3 compares two."""
    names = list(next(iter(grades.values())).profiles)
    titles = [text("scores.column.run"), *names]
    rows = [
        (
            f"{run} · {safe(graded.label)}",
            *(
                f"<b>{run_words.share(graded.profiles[name].mean)}</b>"
                f"<div>{coverage(graded.profiles[name])}</div>"
                for name in names
            ),
        )
        for run, graded in grades.items()
    ]
    st.html(
        curation_words.heading(text("scores.profiles"), text("scores.profiles_note"))
        + run_words.table(titles, rows)
    )
    for run, graded in grades.items():
        for words in _code_words(run, graded.upstream_code):
            st.html(curation_words.quiet(words))


def _code_words(run: int, code: CodeCount) -> Iterator[str]:
    """What upstream's own metrics say, where they count otherwise than its profile."""
    if code.differences:
        mean = run_words.share(code.mean)
        yield text("scores.upstream_code", run=run, mean=mean, count=code.counted)
    for difference, count in code.differences.items():
        yield text("scores.gap", run=run, count=count, what=i18n.notice_text(difference))


def show_causes(grades: Mapping[int, Grades]) -> None:
    """Whose fault failed trials were, by judge and by people, as Table 4."""
    st.html(curation_words.heading(text("scores.causes"), text("scores.causes_note")))
    rows = [row for run, graded in grades.items() for row in _cause_rows(run, graded)]
    if not rows:
        st.html(curation_words.quiet(text("scores.no_causes")))
        return
    titles = [
        text("scores.column.run"),
        text("scores.column.by"),
        *(text(f"scores.cause.{name}") for name in CAUSES),
    ]
    st.html(run_words.table(titles, rows, numbers=len(CAUSES)))
    for run, graded in grades.items():
        if graded.agreement.judged:
            kappa = "–" if graded.agreement.kappa is None else f"{graded.agreement.kappa:.2f}"
            st.html(
                curation_words.quiet(
                    text(
                        "scores.agreement",
                        run=run,
                        same=graded.agreement.same,
                        judged=graded.agreement.judged,
                        kappa=kappa,
                    )
                )
            )


def _cause_rows(run: int, graded: Grades) -> Iterator[Sequence[str]]:
    layers = {
        "record": graded.record_causes,
        "judge": graded.judge_causes,
        "human": graded.human_causes,
    }
    for layer, counts in layers.items():
        if counts is not None:
            numbers = [f"{counts.get(name, 0):,}" for name in CAUSES]
            yield f"{run} · {safe(graded.label)}", safe(text(f"scores.by.{layer}")), *numbers
