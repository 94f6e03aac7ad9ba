"""The door to language models, the only importer of litellm (which takes seconds to import).

litellm is used for one attempt only: retries, deadlines, limits and what counts as an error are
ours. Keys are passed on with each call and appear in no message, log or representation.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from review_app.endpoints import DEFAULT_MODELS, Endpoint, endpoint, price_usd
from review_app.errors import ReviewError
from review_app.notices import Notice
from review_app.pacing import Limiter, backoff_s, retry_after_s

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "DEFAULT_MODELS",
    "Answer",
    "Endpoint",
    "ErrorKind",
    "Limiter",
    "LlmError",
    "complete",
    "endpoint",
    "preflight",
    "price_usd",
]

NO_KEY = "none"
"""Sent where there is no key: without one litellm would look for somebody else's."""

POLL_S = 0.1
"""How soon a cancel is noticed while a model is thinking."""

PREFIX = re.compile(r"^(?:litellm\.)?(?:\w*(?:Error|Timeout)(?: Error)?: )*")
"""What litellm puts before the words of a server."""

ErrorKind = Literal[
    "rate_limited",
    "server",
    "connection",
    "timeout",
    "authentication",
    "bad_request",
    "network_error",
    "cancelled",
]
RETRYABLE: frozenset[ErrorKind] = frozenset(
    {"rate_limited", "server", "connection", "timeout", "network_error"}
)
REMEDIES: dict[ErrorKind, Notice] = {
    "rate_limited": Notice(
        "model.rate_limited",
        "the server asks for fewer requests; lower the requests per minute, or resume",
    ),
    "server": Notice("model.server", "the server failed; resume later"),
    "connection": Notice(
        "model.connection", "nothing answers there, or it hung up; check the address (API_BASE)"
    ),
    "timeout": Notice("model.timeout", "no answer in time; resume, or allow more time"),
    "authentication": Notice(
        "model.authentication", "the key was refused; set the right one (API_KEY)"
    ),
    "bad_request": Notice(
        "model.bad_request",
        "the server does not take this request; check the model and its parameters",
    ),
    "network_error": Notice("model.network_error", "the answer arrived broken; resume later"),
    "cancelled": Notice("model.cancelled", "stopped as asked"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, as it is; empty, cut or malformed ones are the caller's to judge."""

    text: str
    finish_reason: str
    tool_calls: tuple[Mapping[str, str], ...]
    """Each with `id`, `name` and `arguments`, the last as the raw string."""
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None where the model has no known price: not the same as 0."""
    latency_s: float
    """Of the attempt that was answered."""
    model: str
    """As the provider says."""
    attempts: int
    request_id: str
    provider_reason: str = ""
    """The provider's own finish reason, before the library maps it; empty where it gave none."""
    thought: bool = False
    """Whether reasoning came beside the text."""


class LlmError(ReviewError):
    """No answer was to be had. One line with a remedy; never the key.

    Args:
        kind: What went wrong.
        detail: What the server or the network says, or which limit of ours was passed.
        retry_after_s: How long the server asks to wait, if it does.
    """

    def __init__(
        self, kind: ErrorKind, detail: Notice | str = "", retry_after_s: float | None = None
    ):
        remedy = REMEDIES[kind]
        if detail:
            remedy = Notice("model.detailed", "{remedy} ({detail})", remedy=remedy, detail=detail)
        super().__init__(remedy)
        self.kind, self.retry_after_s = kind, retry_after_s

    @property
    def retryable(self) -> bool:
        """Whether the same request may be answered later."""
        return self.kind in RETRYABLE


async def complete(
    endpoint: Endpoint,
    messages: Sequence[Mapping[str, object]],
    *,
    tools: Sequence[Mapping[str, object]] | None = None,
    response_format: Mapping[str, object] | None = None,
    seed: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    limiter: Limiter | None = None,
) -> Answer:
    """The model's answer to a conversation, asked for again after faults that may pass.

    Args:
        endpoint: The model.
        messages: As OpenAI's chat API takes them.
        tools: Tool schemas, same form.
        response_format: Structured output, same form.
        seed: Passed on if given.
        cancelled: Asked often; True gives up at once.
        limiter: Shared by all calls of one endpoint; without one this call is on its own.

    Raises:
        LlmError: no answer after all attempts, a fault that will not pass, or cancelled.
    """
    limiter = limiter or Limiter(1, endpoint.requests_per_minute)
    if not endpoint.api_key and not endpoint.api_base:
        unset = Notice("model.unset", "no key and no address for {model}", model=endpoint.model)
        raise LlmError("authentication", unset)
    more = {"tools": tools, "response_format": response_format, "seed": seed}
    request: dict[str, Any] = dict(endpoint.parameters)
    request |= {name: value for name, value in more.items() if value is not None}
    request["messages"] = [dict(message) for message in messages]
    attempt = 1
    while True:
        try:
            async with limiter.turn(cancelled):
                started = monotonic()
                response, raw = await _attempt(endpoint, request, cancelled)
                answer = _answer(response, monotonic() - started, attempt)
                return _with_own_reason(answer, raw)
        except LlmError as error:
            wait = error.retry_after_s
            if error.kind == "rate_limited":
                limiter.pause(wait or 0.0)
            if attempt >= endpoint.attempts or not error.retryable:
                raise
            await limiter.rest(
                backoff_s(attempt, endpoint.model) if wait is None else wait, cancelled
            )
            attempt += 1


def preflight(endpoint: Endpoint) -> Notice | None:
    """What is wrong with an endpoint, by one tiny call; None if it answers.

    Imports litellm: call it in a child process, never in the app's server.
    """
    once = replace(endpoint, attempts=1, deadline_s=min(endpoint.deadline_s, 30.0))
    try:
        asyncio.run(complete(once, [{"role": "user", "content": "Say OK."}]))
    except LlmError as error:
        return error.notice
    return None


def _litellm() -> ModuleType:
    """The library, kept from going to the network by itself and from printing."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_OFFLINE_MODE"] = "true"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


def _errors() -> type[Exception]:
    """What every exception of litellm derives from."""
    import openai

    return openai.OpenAIError


async def _attempt(
    endpoint: Endpoint, request: Mapping[str, Any], cancelled: Callable[[], bool]
) -> tuple[Any, str]:
    """The library's response to one request, and the text that it was made of if it shows it.

    Given up at the deadline or a cancel.
    """
    if cancelled():
        raise LlmError("cancelled")
    litellm, seen = _litellm(), [""]

    def see(details: Mapping[str, Any]) -> None:
        raw = details.get("original_response")
        if isinstance(raw, str):
            seen[0] = raw

    call = asyncio.ensure_future(
        litellm.acompletion(
            **request,
            model=endpoint.model,
            api_base=endpoint.api_base,
            api_key=endpoint.api_key or NO_KEY,
            timeout=endpoint.timeout_s,
            max_retries=0,
            logger_fn=see,
        )
    )
    deadline = monotonic() + endpoint.deadline_s
    try:
        while not call.done():
            left = deadline - monotonic()
            if left <= 0:
                raise LlmError("timeout", _incomplete(endpoint.deadline_s))
            await asyncio.wait({call}, timeout=min(POLL_S, left))
            if not call.done() and cancelled():
                raise LlmError("cancelled")
        return call.result(), seen[0]
    except _errors() as error:
        # Without `from None` a traceback in a log would show what litellm saw, key and all.
        raise _error(error, endpoint) from None
    finally:
        call.cancel()


def _incomplete(seconds: float) -> Notice:
    return Notice("model.incomplete", "not complete after {seconds:g} s", seconds=seconds)


def _error(error: Any, endpoint: Endpoint) -> LlmError:
    """What an exception of litellm means to us."""
    headers = _headers(error)
    # litellm gives 500 to whatever it cannot name: only what has headers came from the server.
    status = getattr(error, "status_code", None) or 0
    kind: ErrorKind = _kind(status)
    if kind == "server" and not headers:
        kind = "connection" if _hung_up(error) else "network_error"
    detail = " ".join(str(getattr(error, "message", error)).split())
    detail = PREFIX.sub("", detail).partition(" Traceback ")[0]
    if endpoint.api_key:
        detail = detail.replace(endpoint.api_key, "***")
    return LlmError(kind, detail[:200], retry_after_s(headers.get("retry-after")))


def _headers(error: Any) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "litellm_response_headers", None)
    return headers or {}


def _hung_up(error: BaseException | None) -> bool:
    """Whether a broken connection is behind an error."""
    import aiohttp
    import httpx

    while error is not None:
        if isinstance(error, (OSError, httpx.TransportError, aiohttp.ClientError)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _kind(status: int) -> ErrorKind:
    by_status: dict[int, ErrorKind] = {
        401: "authentication",
        403: "authentication",
        408: "timeout",
        429: "rate_limited",
    }
    return by_status.get(status, "bad_request" if 400 <= status < 500 else "server")


def _answer(response: Any, latency_s: float, attempts: int) -> Answer:
    choice = next(iter(getattr(response, "choices", None) or ()), None)
    message = getattr(choice, "message", None)
    usage = getattr(response, "usage", None)
    hidden = getattr(response, "_hidden_params", None) or {}
    return Answer(
        text=getattr(message, "content", None) or "",
        finish_reason=getattr(choice, "finish_reason", None) or "",
        tool_calls=tuple(_tool_call(call) for call in getattr(message, "tool_calls", None) or ()),
        tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
        tokens_out=getattr(usage, "completion_tokens", 0) or 0,
        cost_usd=hidden.get("response_cost") or None,
        latency_s=latency_s,
        model=getattr(response, "model", None) or "",
        attempts=attempts,
        request_id=getattr(response, "id", None) or "",
        provider_reason=_native_reason(choice),
        thought=bool(getattr(message, "reasoning_content", None)),
    )


def _native_reason(choice: Any) -> str:
    fields = getattr(choice, "provider_specific_fields", None) or {}
    reason = fields.get("native_finish_reason") or getattr(choice, "finish_reason", None)
    return str(reason or "")


def _with_own_reason(answer: Answer, raw: str) -> Answer:
    """The answer with the finish reason that the server sent: litellm makes `stop` of none."""
    try:
        sent = json.loads(raw)["choices"][0]["finish_reason"]
    except (ValueError, LookupError, TypeError):
        return answer
    if sent is None:
        return replace(answer, finish_reason="", provider_reason="")
    return replace(answer, provider_reason=str(sent))


def _tool_call(call: Any) -> Mapping[str, str]:
    function = getattr(call, "function", None)
    return {
        "id": getattr(call, "id", None) or "",
        "name": getattr(function, "name", None) or "",
        "arguments": getattr(function, "arguments", None) or "",
    }
