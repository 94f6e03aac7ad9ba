"""Criteria: what reward looks at, what it can never match, and what passes by itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal, get_args

from review_app.core.locale.amounts import Currency, amount_of, amounts_in
from review_app.core.scoring.reward import DEFAULT_BASIS, Component, check_communicated
from review_app.core.validity.context import ACTIONS, TaskContext
from review_app.core.validity.facts import strings
from review_app.core.validity.registry import RuleFault, all_of, rule
from review_app.notices import Notice

_PARTS = {
    "NL_ASSERTION": "nl_assertions",
    "COMMUNICATE": "communicate_info",
    "ENV_ASSERTION": "env_assertions",
    "ACTION": "actions",
}
_State = Literal["absent", "null", "empty", "there"]
_STATE_WORDS: Mapping[_State, Notice] = {
    "absent": Notice("rule.state_absent", "absent"),
    "null": Notice("rule.state_null", "null"),
    "empty": Notice("rule.state_empty", "empty"),
    "there": Notice("rule.state_there", "there"),
}
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@rule("CRIT-01", "error", "{info} can never be found: {problem}", needs_replay=False)
def communicate_never_matches(ctx: TaskContext) -> Iterator[RuleFault]:
    """An agent that writes exactly the expected information is not understood.

    ASCII commas are taken out of the agent's words and left in the information.

    Flags: "1,628".
    Passes: "1628", "Mastercard".
    Precision: finds nothing in the real tasks.
    Source: format specification 9.2.
    """
    for info in ctx.infos if "COMMUNICATE" in _basis(ctx) else ():
        said = [{"role": "assistant", "content": info.text}]
        if not info.text.strip():
            empty = Notice("rule.info_empty", "it is empty")
            yield RuleFault(info.pointer, info=repr(info.text), problem=empty)
        elif not check_communicated([info.text], said)[0].met:
            problem = Notice(
                "rule.commas_kept", "commas are taken out of what the agent says, not out of this"
            )
            yield RuleFault(info.pointer, info=repr(info.text), problem=problem)


@rule(
    "CRIT-02", "warning", "{info} is found only if written so; {plain} is not", needs_replay=False
)
def communicate_needs_one_spelling(ctx: TaskContext) -> Iterator[RuleFault]:
    """The expected information holds full-width characters, a currency or words in a number.

    The comparison is by characters, so the usual spelling is not found. A separator is CRIT-01's.

    Flags: "１６２８", in yen "￥106200" and "10万6200円".
    Passes: "106200".
    Precision: finds nothing in the real tasks.
    Source: format specification 9.2.
    """
    for info in ctx.infos if "COMMUNICATE" in _basis(ctx) else ():
        if "," in info.text or not any(char.isdigit() for char in info.text):
            continue
        plain = _plain(info.text, ctx.facts.currency)
        if plain != info.text:
            yield RuleFault(info.pointer, info=repr(info.text), plain=repr(plain))


def _plain(text: str, currency: Currency) -> str:
    """A text in normal width, with its amounts in digits alone."""
    plain = unicodedata.normalize("NFKC", text).strip()
    value = amount_of(plain, currency)
    if value is not None and not _DIGITS.fullmatch(plain.lstrip("-")):
        return _digits(value)
    for amount in reversed(amounts_in(plain, currency)):
        plain = plain[: amount.start] + _digits(amount.value) + plain[amount.end :]
    return plain


def _digits(value: Decimal) -> str:
    """A number as an agent would say it: no exponent, `.50` stays, `.00` goes."""
    return f"{value:f}" if value % 1 else f"{value:.0f}"


@rule("CRIT-03", "warning", "{info} is also found inside {longer}", needs_replay=False)
def communicate_inside_longer_number(ctx: TaskContext) -> Iterator[RuleFault]:
    """The expected number is part of a longer one that the agent is likely to say.

    Flags: "4" where the agent names a day of 2024.
    Passes: "1786" where no longer number holds it.
    Precision: 1 of 1 on the real tasks.
    Source: format specification 9.2.
    """
    infos = [info for info in ctx.infos if info.text.isascii() and info.text.isdigit()]
    if not infos or "COMMUNICATE" not in _basis(ctx):
        return
    spoken = {number for text in _spoken(ctx) for number in _DIGITS.findall(text)}
    for info in infos:
        longer = sorted(
            number for number in spoken if info.text in number and _differ(info.text, number)
        )
        if longer:
            yield RuleFault(info.pointer, info=repr(info.text), longer=longer[0])


@rule("CRIT-04", "info", "{part} is not scored: the basis does not name {name}", needs_replay=False)
def criterion_never_used(ctx: TaskContext) -> Iterator[RuleFault]:
    """Criteria are written down that the reward never looks at.

    Flags: `communicate_info` under the basis [DB, NL_ASSERTION].
    Passes: criteria that the basis names; no criteria.
    Precision: not judged; it says what is there.
    Source: format specification 2.7: 36 retail tasks.
    """
    for name in ("NL_ASSERTION", "COMMUNICATE", "ENV_ASSERTION"):
        if ctx.criteria.get(_PARTS[name]) and name not in _basis(ctx):
            yield RuleFault(("evaluation_criteria", _PARTS[name]), part=_PARTS[name], name=name)


@rule("CRIT-05", "label", "the gold actions are not scored: basis {basis}", needs_replay=False)
def actions_never_used(ctx: TaskContext) -> Iterator[RuleFault]:
    """There are gold actions, and the reward looks neither at them nor at what they change.

    Flags: actions under the basis [ENV_ASSERTION].
    Passes: actions under [DB].
    Precision: not judged; it says what is there.
    Source: format specification 2.7: telecom.
    """
    basis = _basis(ctx)
    if ctx.actions and "DB" not in basis and "ACTION" not in basis:
        yield RuleFault(ACTIONS, basis=", ".join(basis))


@rule("CRIT-06", "label", "{name} passes by itself: {part} has nothing in it", needs_replay=False)
def component_passes_vacuously(ctx: TaskContext) -> Iterator[RuleFault]:
    """The basis names a component for which the task has no criteria.

    Flags: NL_ASSERTION in the basis, `nl_assertions` null.
    Passes: NL_ASSERTION with an assertion.
    Precision: not judged; it says what is there.
    Source: format specification 2.7: 72 retail tasks.
    """
    for name in _vacuous(ctx):
        part = _PARTS.get(name, "actions")
        yield RuleFault(("evaluation_criteria", part), name=name, part=part)


@rule("CRIT-07", "error", "every finished run gets the full reward", needs_replay=False)
def nothing_is_scored(ctx: TaskContext) -> Iterator[RuleFault]:
    """No component can fail: there are no criteria, or each passes by itself.

    Flags: criteria null; basis [DB] with actions and env assertions null; basis [COMMUNICATE] with
        nothing to communicate.
    Passes: basis [DB] with an empty list of actions, which any write fails.
    Precision: finds nothing in the real tasks.
    Source: format specification 2.1 and 9.1.
    """
    basis = _basis(ctx)
    if not ctx.criteria or len(_vacuous(ctx)) == len(set(basis)):
        yield RuleFault(("evaluation_criteria",))


@rule("CRIT-08", "warning", "reward_basis is {state}; {default} is used", needs_replay=False)
def basis_missing(ctx: TaskContext) -> Iterator[RuleFault]:
    """The task does not say what it is scored by.

    Flags: no key `reward_basis`, null, or an empty list.
    Passes: any component named.
    Precision: finds nothing in the real tasks.
    Source: format specification 2.4.
    """
    if ctx.criteria and not ctx.criteria.get("reward_basis"):
        state = _state(ctx.criteria, "reward_basis")
        place = ("evaluation_criteria", "reward_basis")[: 1 if state == "absent" else 2]
        yield RuleFault(place, state=_STATE_WORDS[state], default=all_of(DEFAULT_BASIS))


@rule("CRIT-09", "error", "reward_basis names {name}, which nothing computes", needs_replay=False)
def basis_unknown(ctx: TaskContext) -> Iterator[RuleFault]:
    """The basis names a component that does not exist; the evaluation raises.

    Flags: ["DB", "COMMUNICATION"].
    Passes: ["DB", "COMMUNICATE"].
    Precision: finds nothing in the real tasks.
    Source: format specification 2.4.
    """
    for at, name in enumerate(_basis(ctx)):
        if name not in get_args(Component):
            yield RuleFault(("evaluation_criteria", "reward_basis", at), name=repr(name))


@rule("CRIT-10", "error", "after the gold actions {function} says no{problem}")
def gold_misses_assertion(ctx: TaskContext) -> Iterator[RuleFault]:
    """The gold actions do not reach what an environment assertion demands.

    Flags: one of two removed permissions granted, `assert_can_send_mms` expected.
    Passes: both granted.
    Precision: finds nothing in the real tasks.
    Source: format specification 9.1.
    """
    if ctx.replay is None:
        return
    for at, verdict in ctx.assertion_verdicts(ctx.replay.final):
        if not verdict.met:
            problem = (
                Notice("rule.because", ": {problem}", problem=verdict.problem)
                if verdict.problem
                else ""
            )
            place = ("evaluation_criteria", "env_assertions", at)
            function = verdict.assertion.get("func_name", "")
            yield RuleFault(place, function=function, problem=problem)


@rule("TASK-01", "label", "actions is null: the database is not compared", needs_replay=False)
def actions_null(ctx: TaskContext) -> Iterator[RuleFault]:
    """`actions` is null. With null `env_assertions` unwanted writes go unpunished.

    Flags: {"actions": null}.
    Passes: {"actions": []}, {}.
    Precision: not judged; it says what is there.
    Source: format specification 9.1.
    """
    if _state(ctx.criteria, "actions") == "null":
        yield RuleFault(ACTIONS)


@rule("TASK-02", "label", "actions is absent: the database is not compared", needs_replay=False)
def actions_absent(ctx: TaskContext) -> Iterator[RuleFault]:
    """There is no key `actions`. With null `env_assertions` unwanted writes go unpunished.

    Flags: {}.
    Passes: {"actions": null}, {"actions": []}.
    Precision: not judged; it says what is there.
    Source: format specification 9.1.
    """
    if _state(ctx.criteria, "actions") == "absent":
        yield RuleFault(("evaluation_criteria",))


@rule("TASK-03", "label", "actions is empty: any change of the database fails", needs_replay=False)
def actions_empty(ctx: TaskContext) -> Iterator[RuleFault]:
    """`actions` is an empty list: the run is compared with the untouched database.

    Flags: {"actions": []}.
    Passes: {"actions": null}, {}.
    Precision: not judged; it says what is there.
    Source: format specification 9.1.
    """
    if ctx.criteria.get("actions") == []:
        yield RuleFault(ACTIONS)


def _basis(ctx: TaskContext) -> list[str]:
    stated = ctx.criteria.get("reward_basis")
    return [str(name) for name in stated or DEFAULT_BASIS] if ctx.criteria else []


def _vacuous(ctx: TaskContext) -> list[str]:
    """Components of the basis that cannot fail."""
    unseen = all(ctx.criteria.get(name) is None for name in ("actions", "env_assertions"))
    return [
        name
        for name in dict.fromkeys(_basis(ctx))
        if (name == "DB" and unseen) or (name in _PARTS and not ctx.criteria.get(_PARTS[name]))
    ]


def _state(holder: Any, name: str) -> _State:
    if name not in holder:
        return "absent"
    return "null" if holder[name] is None else "empty" if holder[name] == [] else "there"


def _spoken(ctx: TaskContext) -> Iterator[str]:
    """What an agent is likely to say: what the user said, what the gold actions name, today."""
    yield ctx.instruction
    yield ctx.facts.profile.now[:10]
    for _, action in ctx.actions:
        yield from strings(action.get("arguments"))


def _differ(number: str, longer: str) -> bool:
    """Whether two numbers are not the same amount: 100 and 100.00 are."""
    return float(number) != float(longer)
