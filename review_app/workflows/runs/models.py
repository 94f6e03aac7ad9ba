"""The models of a run: limits, budget and cancel in one place; no reply is paid for twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import count
from time import monotonic
from typing import Any

from review_app import llm
from review_app.core.simulation.records import Complete, Reply, Request, Trial
from review_app.errors import ReviewError
from review_app.llm import Answer, Endpoint, LlmError
from review_app.pacing import Limiter
from review_app.store import Store
from review_app.workflows.background.reporter import Reporter

GRACE_S = 5.0
"""How long a cancel waits for replies that are under way: they are paid for."""
ACTOR = "runs"


class Stopped(Exception):
    """Nothing more is asked: cancelled, out of budget, or a key was refused."""


class Models:
    """The endpoints of a run: limits, budget and cancel in one place.

    Belongs to one event loop.
    """

    def __init__(
        self,
        known: Mapping[str, Endpoint],
        at_once: int,
        reporter: Reporter,
        budget_usd: float | None,
        spent_usd: float,
    ) -> None:
        self._known, self._reporter = known, reporter
        self._budget, self._spent = budget_usd, spent_usd
        self._asked_to_stop: float | None = None
        self.refused: LlmError | None = None
        # Two roles of one server share its limits.
        limiters: dict[tuple[str, str | None], Limiter] = {}
        self._limiters = {
            role: limiters.setdefault(
                (each.model, each.api_base), Limiter(at_once, each.requests_per_minute)
            )
            for role, each in known.items()
        }

    @property
    def is_out_of_budget(self) -> bool:
        """Whether as much is spent as may be."""
        return self._budget is not None and self._spent >= self._budget

    @property
    def is_stopping(self) -> bool:
        """Whether nothing more is asked."""
        return self._reporter.cancelled() or self.is_out_of_budget or self.refused is not None

    async def ask(self, request: Request) -> Reply:
        """The reply of the request's role.

        Raises:
            Stopped: nothing more is asked.
        """
        if self.is_stopping:
            raise Stopped
        role = request.role
        try:
            answer = await llm.complete(
                self._known[role],
                request.messages,
                tools=request.tools or None,
                seed=request.seed,
                cancelled=self._is_over,
                limiter=self._limiters[role],
            )
        except LlmError as error:
            if error.kind == "cancelled":
                raise Stopped from None
            if error.kind == "authentication":
                self.refused = error
                raise Stopped from None
            return Reply(model=self._known[role].model, error=error.kind, error_detail=str(error))
        self._reporter.spent(answer)
        self._spent += answer.cost_usd or 0.0
        return reply_of(answer)

    def paid_elsewhere(self, trial: Trial) -> None:
        """Add what a trial cost that somebody else's models played."""
        for side in (trial.agent, trial.user):
            self._spent += side.cost_usd
            priced = side.cost_usd if side.requests > side.unpriced else None
            self._reporter.spent(
                Answer(
                    text="",
                    finish_reason="",
                    tool_calls=(),
                    tokens_in=side.tokens_in,
                    tokens_out=side.tokens_out,
                    cost_usd=priced,
                    latency_s=side.latency_s,
                    model="",
                    attempts=1,
                    request_id="",
                )
            )

    def _is_over(self) -> bool:
        """Whether even replies that are under way are given up."""
        if not self._reporter.cancelled():
            return False
        self._asked_to_stop = self._asked_to_stop or monotonic()
        return monotonic() - self._asked_to_stop > GRACE_S


def reply_of(answer: Answer) -> Reply:
    """A model's answer as the simulation takes it."""
    return Reply(
        text=answer.text,
        tool_calls=answer.tool_calls,
        finish_reason=answer.finish_reason,
        provider_reason=answer.provider_reason,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost_usd=answer.cost_usd,
        latency_s=answer.latency_s,
        model=answer.model,
        attempts=answer.attempts,
        request_id=answer.request_id,
        thought=answer.thought,
    )


def remembering(store: Store, unit: int, ask: Complete) -> Complete:
    """A model whose replies are kept; what a trial has paid for before is not asked again.

    The requests of a trial come one after the other, so a number names them.
    """
    kept, numbers = store.units.replies(unit), count()

    async def complete(request: Request) -> Reply:
        number = next(numbers)
        if number in kept:
            return _kept(kept[number])
        reply = await ask(request)
        if not reply.error:
            with store.write(ACTOR):
                store.units.keep_reply(unit, number, asdict(reply))
        return reply

    return complete


def _kept(raw: Mapping[str, Any]) -> Reply:
    return Reply(**{**raw, "tool_calls": tuple(raw["tool_calls"])})


def require_answers(known: Mapping[str, Endpoint], reporter: Reporter) -> None:
    """See by one tiny call each that the endpoints answer.

    Raises:
        ReviewError: one does not; says which role's and what to do, in one line.
    """
    asked: set[tuple[str, str | None]] = set()
    for role, endpoint in known.items():
        if (endpoint.model, endpoint.api_base) in asked:
            continue
        asked.add((endpoint.model, endpoint.api_base))
        reporter.progress(0, 0, f"asking {endpoint.model}")
        reporter.stop_if_cancelled()
        if wrong := llm.preflight(endpoint):
            raise ReviewError(f"{role} ({endpoint.model}): {wrong}")
