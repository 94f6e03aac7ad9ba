"""What a results file must look like inside, as far as this app reads it.

Upstream's models convert nothing, so a value of another type than theirs is a fault of the file and
not a way of writing it. Beyond types: a reward is a share, and text and numbers are such that JSON
and a database can hold them.

Source: format specification, sections 3 and 4.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from review_app.core.formats.keepable import unkeepable
from review_app.core.formats.shapes import ID, TASK, faults, optional
from review_app.errors import BadInput
from review_app.notices import Notice

MOST_TRIALS = 10_000
"""Trials of a task beyond which a file is not believed."""

_SIDE = {"implementation": str, "llm": str, "llm_args": dict}
INFO = {
    "num_trials": int,
    "max_steps": int,
    "max_errors": int,
    "seed": int,
    "user_info": _SIDE,
    "agent_info": _SIDE,
    "environment_info": {"domain_name": str, "policy": str},
}
INDEX = [{"id!": ID}]
EMBEDDED = {**optional(TASK), "id!": ID}
"""A task as it was run."""

_CALL = {"id": str, "name": str, "arguments": dict, "requestor": ("user", "assistant")}
_MESSAGE = {
    "role": str,
    "content": str,
    "tool_calls": [_CALL],
    "id": str,
    "requestor": ("user", "assistant"),
    "error": bool,
    "turn_idx": int,
    "timestamp": str,
    "cost": float,
    "usage": dict,
    "raw_data": dict,
}
_REWARD = {
    "reward": float,
    "db_check": {"db_match": bool, "db_reward": float},
    "env_assertions": [{"env_assertion": dict, "met": bool, "reward": float}],
    "action_checks": [{"action": dict, "action_match": bool, "action_reward": float}],
    "nl_assertions": [{"nl_assertion": str, "met": bool, "justification": str}],
    "communicate_checks": [{"info": str, "met": bool, "justification": str}],
    "reward_basis": [str],
    "reward_breakdown": dict,
    "info": dict,
}
SIMULATION = {
    "id!": ID,
    "task_id!": ID,
    "trial": int,
    "seed": int,
    "timestamp": str,
    "start_time": str,
    "end_time": str,
    "duration": float,
    "termination_reason!": str,
    "agent_cost": float,
    "user_cost": float,
    "reward_info": _REWARD,
    "messages": [_MESSAGE],
    "info": dict,
}


def require(value: Any, shape: Any, file: str, address: str) -> None:
    """Nothing, if a part of a results file has its shape and can be kept and written again.

    Raises:
        BadInput: naming the first value that is wrong.
    """
    for path, problem in chain(filter(None, [unkeepable(value)]), faults(value, shape)):
        raise BadInput(problem, file, "/".join(part for part in (address, path) if part))


def require_share(reward: float | None, file: str, address: str) -> None:
    """Nothing, if a reward is one.

    Raises:
        BadInput: it is not from 0 to 1.
    """
    if reward is not None and not 0 <= reward <= 1:
        problem = Notice("results.reward", "must be from 0 to 1, is {reward}", reward=repr(reward))
        raise BadInput(problem, file, f"{address}/reward_info/reward")


def require_count(count: int | None, least: int, file: str, address: str) -> None:
    """Nothing, if a number of trials, or the number of one, is such that anybody would play it.

    Raises:
        BadInput: it is smaller than `least`, or beyond belief.
    """
    if count is not None and not least <= count <= MOST_TRIALS:
        problem = Notice(
            "results.count",
            "must be from {least} to {most}, is {count}",
            least=least,
            most=MOST_TRIALS,
            count=count,
        )
        raise BadInput(problem, file, address)
