"""Judges over a finished run: assertions in words, causes of failures, errors of the user.

Each verdict is added to those before it, with the judge's raw answer; none is changed.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import msgspec

from review_app.core.results.records import reward_record
from review_app.core.scoring.accounting import classify
from review_app.core.scoring.reward import ScoredRun as Scored
from review_app.core.scoring.reward import score
from review_app.core.simulation import scripted
from review_app.core.simulation.judges import AssertionsVerdict, judge_assertions, judge_cause
from review_app.core.simulation.records import Complete, Reply
from review_app.core.simulation.user_review import (
    ReviewRates,
    UserError,
    UserReview,
    review_rates,
    review_user,
)
from review_app.json_types import JsonObject
from review_app.notices import Notice
from review_app.records.runs import NewTrialVerdict, TrialUnit, TrialVerdict, VerdictKind
from review_app.store import Store
from review_app.workflows.runs import attribution
from review_app.workflows.runs.snapshot import Stage


def wanted(
    store: Store, stage: Stage, unit: TrialUnit, kinds: tuple[VerdictKind, ...], again: bool = False
) -> list[VerdictKind]:
    """What a judge has to say of a finished trial and has not said yet.

    Args:
        store: The review database.
        stage: What the run is made of.
        unit: The trial.
        kinds: What is judged at all.
        again: Also what was judged before.
    """
    if unit.state != "done" or unit.termination_reason == "infrastructure_error":
        return []
    said = store.units.verdicts(unit=unit.id)
    open_kinds: list[VerdictKind] = []
    for kind in kinds:
        if not again and attribution.latest(said, "judge", kind) is not None:
            continue
        if kind == "assertions" and not _assertions(stage, unit):
            continue
        if kind == "cause" and unit.reward is not None and unit.reward >= 1.0:
            continue
        open_kinds.append(kind)
    return open_kinds


async def judge_unit(
    store: Store, stage: Stage, unit_id: int, kind: VerdictKind, complete: Complete
) -> Reply | None:
    """Ask a judge about a trial and keep what it says; returns its reply.

    A judge that could not be reached leaves no verdict: it is asked again by the next run.
    """
    unit, messages = store.units.get(unit_id), store.units.messages(unit_id)
    task, prompt = stage.tasks[unit.task_id], stage.judges[kind]
    if kind == "assertions":
        verdict = await judge_assertions(
            complete, prompt, _assertions(stage, unit), messages, seed=unit.seed
        )
        new = NewTrialVerdict("judge", kind, content=_content(verdict))
        reply = verdict.reply
    elif kind == "cause":
        cause = await judge_cause(
            complete, prompt, task, messages, ending=_ending(unit), seed=unit.seed
        )
        new = NewTrialVerdict(
            layer="judge",
            kind=kind,
            cause=cause.cause,
            turn=cause.turn_idx,
            note=cause.reasoning,
            content={"problem": _problem(cause.problem)},
        )
        reply = cause.reply
    else:
        review = await review_user(
            complete,
            prompt,
            task,
            messages,
            guideline=stage.guideline,
            language=stage.language,
            seed=unit.seed,
        )
        errors = [asdict(error) for error in review.errors]
        content = {"state": review.state, "errors": errors, "problem": _problem(review.problem)}
        new = NewTrialVerdict(layer="judge", kind=kind, note=review.summary, content=content)
        reply = review.reply
    if reply is None or reply.error:
        return reply
    _keep(store, stage, unit, messages, new, reply, prompt)
    return reply


def _keep(
    store: Store,
    stage: Stage,
    unit: TrialUnit,
    messages: Any,
    new: NewTrialVerdict,
    reply: Reply,
    prompt: str,
) -> None:
    whole = replace(
        new,
        raw=reply.text,
        model=reply.model,
        prompt_hash=sha256(prompt.encode()).hexdigest(),
        cost_usd=reply.cost_usd,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
    )
    with store.write("judge"):
        store.units.add_verdict(unit.id, whole)
        if new.kind == "assertions":
            put_reward(store, stage, unit, messages, assertions_verdict(whole))


def put_reward(
    store: Store, stage: Stage, unit: TrialUnit, messages: Any, verdict: AssertionsVerdict | None
) -> None:
    """Score a finished trial anew with a judge's verdict on its assertions."""
    task = stage.tasks[unit.task_id]
    met = None if verdict is None else verdict.met
    graded = score(task, Scored(messages, unit.termination_reason or "", met), stage.open())
    info = reward_record(graded, task, verdict)
    facts = replace(attribution.facts(unit), reward=graded.reward)
    store.units.put_reward(unit.id, graded.reward, info, classify(facts).rule_id)


def assertions_verdict(verdict: NewTrialVerdict) -> AssertionsVerdict:
    """A kept verdict on assertions as it was given."""
    content = verdict.content
    return AssertionsVerdict(
        verdicts=tuple(content["each"]),
        reasons=tuple(content["reasons"]),
        reply=None,
        problem=Notice.from_json(content["problem"]) if content["problem"] else None,
    )


async def stand_in(stage: Stage, task_id: str, messages: Any) -> AssertionsVerdict:
    """What stands in for a judge where scripted players are no models: every assertion is met."""
    listed = (stage.tasks[task_id].get("evaluation_criteria") or {}).get("nl_assertions") or ()
    return await judge_assertions(scripted.scripted_judge(listed), "", listed, messages)


def reviews(verdicts: list[TrialVerdict]) -> list[UserReview]:
    """The reviews of users that hold, one for each trial that was reviewed."""
    newest = {v.unit_id: v for v in verdicts if (v.layer, v.kind) == ("judge", "user_review")}
    return [
        UserReview(
            state=verdict.content["state"],
            errors=msgspec.convert(verdict.content["errors"], tuple[UserError, ...]),
            summary=verdict.note,
            reply=Reply(text=verdict.raw, model=verdict.model),
            problem=Notice.from_json(kept) if (kept := verdict.content["problem"]) else None,
        )
        for verdict in newest.values()
    ]


def user_rates(store: Store, run_id: int) -> ReviewRates:
    """err% and crit% of a run's user simulator, as in Table 31."""
    return review_rates(reviews(store.units.verdicts(run=run_id)))


def _assertions(stage: Stage, unit: TrialUnit) -> list[str]:
    criteria = stage.tasks[unit.task_id].get("evaluation_criteria") or {}
    return list(criteria.get("nl_assertions") or ())


def _content(verdict: AssertionsVerdict) -> JsonObject:
    return {
        "each": list(verdict.verdicts),
        "reasons": list(verdict.reasons),
        "problem": _problem(verdict.problem),
    }


def _problem(notice: Notice | None) -> str:
    """Why a verdict is unknown, as it is stored."""
    return notice.to_json() if notice else ""


def _ending(unit: TrialUnit) -> str:
    """How a trial ended and which checks failed, for the judge of causes."""
    info = unit.reward_info or {}
    lines = [f"termination: {unit.termination_reason}", f"reward: {unit.reward}"]
    lines += [f"{name}: {value}" for name, value in (info.get("reward_breakdown") or {}).items()]
    lines += [
        f"not communicated: {check['info']}"
        for check in info.get("communicate_checks") or ()
        if not check["met"]
    ]
    return "\n".join(lines)
