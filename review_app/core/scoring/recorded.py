"""A score in the form in which the conformance records write it."""

from __future__ import annotations

from review_app.core.scoring.reward import EnvVerdict, Score
from review_app.json_types import Json

_ASSERTION = ("env_type", "func_name", "arguments", "assert_value")


def component_records(result: Score) -> dict[str, Json]:
    """`env`, `action`, `communicate` and `all` of a score record's `expected`, notes left out."""
    env = result.env
    if env is None:
        none = {"reward": result.reward, "reward_breakdown": None, "reward_basis": None}
        return dict.fromkeys(("env", "action", "communicate", "all"), none)
    total = {
        "reward": result.reward,
        "reward_breakdown": result.breakdown,
        "db_match": env.db_match,
        "reward_basis": list(result.basis or ()),
    }
    return {
        "env": _env_record(env),
        "action": {
            "reward": result.action_reward,
            "reward_breakdown": {"ACTION": result.action_reward},
            "checks": [
                {
                    "action_id": check.action["action_id"],
                    "name": check.action["name"],
                    "match": check.match,
                    "tool_type": check.kind,
                }
                for check in result.actions
            ],
        },
        "communicate": {
            "reward": result.communicate_reward,
            "reward_breakdown": {"COMMUNICATE": result.communicate_reward},
            "checks": [{"info": check.info, "met": check.met} for check in result.communicate],
        },
        "all": {"raised": env.problem} if env.problem else total,
    }


def product_record(result: Score) -> Json:
    """`all_ignore_basis`: the product of env, action and communicate, whatever the basis."""
    if result.env is None:
        return {"reward": result.reward, "reward_breakdown": None}
    if result.env.problem:
        return {"raised": result.env.problem}
    rewards = {"ACTION": result.action_reward, "COMMUNICATE": result.communicate_reward}
    return {
        "reward": result.env.reward * result.action_reward * result.communicate_reward,
        "reward_breakdown": {**result.env.breakdown, **rewards},
    }


def _env_record(env: EnvVerdict) -> Json:
    if env.problem:
        return {"raised": env.problem}
    return {
        "reward": env.reward,
        "reward_breakdown": env.breakdown,
        "db_match": env.db_match,
        "env_assertions": [
            {**{key: assertion.assertion[key] for key in _ASSERTION}, "met": assertion.met}
            for assertion in env.assertions
        ],
    }
