"""How fast a server may be asked: so many at once, so many a minute, and when to ask again."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from time import monotonic

MINUTE_S = 60.0
STEP_S = 0.2
"""Waiting is cut into such pieces, to notice a cancel."""

FIRST_BACKOFF_S = 1.0
LONGEST_WAIT_S = 120.0
"""A server that asks for a longer pause is asked again after this one."""


class Limiter:
    """At most so many requests at once and so many in any minute, for all callers of one endpoint.

    Belongs to one event loop.

    Args:
        at_once: Requests under way at the same time.
        per_minute: Requests started in any 60 seconds; None for any number.
        clock: Seconds, never going back.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        at_once: int,
        per_minute: int | None = None,
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._per_minute, self._clock, self._sleep = per_minute, clock, sleep
        self._started: deque[float] = deque()
        self._not_before = 0.0

    def pause(self, seconds: float) -> None:
        """Let nobody start a request before so many seconds have passed."""
        self._not_before = max(self._not_before, self._clock() + seconds)

    @asynccontextmanager
    async def turn(self, cancelled: Callable[[], bool]) -> AsyncIterator[None]:
        """Hold one of the places during the block; it begins at once if cancelled."""
        async with self._slots:
            while (wait := self._wait_s()) > 0 and not cancelled():
                await self._sleep(min(wait, STEP_S))
            self._started.append(self._clock())
            yield

    async def rest(self, seconds: float, cancelled: Callable[[], bool]) -> None:
        """Wait so long, or until cancelled."""
        until = self._clock() + seconds
        while (left := until - self._clock()) > 0 and not cancelled():
            await self._sleep(min(left, STEP_S))

    def _wait_s(self) -> float:
        moment = self._clock()
        while self._started and self._started[0] <= moment - MINUTE_S:
            self._started.popleft()
        wait = self._not_before - moment
        if self._per_minute and len(self._started) >= self._per_minute:
            wait = max(wait, self._started[0] + MINUTE_S - moment)
        return wait


def backoff_s(attempt: int, name: str) -> float:
    """The wait after failed attempt 1, 2, ...: doubling, spread by half, the same each time.

    Example:
        1 -> 0.5 to 1 s, 2 -> 1 to 2 s, 3 -> 2 to 4 s
    """
    spread = sha256(f"{name}/{attempt}".encode()).digest()[0] / 255
    longest: float = min(FIRST_BACKOFF_S * 2 ** (attempt - 1), LONGEST_WAIT_S)
    return longest * (0.5 + spread / 2)


def retry_after_s(header: str | None, moment: datetime | None = None) -> float | None:
    """The wait that a `Retry-After` header asks for, at most `LONGEST_WAIT_S`; None without one.

    Args:
        header: Seconds or an HTTP date.
        moment: Now.
    """
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (moment or datetime.now(UTC))).total_seconds()
    return min(max(seconds, 0.0), LONGEST_WAIT_S) if seconds == seconds else None
