"""Validity rules for tasks: a registry of small functions, one module a theme.

`inspect(task, TaskContext(task, facts))` says what is wrong with a task. `DomainFacts` is built
once a domain, `TaskContext` once a task.

Add a rule: write a function in the module of its theme (or a new module, imported here), with
`@rule(code, level, message)` and a docstring that has a line for `Flags` and one for `Passes`; add
a flagged and a passing example to `tests/unit/core/validity/`. What a policy decides goes into
`data/rules/<domain>.toml`, never into a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from review_app.core.validity import (
    airline,
    criteria,
    dates,
    gold,
    identity,
    journeys,
    localized,
    money,
    passengers,
    payments,
    retail,
)
from review_app.core.validity.asked import changes, conditions, handover, records
from review_app.core.validity.context import TaskContext
from review_app.core.validity.facts import DomainFacts
from review_app.core.validity.profile import PolicyProfile, parse_profile
from review_app.core.validity.registry import (
    ALL,
    CRASHED,
    LEVELS,
    Level,
    Rule,
    RuleFault,
    RuleViolation,
    rule,
    ruleset,
    run,
)

RULESET = ruleset()
"""Names the present set of rules; see `rule_version`."""

FAMILIES = (
    gold,
    criteria,
    money,
    payments,
    airline,
    passengers,
    journeys,
    retail,
    identity,
    dates,
    localized,
    changes,
    handover,
    records,
    conditions,
)


def inspect(
    task: Mapping[str, Any], ctx: TaskContext, *, only: Iterable[str] | None = None
) -> list[RuleViolation]:
    """What the rules find wrong with a task, in the order of the registry.

    Args:
        task: Raw task; the one that `ctx` was built of.
        ctx: Its context.
        only: Codes of the rules to run; all if None.

    Raises:
        KeyError: there is no rule of that code.
        ValueError: the context is that of another task.
    """
    if ctx.task is not task:
        raise ValueError(f"the context is of task {ctx.task_id!r}; build one for this task")
    return run(ctx, only)


def rule_version(facts: DomainFacts) -> str:
    """Names what decides beside task and database: the rules and the policy profile.

    Results kept under another (task hash, state hash, rule version) are out of date.
    """
    return f"{RULESET}.{facts.profile.version}"


__all__ = [
    "ALL",
    "CRASHED",
    "FAMILIES",
    "LEVELS",
    "RULESET",
    "DomainFacts",
    "RuleFault",
    "Level",
    "PolicyProfile",
    "Rule",
    "TaskContext",
    "RuleViolation",
    "inspect",
    "parse_profile",
    "rule",
    "rule_version",
]
