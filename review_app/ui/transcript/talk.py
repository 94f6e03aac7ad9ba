"""A conversation: user left, agent right, calls as lines that open. All text is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from review_app.core.envs import Step
from review_app.core.simulation.orchestrator import STOP_TOKENS
from review_app.core.tasks import statediff
from review_app.json_types import Json
from review_app.ui.environment import trace
from review_app.ui.shared import markup
from review_app.ui.shared.environment_words import safe, verdict
from review_app.ui.shared.i18n import text
from review_app.ui.shared.markup import Highlight
from review_app.workflows.benchmark.environments import call_text

LINE = 110
"""A call's line is cut here; opened, it is whole."""


def talk(messages: Sequence[Json], steps: Mapping[tuple[int, int], Step]) -> str:
    """The whole conversation as HTML.

    Args:
        messages: In the form of the results files.
        steps: (message, call) -> the write, run again; without it no change is shown.
    """
    return "".join(_turns(messages, steps))


def _turns(messages: Sequence[Json], steps: Mapping[tuple[int, int], Step]) -> Iterator[str]:
    for at, message in enumerate(messages):
        if message.get("role") not in ("assistant", "user"):
            continue
        parts = [_said(message)]
        for number, call in enumerate(message.get("tool_calls") or ()):
            shown = call if isinstance(call, Mapping) else {"name": str(call)}
            answer = _answer(messages, at + 1 + number)
            parts.append(_call(shown, answer, steps.get((at, number))))
        yield _turn(at, message, "".join(parts))


def _answer(messages: Sequence[Json], at: int) -> Json | None:
    """The result of a call: results follow in the order of the calls, ids may come twice."""
    is_there = at < len(messages) and messages[at].get("role") == "tool"
    return messages[at] if is_there else None


def _turn(at: int, message: Json, body: str) -> str:
    is_user = message["role"] == "user"
    who = text("transcript.side.user" if is_user else "transcript.side.agent")
    label = f"<div class='jt-label'>{at} · {who}</div>"
    return f"<div class='jt-turn{' jt-user' if is_user else ''}'>{label}{body}</div>"


def _said(message: Json) -> str:
    content = message.get("content")
    if not content:
        return "" if message.get("tool_calls") else f"<i>{text('transcript.said_nothing')}</i>"
    said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    said = said.encode("utf-8", "backslashreplace").decode()
    return f"<div class='jt-text'>{markup.marked(said, _tokens(message, said))}</div>"


def _tokens(message: Json, said: str) -> list[Highlight]:
    """Where stop tokens of the user stand."""
    if message["role"] != "user":
        return []
    return [
        Highlight(
            start=said.index(token),
            end=said.index(token) + len(token),
            look="contested",
            title=text("transcript.stop_token"),
        )
        for token in STOP_TOKENS
        if token in said
    ]


def _call(call: Json, answer: Json | None, step: Step | None) -> str:
    arguments = call.get("arguments")
    line = call_text(str(call.get("name", "")), arguments)
    short = line if len(line) <= LINE else f"{line[:LINE]}…"
    ended = "" if answer is None else verdict(not answer.get("error"))
    opened = (
        f"<div class='jt-label'>{text('transcript.arguments')}</div>{_json(arguments)}"
        f"<div class='jt-label'>{text('transcript.result')}</div>{_result(answer)}"
    )
    summary = f"<summary><span class='jt-mono'>{safe(short)}</span> {ended}</summary>"
    return f"<details>{summary}{opened}</details>{_change(step)}"


def _change(step: Step | None) -> str:
    if step is None:
        return ""
    changed = trace.changes(statediff.changes(step.before, step.after))
    return changed or f"<div class='jt-muted'>{text('transcript.no_change')}</div>"


def _result(answer: Json | None) -> str:
    if answer is None:
        return f"<div class='jt-muted'>{text('transcript.no_result')}</div>"
    said = str(answer.get("content") or "")
    try:
        return _json(json.loads(said))
    except (ValueError, RecursionError):
        return f"<div class='jt-text jt-mono'>{safe(said)}</div>"


def _json(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, indent=2)
    return f"<div class='jt-text jt-mono'>{safe(shown)}</div>"
