"""What tau2's own command does otherwise in a process that plays localized domains only."""

from __future__ import annotations

import copy
import os
from contextlib import suppress
from typing import Any

from jtau_domains import release

JUDGE = "TAU2_NL_ASSERTIONS_MODEL"
JUDGE_BASE = "TAU2_NL_ASSERTIONS_API_BASE"
"""Environment variables: the model that judges assertions in words, and where it is asked."""


def prepare() -> None:
    """Prepare this process for a localized domain; a newer tau2 may keep these things elsewhere."""
    with suppress(ImportError, AttributeError):
        greet()
    with suppress(ImportError, AttributeError):
        score_assertions()


def greet() -> None:
    """Let the agent's first words, a constant of the benchmark, be the release's."""
    from tau2.orchestrator import orchestrator

    greeting = copy.copy(orchestrator.DEFAULT_FIRST_AGENT_MESSAGE)
    greeting.content = release.about()["greeting"]
    orchestrator.DEFAULT_FIRST_AGENT_MESSAGE = greeting


def score_assertions() -> None:
    """Let assertions in words be judged where a task's reward rests on them.

    The command of 26.3 never asks its judge, and gives up on such a task, in any language.
    """
    from tau2 import run
    from tau2.evaluator import evaluator_nl_assertions as judge
    from tau2.evaluator.evaluator import EvaluationType

    evaluate = run.evaluate_simulation

    def evaluated(*, task: Any, evaluation_type: Any, **rest: Any) -> Any:
        basis = task.evaluation_criteria.reward_basis if task.evaluation_criteria else ()
        if evaluation_type == EvaluationType.ALL and "NL_ASSERTION" in list(basis):
            evaluation_type = EvaluationType.ALL_WITH_NL_ASSERTIONS
        return evaluate(task=task, evaluation_type=evaluation_type, **rest)

    run.evaluate_simulation = evaluated
    if model := os.environ.get(JUDGE):
        judge.DEFAULT_LLM_NL_ASSERTIONS = model
    if base := os.environ.get(JUDGE_BASE):
        arguments = {**judge.DEFAULT_LLM_NL_ASSERTIONS_ARGS, "api_base": base}
        judge.DEFAULT_LLM_NL_ASSERTIONS_ARGS = arguments
