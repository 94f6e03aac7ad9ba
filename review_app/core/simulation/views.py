"""What each side sees of a conversation, as OpenAI's chat API takes it.

Each side has its own text and calls as `assistant`, the results of its own calls as `tool`, and
what the other side told it as `user`. A message with tool calls goes to the environment: the other
side sees neither the calls nor the text beside them.

Source: format specification, sections 6 and 7.2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from review_app.core.tasks.statediff import Side
from review_app.json_types import Json

ROLE: Mapping[Side, Literal["assistant", "user"]] = {"agent": "assistant", "user": "user"}
"""A side's role in the stored messages, which is also the requestor of its tool calls."""


def view(messages: Sequence[Json], side: Side, prompt: str) -> list[Json]:
    """The conversation as one side sees it, behind its system prompt.

    Args:
        messages: In the form of the results files.
        side: Whose view.
        prompt: The side's system prompt.
    """
    return [{"role": "system", "content": prompt}, *_seen(messages, side)]


def _seen(messages: Sequence[Json], side: Side) -> Iterator[Json]:
    own = ROLE[side]
    for message in messages:
        if message["role"] == "tool":
            if message.get("requestor", "assistant") == own:
                yield {
                    "role": "tool",
                    "tool_call_id": message["id"],
                    "content": message.get("content") or "",
                }
        elif message["role"] == own:
            yield _own(message)
        elif not message.get("tool_calls"):
            yield {"role": "user", "content": message.get("content")}


def _own(message: Json) -> Json:
    calls = message.get("tool_calls")
    shown = {"role": "assistant", "content": message.get("content")}
    return {**shown, "tool_calls": [_call(call) for call in calls]} if calls else shown


def _call(call: Json) -> Json:
    # Escaped like the benchmark's own requests, so that figures stay comparable.
    arguments = json.dumps(call["arguments"])
    function = {"name": call["name"], "arguments": arguments}
    return {"id": call["id"], "type": "function", "function": function}
