"""Beside a conversation: how it ended, and what the task's gold asks for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from review_app.core.scoring.accounting import PROFILES, classify, counts
from review_app.core.scoring.reward import DEFAULT_BASIS, CommunicateCheck
from review_app.core.tasks.statediff import StateChange
from review_app.json_types import Json
from review_app.notices import Notice
from review_app.store import Store
from review_app.ui.shared import curation_words, markup, run_words
from review_app.ui.shared.environment_words import safe
from review_app.ui.shared.i18n import notice_text, text
from review_app.workflows.benchmark.environments import call_text
from review_app.workflows.runs import attribution
from review_app.workflows.runs.transcript import Transcript

SHOWN = 60
"""Differences listed."""
LONGEST = 160


def show(store: Store, trial: Transcript) -> None:
    """How the trial ended, then gold, end states, strings and assertions."""
    cause = attribution.human_causes(store, trial.run.id).get(trial.unit.id)
    st.html(_ending(trial, attribution.facts(trial.unit, cause)))
    st.html(_gold(trial) + _state(trial) + _strings(trial) + _assertions(trial.unit.reward_info))


# -- the end -----------------------------------------------------------------------------------


def _ending(trial: Transcript, known: Any) -> str:
    unit = trial.unit
    tokens = run_words.usage_tokens([unit.usage])
    attribution_of_end = classify(known)
    outcome = counts(known, PROFILES[trial.run.profile])
    named = {
        "outcome": run_words.badge(outcome),
        "empty": safe(run_words.why_empty(trial.empty)) if outcome == "pass" else "",
        "early": _early(trial) if outcome != "pass" else "",
        "reward": "" if unit.reward is None else f"{unit.reward:g}",
        "end": run_words.mono(unit.termination_reason or ""),
        "stop": _stop(trial),
        "fault": _fault(unit.fault, attribution_of_end.rule_id),
        "steps": text("transcript.steps_value", steps=unit.steps, errors=unit.tool_errors),
        "time": "" if unit.duration_s is None else f"{unit.duration_s:.1f} s",
        "tokens": f"{tokens[0]:,} + {tokens[1]:,}" if any(tokens) else "",
        "cost": run_words.money(unit.cost_usd, unit.unpriced) if any(tokens) else "",
        "agent": safe(run_words.model(trial.run)),
        "user": safe(run_words.model(trial.run, "user")),
        "seed": "" if unit.seed is None else str(unit.seed),
    }
    return run_words.facts({text(f"transcript.fact.{name}"): fact for name, fact in named.items()})


def _early(trial: Transcript) -> str:
    """That the user ended a trial before the agent's first turn, and how."""
    if trial.early is None:
        return ""
    return safe(f"{text('runs.cause.early_stop')}: {run_words.why_empty(trial.early)}")


def _stop(trial: Transcript) -> str:
    token = trial.unit.stop_token
    if not token:
        return ""
    places = [
        at
        for at, message in enumerate(trial.messages)
        if message.get("role") == "user" and token in str(message.get("content") or "")
    ]
    where = text("transcript.in_message", number=places[-1]) if places else ""
    return f"{run_words.mono(token)} <span class='jt-muted'>{where}</span>"


def _fault(fault: Json | None, rule_id: str) -> str:
    if fault is None:
        return ""
    words = " · ".join(
        f"{name}: {fault[name]}"
        for name in ("speaker", "finish_reason", "provider_reason", "error", "detail")
        if fault.get(name)
    )
    kind = safe(str(fault.get("kind", "")))
    return f"<b>{kind}</b> {run_words.mono(rule_id)}<div>{safe(words)}</div>"


# -- the gold ----------------------------------------------------------------------------------


def _gold(trial: Transcript) -> str:
    head = curation_words.heading(text("transcript.gold"))
    if trial.recount is None:
        return head + curation_words.quiet(text("transcript.no_databases"))
    if not trial.recount.actions:
        return head + curation_words.quiet(text("transcript.no_gold"))
    rows = []
    for check, step in zip(trial.recount.actions, trial.recount.gold, strict=True):
        said = call_text(str(check.action.get("name", "")), check.action.get("arguments", {}))
        refused = "" if step.ok else f"<div class='jt-warning'>{_refused(step.error)}</div>"
        hint = f" <span class='jt-muted'>{_hint(check.hint)}</span>" if check.hint else ""
        rows.append(f"{_met(check.match)}{hint} <span class='jt-mono'>{safe(said)}</span>{refused}")
    note = "" if trial.as_run else curation_words.quiet(text("transcript.todays_databases"))
    return head + note + markup.items(rows)


def _refused(error: str) -> str:
    return safe(text("transcript.gold_refused", error=error))


def _met(met: bool) -> str:
    look, word = ("approved", "matched") if met else ("error", "unmatched")
    return f"<span class='jt-state jt-{look}'>{text(f'transcript.{word}')}</span>"


def _state(trial: Transcript) -> str:
    if trial.recount is None:
        return ""
    differences = trial.recount.differences
    head = curation_words.heading(text("transcript.state"))
    criteria = trial.task.get("evaluation_criteria") or {}
    if "DB" not in (criteria.get("reward_basis") or DEFAULT_BASIS):
        head += curation_words.quiet(text("transcript.state_unscored"))
    if not differences:
        same = f"<span class='jt-state jt-approved'>{text('transcript.same_state')}</span>"
        return f"{head}<div style='font-size:0.88rem'>{same}</div>"
    titles = [text(f"transcript.column.{name}") for name in ("field", "expected", "found")]
    rows = [_difference(difference) for difference in differences[:SHOWN]]
    more = len(differences) - SHOWN
    note = curation_words.quiet(text("transcript.more", count=more)) if more > 0 else ""
    return head + run_words.table(titles, rows, is_even=True) + note


def _difference(change: StateChange) -> tuple[str, str, str]:
    place = f"{change.record}: {change.field}" if change.field else change.record
    is_record = not change.field and change.kind != "changed"
    expected, actual = (
        text("transcript.missing")
        if change.kind == gone
        else text("transcript.there")
        if is_record
        else _value(value)
        for gone, value in (("added", change.old), ("removed", change.new))
    )
    return safe(place), expected, actual


def _value(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return run_words.mono(shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…")


def _strings(trial: Transcript) -> str:
    checks: Sequence[CommunicateCheck] = trial.recount.communicate if trial.recount else ()
    if not checks:
        return ""
    rows = [
        f"<span class='jt-state jt-{'approved' if check.met else 'error'}'>"
        f"{text('transcript.found' if check.met else 'transcript.not_found')}</span> "
        f"<span class='jt-mono'>{safe(check.info)}</span> "
        f"<span class='jt-muted'>{_hint(check.hint)}</span>"
        for check in checks
    ]
    amounts = trial.recount.amounts if trial.recount else ()
    if amounts and not all(check.met for check in checks):
        said = " ".join(map(run_words.mono, amounts[:SHOWN]))
        rows.append(f"<span class='jt-muted'>{text('transcript.amounts')}</span> {said}")
    return curation_words.heading(text("transcript.strings")) + markup.items(rows)


def _hint(hint: Notice | None) -> str:
    """What a person would want to know of a verdict, in the interface's language."""
    return safe(notice_text(hint)) if hint else ""


def _assertions(info: Json | None) -> str:
    listed = [
        (check.get("met"), _asserted(check))
        for name in ("env_assertions", "nl_assertions")
        for check in (info or {}).get(name) or ()
    ]
    if not listed:
        return ""
    rows = [f"{_met(bool(met))} {said}" for met, said in listed]
    return curation_words.heading(text("transcript.assertions")) + markup.items(rows)


def _asserted(check: Json) -> str:
    if "nl_assertion" in check:
        reason = f"<div class='jt-muted'>{safe(str(check.get('justification') or ''))}</div>"
        return f"{safe(str(check['nl_assertion']))}{reason}"
    assertion = check.get("env_assertion") or {}
    return run_words.mono(
        call_text(str(assertion.get("func_name", "")), assertion.get("arguments", {}))
    )
