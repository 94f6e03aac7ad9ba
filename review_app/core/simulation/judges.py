"""Verdicts of a model on a finished trial: assertions in words, and whose fault a failure was.

A verdict keeps the model's raw answer. What cannot be read is *unknown*, never clean: an empty
answer, no JSON, a missing or odd member.

Source: section 5.2 and appendix G.3 of the paper (Table 4); format specification, sections 9.4
and 10.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from review_app.core.simulation.prompts import scenario_text
from review_app.core.simulation.records import Complete, Reply, Request
from review_app.json_types import Json
from review_app.notices import Notice

FailureCause = Literal["agent", "user", "eval", "unknown"]
"""`eval`: task, gold, tools or evaluation; `unknown`: the judge did not say."""

_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_CAUSES: Mapping[str, FailureCause] = {"agent": "agent", "user": "user", "eval": "eval"}


@dataclass(frozen=True, slots=True)
class AssertionsVerdict:
    """What a judge says about a task's assertions in words."""

    verdicts: tuple[bool | None, ...]
    """In the order of the assertions; None: unknown."""
    reasons: tuple[str, ...]
    reply: Reply | None
    """None: there was nothing to judge, so nobody was asked."""
    problem: Notice | None = None
    """Why a verdict is unknown."""

    @property
    def met(self) -> tuple[bool, ...] | None:
        """For `ScoredRun.nl_met`: None as soon as one verdict is unknown."""
        known = tuple(verdict for verdict in self.verdicts if verdict is not None)
        return known if len(known) == len(self.verdicts) else None


@dataclass(frozen=True, slots=True)
class CauseVerdict:
    """What a judge says about why a trial failed."""

    cause: FailureCause
    reasoning: str
    turn_idx: int | None
    """Of the message where it went wrong, if the judge names one that is there."""
    reply: Reply
    problem: Notice | None = None


async def judge_assertions(
    complete: Complete,
    prompt: str,
    assertions: Sequence[str],
    messages: Sequence[Json],
    *,
    seed: int | None = None,
) -> AssertionsVerdict:
    """Whether a conversation does what each assertion says, by one call of the judge.

    Args:
        complete: The judge.
        prompt: `data/prompts/judge/assertions.md`.
        assertions: The task's `nl_assertions`.
        messages: The trial's messages; the judge reads the texts only, as in the benchmark.
        seed: Handed to the judge.
    """
    if not assertions:
        return AssertionsVerdict((), (), None)
    listed = "\n".join(f"{at}. {text}" for at, text in enumerate(assertions, 1))
    asked = blocks(conversation=transcript(messages, tools=False), expected_outcomes=listed)
    reply = await ask(complete, prompt, asked, seed)
    answer, problem = parsed(reply)
    results = answer.get("results") if answer else None
    if not isinstance(results, list) or len(results) != len(assertions):
        count = len(assertions)
        return AssertionsVerdict(
            verdicts=(None,) * count,
            reasons=("",) * count,
            reply=reply,
            problem=problem or _no_results(count),
        )
    known = [result if isinstance(result, dict) else {} for result in results]
    answers = [result.get("met") for result in known]
    verdicts = tuple(met if isinstance(met, bool) else None for met in answers)
    undecided = Notice("model.judge_undecided", "a result says neither true nor false")
    return AssertionsVerdict(
        verdicts=verdicts,
        reasons=tuple(str(result.get("reasoning") or "") for result in known),
        reply=reply,
        problem=undecided if None in verdicts else None,
    )


def _no_results(count: int) -> Notice:
    return Notice("model.judge_results", "the judge gave no {wanted} results", wanted=count)


async def judge_cause(
    complete: Complete,
    prompt: str,
    task: Json,
    messages: Sequence[Json],
    *,
    ending: str = "",
    seed: int | None = None,
) -> CauseVerdict:
    """Whether agent, user simulator or evaluation made a trial fail.

    Args:
        complete: The judge.
        prompt: `data/prompts/judge/cause.md`.
        task: Raw task; the judge reads its scenario and its criteria.
        messages: The failed trial's messages, tool calls and results included.
        ending: How the trial ended and which checks failed, if the caller knows.
        seed: Handed to the judge.
    """
    asked = blocks(
        scenario=scenario_text(task.get("user_scenario")),
        evaluation_criteria=_dumped(task.get("evaluation_criteria")),
        conversation=transcript(messages),
        outcome=ending,
    )
    reply = await ask(complete, prompt, asked, seed)
    answer, problem = parsed(reply)
    answer = answer or {}
    cause = _CAUSES.get(str(answer.get("cause") or "").strip().lower(), "unknown")
    if cause == "unknown":
        named = repr(answer.get("cause"))
        problem = problem or Notice("model.judge_cause", "{cause} is no cause", cause=named)
    turn = turn_in(answer.get("turn_idx"), messages)
    return CauseVerdict(
        cause=cause,
        reasoning=str(answer.get("reasoning") or ""),
        turn_idx=turn,
        reply=reply,
        problem=problem,
    )


async def ask(complete: Complete, prompt: str, asked: str, seed: int | None) -> Reply:
    """The judge's reply to a question under a system prompt."""
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": asked}]
    return await complete(Request("judge", messages, seed=seed))


def blocks(**parts: str) -> str:
    """Texts between tags of their names; empty ones are left out."""
    return "\n\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in parts.items() if text)


def transcript(messages: Sequence[Json], *, tools: bool = True) -> str:
    """A conversation as lines for a judge: `[3] agent: ...`, numbered as `turn_idx`.

    Args:
        messages: In the form of the results files.
        tools: Whether calls and results are shown; without them only what the two said.
    """
    lines: list[str] = []
    for at, message in enumerate(messages):
        lines += (f"[{at}] {line}" for line in _lines(message, tools=tools))
    return "\n".join(lines)


def parsed(reply: Reply) -> tuple[dict[str, Any] | None, Notice | None]:
    """The JSON object in a judge's answer, fenced or with words around it; or why there is none."""
    if reply.error:
        problem = f"{reply.error} {reply.error_detail}".rstrip()
        return None, Notice("model.judge_unreached", "no answer: {problem}", problem=problem)
    if not reply.text.strip():
        return None, Notice(
            "model.judge_empty",
            "an empty answer, finish reason {reason!r}",
            reason=reply.finish_reason,
        )
    for text in (reply.text, *reversed(_FENCED.findall(reply.text)), _from_brace(reply.text)):
        try:
            answer, _ = json.JSONDecoder().raw_decode(text.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(answer, dict):
            return answer, None
    return None, Notice("model.judge_no_json", "the answer holds no JSON object")


def turn_in(value: Any, messages: Sequence[Json]) -> int | None:
    """A message number that a judge gave, if there is such a message."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < len(messages) else None


def _from_brace(text: str) -> str:
    return text[text.find("{") :] if "{" in text else ""


def _lines(message: Json, *, tools: bool) -> Iterator[str]:
    name = {"assistant": "agent", "user": "user"}.get(message.get("role", ""), "")
    if not name:
        if tools and message.get("role") == "tool":
            failed = " (error)" if message.get("error") else ""
            yield f"tool result{failed}: {_indented(message.get('content') or '')}"
        return
    if message.get("content"):
        yield f"{name}: {_indented(message['content'])}"
    for call in (message.get("tool_calls") or ()) if tools else ():
        yield f"{name} calls {call.get('name', '')}({_dumped(call.get('arguments'))})"


def _indented(text: str) -> str:
    """A text whose further lines cannot be taken for turns of their own."""
    return "\n    ".join(text.splitlines())


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
