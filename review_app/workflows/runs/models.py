"""The models of a run: asked within limits and budget; no reply is paid for twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import count
from time import monotonic

import msgspec

from review_app import llm
from review_app.core.simulation.records import Complete, Reply, Request, Trial
from review_app.errors import ReviewError
from review_app.llm import Answer, Endpoint, LlmError
from review_app.notices import Notice
from review_app.pacing import Limiter
from review_app.store import Store
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.runs.budget import Budget, Stopped

GRACE_S = 5.0
"""How long a cancel waits for replies that are under way: they are paid for."""
ACTOR = "runs"


class Models:
    """The endpoints of a run: limits, budget and cancel in one place.

    Belongs to one event loop.

    Args:
        known: Role -> its endpoint.
        at_once: Requests at once of one endpoint.
        reporter: Told of what is spent; asked whether to stop.
        budget: What may be spent; none where others count.
    """

    def __init__(
        self,
        known: Mapping[str, Endpoint],
        at_once: int,
        reporter: Reporter,
        budget: Budget | None = None,
    ) -> None:
        self._known, self._reporter = known, reporter
        self._budget = budget or Budget()
        self._asked_to_stop: float | None = None
        self.refused: LlmError | None = None
        # Two roles of one server share its limits.
        limiters: dict[tuple[str, str | None], Limiter] = {}
        self._limiters = {
            role: limiters.setdefault(
                (endpoint.model, endpoint.api_base), Limiter(at_once, endpoint.requests_per_minute)
            )
            for role, endpoint in known.items()
        }

    @property
    def is_stopping(self) -> bool:
        """Whether nothing more is asked."""
        return self.why_stopping() is not None

    def why_stopping(self) -> Notice | None:
        """Why nothing more is asked; None while it is."""
        if self.refused is not None:
            return self.refused.notice
        if self._reporter.cancelled():
            return cancelled()
        return self._budget.notice()

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
        self._budget.pay(answer.cost_usd)
        return reply_of(answer)

    def paid_elsewhere(self, trial: Trial) -> None:
        """Add what a trial cost that somebody else's models played."""
        for side in (trial.agent, trial.user):
            self._budget.pay(side.cost_usd)
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


def cancelled() -> Notice:
    """Why a run stopped that somebody cancelled."""
    return Notice("run.cancelled", "cancelled")


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
            return msgspec.convert(kept[number], Reply)
        reply = await ask(request)
        if not reply.error:
            with store.write(ACTOR):
                store.units.keep_reply(unit, number, asdict(reply))
        return reply

    return complete


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
        if problem := llm.preflight(endpoint):
            raise ReviewError(
                "run.no_answer",
                "{role} ({model}): {problem}",
                role=role,
                model=endpoint.model,
                problem=problem,
            )
