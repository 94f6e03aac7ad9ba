"""Gold actions: what the tools say to them, and what they leave behind."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from review_app.core.envs.base import States
from review_app.core.scoring.reward import DEFAULT_BASIS, ScoredRun, score
from review_app.core.validity.amounts import amounts
from review_app.core.validity.context import ACTIONS, GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, rule
from review_app.notices import Notice

_AS_TEXT = json.JSONEncoder(sort_keys=True, default=str)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SIDE_WORDS = {
    "assistant": Notice("rule.side_assistant", "assistant"),
    "user": Notice("rule.side_user", "user"),
}


@rule("GOLD-01", "error", "the gold action {tool} is refused: {error}")
def gold_write_refused(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action that should change the database is refused by its tool.

    The evaluator passes it over, so an agent that does what the task asks ends in another state,
    or one that does nothing passes.

    Flags: an exchange that costs more than the gift card holds.
    Passes: the same exchange paid with a card.
    Precision: 2 of 2 on the real tasks.
    Source: Table 10, retail 64 and 105; format specification 9.1.
    """
    for write in ctx.writes():
        if not write.step.ok:
            yield RuleFault(write.pointer, tool=write.step.name, error=write.step.error)


@rule("GOLD-02", "error", "{side} has no tool {tool}", needs_replay=False)
def unknown_tool(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action calls a tool that its side does not have.

    Flags: `cancel_order` where the tool is `cancel_pending_order`.
    Passes: a tool of the domain, called by the side it belongs to.
    Precision: finds nothing in the real tasks.
    Source: tools of the domain.
    """
    for at, action in ctx.actions if ctx.facts.tools else ():
        side = _side(action)
        if (side, action.get("name")) not in ctx.facts.tools:
            place, tool = (*ACTIONS, at, "name"), repr(action.get("name"))
            yield RuleFault(place, side=_SIDE_WORDS.get(side, side), tool=tool)


@rule("GOLD-03", "error", "{tool} {problem}", needs_replay=False)
def unknown_argument(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action gives an argument that its tool does not take, or leaves out one it needs.

    Flags: a patch that renames `cancel_reservation` to `get_user_details` and keeps
        `reservation_id`.
    Passes: exactly the arguments of the tool; those with defaults may be left out.
    Precision: finds nothing in the real tasks.
    Source: tools of the domain.
    """
    for at, action in ctx.actions:
        tool = action.get("name", "")
        parameters = ctx.facts.parameters.get((_side(action), tool))
        if parameters is None:
            continue
        arguments, place = action.get("arguments", {}), (*ACTIONS, at, "arguments")
        if not isinstance(arguments, dict):
            problem = Notice("rule.needs_object", "needs an object of arguments")
            yield RuleFault(place, tool=tool, problem=problem)
            continue
        for name in arguments:
            if name not in parameters:
                problem = Notice("rule.takes_no", "takes no argument {name}", name=repr(name))
                yield RuleFault((*place, name), tool=tool, problem=problem)
        for name, needed in parameters.items():
            if needed and name not in arguments:
                problem = Notice("rule.needs", "needs the argument {name}", name=repr(name))
                yield RuleFault(place, tool=tool, problem=problem)


@rule("GOLD-04", "warning", "the gold look-up {tool} is refused: {error}; {repair}", version=2)
def gold_read_refused(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold look-up finds nothing, and not because the user says something wrong on purpose.

    A value that the instructions state is the user's mistake: the task tests what comes after it.
    Only where no later look-up finds the user is that a fault, too.

    Flags: `get_product_details` of an item id; an e-mail address that stands nowhere.
    Passes: look-ups that succeed; a zip code that the user is to say first, then the right one.
    Precision: 3 of 3 on the real tasks.
    Source: format specification 9.1: 18 actions in 15 retail tasks.
    """
    for step in ctx.steps:
        if step.step.ok or step.step.kind == "write" or step.step.kind is None:
            continue
        repaired = next((later.at for later in ctx.steps if _repairs(later, step)), None)
        finds_user = step.step.name.startswith("find_user_id")
        if ctx.tells(step.arguments) and (repaired is not None or not finds_user):
            continue
        repair = (
            Notice("rule.not_repaired", "nothing repairs it")
            if repaired is None
            else Notice("rule.repaired_by", "action {action} repairs it", action=repaired)
        )
        yield RuleFault(step.pointer, tool=step.step.name, error=step.step.error, repair=repair)


@rule(
    "GOLD-05", "warning", "{tool} changes nothing: everything it sets is there already", version=2
)
def write_changes_nothing(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action that should change the database leaves it as it was.

    Either the action is superfluous, or the instructions contradict the database. A call without
    arguments asks for no value: what it does may show only after a later step of the same remedy.

    Flags: an address set to what the profile already says (retail 110).
    Passes: an address that differs in one field; a restart before the SIM card sits right.
    Precision: 1 of 1 on the real tasks.
    Source: Table 10, retail 110.
    """
    for write in ctx.writes():
        if write.step.ok and write.arguments and is_same(write.step.before, write.step.after):
            yield RuleFault(write.pointer, tool=write.step.name)


@rule("GOLD-06", "label", "the gold actions leave the database unchanged")
def gold_leaves_database_unchanged(ctx: TaskContext) -> Iterator[RuleFault]:
    """After all gold actions the database is what it was: the task tests a refusal or an answer.

    Flags: a task whose only actions are look-ups, or one without actions.
    Passes: a task that cancels a reservation.
    Precision: not judged; it says what is there.
    Source: issue 5.
    """
    if ctx.replay is not None and is_same(ctx.replay.initial, ctx.replay.final):
        yield RuleFault(ACTIONS if ctx.criteria else ())


@rule("GOLD-07", "label", "an agent that does nothing passes{rest}")
def doing_nothing_passes(ctx: TaskContext) -> Iterator[RuleFault]:
    """The task's own scoring gives an empty run the full reward, as far as it needs no judge.

    Computed by scoring a run without a single message.

    Flags: no change expected, nothing to communicate.
    Passes: a task that expects a cancellation, or an amount.
    Precision: not judged; it says what is there.
    Source: format specification 9.1.
    """
    if _is_plainly_lost(ctx):
        return
    started = ctx.task.get("initial_state")
    history = (started or {}).get("message_history") if isinstance(started, dict | None) else None
    result = score(ctx.task, ScoredRun(history or [], "user_stop"), ctx.facts.open())
    if all(value == 1.0 for value in result.breakdown.values()):
        judged = Notice("rule.but_for_judge", ", but for what a judge decides")
        yield RuleFault(rest=judged if result.reward is None else "")


@rule("GOLD-08", "info", "the same call as action {first}", needs_replay=False)
def duplicate_action(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action repeats an earlier one, arguments and all.

    One call of an agent satisfies both, so the second tests nothing.

    Flags: `get_product_details` of one product twice.
    Passes: the same look-up of two products.
    Precision: not judged; it says what is there.
    Source: format specification 9.3.
    """
    first: dict[str, int] = {}
    names = Counter(str(action.get("name")) for _, action in ctx.actions)
    for at, action in ctx.actions:
        if names[str(action.get("name"))] == 1:
            continue
        call = [action.get("name"), action.get("arguments"), _side(action)]
        key = _AS_TEXT.encode(call)
        if key in first:
            yield RuleFault((*ACTIONS, at), first=first[key])
        first.setdefault(key, at)


@rule("GOLD-09", "info", "{expression} holds constants only", needs_replay=False)
def calculation_of_constants(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold calculation: an agent that computes in its head, or in other steps, is as right.

    Flags: `calculate("652.61 - 642.72")`.
    Passes: any other tool.
    Precision: not judged; it says what is there.
    Source: issue 5.
    """
    for at, action in ctx.actions:
        if action.get("name") == "calculate":
            expression = _arguments(action).get("expression")
            yield RuleFault((*ACTIONS, at, "arguments", "expression"), expression=repr(expression))


@rule("GOLD-10", "info", "action id {action_id} is not of this task{more}", needs_replay=False)
def action_id_not_of_task(ctx: TaskContext) -> Iterator[RuleFault]:
    """An action id has neither the task's id nor the tool's name before its number.

    Harmless to scoring; it shows that tasks were renumbered or actions moved.

    Flags: `105_0` in task 104.
    Passes: `104_0`, or `reseat_sim_card_1` for the tool `reseat_sim_card`.
    Precision: not judged; it says what is there.
    Source: format specification 2.5.
    """
    foreign = [
        (at, action)
        for at, action in ctx.actions
        if not _is_own_id(str(action.get("action_id", "")), ctx.task_id, str(action.get("name")))
    ]
    if foreign:
        at, action = foreign[0]
        others = Notice("rule.nor_more", ", nor are {others} more", others=len(foreign) - 1)
        yield RuleFault(
            (*ACTIONS, at, "action_id"),
            action_id=repr(action.get("action_id")),
            more=others if len(foreign) > 1 else "",
        )


@rule("GOLD-11", "warning", "action id {action_id} {problem}", needs_replay=False)
def action_id_ambiguous(ctx: TaskContext) -> Iterator[RuleFault]:
    """Two actions share an id, or one has none; changes are told apart by it.

    Flags: two actions named `7_0`.
    Passes: `7_0` and `7_1`.
    Precision: finds nothing in the real tasks.
    Source: format specification 2.5.
    """
    counted = Counter(str(action.get("action_id", "")) for _, action in ctx.actions)
    seen: set[str] = set()
    for at, action in ctx.actions:
        name = str(action.get("action_id", ""))
        if not name:
            missing = Notice("rule.id_missing", "is missing")
            yield RuleFault((*ACTIONS, at), action_id="''", problem=missing)
        elif counted[name] > 1 and name in seen:
            twice = Notice("rule.id_twice", "is used twice")
            yield RuleFault((*ACTIONS, at, "action_id"), action_id=repr(name), problem=twice)
        seen.add(name)


@rule("GOLD-12", "error", "the task cannot be started: {problem}", needs_replay=False)
def task_not_replayable(ctx: TaskContext) -> Iterator[RuleFault]:
    """The task's initial state fails, or its actions are no list of objects.

    Flags: an initialization action that is refused.
    Passes: a task without an initial state.
    Precision: finds nothing in the real tasks.
    Source: format specification 2.3.
    """
    if ctx.problem:
        place = ctx.problem_address.removeprefix(f"{ctx.task_id}/")
        yield RuleFault(tuple(place.split("/")) if place else (), problem=ctx.problem)


@rule("GOLD-13", "warning", "{expression} uses {number}, which stands nowhere")
def calculation_of_unknown_number(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold calculation uses a number that no tool returned and nobody said.

    A mistyped price makes the expected total wrong.

    Flags: `calculate("200.80 + 96.35")` where the hose costs 95.36.
    Passes: prices that stand in outputs of the gold look-ups, in the user's records, in the
        instructions, or in the result of an earlier calculation.
    Precision: finds nothing in the real tasks.
    Source: Table 10, retail 28.
    """
    for step in ctx.steps:
        expression = step.arguments.get("expression") if step.step.name == "calculate" else None
        if not isinstance(expression, str):
            continue
        for number in _NUMBER.findall(expression):
            if not amounts(ctx).stands(number):
                place = step.argument("expression")
                yield RuleFault(place, expression=repr(expression), number=number)


def _side(action: Any) -> str:
    return str(action.get("requestor") or "assistant")


def _arguments(action: Any) -> Any:
    arguments = action.get("arguments")
    return arguments if isinstance(arguments, dict) else {}


def is_same(before: States, after: States) -> bool:
    """Whether two moments of one environment hold the same."""
    return all(
        left.find(path) == right.find(path)
        for left, right in zip(before, after, strict=True)
        if left is not None and right is not None
        for path in right.touched_since(left)
    )


def _is_plainly_lost(ctx: TaskContext) -> bool:
    """Whether an empty run fails for sure: spares most tasks the full scoring."""
    basis, replay = ctx.criteria.get("reward_basis") or DEFAULT_BASIS, ctx.replay
    if replay is None or ("COMMUNICATE" in basis and ctx.infos):
        return True
    if "ACTION" in basis and ctx.actions:
        return True
    one_sided = replay.final[1] is None
    if "DB" in basis and one_sided and not is_same(replay.initial, replay.final):
        return True
    return "ENV_ASSERTION" in basis and not all(
        verdict.met for _, verdict in ctx.assertion_verdicts(replay.initial)
    )


def _repairs(later: GoldStep, failed: GoldStep) -> bool:
    stem = failed.step.name.split("_by_")[0]
    return later.at > failed.at and later.step.ok and later.step.name.split("_by_")[0] == stem


def _is_own_id(action_id: str, task_id: str, tool: str) -> bool:
    stem, _, number = action_id.rpartition("_")
    return number.isdigit() and stem in (task_id, tool)
