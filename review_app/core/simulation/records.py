"""What a conversation is made of: requests to a model, its replies, and the trial they add up to.

The field names of `Reply` are those of `llm.Answer` where both have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from review_app.core.scoring.accounting import Facts, TrialFault
from review_app.json_types import Json

ModelRole = Literal["agent", "user", "judge"]
TerminationReason = Literal[
    "user_stop",
    "agent_stop",
    "max_steps",
    "too_many_errors",
    "timeout",
    "agent_error",
    "user_error",
    "infrastructure_error",
]
"""As the benchmark's results files name the end of a trial; an error's name is that of `jtau`."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked."""

    role: ModelRole
    """For whom it answers: the endpoint may differ."""
    messages: Sequence[Json]
    """As OpenAI's chat API takes them, the system prompt first."""
    tools: Sequence[Json] = ()
    """Function schemas, same form; empty: the model has no tools."""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, as it is."""

    text: str = ""
    tool_calls: tuple[Mapping[str, str], ...] = ()
    """Each with `id`, `name` and `arguments`, the last as the raw string."""
    finish_reason: str = ""
    """As the library maps it; empty where there is none."""
    provider_reason: str = ""
    """The provider's own, where it is known."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    """None: no known price."""
    latency_s: float = 0.0
    model: str = ""
    attempts: int = 1
    request_id: str = ""
    thought: bool = False
    """Whether the model wrote reasoning beside the text."""
    error: str = ""
    """Kind of the error instead of an answer: `rate_limited`, `timeout`, ...; empty if answered."""
    error_detail: str = ""


Complete = Callable[[Request], Awaitable[Reply]]
"""A model, whoever it is. What it raises goes through to the caller of the trial."""


@dataclass(frozen=True, slots=True)
class Player:
    """One side of a conversation."""

    complete: Complete
    prompt: str
    """System prompt."""
    tools: Sequence[Json] = ()
    """Function schemas of the side's own tools."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a trial is broken off. The defaults are those of the benchmark's command line."""

    max_steps: int = 200
    """Turns of agent, user and environment together."""
    max_errors: int = 10
    """Refused tool calls of both sides together."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one side's model was asked and what it took, failed answers included."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    """Of the priced answers."""
    unpriced: int = 0
    """Answers without a known price; the cost is partial where it is not 0."""
    latency_s: float = 0.0
    finish_reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def total_usd(self) -> float | None:
        """The cost, or None if an answer has no price: as the results files have it."""
        return None if self.unpriced else self.cost_usd

    def plus(self, reply: Reply) -> Usage:
        """The sum with one more reply."""
        reasons = Counter(self.finish_reasons)
        reasons[reply.provider_reason or reply.finish_reason or reply.error] += 1
        return Usage(
            requests=self.requests + 1,
            tokens_in=self.tokens_in + reply.tokens_in,
            tokens_out=self.tokens_out + reply.tokens_out,
            cost_usd=self.cost_usd + (reply.cost_usd or 0.0),
            unpriced=self.unpriced + (reply.cost_usd is None),
            latency_s=self.latency_s + reply.latency_s,
            finish_reasons=dict(reasons),
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One finished conversation."""

    messages: tuple[Json, ...]
    """In the form of the results files, `turn_idx` included."""
    termination_reason: TerminationReason
    seed: int | None
    agent: Usage
    user: Usage
    steps: int
    tool_errors: int
    stop_token: str = ""
    """The token that the user ended with; empty if the user did not end it."""
    fault: TrialFault | None = None
    """The output that broke the trial off."""

    def facts(self, reward: float | None) -> Facts:
        """What error accounting needs of the trial, once it is scored."""
        return Facts(self.termination_reason, reward, self.fault)
