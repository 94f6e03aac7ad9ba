"""One run: how far it is, what it took, and its matrix of task by trial, live while it plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from review_app.core.scoring.accounting import PROFILES
from review_app.core.scoring.empty_passes import EmptyPass
from review_app.core.scoring.run_scores import summarize
from review_app.records.project import Job
from review_app.store import Store
from review_app.ui.runs import files
from review_app.ui.runs import list as runs_list
from review_app.ui.scores import tables
from review_app.ui.shared import curation_words, job_progress, links, run_words, session
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows import read_model
from review_app.workflows.background import jobs
from review_app.workflows.runs import attribution, lifecycle, passes
from review_app.workflows.runs.lifecycle import Cell, RunStatus
from review_app.workflows.runs.passes import RunPasses

LOOK_S = 2.0
"""How often a run under way is looked at."""
UNDER_WAY = ("waiting", "running", "cancelling")
ORDER = ("pass", "empty", "fail", "excluded", "running", "waiting")
TOLD_ELSEWHERE = ("trials", "preparing the domain")
"""What a job says that the progress bar says already, in the reader's language."""
_LETTERS = 14
"""Longer task ids get two columns instead of four."""


def show(store: Store, run_id: int) -> None:
    """A run, live as long as it is under way."""
    jobs.reap(store)
    run = read_model.run(store, run_id)
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.button(
        text("runs.back"),
        key="runs_back",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=runs_list.open_run,
        args=(None,),
    )
    row.html(f"<b>{run.id} · {safe(run.name)}</b>")
    with row:
        for page, icon in (
            ("candidates", ":material/checklist:"),
            ("scores", ":material/scatter_plot:"),
        ):
            links.to_page(page, text(f"common.page.{page}"), icon, run=str(run_id))
    session.show_notice()
    is_live = _is_live(store, lifecycle.status(store, run_id))
    st.fragment(_look, run_every=LOOK_S if is_live else None)(run_id, is_live)
    files.show_export(store, run)


def _is_live(store: Store, now: RunStatus) -> bool:
    judge = _judge_of(store, now)
    return now.state in UNDER_WAY or (judge is not None and judge.is_unfinished)


def _judge_of(store: Store, now: RunStatus) -> Job | None:
    """The newest job that let the judge speak on the run."""
    listed = read_model.jobs(store, "judge", now.run.domain)
    return next((job for job in listed if job.params.get("run") == now.run.id), None)


def _look(run_id: int, was_live: bool) -> None:
    with session.guard(), session.opened() as store:
        jobs.reap(store)
        now = lifecycle.status(store, run_id)
        cells = lifecycle.cells(store, now.run)
        if was_live and not _is_live(store, now):
            st.rerun()
        proved = passes.of_run(store, now.run)
        with st.container(border=True, key="run-status"):
            _show_progress(now, proved)
            _show_judge(store, now)
            _show_buttons(store, now)
        left, right = st.columns([13, 7], gap="medium")
        with left:
            _show_matrix(cells, proved)
        right.html(_facts(store, now))


# -- progress ----------------------------------------------------------------------------------


def _show_progress(now: RunStatus, proved: RunPasses) -> None:
    done = sum(now.outcomes.get(word, 0) for word in ("pass", "fail"))
    finished = min(sum(now.outcomes.values()), now.wanted)
    if now.state in UNDER_WAY:
        doing = "starting" if now.state == "running" and not now.units else now.state
        words = text(f"runs.doing.{doing}", done=finished, total=now.wanted)
        st.progress(finished / now.wanted if now.wanted else 0.0, words)
        facts = (*_spent(now.job), *_left(now, finished))
        st.caption(" · ".join(fact for fact in facts if fact))
    counted = text("runs.counted", counted=done, total=now.wanted)
    tally = {word: now.outcomes.get(word, 0) for word in ("pass", "fail", "excluded")}
    tally["excluded"] += now.outcomes.get("rerun", 0)
    words = " ".join(
        f"{run_words.badge(word)} {count:,}"
        for word, count in tally.items()
        if word != "excluded" or count
    )
    st.html(
        f"{run_words.state(now.state)} &nbsp; {words} &nbsp; "
        f"<span class='jt-muted'>{counted}</span>{run_words.proofs(proved.solvability)}"
    )
    if now.problem:
        show = st.error if now.state == "failed" else st.warning
        show(links.plain(notice_text(now.problem)), icon=":material/error:")


def _show_judge(store: Store, now: RunStatus) -> None:
    job = _judge_of(store, now)
    if job is None:
        return
    if job.is_unfinished:
        share = min(job.done / job.total, 1.0) if job.total else 0.0
        doing = "judging" if job.total else "judge_starts"
        st.progress(share, text(f"runs.{doing}", done=job.done, total=job.total))
        st.caption(" · ".join(fact for fact in _spent(job) if fact))
        st.button(
            text("common.cancel"),
            key="runs_judge_cancel",
            icon=":material/stop:",
            on_click=_cancel_judge,
            args=(job.id,),
            disabled=job.state == "cancelling",
        )
    elif job.state == "failed":
        why = job_progress.said(job)
        st.warning(links.plain(f"{text('runs.judge_failed')} {why}"), icon=":material/gavel:")


def _spent(job: Job | None) -> list[str]:
    """What happens now, and what the job has taken so far, trials under way included."""
    if job is None:
        return []
    facts = []
    if job.note is not None and str(job.note) not in TOLD_ELSEWHERE:
        facts.append(links.plain(notice_text(job.note)))
    if job.spent.tokens_in:
        facts.append(
            text(
                "translation.tokens", tokens_in=job.spent.tokens_in, tokens_out=job.spent.tokens_out
            )
        )
    return [*facts, job_progress.cost(job.spent)]


def _left(now: RunStatus, finished: int) -> list[str]:
    if not finished or now.job is None or not now.job.started_at or finished >= now.wanted:
        return []
    elapsed = datetime.now(UTC) - datetime.fromisoformat(now.job.started_at)
    seconds = elapsed.total_seconds() * (now.wanted - finished) / finished
    if seconds < 90:
        return [text("translation.seconds_left", count=round(seconds))]
    return [text("translation.minutes_left", count=round(seconds / 60))]


def _show_buttons(store: Store, now: RunStatus) -> None:
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    if now.state in UNDER_WAY and now.job is not None:
        row.button(
            text("common.cancel"),
            key="runs_cancel",
            icon=":material/stop:",
            help=text("runs.cancel_help"),
            on_click=_cancel,
            args=(now.run.id,),
            disabled=now.state == "cancelling",
        )
        row.caption(text("translation.browser_may_close"))
        log = str(jobs.log_path(store, now.job.id))
        st.html(f"<div class='jt-muted jt-mono'>{safe(log)}</div>")
    if now.resumable:
        if now.is_out_of_budget:
            row.number_input(
                text("runs.new_budget"),
                min_value=0.0,
                value=None,
                step=1.0,
                key="runs_new_budget",
                width=200,
            )
        row.button(
            text("runs.resume"),
            key="runs_resume",
            type="primary",
            icon=":material/resume:",
            help=text("runs.resume_help"),
            on_click=_resume,
            args=(now.run.id,),
        )
    if now.state == "done" and now.run.origin == "played" and not _is_live(store, now):
        row.button(
            text("runs.let_judge"),
            key="runs_judge_now",
            icon=":material/gavel:",
            help=text("runs.judge_help"),
            on_click=_judge,
            args=(now.run.id,),
            type="tertiary",
        )


def _cancel(run: int) -> None:
    with session.noted(), session.opened() as store:
        lifecycle.cancel(store, session.current_person(store), run)


def _cancel_judge(job: int) -> None:
    with session.noted(), session.opened() as store:
        jobs.cancel(store, session.current_person(store), job)


def _resume(run: int) -> None:
    with session.noted(), session.opened() as store:
        budget = st.session_state.get("runs_new_budget") or None
        lifecycle.resume(store, session.current_person(store), run, budget_usd=budget)


def _judge(run: int) -> None:
    with session.noted(), session.opened() as store:
        lifecycle.judge(store, session.current_person(store), run)


# -- the matrix --------------------------------------------------------------------------------


def _show_matrix(cells: Sequence[Cell], proved: RunPasses) -> None:
    if not cells:
        st.html(curation_words.quiet(text("runs.no_cells")))
        return
    tally = Counter(_shown(run_words.standing(cell, _empty(cell, proved))) for cell in cells)
    words = " ".join(
        f"<span class='jt-cell jt-{run_words.LOOKS[word]}'>{text(f'runs.letter.{word}')}</span> "
        f"{text(f'runs.outcome.{word}')} {tally[word]:,} &nbsp;"
        for word in ORDER
        if tally[word]
    )
    rows: dict[str, list[Cell]] = {}
    for cell in cells:
        rows.setdefault(cell.task_id, []).append(cell)
    long = " jt-long" if any(len(name) > _LETTERS for name in rows) else ""
    body = "".join(_task(name, trials, proved) for name, trials in rows.items())
    st.html(
        f"{curation_words.heading(text('runs.matrix'), text('runs.matrix_note'))}"
        f"<div class='jt-muted' style='font-size:0.85rem'>{words}</div>"
        f"<div class='jt-matrix{long}'>{body}</div>"
    )


def _shown(word: str) -> str:
    return "excluded" if word == "rerun" else word


def _empty(cell: Cell, proved: RunPasses) -> EmptyPass | None:
    return proved.empty.get(cell.attempts[-1].id)


def _task(name: str, cells: Sequence[Cell], proved: RunPasses) -> str:
    marks = "".join(
        run_words.mark(cell, empty=_empty(cell, proved))
        for cell in sorted(cells, key=lambda trial_cell: trial_cell.trial)
    )
    return f"<div><span class='jt-mono' title='{safe(name)}'>{safe(name)}</span>{marks}</div>"


# -- beside it ---------------------------------------------------------------------------------


def _facts(store: Store, now: RunStatus) -> str:
    run, units = now.run, read_model.trials(store, now.run.id)
    tokens = run_words.usage_tokens(unit.usage for unit in units)
    by = read_model.person(store, run.created_by).name if run.created_by else ""
    named = {
        "domain": safe(run.domain),
        "variant": safe(f"{run.variant} {run.locale}".strip()),
        "agent": safe(run_words.model(run)),
        "user": safe(run_words.model(run, "user")),
        "judge": safe(run_words.model(run, "judge")) if run.models.get("judge") else "",
        "trials": str(run.trials),
        "profile": safe(run.profile),
        "budget": f"{run.plan['budget_usd']:,.2f} USD" if run.plan.get("budget_usd") else "",
        "spent": run_words.money(now.cost_usd, now.unpriced) if any(tokens) else "",
        "tokens": f"{tokens[0]:,} + {tokens[1]:,}" if any(tokens) else "",
        "attempts": str(sum(unit.state != "waiting" for unit in units)),
        "started": f"{curation_words.moment(run.created_at)} {safe(by)}",
        "origin": text("runs.imported") if run.origin == "imported" else "",
    }
    facts = run_words.facts({text(f"runs.fact.{name}"): fact for name, fact in named.items()})
    return f"{curation_words.heading(text('runs.facts'))}{facts}{_reasons(store, now)}"


def _reasons(store: Store, now: RunStatus) -> str:
    """What was left out and why, by the run's own profile."""
    profile = PROFILES[now.run.profile]
    entries = attribution.entries(
        read_model.trials(store, now.run.id), profile, attribution.human_causes(store, now.run.id)
    )
    totals = summarize(entries, profile, {entry.task_id for entry in entries}, now.run.trials)
    head = curation_words.heading(text("runs.left_out"))
    if not totals.uncounted:
        return head + curation_words.quiet(text("runs.nothing_left_out"))
    rows = [
        (safe(tables.reason_words(reason)), f"{count:,}")
        for reason, count in totals.uncounted.items()
    ]
    titles = (text("runs.reason"), text("runs.count"))
    return head + run_words.table(titles, rows, numbers=1)
