"""How fast a server is asked: at once, per minute, pauses, waits between attempts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from review_app.pacing import Limiter, backoff_s, retry_after_s


class Clock:
    """Time passes when somebody sleeps."""

    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds

    async def sleep(self, seconds):
        self.seconds += seconds
        await asyncio.sleep(0)


def never():
    return False


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("100000", 120.0),
        ("Sat, 02 May 2026 10:00:30 GMT", 30.0),
        ("Sat, 02 May 2026 09:00:00 GMT", 0.0),
        ("Sat, 02 May 2027 10:00:00 GMT", 120.0),
        ("Sat, 02 May 2026 10:00:30 -0000", 30.0),
        ("Sat, 02 May 2026 12:00:30 +0200", 30.0),
        ("soon", None),
        ("nan", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_is_capped(header, seconds):
    assert retry_after_s(header, datetime(2026, 5, 2, 10, tzinfo=UTC)) == seconds


def test_a_date_is_compared_with_now():
    assert retry_after_s("Sat, 02 May 2020 10:00:00 GMT") == 0.0
    assert retry_after_s("Sat, 02 May 2999 10:00:00 GMT") == 120.0


def test_waits_are_spread_over_half_of_the_longest():
    waits = [backoff_s(1, str(name)) for name in range(1000)]
    assert 0.5 <= min(waits) < 0.51 and 0.99 < max(waits) <= 1


def test_waits_double_are_spread_capped_and_the_same_each_time():
    for attempt in range(1, 7):
        wait = backoff_s(attempt, "m")
        assert 2 ** (attempt - 1) / 2 <= wait <= 2 ** (attempt - 1)
        assert wait == backoff_s(attempt, "m")
    assert len({backoff_s(1, str(name)) for name in range(20)}) > 10
    assert backoff_s(50, "m") <= 120


def test_no_more_than_so_many_run_at_once():
    running, most = 0, 0

    async def call(limiter):
        nonlocal running, most
        async with limiter.turn(never):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1

    async def calls():
        limiter = Limiter(3)
        await asyncio.gather(*(call(limiter) for _ in range(20)))

    asyncio.run(calls())
    assert most == 3


def starts(limiter, clock, count, cancelled=never):
    async def calls():
        times = []
        for _ in range(count):
            async with limiter.turn(cancelled):
                times.append(clock() - 1000)
        return times

    return asyncio.run(calls())


def test_no_more_than_so_many_start_in_any_minute():
    clock = Clock()
    times = starts(Limiter(9, 3, clock=clock, sleep=clock.sleep), clock, 10)
    assert times[:3] == [0, 0, 0] and times[-1] == pytest.approx(180)
    for first, fourth in zip(times, times[3:], strict=False):
        assert fourth - first >= 60 - 1e-6


def test_a_pause_holds_everybody_back_and_a_shorter_one_does_not_end_it():
    clock = Clock()
    limiter = Limiter(2, clock=clock, sleep=clock.sleep)
    limiter.pause(30)
    limiter.pause(1)
    assert starts(limiter, clock, 2) == pytest.approx([30, 30])


@pytest.mark.parametrize(("pause", "second"), [(100, 100), (10, 60)], ids=["longer", "shorter"])
def test_a_pause_and_the_limit_per_minute_both_hold(pause, second):
    clock = Clock()
    limiter = Limiter(1, 1, clock=clock, sleep=clock.sleep)
    assert starts(limiter, clock, 1) == [0]
    limiter.pause(pause)
    assert starts(limiter, clock, 1) == pytest.approx([second], abs=0.3)


def test_a_pause_is_kept_to_its_end_and_nobody_waits_without_one():
    clock = Clock()
    clock.seconds = 0.0
    limiter = Limiter(1, clock=clock, sleep=clock.sleep)
    assert starts(limiter, clock, 3) == [-1000] * 3
    limiter.pause(7.5)
    assert starts(limiter, clock, 1)[0] >= -1000 + 7.5
    asyncio.run(limiter.rest(7.5, never))
    assert 15 <= clock() < 15.3


def test_waiting_ends_when_cancelled():
    clock = Clock()
    limiter = Limiter(1, clock=clock, sleep=clock.sleep)
    limiter.pause(100)
    assert starts(limiter, clock, 1, lambda: clock() > 1005)[0] < 6
    asyncio.run(limiter.rest(100, lambda: clock() > 1010))
    assert clock() < 1011
    asyncio.run(limiter.rest(3, never))
    assert clock() == pytest.approx(1013.2, abs=0.3)
