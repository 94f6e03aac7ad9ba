"""Agent, user simulator and environment taking turns.

The agent's greeting comes first, then the user. A message with tool calls goes to the environment
and the results go back to whoever called; any other message goes to the other side. A trial ends
when the user's text holds a stop token, when a limit is reached, or with an output that nobody can
go on from: that one is kept as a fact (`Trial.fault`), never repaired and never asked for again;
whether the trial is played again is the caller's decision (`accounting.attempts_allowed`).

Source: format specification, sections 5 and 6.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from review_app.core.envs.base import Environment
from review_app.core.scoring import accounting
from review_app.core.scoring.accounting import TrialFault
from review_app.core.simulation.records import (
    Limits,
    Player,
    Reply,
    Request,
    TerminationReason,
    Trial,
    Usage,
)
from review_app.core.simulation.views import ROLE, view
from review_app.core.tasks.replay import prepared
from review_app.core.tasks.statediff import Side
from review_app.errors import BadInput
from review_app.json_types import Json
from review_app.notices import Notice

GREETING = "Hi! How can I help you today?"
"""What the agent says first; the benchmark has it fixed."""
STOP_TOKENS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
"""Any of them anywhere in a text of the user ends the trial."""

_OTHER: Mapping[Side, Side] = {"agent": "user", "user": "agent"}


async def play(
    task: Json,
    environment: Environment,
    agent: Player,
    user: Player,
    *,
    greeting: str = GREETING,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    seed: int | None = None,
    expired: Callable[[], bool] = lambda: False,
) -> Trial:
    """One trial of a task.

    Args:
        task: Raw task: its initial state is applied, its message history goes on.
        environment: Fresh, of the task's domain. It is not changed.
        agent: Answers the user.
        user: The simulated user.
        greeting: The agent's first words; not said where the task has a message history.
        limits: When to break off.
        seed: Handed to both models with each request.
        expired: Asked after each step; True breaks the trial off as `timeout`.

    Raises:
        BadInput: the task's initial state fails.
    """
    conversation = _Conversation(
        prepared(environment.fork(), task), {"agent": agent, "user": user}, limits, seed, expired
    )
    history = (task.get("initial_state") or {}).get("message_history") or ()
    conversation.open(history, greeting)
    while not conversation.end:
        await conversation.step()
    return conversation.trial()


def stop_token(message: Json) -> str:
    """The stop token in a stored message of the user; empty if it does not end the trial."""
    if message.get("role") != "user" or message.get("tool_calls"):
        return ""
    text = message.get("content") or ""
    return next((token for token in STOP_TOKENS if token in text), "")


class _Conversation:
    """A trial on its way."""

    def __init__(
        self,
        environment: Environment,
        players: Mapping[Side, Player],
        limits: Limits,
        seed: int | None,
        expired: Callable[[], bool],
    ) -> None:
        self._environment, self._players = environment, players
        self._limits, self._seed, self._expired = limits, seed, expired
        self._messages: list[Json] = []
        self._usage: dict[Side, Usage] = {"agent": Usage(), "user": Usage()}
        self._turn: Side | Literal["environment"] = "user"
        self._steps = self._errors = 0
        self._stop_token = ""
        self._fault: TrialFault | None = None
        self._call_ids: set[str] = set()
        self.end: TerminationReason | None = None

    def open(self, history: Sequence[Json], greeting: str) -> None:
        """Start with the greeting, or where a history leaves off."""
        if not history:
            said = {"role": "assistant", "content": greeting, "tool_calls": None, "cost": 0.0}
            self._say(said)
            return
        for message in history:
            self._say(message)
            self._call_ids.update(call.get("id", "") for call in message.get("tool_calls") or ())
        last = history[-1]
        role = last.get("role")
        if role == "tool":
            self._turn = "user" if last.get("requestor") == "user" else "agent"
        elif role in ("assistant", "user"):
            self._turn = "user" if role == "assistant" else "agent"
            self._stop_token = stop_token(last)
            self.end = "user_stop" if self._stop_token else None
        else:
            problem = Notice("model.history_end", "ends with a message of {role}", role=repr(role))
            raise BadInput(problem, "", "message_history")

    async def step(self) -> None:
        """One turn of whoever's turn it is, and the limits after it."""
        if self._turn == "environment":
            self._run_tools()
        else:
            await self._speak(self._turn)
        self._steps += 1
        if self._fault is None:
            self._check_limits()

    def trial(self) -> Trial:
        """What the conversation came to."""
        assert self.end is not None
        return Trial(
            messages=tuple(self._messages),
            termination_reason=self.end,
            seed=self._seed,
            agent=self._usage["agent"],
            user=self._usage["user"],
            steps=self._steps,
            tool_errors=self._errors,
            stop_token=self._stop_token,
            fault=self._fault,
        )

    async def _speak(self, side: Side) -> None:
        player = self._players[side]
        messages = view(self._messages, side, player.prompt)
        reply = await player.complete(
            Request(role=side, messages=messages, tools=player.tools, seed=self._seed)
        )
        self._usage[side] = self._usage[side].plus(reply)
        calls, fault = _read(reply, side)
        if fault is not None:
            self._fault, self.end = fault, accounting.termination(fault)
            return
        for call in calls:
            call["id"] = self._free_id(call["id"])
        message = _message(reply, side, calls)
        self._say(message)
        self._turn = "environment" if calls else _OTHER[side]
        if token := stop_token(message):
            self._stop_token, self.end = token, "user_stop"

    def _free_id(self, wanted: str) -> str:
        """The id that a model gave a call, or another where it is missing or used up."""
        free, number = wanted, len(self._call_ids)
        while not free or free in self._call_ids:
            free, number = f"call_{number}", number + 1
        self._call_ids.add(free)
        return free

    def _run_tools(self) -> None:
        asking = self._messages[-1]
        requestor = asking["role"]
        for call in asking["tool_calls"]:
            done = self._environment.call(call["name"], call["arguments"], requestor)
            self._errors += not done.ok
            self._say(
                {
                    "role": "tool",
                    "id": call["id"],
                    "content": done.output,
                    "requestor": requestor,
                    "error": not done.ok,
                }
            )
        self._turn = "user" if requestor == "user" else "agent"

    def _check_limits(self) -> None:
        if self._turn == "environment":
            return
        # A trial that stops on its very last step has reached the limit, too: as the reference.
        if self._steps >= self._limits.max_steps:
            self.end = "max_steps"
        if self._errors >= self._limits.max_errors:
            self.end = "too_many_errors"
        if self.end is None and self._expired():
            self.end = "timeout"

    def _say(self, message: Json) -> None:
        self._messages.append({**message, "turn_idx": len(self._messages)})


def _read(reply: Reply, side: Side) -> tuple[list[dict[str, Any]], TrialFault | None]:
    """A reply's tool calls, or why the trial cannot go on from it."""
    fault = TrialFault(
        kind="no_answer",
        speaker=side,
        finish_reason=reply.finish_reason,
        provider_reason=reply.provider_reason,
        error=reply.error,
        detail=reply.error_detail,
        thought=reply.thought,
    )
    if reply.error or accounting.NETWORK in (reply.provider_reason, reply.finish_reason):
        return [], fault
    if not reply.text.strip() and not reply.tool_calls:
        return [], replace(fault, kind="empty_output", detail=reply.text)
    calls = []
    for raw in reply.tool_calls:
        arguments = _arguments(raw.get("arguments", ""))
        if arguments is None:
            detail = f"{raw.get('name', '')}({raw.get('arguments', '')})"
            return [], replace(fault, kind="malformed_tool_call", detail=detail)
        calls.append(
            {
                "id": raw.get("id", ""),
                "name": raw.get("name", ""),
                "arguments": arguments,
                "requestor": ROLE[side],
            }
        )
    return calls, None


def _arguments(raw: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _message(reply: Reply, side: Side, calls: list[dict[str, Any]]) -> Json:
    usage = {"completion_tokens": reply.tokens_out, "prompt_tokens": reply.tokens_in}
    choice = {"finish_reason": reply.finish_reason or None}
    if reply.provider_reason:
        choice["provider_finish_reason"] = reply.provider_reason
    return {
        "role": ROLE[side],
        "content": reply.text or None,
        "tool_calls": calls or None,
        "cost": reply.cost_usd,
        "usage": usage,
        "raw_data": {"model": reply.model, "choices": [choice]},
        "generation_time_seconds": reply.latency_s,
    }
