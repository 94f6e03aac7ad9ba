"""A trial of this app in the form of the benchmark's results files.

Source: format specification, sections 4.3 to 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review_app.core.results.facts import OWN_KEY, fault_info
from review_app.core.scoring.accounting import classify
from review_app.core.scoring.reward import Score
from review_app.core.simulation.judges import AssertionsVerdict
from review_app.core.simulation.records import Trial
from review_app.json_types import Json


@dataclass(frozen=True, slots=True)
class Played:
    """What a record holds beside trial and score: who, when."""

    id: str
    task_id: str
    trial: int
    """From 0."""
    start_time: str
    """ISO 8601."""
    end_time: str
    duration_s: float


def simulation_record(
    played: Played,
    trial: Trial,
    score: Score,
    task: Json,
    assertions: AssertionsVerdict | None = None,
) -> dict[str, Any]:
    """A trial as a record of a results file; our own facts stand in its `info`.

    Args:
        played: Ids and times.
        trial: What the players did.
        score: What it was worth.
        task: Raw task, for the wording of its assertions.
        assertions: The judge's verdicts, if there were any to give.
    """
    facts = trial.facts(score.reward)
    own = {
        "rule_id": classify(facts).rule_id,
        "stop_token": trial.stop_token,
        "steps": trial.steps,
        "tool_errors": trial.tool_errors,
    }
    info = fault_info(trial.fault) if trial.fault else {}
    return {
        "id": played.id,
        "task_id": played.task_id,
        "timestamp": played.end_time,
        "start_time": played.start_time,
        "end_time": played.end_time,
        "duration": played.duration_s,
        "termination_reason": trial.termination_reason,
        "agent_cost": trial.agent.total_usd,
        "user_cost": trial.user.total_usd,
        "reward_info": reward_record(score, task, assertions),
        "messages": list(trial.messages),
        "trial": played.trial,
        "seed": trial.seed,
        "mode": "half_duplex",
        "info": {**info, OWN_KEY: {**info.get(OWN_KEY, {}), **own}},
    }


def reward_record(
    score: Score, task: Json, assertions: AssertionsVerdict | None = None
) -> dict[str, Any] | None:
    """A score as `reward_info`; None where the score is undecided."""
    if score.reward is None:
        return None
    record: dict[str, Any] = {
        "reward": score.reward,
        "reward_basis": None if score.basis is None else list(score.basis),
        "reward_breakdown": dict(score.breakdown),
        "info": {"note": str(score.note)} if score.note else None,
    }
    if score.env is None:
        return record
    db_match = score.env.db_match
    record["db_check"] = (
        None if db_match is None else {"db_match": db_match, "db_reward": float(db_match)}
    )
    record["env_assertions"] = [
        {"env_assertion": assertion.assertion, "met": assertion.met, "reward": float(assertion.met)}
        for assertion in score.env.assertions
    ]
    record["action_checks"] = [
        {
            "action": action.action,
            "action_match": action.match,
            "action_reward": float(action.match),
            "tool_type": action.kind,
        }
        for action in score.actions
    ]
    record["communicate_checks"] = [
        {"info": check.info, "met": check.met, "justification": str(check.hint or "")}
        for check in score.communicate
    ]
    record["nl_assertions"] = _assertions(task, assertions)
    return record


def info_record(
    domain: str,
    policy: str,
    agent: Json,
    user: Json,
    *,
    num_trials: int,
    max_steps: int,
    max_errors: int,
    seed: int | None,
) -> dict[str, Any]:
    """The `info` of a results file.

    Args:
        domain: As the benchmark names it.
        policy: What the agent was given.
        agent: `{"implementation", "llm", "llm_args"}`, keys and addresses left out.
        user: The same, and `global_simulation_guidelines`.
        num_trials: Of each task.
        max_steps: See `Limits` in `core/simulation/records.py`.
        max_errors: See there.
        seed: Of the run.
    """
    return {
        "git_commit": "unknown",
        "num_trials": num_trials,
        "max_steps": max_steps,
        "max_errors": max_errors,
        "user_info": dict(user),
        "agent_info": dict(agent),
        "environment_info": {"domain_name": domain, "policy": policy},
        "seed": seed,
    }


def _assertions(task: Json, verdict: AssertionsVerdict | None) -> list[dict[str, Any]]:
    wanted = (task.get("evaluation_criteria") or {}).get("nl_assertions") or ()
    if verdict is None or verdict.met is None:
        return []
    return [
        {"nl_assertion": text, "met": met, "justification": reason}
        for text, met, reason in zip(wanted, verdict.met, verdict.reasons, strict=True)
    ]
