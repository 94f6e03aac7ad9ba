"""Results files as the benchmark, J-tau and this app write them, with outcomes to order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PASS, FAIL, EMPTY = "pass", "fail", "empty"

TRACE = """Traceback (most recent call last):
  File "/x/tau2/orchestrator/orchestrator.py", line 1, in step
    message, state = self.{side}.generate_next_message(message, state)
  File "/x/tau2/utils/llm_utils.py", line 2, in generate
ValueError: {error}
"""
NOTHING = "the message must have either content or tool calls"


def upstream_fault(error=NOTHING, *, side="agent", kind="ValueError", trace=TRACE) -> Any:
    """How upstream records a trial given up after its retries."""
    info = {"error": error, "error_type": kind, "failed_after_attempts": 4}
    info["error_traceback"] = trace.format(side=side, error=error)
    return {"termination_reason": "infrastructure_error", "messages": [], "info": info}


def jtau_fault(error="empty output, finish_reason: length", *, side="agent") -> Any:
    """How J-tau records one that the speaker broke."""
    return {
        "termination_reason": f"{side}_error",
        "info": {"error": error, "error_type": "AgentError"},
    }


def simulation(task_id: str, trial: int | None = 0, **more: Any) -> dict[str, Any]:
    """A record; passed unless told otherwise."""
    made: dict[str, Any] = {
        "id": f"{task_id}-{trial}",
        "task_id": task_id,
        "trial": trial,
        "duration": 1.5,
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0, "reward_basis": ["DB"]},
        "messages": [
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": "Bye ###STOP###"},
        ],
        "agent_cost": None,
    }
    made |= more
    if made["termination_reason"] not in ("user_stop", "agent_stop"):
        made["reward_info"] = {"reward": 0.0, "reward_basis": None}
    return made


def failed() -> Any:
    return {"reward_info": {"reward": 0.0}}


def results(simulations: Sequence[Any], tasks: Sequence[str], num_trials: int = 3) -> Any:
    """A whole file."""
    return {
        "timestamp": "2026-08-18T00:00:00",
        "info": {"num_trials": num_trials, "agent_info": {"llm": "m"}},
        "tasks": [{"id": each} for each in tasks],
        "simulations": list(simulations),
    }


def benchmark(passes: int, failures: int, faults: int, fault: Any, num_trials: int = 3) -> Any:
    """A file with so many trials of each sort, spread over tasks of so many trials."""
    more = [*[{}] * passes, *[failed()] * failures, *[fault] * faults]
    tasks = len(more) // num_trials
    spread = [simulation(str(at % tasks), at // tasks, **each) for at, each in enumerate(more)]
    return results(spread, [str(at) for at in range(tasks)], num_trials)
