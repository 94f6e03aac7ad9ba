"""Players that are no models: they play a task's gold actions.

They stand in where no model is configured, and show whether a task can be solved as it is written
down. They are as honest as the task: where a gold write is refused the agent tries it again and
again until the trial is broken off; where the scenario leaves open what a gold action chooses, the
agent asks, and the user says that the scenario does not tell (out of scope).

Both read from the conversation alone how far they are, so they can be asked again at any point.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from review_app.core.envs.base import Environment
from review_app.core.simulation.records import Complete, Reply, Request
from review_app.core.tasks.replay import gold_actions, replay_task
from review_app.core.validity import TaskContext, inspect
from review_app.json_types import Json

MODEL = "scripted (not a model)"
"""What the replies name as their model."""
OPEN_CHOICE_RULES = ("PAY-01", "PAY-02")
"""Validity rules that find a choice which the scenario leaves open."""
_ACTION = "/evaluation_criteria/actions/"


@dataclass(frozen=True, slots=True)
class Phrases:
    """What the players say, in one language: `data/prompts/run/<language>/scripted.json`."""

    please: str
    """The agent asks the user to act; a place `{tools}`."""
    question: str
    """The agent asks what the scenario leaves open."""
    closing: str
    """The agent is done; what must be communicated follows, a line each."""
    opening: str
    """The user's first words where the scenario has no reason for the call."""
    done: str
    """The user has acted."""
    thanks: str
    """The user's last words, before the stop token."""


@dataclass(frozen=True, slots=True)
class ScriptedExchange:
    """What agent and then user do before the agent's next text is answered."""

    agent: tuple[Json, ...]
    user: tuple[Json, ...]
    text: str
    """What the agent says between the two."""


@dataclass(frozen=True, slots=True)
class Script:
    """A whole conversation, laid out beforehand."""

    opening: str
    blocks: tuple[ScriptedExchange, ...]
    ending: str
    """The user's last words, stop token included."""
    done: str
    """What the user says after acting."""
    repeats: bool = False
    """The last action is refused: it is tried until the trial is broken off."""
    before: Mapping[str, tuple[int, int]] | None = None
    """Side -> its calls, and texts of the agent, that the message history already holds."""


def script(
    task: Json, environment: Environment, phrases: Phrases, open_choices: Sequence[int] = ()
) -> Script:
    """How a task is played.

    Args:
        task: Raw task.
        environment: Fresh, of the task's domain. It is not changed.
        phrases: What the players say.
        open_choices: Indexes of gold actions for which the scenario does not say what they need
            (`open_choices`).

    Raises:
        BadInput: the task is malformed or its initial state fails.
    """
    actions = gold_actions(task)
    steps = replay_task(environment.fork(), task).steps
    refused = [at for at, step in enumerate(steps) if step.kind == "write" and not step.ok]
    unsaid = min(open_choices, default=len(actions))
    stuck = refused[0] if refused and refused[0] < unsaid else None
    played = actions[: stuck + 1] if stuck is not None else actions[:unsaid]
    infos = (task.get("evaluation_criteria") or {}).get("communicate_info") or ()
    is_open = stuck is None and unsaid < len(actions)
    closing = phrases.question if is_open else "\n".join([phrases.closing, *infos])
    return Script(
        opening=_opening(task) or phrases.opening,
        blocks=_blocks(played, closing, phrases),
        ending=f"{phrases.thanks} {_token(played)}" if not is_open else "###OUT-OF-SCOPE###",
        done=phrases.done,
        repeats=stuck is not None,
        before=_history(task),
    )


def open_choices(task: Json, ctx: TaskContext) -> list[int]:
    """Indexes of the gold actions with a choice that the scenario leaves open, in order."""
    violations = inspect(task, ctx, only=OPEN_CHOICE_RULES)
    addresses = [violation.address.removeprefix(_ACTION) for violation in violations]
    places = [address.partition("/")[0] for address in addresses]
    return sorted({int(place) for place in places if place.isdecimal()})


def scripted_agent(script: Script) -> Complete:
    """An agent that makes the script's calls, and says what must be communicated."""

    async def answer(request: Request) -> Reply:
        calls, texts = _progress(request, script, "agent")
        at = min(texts, len(script.blocks) - 1)
        wanted = _due(script, at, "agent", calls)
        return _called(wanted, calls) if wanted else _said(script.blocks[at].text)

    return answer


def scripted_user(script: Script) -> Complete:
    """A user who opens, acts on the device when asked to, and ends."""

    async def answer(request: Request) -> Reply:
        calls, texts = _progress(request, script, "user")
        if texts == 0:
            return _said(script.opening)
        at = min(texts, len(script.blocks)) - 1
        if wanted := _due(script, at, "user", calls):
            return _called(wanted, calls)
        return _said(script.ending if at == len(script.blocks) - 1 else script.done)

    return answer


def scripted_judge(assertions: Sequence[str]) -> Complete:
    """A judge that holds every assertion for met. Good for trials of scripted players only."""

    async def answer(request: Request) -> Reply:
        results = [
            {"assertion": assertion, "reasoning": MODEL, "met": True} for assertion in assertions
        ]
        return _said(json.dumps({"results": results}, ensure_ascii=False))

    return answer


def _opening(task: Json) -> str:
    instructions = (task.get("user_scenario") or {}).get("instructions")
    if isinstance(instructions, Mapping):
        return str(instructions.get("reason_for_call") or "")
    return str(instructions or "")


def _token(played: Sequence[Json]) -> str:
    handed_over = any(action.get("name") == "transfer_to_human_agents" for action in played)
    return "###TRANSFER###" if handed_over else "###STOP###"


def _is_users(action: Json) -> bool:
    return action.get("requestor") == "user"


def _blocks(played: Sequence[Json], closing: str, phrases: Phrases) -> tuple[ScriptedExchange, ...]:
    """Runs of agent's and then user's actions; the last block is the agent's last words."""
    parts: list[tuple[list[Json], list[Json]]] = [([], [])]
    for action in played:
        if parts[-1][1] and not _is_users(action):
            parts.append(([], []))
        parts[-1][_is_users(action)].append(action)
    if parts[-1][1]:
        parts.append(([], []))
    *before, last = parts
    asked = [
        ScriptedExchange(tuple(ours), tuple(theirs), _please(theirs, phrases))
        for ours, theirs in before
    ]
    return (*asked, ScriptedExchange(tuple(last[0]), (), closing))


def _please(actions: Sequence[Json], phrases: Phrases) -> str:
    names = ", ".join(str(action.get("name", "")) for action in actions)
    return phrases.please.replace("{tools}", names)


def _history(task: Json) -> dict[str, tuple[int, int]]:
    """Each side's calls and the agent's texts before the trial begins; the greeting is one."""
    messages = (task.get("initial_state") or {}).get("message_history") or ()
    if not messages:
        return {"agent": (0, 1), "user": (0, 1)}
    calls = {
        role: sum(len(m.get("tool_calls") or ()) for m in messages if m.get("role") == role)
        for role in ("assistant", "user")
    }
    texts = sum(m.get("role") == "assistant" and not m.get("tool_calls") for m in messages)
    return {"agent": (calls["assistant"], texts), "user": (calls["user"], texts)}


def _progress(request: Request, script: Script, side: str) -> tuple[int, int]:
    """How many calls the side has made and how many texts the agent has said in this trial."""
    calls = sum(len(message.get("tool_calls") or ()) for message in request.messages)
    agent = "assistant" if side == "agent" else "user"
    texts = sum(
        message["role"] == agent and not message.get("tool_calls") for message in request.messages
    )
    calls_before, texts_before = (script.before or {}).get(side, (0, 0))
    return calls - calls_before, texts - texts_before


def _due(script: Script, at: int, side: str, calls: int) -> Json | None:
    """The action that a side plays next in this block; None if it has played them all."""
    planned: list[Json] = []
    for block in script.blocks[: at + 1]:
        planned += block.agent if side == "agent" else block.user
    if calls < len(planned):
        return planned[calls]
    return _repeated(script, at, side)


def _repeated(script: Script, at: int, side: str) -> Json | None:
    if not script.repeats:
        return None
    last = script.blocks[-1]
    if last.agent:
        return last.agent[-1] if side == "agent" and at == len(script.blocks) - 1 else None
    users = script.blocks[-2].user if len(script.blocks) > 1 else ()
    return users[-1] if side == "user" and users and at == len(script.blocks) - 2 else None


def _called(action: Json, number: int) -> Reply:
    call = {
        "id": f"scripted_{number}",
        "name": str(action.get("name", "")),
        "arguments": json.dumps(action.get("arguments", {})),
    }
    return Reply(tool_calls=(call,), finish_reason="tool_calls", cost_usd=0.0, model=MODEL)


def _said(text: str) -> Reply:
    return Reply(text=text, finish_reason="stop", cost_usd=0.0, model=MODEL)
