"""How a validity rule is written, registered and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Literal, TypeAlias, get_args

from review_app import json_paths
from review_app.core.validity.context import TaskContext
from review_app.json_types import JsonPath
from review_app.notices import Notice

Level = Literal["error", "warning", "info", "label"]
"""An error blocks a release, a warning needs an acknowledgement with a reason, info is worth a
look, a label only sorts tasks."""
LEVELS: tuple[Level, ...] = get_args(Level)

CRASHED = "RULE-00"
# What rules meet in arguments of a wrong type; the tools refuse those by themselves.
_MISUSE = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError)
RuleValue: TypeAlias = str | Notice
_CRASH = "rule {rule} could not be applied ({problem}); report it with the task"


class RuleFault:
    """What a rule holds against one place of a task.

    Args:
        pointer: Where in the task: keys and indexes from its top.
        values: Fill the rule's message; also stored, for other languages. What is said in words is
            a notice, what is quoted of the task or the database a text.
    """

    __slots__ = ("pointer", "values")

    def __init__(self, pointer: JsonPath = (), **values: object) -> None:
        self.pointer = pointer
        self.values: Mapping[str, RuleValue] = {
            name: value if isinstance(value, Notice) else str(value)
            for name, value in values.items()
        }


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """What a rule says about a task."""

    code: str
    name: str
    level: Level
    task_id: str
    address: str
    """JSON pointer into the task: `/evaluation_criteria/actions/2/arguments/payment_id`."""
    message: str
    """English, for people."""
    values: Mapping[str, RuleValue] = field(default_factory=dict)


RuleFunction = Callable[[TaskContext], Iterator[RuleFault]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule."""

    code: str
    """Family and number; never used again for another rule."""
    name: str
    """The fault as a noun phrase."""
    level: Level
    message: str
    """English, with the names of the fault's values in braces."""
    function: RuleFunction
    domains: frozenset[str]
    """Domains it is about; empty: all."""
    needs_replay: bool
    """False: it also runs where the domain has no environment."""
    version: int
    """Raised when the rule's answers change, so that stored results are known to be old."""

    @property
    def documentation(self) -> str:
        """The rule's docstring: what is wrong, what it flags and passes, where it comes from."""
        return self.function.__doc__ or ""

    def applies(self, domain: str, *, replayed: bool) -> bool:
        """Whether the rule can say something about a task of this domain."""
        return (not self.domains or domain in self.domains) and (replayed or not self.needs_replay)

    def __call__(self, ctx: TaskContext) -> list[RuleViolation]:
        """The violations of this rule alone, which must apply."""
        try:
            faults = list(self.function(ctx))
            return [self._violation(fault, ctx) for fault in faults] if faults else []
        except _MISUSE as error:
            return [self._crash(error, ctx)]

    def _violation(self, fault: RuleFault, ctx: TaskContext) -> RuleViolation:
        return RuleViolation(
            code=self.code,
            name=self.name,
            level=self.level,
            task_id=ctx.task_id,
            address=json_paths.pointer(fault.pointer),
            message=self.message.format(**fault.values),
            values=fault.values,
        )

    def _crash(self, error: Exception, ctx: TaskContext) -> RuleViolation:
        values: dict[str, RuleValue] = {
            "rule": self.code,
            "problem": f"{type(error).__name__}: {error}",
        }
        return RuleViolation(
            code=CRASHED,
            name="rule_crashed",
            level="warning",
            task_id=ctx.task_id,
            address="",
            message=_CRASH.format(**values),
            values=values,
        )


ALL: dict[str, Rule] = {}
"""Every rule by its code, in the order of registration."""


def rule(
    code: str,
    level: Level,
    message: str,
    *,
    domains: Iterable[str] = (),
    needs_replay: bool = True,
    version: int = 1,
) -> Callable[[RuleFunction], RuleFunction]:
    """Register a function as a rule.

    Raises:
        ValueError: the code is taken. This is a mistake in the program, not in the data.
    """

    def register(function: RuleFunction) -> RuleFunction:
        if code in ALL:
            raise ValueError(f"rule code {code!r} is taken by {ALL[code].name}; choose another")
        ALL[code] = Rule(
            code=code,
            name=function.__name__,
            level=level,
            message=message,
            function=function,
            domains=frozenset(domains),
            needs_replay=needs_replay,
            version=version,
        )
        return function

    return register


def run(ctx: TaskContext, only: Iterable[str] | None = None) -> list[RuleViolation]:
    """The violations of all rules, or of the rules with these codes, about one task.

    Raises:
        KeyError: there is no rule of that code.
    """
    chosen = tuple(ALL) if only is None else tuple(only)
    rules = _applying(chosen, ctx.facts.domain, ctx.replay is not None)
    return [violation for rule in rules for violation in rule(ctx)]


@lru_cache(maxsize=64)
def _applying(codes: tuple[str, ...], domain: str, replayed: bool) -> tuple[Rule, ...]:
    chosen = [ALL[code] for code in codes]
    return tuple(rule for rule in chosen if rule.applies(domain, replayed=replayed))


def ruleset() -> str:
    """Names the present set of rules; differs once a rule is added, removed or new in version."""
    names = " ".join(f"{rule.code}.{rule.version}.{rule.level}" for rule in ALL.values())
    return sha256(names.encode()).hexdigest()[:12]


def all_of(names: Iterable[str]) -> Notice:
    """Names that hold together: "a and b"."""
    return Notice("rule.all_of", "{names: and }", names=tuple(names))


def any_of(names: Iterable[str]) -> Notice:
    """Names of which one would do: "a or b"."""
    return Notice("rule.any_of", "{names: or }", names=tuple(names))
