"""Rewards of a run as the reference gives them, quirks included, with an honest hint beside each
verdict.

A reward is the product of the components that the task's basis names: DB, ENV_ASSERTION,
COMMUNICATE, ACTION and NL_ASSERTION. Verdicts on natural-language assertions come in as an
argument. The hints say what a person would want to know about a verdict; they never change it.

Source: format specification, sections 2.4, 2.5, 5 and 9; section "Evaluation" of the conformance
README.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from review_app.core.envs.base import Environment, ToolKind, canonical_hash
from review_app.core.scoring.accounting import FINISHED
from review_app.core.tasks.replay import follow, gold_actions, gold_environment, prepared
from review_app.json_types import Json
from review_app.notices import Notice, as_it_is

Component = Literal["DB", "ENV_ASSERTION", "COMMUNICATE", "ACTION", "NL_ASSERTION"]

DEFAULT_BASIS: tuple[Component, ...] = ("DB", "COMMUNICATE")
"""What a task without `reward_basis` is scored by."""

ONLY_ORDER = Notice("score.only_order", "differs only in order")
NORMALIZED = Notice("score.normalized", "matches after width and comma normalization")
LONGER_NUMBER = Notice("score.longer_number", "substring of a longer number")

_COMMAS = str.maketrans("", "", ",，、٬")
_MARKUP = re.compile(r"(?<=\d)[\s*_]+(?=\d)|[*_`]")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class AssertionVerdict:
    """What an environment assertion said about the rebuilt run."""

    assertion: Json
    met: bool
    problem: Notice | None = None
    """Why it could not be run; then it is not met."""


@dataclass(frozen=True, slots=True)
class EnvVerdict:
    """DB and ENV_ASSERTION. `reward` counts what the basis names."""

    reward: float
    breakdown: Mapping[Component, float]
    db_match: bool | None
    """None if it was not looked at: neither actions nor assertions in the task."""
    assertions: tuple[AssertionVerdict, ...] = ()
    hint: Notice | None = None
    differences: tuple[str, ...] = ()
    """Calls that return something else now than the run recorded."""
    problem: str = ""
    """Why the reference's evaluation would raise; the rest is then void."""


@dataclass(frozen=True, slots=True)
class ActionCheck:
    """Whether any call of the run does what a gold action does."""

    action: Json
    match: bool
    kind: ToolKind | None
    hint: Notice | None = None


@dataclass(frozen=True, slots=True)
class CommunicateCheck:
    """Whether the agent told the user a piece of information."""

    info: str
    met: bool
    hint: Notice | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A run's reward and what it is made of."""

    reward: float | None
    """None: undecided, a judge's verdict or a rebuild is missing (see `problem`)."""
    basis: tuple[Component, ...] | None
    """None where the run ended before its end."""
    breakdown: Mapping[Component, float] = field(default_factory=dict)
    env: EnvVerdict | None = None
    actions: tuple[ActionCheck, ...] = ()
    communicate: tuple[CommunicateCheck, ...] = ()
    note: Notice | None = None
    """Why nothing was looked at, where that is so."""
    problem: str = ""

    @property
    def action_reward(self) -> float:
        """1.0 if every gold action is matched; also if there is none."""
        return float(all(check.match for check in self.actions))

    @property
    def communicate_reward(self) -> float:
        """1.0 if everything was communicated; also if there was nothing to."""
        return float(all(check.met for check in self.communicate))


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """What scoring needs of a run."""

    messages: Sequence[Json]
    termination_reason: str
    nl_met: Sequence[bool] | None = None
    """The judge's verdicts, one for each NL assertion; None if it was not asked."""
    strict: bool = True
    """False: a call that returns something else than recorded is noted, not fatal."""


def score(task: Json, run: ScoredRun, environment: Environment) -> Score:
    """The reward of a run by its task's basis, with every component's verdict.

    Args:
        task: Raw task.
        run: Messages and end of the run.
        environment: Fresh, of the task's domain. It is not changed.

    Raises:
        BadInput: the task's own initial state fails.
    """
    if run.termination_reason not in FINISHED:
        end = run.termination_reason
        note = Notice("score.ended_early", "ended early: {reason}", reason=end)
        return Score(0.0, None, note=note)
    criteria = task.get("evaluation_criteria")
    if criteria is None:
        note = Notice("score.no_criteria", "the task has no evaluation criteria")
        return Score(1.0, (), note=note)
    gold = gold_actions(task)
    basis = tuple(criteria.get("reward_basis") or DEFAULT_BASIS)
    env = score_env(task, run, environment)
    actions = check_actions(gold, run.messages, environment)
    communicate = check_communicated(criteria.get("communicate_info") or (), run.messages)
    verdict = Score(
        reward=None, basis=basis, breakdown={}, env=env, actions=actions, communicate=communicate
    )
    return _rewarded(verdict, _components(verdict, criteria, run))


def score_env(task: Json, run: ScoredRun, environment: Environment) -> EnvVerdict:
    """DB and ENV_ASSERTION of a run.

    The run's environment is rebuilt from its writes and compared with the gold environment by the
    reference hashes of both databases. `actions` and `env_assertions` both null is 1.0 unseen;
    `[]` is compared with the untouched database.
    """
    criteria = task.get("evaluation_criteria") or {}
    if criteria.get("actions") is None and criteria.get("env_assertions") is None:
        return EnvVerdict(
            reward=1.0,
            breakdown={},
            db_match=None,
            hint=Notice("score.not_compared", "state not compared: nothing to compare with"),
        )
    gold, _ = gold_environment(environment.fork(), task)
    followed = follow(prepared(environment.fork(), task, history=False), run.messages)
    differences = followed.differences
    problem = followed.malformed or "; ".join(differences if run.strict else ())
    if problem:
        return EnvVerdict(
            reward=0.0, breakdown={}, db_match=None, differences=differences, problem=problem
        )
    gold_states, states = gold.states(), followed.environment.states()
    db_match = all(
        ours is theirs or (ours is not None and theirs is not None and ours.hash == theirs.hash)
        for ours, theirs in zip(gold_states, states, strict=True)
    )
    only_order = not db_match and canonical_hash(gold_states) == canonical_hash(states)
    assertions = tuple(
        run_assertion(followed.environment, assertion)
        for assertion in criteria.get("env_assertions") or ()
    )
    problem = "; ".join(str(assertion.problem) for assertion in assertions if assertion.problem)
    basis = criteria.get("reward_basis") or DEFAULT_BASIS
    rewards: dict[Component, float] = {
        "DB": float(db_match),
        "ENV_ASSERTION": float(all(assertion.met for assertion in assertions)),
    }
    breakdown = {name: reward for name, reward in rewards.items() if name in basis}
    return EnvVerdict(
        reward=_product(breakdown),
        breakdown=breakdown,
        db_match=db_match,
        assertions=assertions,
        hint=ONLY_ORDER if only_order else None,
        differences=differences,
        problem=problem,
    )


def run_assertion(environment: Environment, assertion: Json) -> AssertionVerdict:
    """Whether an assertion function returns what the task expects. It may change the state."""
    step = environment.run(
        assertion.get("env_type", "assistant"),
        assertion.get("func_name", ""),
        assertion.get("arguments", {}),
    )
    if not step.ok:
        return AssertionVerdict(assertion, False, as_it_is(step.error))
    if not isinstance(step.value, bool):
        problem = Notice("score.no_truth", "the function does not return true or false")
        return AssertionVerdict(assertion, False, problem)
    return AssertionVerdict(assertion, step.value == assertion.get("assert_value", True))


def check_actions(
    gold: Sequence[Json], messages: Sequence[Json], environment: Environment
) -> tuple[ActionCheck, ...]:
    """For each gold action, whether any call of the run has its name and its arguments.

    Calls of agent and user count alike, failed ones too, in any order, reused. Without
    `compare_args` the arguments *of the call* are compared: fewer still match, none at all always
    match, one more does not.
    """
    called = [call for message in messages for call in message.get("tool_calls") or ()]
    calls = [call for call in called if isinstance(call, Mapping)]
    return tuple(_check_action(action, calls, environment) for action in gold)


def check_communicated(
    infos: Sequence[str], messages: Sequence[Json]
) -> tuple[CommunicateCheck, ...]:
    """For each information, whether it stands in one of the agent's messages.

    Both in lower case; ASCII commas are taken out of the message, not out of the information.
    """
    texts = [
        message["content"]
        for message in messages
        if message.get("role") == "assistant" and isinstance(message.get("content"), str)
    ]
    return tuple(_check_info(info, texts) for info in infos)


def _components(verdict: Score, criteria: Json, run: ScoredRun) -> dict[Component, float | None]:
    env = verdict.env or EnvVerdict(1.0, {}, None)
    unseen = env.db_match is None and not env.problem
    wanted = criteria.get("nl_assertions") or ()
    nl = None if wanted and run.nl_met is None else float(all(run.nl_met or ()) or not wanted)
    return {
        "DB": None if env.problem else 1.0 if unseen else float(bool(env.db_match)),
        "ENV_ASSERTION": None if env.problem else float(all(a.met for a in env.assertions)),
        "ACTION": verdict.action_reward,
        "COMMUNICATE": verdict.communicate_reward,
        "NL_ASSERTION": nl,
    }


def _rewarded(verdict: Score, components: Mapping[Component, float | None]) -> Score:
    named = {name: components[name] for name in verdict.basis or ()}
    known = {name: value for name, value in named.items() if value is not None}
    missing = [name for name in named if name not in known]
    problem = verdict.env.problem if verdict.env else ""
    if missing:
        problem = problem or f"no verdict on {', '.join(missing)}"
    return Score(
        reward=None if missing else _product(known),
        basis=verdict.basis,
        breakdown=known,
        env=verdict.env,
        actions=verdict.actions,
        communicate=verdict.communicate,
        problem=problem,
    )


def _product(breakdown: Mapping[Component, float]) -> float:
    result = 1.0
    for reward in breakdown.values():
        result *= reward
    return result


def _check_action(action: Json, calls: Sequence[Json], environment: Environment) -> ActionCheck:
    same_name = [call for call in calls if call.get("name") == action.get("name", "")]
    match = any(_equal(call, action) for call in same_name)
    only_order = not match and any(_equal(call, action, in_order=False) for call in same_name)
    hint = ONLY_ORDER if only_order else None
    kind = environment.kind_of(action.get("name", ""), action.get("requestor") or "assistant")
    return ActionCheck(action=action, match=match, kind=kind, hint=hint)


def _equal(call: Json, action: Json, *, in_order: bool = True) -> bool:
    compared = action.get("compare_args")
    given, gold = call.get("arguments", {}), action.get("arguments", {})
    if not isinstance(given, Mapping) or not isinstance(gold, Mapping):
        return False
    keys = given.keys() if compared is None else compared
    ours = {key: value for key, value in given.items() if key in keys}
    theirs = {key: value for key, value in gold.items() if key in keys}
    if not in_order:
        ours, theirs = _sorted(ours), _sorted(theirs)
    return bool(ours == theirs)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(member) for key, member in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted, value), key=lambda member: json.dumps(member, sort_keys=True))
    return value


def _check_info(info: str, texts: Sequence[str]) -> CommunicateCheck:
    wanted = info.lower()
    spoken = [text.lower().replace(",", "") for text in texts]
    holding = [text for text in spoken if wanted in text]
    if holding:
        free = any(_stands_alone(wanted, text) for text in holding)
        return CommunicateCheck(info, True, None if free else LONGER_NUMBER)
    plain = _normalized(info)
    is_near = any(_stands_alone(plain, _normalized(text)) for text in texts)
    return CommunicateCheck(info, False, NORMALIZED if is_near and plain else None)


def _normalized(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).lower().translate(_COMMAS)
    return _MARKUP.sub("", folded)


def _stands_alone(wanted: str, text: str) -> bool:
    """Whether a text holds the wanted words other than inside a longer run of digits."""
    before = r"(?<![\d.])" if _DIGIT.match(wanted) else ""
    after = r"(?!\.?\d)" if _DIGIT.match(wanted[-1:]) else ""
    if after and "." not in wanted:
        after = r"(?!\.0*[1-9]|\d)"
    return re.search(before + re.escape(wanted) + after, text) is not None
